package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"ooc/cmd/ooc/about"
	"ooc/cmd/ooc/exit"
	"ooc/cmd/ooc/flagvalue"
	"ooc/cmd/ooc/terminal"
	"ooc/engine"
	"ooc/engine/prove"
	"ooc/engine/task"
	"ooc/engine/text"
)

type scrubOptions struct {
	line
	prove.ScrubOptions
	json bool
}

func scrubCommand() *cobra.Command {
	o := &scrubOptions{}
	cmd := about.Command("scrub", cobra.ExactArgs(1))
	cmd.Flags().Var(flagvalue.AtLeast(&o.From, 0), "from", "the tile to begin with, counted row by row from 0")
	cmd.Flags().BoolVar(&o.json, "json", false, "one JSON object")
	return runs(cmd, &o.line, o.run)
}

func (o *scrubOptions) run(ctx context.Context) error {
	dir := o.args[0]
	return ask(dir, func(p *engine.Problem) error {
		exit.Graceful.Store(true)
		show := &terminal.Counter{Verb: "compared", Unit: "tiles"}
		o.Progress = show.Update
		o.Damaged = func(err error) { show.Note("%v", err) }
		s, err := prove.Scrub(ctx, p, o.ScrubOptions)
		show.End()
		switch {
		case errors.Is(err, task.ErrInterrupted):
			from := fmt.Sprintf("--from=%d", s.Next)
			return fmt.Errorf("%w; continue with: %s", err, terminal.Command("scrub", []string{from}, dir))
		case errors.Is(err, prove.ErrNoTile):
			return exit.UsageError(err)
		case err != nil:
			return err
		}
		summary(o.json, s, terminal.Out, "%s: %s; %s in %s, %s", dir, matching(s.Tiles),
			humanize.IBytes(uint64(s.Bytes)),
			text.Time(s.Seconds), text.Per(float64(s.Bytes)/s.Seconds, "B"))
		return nil
	})
}
