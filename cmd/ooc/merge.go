package main

import (
	"context"
	"os"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"ooc/cmd/ooc/about"
	"ooc/cmd/ooc/exit"
	"ooc/cmd/ooc/terminal"
	"ooc/engine/parts"
	"ooc/engine/text"
	"ooc/tiles/class"
)

type mergeOptions struct {
	line
	json bool
}

func mergeCommand() *cobra.Command {
	o := &mergeOptions{}
	cmd := about.Command("merge", cobra.MinimumNArgs(2))
	cmd.Flags().BoolVar(&o.json, "json", false, "one JSON object that says what was made")
	return runs(cmd, &o.line, o.run)
}

func (o *mergeOptions) run(ctx context.Context) error {
	out := o.args[0]
	if err := noStoreIn(out); err != nil {
		return err
	}
	defer exit.CanResume(o.again)()
	exit.Graceful.Store(true)
	if err := vacant(ctx, note, out); err != nil {
		return err
	}
	show := &terminal.Counter{Verb: "merged", Unit: "rows"}
	r, err := parts.Merge(ctx, out, o.args[1:], parts.Options{
		Command: os.Args, Progress: show.Update,
		Resumed: func(rows, of int) {
			note("%s: going on; %s of %s rows are there, and are compared with those of the parts", out,
				humanize.Comma(int64(rows)), humanize.Comma(int64(of)))
		},
	})
	show.End()
	if err != nil {
		return o.goOn(err, class.Interrupted, class.NoSpace)
	}
	if r.Already {
		summary(o.json, r, terminal.Out, "%s: already solved", out)
		return nil
	}
	summary(o.json, r, terminal.Out, "%s: merged from %s: %s %s, %s, layout %s; %s copied in %s, %s", out,
		english.Plural(r.Parts, "part", ""),
		humanize.Comma(int64(r.Vertices)), english.PluralWord(r.Vertices, "row", ""), humanize.IBytes(uint64(r.Bytes)),
		r.Layout,
		humanize.IBytes(uint64(r.Copied)), text.Time(r.Seconds), text.Per(float64(r.Copied)/r.Seconds, "B"))
	return nil
}
