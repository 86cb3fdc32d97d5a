package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"ooc/cmd/ooc/about"
	"ooc/cmd/ooc/exit"
	"ooc/cmd/ooc/flagvalue"
	"ooc/cmd/ooc/terminal"
	"ooc/engine"
	"ooc/engine/idfile"
	"ooc/engine/near"
	"ooc/engine/text"
	"ooc/kernels/entry"
	"ooc/tiles/class"
)

type nearOptions struct {
	line
	graphFlags
	near.Question
	within, ids     string
	targets         string
	overwrite, json bool
}

func nearCommand() *cobra.Command {
	f := &nearOptions{}
	cmd := about.Command("near", cobra.ExactArgs(2), about.Endings(near.Formats),
		about.List(near.Formats, "\n  .%s  %s", "Name", "Title"), near.Extension)
	f.graphFlags.add(cmd, entry.Kinds...)
	fl := cmd.Flags()
	fl.StringVar(&f.within, "within", "", "only pairs no farther than this; inf: all that can be reached")
	fl.Var(flagvalue.AtLeast(&f.Nearest, 1), "k-nearest",
		"only so many others of each vertex, the nearest; of equally near ones the first in the input's order")
	fl.StringVar(&f.targets, "targets", "", "only pairs that end at one of these vertices, a target and itself too: "+
		"ids and ranges a,b..c, a file of them, or random:K (default: all others)")
	fl.StringVar(&f.ids, "ids", "", "write the ids of rows and columns to this .csv or .npy")
	fl.BoolVar(&f.overwrite, "overwrite", false, "replace files that are there")
	fl.BoolVar(&f.json, "json", false, "one JSON object that says what was written")
	return runs(cmd, &f.line, f.run)
}

// check reads the question, and refuses files that must not be made.
func (o *nearOptions) check() (n near.Options, err error) {
	n.File = o.output(o.args[1], o.overwrite)
	o.Within, err = flagvalue.Within(o.within)
	n.Question = o.Question
	return n, cmp.Or(err, exit.Refuse(o.within == "" && o.Nearest == 0,
		"say which pairs are near: --within R or --k-nearest K"), n.Check())
}

func (o *nearOptions) run(ctx context.Context) (err error) {
	to, err := o.check()
	if err != nil {
		return err
	}
	graph, file := o.args[0], o.args[1]
	in, err := o.readArcs(&o.line)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.close()) }()
	g := in.graph()
	if g == nil {
		return exit.InputError(fmt.Errorf("%s is a matrix of weights, and pairs are found in sparse graphs: solve it, "+
			"and ask with ooc query --within or ooc stats --k-nearest", graph))
	}
	if to.Targets, err = verticesOf(g.Facts()).Set("targets", o.targets); err != nil {
		return err
	}
	in.weights = nil // so that searches have its memory
	if o.ids != "" {
		all := idfile.Axis{N: g.N, IDs: g.IDs}
		table, err := idfile.New(o.output(o.ids, o.overwrite, file, file+near.Extension), all, all)
		switch {
		case err == nil:
			to.Found = table.Write
		case !errors.Is(err, fs.ErrExist) || !table.Same(): // as a run that was killed leaves it
			return err
		}
	}
	to.Offer = engine.OfferRows
	show := &terminal.Counter{Verb: "searched", Unit: "rows"}
	to.Progress = show.Update
	to.Resumed = func(rows int, dropped int64) {
		note("%s: going on; %s rows are there, and %s that are damaged are found again", file+near.Extension,
			humanize.Comma(int64(rows)), humanize.IBytes(uint64(dropped)))
	}
	defer exit.CanResume(o.again)()
	exit.Graceful.Store(true)
	r, err := near.File(ctx, g, to)
	show.End()
	if err != nil {
		return o.goOn(err, class.Interrupted, class.NoSpace)
	}
	summary(o.json, struct {
		Graph string `json:"graph"`
		*near.Result
	}{graph, r}, terminal.Err, "wrote %s, %s: %s pairs, %.6g a row; searched for %s, wrote for %s", file,
		humanize.IBytes(uint64(r.Bytes)),
		humanize.Comma(r.Pairs), float64(r.Pairs)/float64(r.Vertices), text.Time(r.Search), text.Time(r.Write))
	return nil
}
