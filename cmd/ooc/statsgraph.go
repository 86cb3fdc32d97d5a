package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"

	"github.com/dustin/go-humanize"

	"ooc/cmd/ooc/exit"
	"ooc/cmd/ooc/show"
	"ooc/cmd/ooc/terminal"
	"ooc/engine"
	"ooc/engine/between"
	"ooc/engine/device/registry"
	"ooc/engine/factors"
	"ooc/engine/graph"
	"ooc/engine/graph/read"
	"ooc/engine/plan"
	"ooc/engine/stats"
	"ooc/engine/text"
	"ooc/kernels"
	"ooc/tiles"
	"ooc/tiles/class"
	"ooc/tiles/disk"
	"ooc/tiles/lock"
)

const statsExt = ".stats"

// ofGraph gathers statistics of a graph that it reads.
func (o *statsOptions) ofGraph(ctx context.Context, in input, q stats.Options) error {
	file := cmp.Or(o.out, read.BaseName(in.name)+statsExt)
	if err := cmp.Or(exit.UsageError(q.Check(1)), // of more vertices once they are read
		exit.Refuse(o.out == "" && in.form == standardInput, "standard input has no name: give --out"),
		o.output(file, true).Check()); err != nil {
		return err
	}
	if o.betweenness != "" { // before a large matrix is read
		if is, err := read.IsMatrix(in.name, o.options(os.TempDir())); err != nil {
			return err
		} else if is {
			return betweennessOfMatrix(in)
		}
	}
	if begun, err := o.begun(in); err != nil {
		return err
	} else if begun {
		return o.byStore(ctx, in, q)
	}
	distances := 0.0
	open := sync.OnceValues(func() (kernels.Device, error) {
		d, err := registry.OpenFaster(o.device, o.deviceMemory, distances)
		return d, o.orAuto(err)
	})
	if o.store == "" { // else rounds may fill it
		registry.WithoutRounds()
		if o.device != "auto" { // a GPU opens while the graph is read
			go open()
		}
	}
	n, err := o.readArcs(&o.line)
	if err != nil {
		return err
	}
	defer n.close()
	g := n.graph()
	switch {
	case g == nil && o.betweenness != "":
		return betweennessOfMatrix(in)
	case g == nil && o.store != "":
		return o.byStore(ctx, in, q)
	case g == nil:
		return statsOfMatrix(in)
	}
	if err := o.readValues(&q, verticesOf(g.Facts())); err != nil {
		return err
	}
	if err := q.Check(g.N); err != nil {
		return exit.UsageError(err)
	}
	all := stats.GraphOptions{Options: q, File: file, Memory: o.HostMemory, Name: n.src.Name, Checkpoint: o.checkpoint}
	all.Betweenness = between.Question{Endpoints: o.endpoints,
		Vertices: o.betweenness == "vertices" || o.betweenness == "both",
		Edges:    o.betweenness == "edges" || o.betweenness == "both"}
	if all.Betweenness.Targets, err = verticesOf(g.Facts()).Set("targets", o.targets); err != nil {
		return err
	}
	if all.Sources, _, err = sourcesOf(g.Facts(), o.sources, 0); err != nil {
		return err
	}
	defer exit.CanResume(o.again)()
	// The device closes while results are printed. That is waited for in the end: several devices close at the same time
	// here, and one after another when the process ends.
	var closing sync.WaitGroup
	defer closing.Wait()
	s, err := o.draw(ctx, func() (*stats.Result, error) {
		if o.device == "auto" {
			distances = all.Distances(g)
		}
		all.Open = func() (kernels.Device, error) {
			d, err := open()
			if d == nil {
				return nil, err
			}
			return closedBeside{d, &closing}, err
		}
		return o.gather(ctx, g, all)
	})
	switch {
	case err == nil:
		return o.print(s, n.src.Name, g.IDs)
	case !errors.Is(err, factors.ErrDense):
		return o.goOn(err, class.Interrupted, class.NoSpace)
	case o.store != "":
		// The solve reads the graph again. It would lie in memory twice.
		n.weights, g, all = nil, nil, stats.GraphOptions{}
		return o.byStore(ctx, in, q)
	}
	return exit.UsageError(fmt.Errorf("%s: %w%s", in.name, err, o.storeTakes(ctx, g, all.Sources)))
}

// closedBeside is a device whose Close does not wait for its end.
type closedBeside struct {
	kernels.Device
	closing *sync.WaitGroup
}

// Unwrap makes kernels.As find what the device can do.
func (d closedBeside) Unwrap() kernels.Device { return d.Device }

func (d closedBeside) Close() error {
	d.closing.Go(func() { _ = d.Device.Close() })
	return nil
}

// statsOfMatrix is the error of a graph that has no list of arcs.
func statsOfMatrix(in input) error {
	return exit.InputError(fmt.Errorf("%s: statistics of a matrix need a store; solve it (%s), and ask that",
		in.name, terminal.Command("solve", nil, in.name)))
}

func betweennessOfMatrix(in input) error {
	return exit.UsageError(fmt.Errorf("%s: this is a matrix, and --betweenness is for graphs: give its arcs as a "+
		"list, with a line for each: FROM TO WEIGHT", in.name))
}

