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

// Exit codes. Meanings says what they mean.
const (
	Failed        = 1
	Usage         = 2
	BadInput      = 3
	NegativeCycle = 4
	NoSpace       = 5
	Locked        = 6
	SomeFailed    = 7
	Corrupt       = 8
	Interrupted   = 130
)

// meaning is what a code says, and of which class of errors.
type meaning struct {
	Code  int
	class class.Class
	Text  string
}

// Meanings are all codes, and what they mean.
var Meanings = []meaning{
	{0, -1, "done"},
	{Failed, class.None, "failed: the message says why"},
	{Usage, class.Usage, "usage: the command line is wrong, or asks for what cannot be"},
	{BadInput, class.Input, "bad input: a file is missing, or is not what was asked for"},
	{NegativeCycle, class.NegativeCycle, "negative cycle: there are no shortest distances"},
	{NoSpace, class.NoSpace, "no space on the volume, in the quota or in the largest file allowed"},
	{Locked, class.Locked, "locked by another process"},
	{SomeFailed, class.SomeFailed, "some jobs of a batch failed"},
	{Corrupt, class.Corrupt, "corrupt store, or one of another version; verify found a wrong distance"},
	{Interrupted, class.Interrupted, "interrupted: the same command resumes"},
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
	return coded{err, Usage}
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
func InputError(err error) error { return coded{err, BadInput} }

// Code is the exit code for an error, 0 for nil.
func Code(err error) int {
	if err == nil {
		return 0
	}
	var c coded
	if errors.As(err, &c) {
		return c.code
	}
	of := class.Of(err)
	return Meanings[slices.IndexFunc(Meanings, func(m meaning) bool { return m.class == of })].Code
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
