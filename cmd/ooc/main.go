// Command ooc solves all-pairs shortest paths on graphs whose distance matrix is larger than the memory
// of the device that computes it. See the README for its use, docs/ for the rest.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/spf13/cobra"

	"ooc/cmd/ooc/show"
	"ooc/cmd/ooc/terminal"
	"ooc/engine/task"
	"ooc/engine/text"
)

func main() { os.Exit(run(os.Args[1:])) }

// run is main with arguments and an exit code, so that tests can call it.
func run(args []string) int {
	if err := startPoller(); err != nil {
		fmt.Fprintln(terminal.Err, "ooc:", moreFiles(err))
		return exitFailed
	}
	ctx, stop := interruptible()
	defer stop()
	root := newRoot()
	root.SetArgs(args)
	cmd, err := root, oneLine(args)
	if err == nil {
		cmd, err = root.ExecuteContextC(ctx)
	}
	if err = moreFiles(err); err != nil {
		reportJSON(cmd, err)
	}
	if failed := terminal.Out.Close(); failed != nil {
		if errors.Is(err, failed) {
			err = nil // the command ended for it
		}
		err = errors.Join(err, fmt.Errorf("standard output is not complete: %w", failed))
	}
	if err != nil {
		fmt.Fprintln(terminal.Err, "ooc:", err)
	}
	return exitCode(err)
}

// oneLine refuses arguments with line ends in them: whatever names such a file would seem to say more than it does. Other
// characters that are not printable are escaped where they are shown.
func oneLine(args []string) error {
	for _, arg := range args {
		if !text.OneLine(arg) {
			return usageError{fmt.Errorf("%q holds a line end: rename the file, or write a link to it", arg)}
		}
	}
	return nil
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:           "ooc",
		Short:         "All-pairs shortest paths, out of core",
		Long:          "ooc computes all-pairs shortest paths on graphs whose n×n distance matrix is larger than the memory\nof the device that computes it, resumes what was interrupted, and shows how far it is.",
		SilenceErrors: true,
		SilenceUsage:  true,
		Version:       version,
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetFlagErrorFunc(flagError)
	for _, c := range []func() *cobra.Command{
		solveCommand, statusCommand, watchCommand, queryCommand, pathCommand, exportCommand, verifyCommand, scrubCommand, statsCommand,
		ssspCommand, mstCommand, planCommand, genCommand, devicesCommand, benchCommand,
	} {
		root.AddCommand(c())
	}
	root.SetOut(terminal.Out) // before there are commands that print to it
	root.SetHelpCommand(helpCommand())
	root.InitDefaultHelpCmd() // adds it
	root.InitDefaultCompletionCmd()
	checked(root)
	return root
}

// checked has a command, and those below it, refuse what is wrong with their arguments and flags with a usageError.
func checked(cmd *cobra.Command) {
	args := cmd.Args
	if args == nil {
		args = cobra.ExactArgs(0)
	}
	if !cmd.Runnable() { // cobra would print its help whatever follows it
		cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	}
	cmd.SuggestionsMinimumDistance = 2
	cmd.Args = func(cmd *cobra.Command, words []string) error {
		if cmd.HasSubCommands() && len(words) > 0 {
			return unknownCommand(cmd, words[0])
		}
		err := args(cmd, words)
		if err != nil {
			return usageError{fmt.Errorf("%w\nusage: %s", err, cmd.UseLine())}
		}
		return checkFlags(cmd)
	}
	for _, sub := range cmd.Commands() {
		checked(sub)
	}
}

// unknownCommand says that a command has no such command below it, and which may be meant.
func unknownCommand(cmd *cobra.Command, name string) error {
	hint := cmd.CommandPath() + " --help lists those there are"
	if near := cmd.SuggestionsFor(name); len(near) > 0 {
		hint = "did you mean " + cmd.CommandPath() + " " + strings.Join(near, ", or "+cmd.CommandPath()+" ") + "?"
	}
	return usageError{fmt.Errorf("unknown command %q; %s", cmd.CommandPath()+" "+name, hint)}
}

// helpCommand is cobra's, but for its exit code where there is no such command.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Help about a command",
		Args:  cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, words []string) error {
			about, rest, err := cmd.Root().Find(words)
			if err != nil {
				return usageError{err}
			}
			if len(rest) > 0 {
				return unknownCommand(about, rest[0])
			}
			return about.Help()
		},
	}
}

const version = "0.1.0"

// graceful says that the command has begun something that must be ended in order: the first signal then only ends its
// context. Before that, and in commands that change nothing, a signal ends the process.
var graceful atomic.Bool

// interruptible returns a context that the first SIGINT or SIGTERM ends. The second one ends the process at once, which
// loses nothing that a checkpoint or a note has.
func interruptible() (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 2)
	ctx = context.WithValue(ctx, show.InterruptKey{}, func() {
		select {
		case signals <- os.Interrupt:
		default: // two are on their way, which is one more than it takes
		}
	})
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		if s, ok := <-signals; ok {
			if !graceful.Load() {
				fmt.Fprintln(terminal.Err, "ooc:", s)
				show.Exit(exitInterrupted)
			}
			cancel(fmt.Errorf("%w by %v", task.ErrInterrupted, s))
		}
		if _, ok := <-signals; ok {
			show.Exit(exitInterrupted)
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(signals)
		cancel(errors.New("done"))
	}
}
