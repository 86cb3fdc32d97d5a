// Command ooc solves all-pairs shortest paths on graphs whose distance matrix is larger than the memory
// of the device that computes it. See the README for its use, docs/ for the rest.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"

	"github.com/spf13/cobra"

	"ooc/cmd/ooc/show"
	"ooc/cmd/ooc/terminal"
	"ooc/engine/task"
)

func main() { os.Exit(run(os.Args[1:])) }

// run is main with arguments and an exit code, so that tests can call it.
func run(args []string) int {
	if err := startPoller(); err != nil {
		fmt.Fprintln(os.Stderr, "ooc:", moreFiles(err))
		return exitFailed
	}
	ctx, stop := interruptible()
	defer stop()
	root := newRoot()
	root.SetArgs(args)
	root.SetOut(terminal.Out)
	cmd, err := root.ExecuteContextC(ctx)
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
		fmt.Fprintln(os.Stderr, "ooc:", err)
	}
	return exitCode(err)
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:           "ooc",
		Short:         "All-pairs shortest paths, out of core",
		Long:          "ooc computes all-pairs shortest paths on graphs whose n×n distance matrix is larger than the memory\nof the device that computes it, resumes what was interrupted, and shows how far it is.",
		SilenceErrors: true,
		SilenceUsage:  true,
		Version:       version,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usageError{fmt.Errorf("unknown command %q; ooc --help lists those there are", args[0])}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	for _, c := range []func() *cobra.Command{
		solveCommand, statusCommand, watchCommand, queryCommand, pathCommand, exportCommand, verifyCommand, scrubCommand, statsCommand,
		ssspCommand, mstCommand, planCommand, genCommand, devicesCommand, benchCommand,
	} {
		sub := c()
		if sub.Args == nil {
			sub.Args = cobra.NoArgs
		}
		args := sub.Args
		sub.Args = func(cmd *cobra.Command, a []string) error {
			err := args(cmd, a)
			if err == nil {
				err = cmd.ValidateFlagGroups() // cobra asks again later, with an error of no kind
			}
			if err != nil {
				return usageError{fmt.Errorf("%w\nusage: %s", err, cmd.UseLine())}
			}
			return nil
		}
		root.AddCommand(sub)
	}
	return root
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
				fmt.Fprintln(os.Stderr, "ooc:", s)
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
