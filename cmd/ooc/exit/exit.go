// Package exit is how a command ends: with which code for which error, and at what signal.
package exit

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"ooc/cmd/ooc/terminal"
	"ooc/engine/graph"
	"ooc/tiles/class"
)

// meaning is what a code says.
type meaning struct {
	Code int
	Text string
}

// Meanings are all codes, which are the classes of errors, and what they mean.
var Meanings = []meaning{
	{0, "done"},
	{class.Failed, "failed: the message says why"},
	{class.Usage, "usage: the command line is wrong, or asks for what cannot be"},
	{class.Input, "bad input: a file is missing, or is not what was asked for"},
	{class.NegativeCycle, "negative cycle: there are no shortest distances"},
	{class.NoSpace, "no space on the volume, in the quota or in the largest file allowed"},
	{class.Locked, "locked by another process"},
	{class.SomeFailed, "some jobs of a batch failed"},
	{class.Corrupt, "corrupt store, or one of another version; verify found a wrong distance"},
	{class.Interrupted, "interrupted: the same command resumes"},
}

// coded is an error whose code is known, whatever it wraps.
type coded struct {
	error
	code int
}

func (e coded) Unwrap() error { return e.error }

// UsageError is an error for a mistake on the command line, nil if err is.
func UsageError(err error) error {
	if err == nil {
		return nil
	}
	return coded{err, class.Usage}
}

// Refuse is a UsageError where the command line is as it must not be, else nil. cmp.Or chooses the first of several.
func Refuse(when bool, format string, args ...any) error {
	if when {
		return UsageError(fmt.Errorf(format, args...))
	}
	return nil
}

// WithCode is an error with the code that another process has found for it.
func WithCode(err error, code int) error { return coded{err, code} }

// InputError is an error for an input that cannot be used.
func InputError(err error) error { return coded{err, class.Input} }

// Code is the exit code for an error, 0 for nil.
func Code(err error) int {
	var c coded
	if errors.As(err, &c) {
		return c.code
	}
	return class.Of(err)
}

// ReportJSON prints an error as an object to standard output, where --json is given.
func ReportJSON(cmd *cobra.Command, args []string, err error) {
	// The flags may not have been read yet, so --json counts where it stands among the words, too.
	if f := cmd.Flags().Lookup("json"); f != nil && (f.Value.String() == "true" || slices.Contains(args, "--json")) {
		var cycle []string         // ids, the first not repeated; null if it is no negative cycle
		var length json.RawMessage // of all its arcs
		if c := (*graph.NegativeCycleError)(nil); errors.As(err, &c) {
			cycle, length = c.Cycle, c.Numbers.JSON(c.Length)
		}
		terminal.PrintJSON("error", terminal.Members("message", err.Error(), "exit_code", Code(err), "cycle", cycle,
			"cycle_length", length))
	}
}