// gather gathers, and shows how far that is.
func (o *statsOptions) gather(ctx context.Context, g *graph.Graph, all stats.GraphOptions) (*stats.Result, error) {
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
		resumed := terminal.If(sum.Resumed > 0, ", after %s of an earlier run", humanize.Comma(int64(sum.Resumed)))
		ready := fmt.Sprintf("made ready for %s in %s%s", sum.Engine, text.Time(sum.ReadySeconds),
			terminal.If(sum.Alone != "", ", on the processor, as %s", sum.Alone))
		if sum.Engine == factors.Name {
			ready = fmt.Sprintf("eliminated %s in %s, core of %s", text.Count(sum.Eliminated, "vertex", "vertices"),
				text.Time(sum.ReadySeconds), humanize.Comma(int64(sum.Core)))
		}
		rate := terminal.If(sum.DistancesPerSecond > 0, ", %s", text.Per(sum.DistancesPerSecond, "distances"))
		through := terminal.If(all.Betweenness.Any(), "; added up betweenness in %s%s%s", text.Time(sum.BetweenSeconds),
			terminal.If(sum.BetweenAlone != "", ", on the processor, as %s", sum.BetweenAlone),
			terminal.If(sum.BetweenResumed > 0, ", after %s of an earlier run",
				text.Count(sum.BetweenResumed, "source", "sources")))
		note("%s; computed %s in %s%s%s%s", ready, text.Count(sum.Rows, "row", "rows"), text.Time(sum.Seconds), rate,
			resumed, through)
	}
	return s, err
}

// begun reports whether an earlier run has begun the store of --store, or its import. It refuses any other folder
// that is there, unless that is empty, as a kill may leave it: the store is removed at the end.
func (o *statsOptions) begun(in input) (bool, error) {
	if o.store == "" {
		return false, nil
	}
	if in.form == standardInput {
		return false, exit.UsageError(errors.New("--store: standard input cannot be read again after a stop; " +
			"give a file"))
	}
	if _, err := os.Lstat(o.store); errors.Is(err, fs.ErrNotExist) {
		return false, noStoreIn(o.store)
	}
	if !tiles.IsStore(o.store) {
		half, err := tiles.Incomplete(o.store)
		if errors.Is(err, lock.ErrNotStore) {
			err = exit.UsageError(fmt.Errorf("--store %s: it is there, and would be removed at the end; "+
				"name a folder that is not there, or is empty", o.store))
		}
		return half, err
	}
	p, err := engine.OpenReadOnly(o.store)
	if err != nil {
		return false, o.damaged(err)
	}
	defer p.Close()
	made := p.Meta().Command
	begun := len(made) > 1 && made[1] == "stats"
	return begun, exit.Refuse(!begun, "--store %s: it is a store that ooc stats has not made, and would be removed at "+
		"the end; ask it (%s), or name another folder",
		o.store, terminal.Command("stats", nil, o.store))
}

// damaged says what to do where the store of --store is damaged. What the error says of --restart is not for stats.
func (o *statsOptions) damaged(err error) error {
	if !tiles.Damaged(err) || errors.Is(err, tiles.ErrVersion) {
		return err
	}
	cause, _, _ := strings.Cut(err.Error(), "; ")
	return text.ErrorOf(disk.ErrCorrupt, "%s; if an earlier ooc stats made that store, remove it, rm -r %s, "+
		"and the same command begins again", cause, text.Quote(o.store))
}

// byStore solves a graph into the store of --store, gathers its statistics, and removes it.
func (o *statsOptions) byStore(ctx context.Context, in input, q stats.Options) (err error) {
	defer func() { err = o.damaged(err) }()
	j := &job{in: in, solveOptions: solveOptions{
		line: o.line, matrixFlags: o.matrixFlags, progressFlags: o.progressFlags, out: o.store, quiet: true,
		strict: true, place: "store", // what is begun for other statistics goes on for none but these
	}}
	j.Algorithm = plan.Auto
	if err := j.run(ctx); err != nil {
		return err
	}
	p, err := engine.Open(o.store)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	err = o.ofStore(ctx, p, p.Meta().Input.Name, q, func(string, ...any) {})
	if err != nil {
		return o.goOn(err, class.Interrupted)
	}
	if err = p.Remove(); err != nil && !errors.Is(err, lock.ErrNotStore) {
		err = fmt.Errorf("%w; the same command begins again with that:\n  %s", err, o.again())
	}
	return err
}

// storeTakes says what statistics by way of a store take; "" if that cannot be told.
func (o *statsOptions) storeTakes(ctx context.Context, g *graph.Graph, sources tiles.RowSet) string {
	d, _, err := o.open()
	if err != nil {
		return ""
	}
	defer d.Close()
	c, err := engine.ForecastGraph(ctx, g, d, plan.Request{Sources: sources, HostMemory: o.HostMemory,
		Room: engine.Room(".")}, "")
	if err != nil {
		return ""
	}
	return fmt.Sprintf(". A store for the meantime would take %s on disk and about %s; --store DIR makes one and "+
		"removes it",
		humanize.IBytes(uint64(c.StoreBytes+c.BesideBytes)), text.Time(c.Seconds()))
}
