package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/dustin/go-humanize"

	"ooc/cmd/ooc/exit"
	"ooc/cmd/ooc/show"
	"ooc/cmd/ooc/terminal"
	"ooc/engine/device/registry"
	"ooc/engine/factors"
	"ooc/engine/graph"
	"ooc/engine/graph/read"
	"ooc/engine/stats"
)

const statsExt = ".stats"

// file is what keeps the statistics of an input meanwhile.
func (o *statsOptions) file(in input) (string, error) {
	path := o.out
	switch {
	case path == "" && in.form == standardInput:
		return "", exit.UsageError(errors.New("standard input has no name: give --out"))
	case path == "":
		path = read.BaseName(in.name) + statsExt
	}
	return path, o.output(path, true).Check()
}

// ofGraph gathers statistics of a graph that it reads.
func (o *statsOptions) ofGraph(ctx context.Context, in input, q stats.Options) error {
	if err := q.Check(1); err != nil { // of more vertices once they are read
		return exit.UsageError(err)
	}
	if err := o.isOne(); err != nil {
		return err
	}
	file, err := o.file(in)
	if err != nil {
		return err
	}
	begun, err := o.begun(in)
	if err != nil {
		return err
	}
	if begun {
		return o.byStore(ctx, in, q)
	}
	n, err := o.read(in, os.TempDir())
	if err != nil {
		return err
	}
	defer n.close()
	n.remark()
	g := n.graph()
	switch {
	case g == nil && o.store != "":
		return o.byStore(ctx, in, q)
	case g == nil:
		return exit.InputError(fmt.Errorf("%s: statistics of a matrix need a store; solve it (%s), and ask that", in.name, terminal.Command("solve", nil, in.name)))
	}
	if err := q.Check(g.N); err != nil {
		return exit.UsageError(err)
	}
	all := stats.GraphOptions{Options: q, File: file, Memory: o.hostMemory, Name: n.src.Name, Checkpoint: o.checkpoint}
	if all.Sources, _, err = sourcesOf(g.Facts(), o.sources, 0); err != nil {
		return err
	}
	defer exit.CanResume(o.again)()
	s, err := o.draw(ctx, func() (*stats.Result, error) { return o.gather(ctx, g, all) })
	switch {
	case err == nil:
		return o.print(s, n.src.Name, g.IDs)
	case !errors.Is(err, factors.ErrDense):
		return o.goOn(err, exit.Interrupted, exit.NoSpace)
	case o.store != "":
		return o.byStore(ctx, in, q)
	}
	return exit.UsageError(fmt.Errorf("%s: %w%s", in.name, err, o.storeTakes(ctx, g, all.Sources)))
}

// gather gathers with the device of --device, where that is one beside the processor, and shows how far that is.
func (o *statsOptions) gather(ctx context.Context, g *graph.Graph, all stats.GraphOptions) (*stats.Result, error) {
	d, err := registry.OpenFaster(o.device, o.deviceMemory, all.Distances(g))
	if err != nil {
		return nil, o.orAuto(err)
	}
	if all.Device = d; d != nil {
		defer d.Close()
	}
	show := show.New(o.progress, false)
	all.Interval = show.Interval
	exit.Graceful.Store(true)
	defer exit.Graceful.Store(false)
	defer show.OnAsking()()
	defer show.OnStopping(ctx)()
	control, progress, end := show.Steering.Begin(show.Status, show.Answer)
	defer end()
	all.Control, all.Progress = control, progress
	stop := show.Keyboard(ctx)
	s, sum, err := stats.OfGraph(ctx, g, all)
	stop()
	show.End()
	if err == nil {
		resumed := ""
		if sum.Resumed > 0 {
			resumed = fmt.Sprintf(", after %s of an earlier run", humanize.Comma(int64(sum.Resumed)))
		}
		note("eliminated %s in %s, core of %s; computed %s in %s, %s%s", terminal.Count(sum.Eliminated, "vertex", "vertices"), terminal.Time(sum.EliminateSeconds),
			humanize.Comma(int64(sum.Core)), terminal.Count(sum.Rows, "row", "rows"), terminal.Time(sum.Seconds), terminal.DistanceRate(sum.DistancesPerSecond), resumed)
	}
	return s, err
}
