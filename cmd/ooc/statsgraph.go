package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"ooc/cmd/ooc/exit"
	"ooc/cmd/ooc/flagvalue"
	"ooc/cmd/ooc/show"
	"ooc/cmd/ooc/terminal"
	"ooc/engine/device/registry"
	"ooc/engine/factors"
	"ooc/engine/graph"
	"ooc/engine/graph/read"
	"ooc/engine/stats"
	"ooc/engine/task"
)

// graphStatsFlags are the flags of statistics of a graph that has no store.
type graphStatsFlags struct {
	graphFlags
	sources, out, progress string
	store, device          string
	deviceMemory, memory   int64
	checkpoint             time.Duration
}

func (f *graphStatsFlags) add(cmd *cobra.Command) {
	f.graphFlags.add(cmd)
	fl := cmd.Flags()
	fl.StringVar(&f.sources, "sources", "", "only distances from these vertices: ids and ranges a,b..c, a file of them, or random:K (default: all)")
	fl.StringVar(&f.out, "out", "", "the file that keeps what was gathered until all is (default: GRAPH's base name with "+statsExt+", in the current directory)")
	fl.StringVar(&f.store, "store", "", "where elimination does not pay, or the graph is a matrix: solve into this store, which must not be there or be empty, and remove it at the end")
	_ = cmd.MarkFlagDirname("store")
	addDevice(cmd, &f.device, &f.deviceMemory)
	fl.Var(flagvalue.Size(&f.memory), "host-memory", "memory for elimination, and again to compute rows in (default: what is free, and half of it)")
	f.checkpoint = task.DefaultCheckpoint
	fl.Var(flagvalue.Period(&f.checkpoint), "checkpoint", "time between checkpoints")
	f.progress = "auto"
	fl.Var(flagvalue.Word(&f.progress, "auto", "always", "never"), "progress", "auto, always (draw also where standard error is no terminal) or never")
}

// noGraph refuses these flags for a store.
func (f *graphStatsFlags) noGraph(cmd *cobra.Command) error {
	for _, name := range []string{"sources", "out", "store", "device", "device-memory", "host-memory", "checkpoint", "progress"} {
		if cmd.Flags().Changed(name) {
			return exit.UsageError(fmt.Errorf("--%s is for graphs, and this is a store: leave it out, or give the graph's file instead", name))
		}
	}
	return noGraphFlags(cmd)
}

const statsExt = ".stats"

// file is what keeps the statistics of an input meanwhile.
func (f *graphStatsFlags) file(cmd *cobra.Command, input string) (string, error) {
	path := f.out
	switch {
	case path == "" && input == "-":
		return "", exit.UsageError(errors.New("standard input has no name: give --out"))
	case path == "":
		path = read.BaseName(input) + statsExt
	}
	return path, output(cmd, path, true).Check()
}

// ofGraph gathers statistics of a graph that it reads.
func (f *statsFlags) ofGraph(cmd *cobra.Command, input string, o stats.Options) error {
	if err := o.Check(1); err != nil { // of more vertices once they are read
		return exit.UsageError(err)
	}
	if err := oneDevice(f.device); err != nil {
		return err
	}
	file, err := f.file(cmd, input)
	if err != nil {
		return err
	}
	begun, err := f.begun(input)
	if err != nil {
		return err
	}
	if begun {
		return f.byStore(cmd, input, o)
	}
	in, err := f.read(cmd, input, os.TempDir())
	if err != nil {
		return err
	}
	defer in.close()
	in.remark()
	g, sparse := in.weights.(*graph.Graph)
	if !sparse && f.store != "" {
		return f.byStore(cmd, input, o)
	}
	if !sparse {
		return exit.InputError(fmt.Errorf("%s: statistics of a matrix need a store; solve it (%s), and ask that", input, terminal.Command("solve", nil, input)))
	}
	if err := o.Check(g.N); err != nil {
		return exit.UsageError(err)
	}
	all := stats.GraphOptions{Options: o, File: file, Memory: f.memory, Name: in.src.Name, Checkpoint: f.checkpoint}
	if all.Sources, _, err = sourcesOf(g.Facts(), f.sources, 0); err != nil {
		return err
	}
	defer exit.CanResume(func() string { return wholeCommand([]string{input}) })()
	s, err := f.draw(cmd.Context(), func() (*stats.Result, error) { return f.onDevice(cmd.Context(), g, all) })
	switch exit.Code(err) {
	case exit.Interrupted, exit.NoSpace:
		return fmt.Errorf("%w; continue with:\n  %s", err, wholeCommand([]string{input}))
	}
	if errors.Is(err, factors.ErrDense) {
		if f.store != "" {
			return f.byStore(cmd, input, o)
		}
		return exit.UsageError(fmt.Errorf("%s: %w%s", input, err, f.storeTakes(cmd, g, all.Sources)))
	}
	if err != nil {
		return err
	}
	return f.print(s, in.src.Name, g.IDs)
}

// onDevice gathers with the device of --device, where that is one beside the processor.
func (f *statsFlags) onDevice(ctx context.Context, g *graph.Graph, o stats.GraphOptions) (_ *stats.Result, err error) {
	if o.Device, err = registry.OpenFaster(f.device, f.deviceMemory, o.Distances(g)); err != nil {
		return nil, orAuto(f.device, err)
	}
	if o.Device != nil {
		defer o.Device.Close()
	}
	return f.gatherGraph(ctx, g, o)
}

// gatherGraph gathers, and shows how far that is.
func (f *statsFlags) gatherGraph(ctx context.Context, g *graph.Graph, o stats.GraphOptions) (*stats.Result, error) {
	show := show.New(f.progress, false)
	o.Interval = show.Interval
	exit.Graceful.Store(true)
	defer exit.Graceful.Store(false)
	defer show.OnAsking()()
	defer show.OnStopping(ctx)()
	control, progress, end := show.Steering.Begin(show.Status, show.Answer)
	defer end()
	o.Control, o.Progress = control, progress
	stop := show.Keyboard(ctx)
	s, sum, err := stats.OfGraph(ctx, g, o)
	stop()
	show.End()
	if err == nil {
		resumed := ""
		if sum.Resumed > 0 {
			resumed = fmt.Sprintf(", after %s of an earlier run", humanize.Comma(int64(sum.Resumed)))
		}
		fmt.Fprintf(terminal.Err, "eliminated %s in %s, core of %s; computed %s in %s, %s%s\n", terminal.Count(sum.Eliminated, "vertex", "vertices"), terminal.Time(sum.EliminateSeconds),
			humanize.Comma(int64(sum.Core)), terminal.Count(sum.Rows, "row", "rows"), terminal.Time(sum.Seconds), terminal.DistanceRate(sum.DistancesPerSecond), resumed)
	}
	return s, err
}
