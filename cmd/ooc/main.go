// Command ooc solves all-pairs shortest paths on graphs whose distance matrix is larger than the memory
// of the device that computes it. See the README for its use, docs/ for the rest.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"ooc/cmd/ooc/about"
	"ooc/cmd/ooc/bench"
	"ooc/cmd/ooc/exit"
	"ooc/cmd/ooc/flagvalue"
	"ooc/cmd/ooc/terminal"
	"ooc/engine/device"
	"ooc/engine/mpi"
	"ooc/engine/text"
	"ooc/kernels/opencl"
	"ooc/tiles/class"
)

func main() { mpi.Exit(run(os.Args[1:])) }

// run is main with arguments and an exit code, so that tests can call it.
func run(args []string) int {
	if err := exit.StartPoller(); err != nil {
		fmt.Fprintln(terminal.Err, "ooc:", exit.MoreFiles(err))
		return class.Failed
	}
	if dir, err := os.UserCacheDir(); err == nil {
		device.KeepCeilings(filepath.Join(dir, "ooc", "ceilings"))
		opencl.KeepTunables(filepath.Join(dir, "ooc", "opencl"))
	}
	ctx, stop := exit.Interruptible()
	defer stop()
	root := newRoot()
	cmd, err := root, oneLine(args)
	if err == nil {
		cmd, err = execute(ctx, root, args)
	}
	if err = exit.MoreFiles(err); err != nil {
		exit.ReportJSON(cmd, args, err)
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
	return exit.Code(err)
}

// oneLine refuses arguments with line ends in them: whatever names such a file would seem to say more than it does.
// Other characters that are not printable are escaped where they are shown.
func oneLine(args []string) error {
	for _, arg := range args {
		if !text.OneLine(arg) {
			return exit.UsageError(fmt.Errorf("%q holds a line end: rename the file, or write a link to it", arg))
		}
	}
	return nil
}

func newRoot() *cobra.Command {
	root := about.Command("ooc", nil)
	root.SilenceErrors, root.SilenceUsage, root.Version = true, true, about.Version()
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetFlagErrorFunc(flagvalue.Error)
	for _, c := range []func() *cobra.Command{
		solveCommand, mergeCommand, statusCommand, watchCommand, queryCommand, pathCommand, exportCommand,
		verifyCommand, scrubCommand, statsCommand,
		nearCommand, ssspCommand, mstCommand, planCommand, genCommand, bench.DevicesCommand, bench.Command,
		about.VersionCommand,
	} {
		root.AddCommand(c())
	}
	root.SetOut(terminal.Out) // before there are commands that print to it
	help := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, words []string) {
		if stranger(cmd) == nil {
			help(cmd, words)
		}
	})
	about.AddHelp(root, unknownCommand)
	root.InitDefaultHelpCmd() // adds it
	root.InitDefaultCompletionCmd()
	checked(root)
	return root
}

// checked has a command, and those below it, refuse what is wrong with their arguments and flags with an
// exit.UsageError, and the shell complete what is right.
func checked(cmd *cobra.Command) {
	if cmd.IsAdditionalHelpTopicCommand() {
		return
	}
	args := cmd.Args
	if args == nil {
		args = cobra.ExactArgs(0)
	}
	if !cmd.Runnable() { // cobra would print its help whatever follows it
		cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	}
	cmd.SuggestionsMinimumDistance = 2
	flagvalue.Complete(cmd)
	cmd.Args = func(cmd *cobra.Command, words []string) error {
		if err := stranger(cmd); err != nil {
			return err
		}
		err := args(cmd, words)
		if err != nil {
			return exit.UsageError(fmt.Errorf("%w\nusage: %s", err, cmd.UseLine()))
		}
		return flagvalue.Check(cmd)
	}
	for _, sub := range cmd.Commands() {
		checked(sub)
	}
}

// execute runs a command line. It returns the command that this names.
func execute(ctx context.Context, root *cobra.Command, args []string) (*cobra.Command, error) {
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		err = stranger(cmd) // where --help was given, nobody has looked
	}
	return cmd, err
}

// stranger refuses a word that names no command below this one.
func stranger(cmd *cobra.Command) error {
	if words := cmd.Flags().Args(); cmd.HasSubCommands() && len(words) > 0 {
		return unknownCommand(cmd, words[0])
	}
	return nil
}

// unknownCommand says that a command has no such command below it, and which may be meant.
func unknownCommand(cmd *cobra.Command, name string) error {
	hint := cmd.CommandPath() + " --help lists those there are"
	if near := cmd.SuggestionsFor(name); len(near) > 0 {
		hint = "did you mean " + cmd.CommandPath() + " " + strings.Join(near, ", or "+cmd.CommandPath()+" ") + "?"
	}
	return exit.UsageError(fmt.Errorf("unknown command %q; %s", cmd.CommandPath()+" "+name, hint))
}
