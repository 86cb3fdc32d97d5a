package main

import (
	"encoding/json"
	"errors"
	"io/fs"
	"slices"
	"syscall"

	"github.com/spf13/cobra"

	"ooc/cmd/ooc/terminal"
	"ooc/cmd/ooc/vertices"
	"ooc/engine"
	"ooc/engine/batch"
	"ooc/engine/device"
	"ooc/engine/export"
	"ooc/engine/graph"
	"ooc/engine/mst"
	"ooc/engine/newfile"
	"ooc/engine/plan"
	"ooc/engine/sssp"
	"ooc/engine/task"
	"ooc/tiles"
)

// Exit codes, as docs/design.md lists them.
const (
	exitFailed        = 1
	exitUsage         = 2
	exitBadInput      = 3
	exitNegativeCycle = 4
	exitNoSpace       = 5
	exitLocked        = 6
	exitSomeFailed    = 7
	exitCorrupt       = 8
	exitInterrupted   = 130
)

// usageError is a mistake on the command line.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// badInput is an input that cannot be used.
type badInput struct{ error }

func (e badInput) Unwrap() error { return e.error }

// exitCodes maps kinds of errors to codes; the first that matches counts.
var exitCodes = []struct {
	kind error
	code int
}{
	{task.ErrInterrupted, exitInterrupted},
	{batch.ErrSomeFailed, exitSomeFailed},
	{errWouldFail, exitSomeFailed},
	{tiles.ErrNoSpace, exitNoSpace},
	{syscall.ENOSPC, exitNoSpace},
	{syscall.EDQUOT, exitNoSpace},
	{syscall.EFBIG, exitNoSpace},
	{tiles.ErrLocked, exitLocked},
	{tiles.ErrCorrupt, exitCorrupt},
	{tiles.ErrVersion, exitCorrupt},
	{engine.ErrWrong, exitCorrupt},
	{batch.ErrCorrupt, exitCorrupt},
	{graph.ErrNegativeCycle, exitNegativeCycle},
	{graph.ErrOptions, exitUsage},
	{device.ErrMemory, exitUsage},
	{device.ErrUnknown, exitUsage},
	{vertices.ErrUsage, exitUsage},
	{plan.ErrRound, exitUsage},
	{plan.ErrAlgorithm, exitUsage},
	{plan.ErrLayout, exitUsage},
	{export.ErrNoFormat, exitUsage},
	{newfile.ErrKept, exitUsage},
	{batch.ErrJobs, exitUsage},
	{sssp.ErrMethod, exitUsage},
	{mst.ErrMethod, exitUsage},
	{graph.ErrBadInput, exitBadInput},
	{graph.ErrNoVertex, exitBadInput},
	{engine.ErrInput, exitBadInput},
	{engine.ErrChanged, exitBadInput},
	{graph.ErrChanged, exitBadInput},
	{tiles.ErrNotStore, exitBadInput},
	{batch.ErrNotQueue, exitBadInput},
	{tiles.ErrNoCSR, exitBadInput},
	{sssp.ErrRounding, exitBadInput},
	{mst.ErrDirected, exitBadInput},
	{fs.ErrNotExist, exitBadInput},
	{syscall.EISDIR, exitBadInput},
	{syscall.ENOTDIR, exitBadInput},
}

func exitCode(err error) int {
	var u usageError
	var b badInput
	switch {
	case err == nil:
		return 0
	case errors.As(err, &u):
		return exitUsage
	case errors.As(err, &b):
		return exitBadInput
	}
	for _, c := range exitCodes {
		if errors.Is(err, c.kind) {
			return c.code
		}
	}
	return exitFailed
}

// reportJSON prints an error as an object to standard output, where --json is given.
func reportJSON(cmd *cobra.Command, args []string, err error) {
	if f := cmd.Flags().Lookup("json"); f != nil && (f.Value.String() == "true" || slices.Contains(args, "--json")) { // which may not have been read yet
		o := struct {
			Message string          `json:"message"`
			Code    int             `json:"exit_code"`
			Cycle   []string        `json:"cycle"`        // ids, the first not repeated; null if it is no negative cycle
			Length  json.RawMessage `json:"cycle_length"` // of all its arcs
		}{Message: err.Error(), Code: exitCode(err)}
		if c := (*graph.NegativeCycleError)(nil); errors.As(err, &c) {
			o.Cycle, o.Length = c.Cycle, c.Numbers.JSON(c.Length)
		}
		terminal.PrintJSON("error", o)
	}
}
