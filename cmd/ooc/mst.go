package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"ooc/cmd/ooc/show"
	"ooc/cmd/ooc/terminal"
	"ooc/engine/feed"
	"ooc/engine/mst"
	"ooc/engine/text"
)

type mstOptions struct {
	line
	arcsFlags
}

func mstCommand() *cobra.Command {
	f := &mstOptions{}
	return runs(f.command("mst", mst.Methods), &f.line, f.run)
}

func (o *mstOptions) run(ctx context.Context) (err error) {
	if err := o.isOne(); err != nil {
		return err
	}
	in, err := o.readArcs(&o.line)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.close()) }()
	device, _, err := o.open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, device.Close()) }()
	r, err := mst.Run(ctx, in.weights.(feed.Matrix), mst.Options{Device: device, Method: o.method,
		Progress: every(show.LinesEvery, func(p mst.Progress) {
			note("%s of at most %s found, %s", humanize.Comma(int64(p.Edges)),
				text.Count(p.Vertices-1, "edge", "edges"), text.Time(p.Elapsed.Seconds()))
		})})
	if err != nil {
		return err
	}
	return o.printTree(r)
}

// printTree prints the edges, what they weigh and how they were found.
func (o *mstOptions) printTree(r *mst.Result) error {
	ids, s, number := r.Facts.IDs, r.Summary, r.Facts.Numbers()
	w := bufio.NewWriterSize(terminal.Out, 1<<16)
	for _, e := range r.Edges {
		u, v := ids.Name(int(e.U)), ids.Name(int(e.V))
		if o.json {
			terminal.PrintJSON("edge", terminal.Members("u", u, "v", v, "weight", number.JSON(e.Weight)))
			continue
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", text.CellOf(u), text.CellOf(v), number.Text(e.Weight))
	}
	if !o.json {
		fmt.Fprintf(w, "total\t%s\n", text.Numbers{}.Text(s.Total))
	}
	if err := w.Flush(); err != nil { // or what came before it
		return err
	}
	what := "a tree"
	if s.Components > 1 {
		what = fmt.Sprintf("the graph has %s components: a forest", humanize.Comma(int64(s.Components)))
	}
	summary(o.json, s, terminal.Err, "%s of %s in %s: %s, on %s", what, text.Count(s.Edges, "edge", "edges"),
		text.Time(s.Seconds), s.Method, s.Device)
	return nil
}
