package main

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ooc/cmd/ooc/about"
	"ooc/cmd/ooc/exit"
	"ooc/cmd/ooc/flagvalue"
	"ooc/engine"
	"ooc/engine/device"
	"ooc/engine/device/registry"
	"ooc/engine/factors"
	"ooc/engine/graph"
	"ooc/engine/graph/read"
	"ooc/engine/plan"
	"ooc/engine/task"
	"ooc/kernels"
	"ooc/kernels/entry"
	"ooc/tiles"
)

// graphFlags are the flags of every command that reads a graph.
type graphFlags struct {
	format, columns      string
	kind                 entry.Kind
	noArc, base          string
	directed, undirected bool
	unweighted           bool
	scale                int64
}

// add adds them, with the kinds that the command takes.
func (f *graphFlags) add(cmd *cobra.Command, kinds ...entry.Kind) {
	names := about.Names(read.Formats)
	fl := cmd.Flags()
	fl.Var(flagvalue.Word(&f.format, names...), "format", "input format: "+strings.Join(names, ", ")+
		" (default: found from the content)")
	fl.StringVar(&f.columns, "columns", "",
		"an edge list's columns: from=A,to=B,weight=C by name or number, or all names in order, "+
			"as in id,from,to,weight")
	fl.Var(flagvalue.Base(&f.base), "base", "the smallest vertex id, where ids are consecutive (default: the format's)")
	fl.BoolVar(&f.directed, "directed", false, "each line is one arc (default: the format's)")
	fl.BoolVar(&f.undirected, "undirected", false, "each line is an edge, both ways")
	help := "type of the numbers: i32 or f32"
	if slices.Contains(kinds, entry.KindU16) {
		var words []string
		for _, kind := range kinds {
			words = append(words, string(kind))
		}
		help = "type of the distances: " + strings.Join(words, ", ") + "; see ooc help numbers"
	}
	fl.Var(flagvalue.Word(&f.kind, kinds...), "kind", help+" (default: i32 for integer weights, else f32)")
	fl.Var(flagvalue.Between(&f.scale, 1, math.MaxInt64), "scale",
		"multiply weights by this, which must make them integers")
	fl.StringVar(&f.noArc, "no-arc", "", "in a matrix, a number that means no arc, as inf always does")
	fl.BoolVar(&f.unweighted, "unweighted", false, "every arc has weight 1, so that distances count arcs")
	cmd.MarkFlagsMutuallyExclusive("directed", "undirected")
	cmd.MarkFlagsMutuallyExclusive("unweighted", "scale")
}

// options returns the options for a reader. spool is a folder for inputs that must be unpacked.
func (f *graphFlags) options(spool string) read.Options {
	o := read.Options{Format: f.format, Columns: f.columns, Kind: f.kind, Scale: f.scale, NoArc: f.noArc,
		Unweighted: f.unweighted, Spool: engine.Spool(spool)}
	if base, err := strconv.Atoi(f.base); err == nil {
		o.Base = &base
	}
	if f.directed || f.undirected {
		o.Directed = &f.directed
	}
	return o
}

// deviceFlags choose a device.
type deviceFlags struct {
	device       string
	deviceMemory int64
}

func (f *deviceFlags) add(cmd *cobra.Command) {
	f.device = "auto"
	cmd.Flags().Var(flagvalue.Device(&f.device), "device", "auto, "+strings.Join(registry.Names(), ", ")+
		"; cuda:1 for the second GPU; cuda:0,1 for both; cuda for all that are free, where they can share the work")
	cmd.Flags().Var(flagvalue.Size(&f.deviceMemory), "device-memory",
		"most memory to take on each device (default: half of what is free on the CPU, most on a GPU)")
}

// open opens the device. If the user did not name it, why says what is wrong with a faster one, "" if nothing is.
func (f *deviceFlags) open() (d kernels.Device, why string, err error) {
	d, why, err = registry.Open(f.device, f.deviceMemory)
	return d, why, f.orAuto(err)
}

// isOne refuses the names of several devices, of which only single solves and statistics make use.
func (f *deviceFlags) isOne() error {
	n, _ := registry.Count(f.device) // the flag has taken the name
	return exit.Refuse(n > 1, "--device %s: this command runs on one device; name one", f.device)
}

// orAuto adds the way out to the error of a named device that is there and does not open.
func (f *deviceFlags) orAuto(err error) error {
	if err != nil && f.device != "auto" && !errors.Is(err, device.ErrUnknown) {
		err = fmt.Errorf("%w; --device auto takes one that works", err)
	}
	return err
}

// matrixFlags are the flags of commands that make or plan the matrix of a graph.
type matrixFlags struct {
	graphFlags
	deviceFlags
	plan.Request
	sources string
}

func (f *matrixFlags) add(cmd *cobra.Command) {
	f.graphFlags.add(cmd, append(slices.Clone(entry.Kinds), entry.KindU8)...)
	f.deviceFlags.add(cmd)
	fl := cmd.Flags()
	f.Algorithm = plan.Auto
	fl.Var(flagvalue.Word(&f.Algorithm, append(slices.Clone(engine.Algorithms), factors.Name)...), "algorithm",
		strings.Join(engine.Algorithms, ", ")+" (a store keeps the one that it was begun with); "+
			"of a store without a matrix: "+strings.Join(engine.RowEngines, ", "))
	fl.Var(flagvalue.Size(&f.HostMemory), "host-memory",
		"memory for the host cache of tiles (default: a few tiles on the CPU, else half of what is free)")
	fl.Var(flagvalue.Between(&f.Streams, 1, 64), "streams",
		"device streams; 1 overlaps nothing: each copy and each kernel ends before the next begins (default: planned)")
	fl.Var(flagvalue.Whole(&f.Round, "a multiple of the tile edge, which is one of 64",
		func(n int) bool { return n > 0 && n%64 == 0 }), "round",
		"round width in vertices, a multiple of the tile edge (default: planned)")
	fl.Var(flagvalue.Word(&f.Layout, tiles.Upper, tiles.Square), "layout", "tiles of a new store: upper (one half of "+
		"a symmetric matrix) or square (all) (default: upper where the graph is symmetric)")
	fl.Var(flagvalue.TileEdge(&f.Tile), "tile", "tile edge of a new store, a multiple of 64 (default: planned)")
	fl.Var(flagvalue.Sources(&f.sources), "sources", "keep only the rows of these vertices: ids and ranges a,b..c, a "+
		"file of them, random:K, or part:I/K, the I-th of K parts of all rows, which ooc merge puts together "+
		"(default: all)")
	fl.BoolVar(&f.Predecessors, "predecessors", false, "keep predecessors beside the distances: twice the "+
		"disk and up to three times the time; only paths in a graph that is given as a matrix need them")
}

func (f *matrixFlags) check() error {
	return exit.Refuse(f.Tile > 0 && f.Round%max(f.Tile, 1) != 0,
		"--round %d: want a multiple of --tile %d", f.Round, f.Tile)
}

// openFree is open for one solve, which several devices may share: --device cuda takes all GPUs that others do not use.
func (f *matrixFlags) openFree() (d kernels.Device, why string, err error) {
	if err := f.check(); err != nil {
		return nil, "", err
	}
	if f.Algorithm != plan.Auto && !engine.TraitsOf(f.Algorithm).Devices {
		return f.open()
	}
	d, why, err = registry.OpenFree(f.device, f.deviceMemory)
	return d, why, f.orAuto(err)
}

// requestFor is what is wanted of a graph, with the rows that --sources names in it.
func (f *matrixFlags) requestFor(g graph.Facts) (l plan.Request, err error) {
	l = f.Request
	l.Kind = f.kind
	l.Sources, l.Tile, err = sourcesOf(g, f.sources, l.Tile)
	return l, err
}

// progressFlags are the flags of commands that go on from checkpoints, and show how far they are.
type progressFlags struct {
	checkpoint time.Duration
	progress   string
}

func (f *progressFlags) add(cmd *cobra.Command) {
	f.checkpoint, f.progress = task.DefaultCheckpoint, "auto"
	cmd.Flags().Var(flagvalue.Period(&f.checkpoint), "checkpoint", "time between checkpoints")
	cmd.Flags().Var(flagvalue.Word(&f.progress, "auto", "always", "never"), "progress",
		"auto, always (draw also where standard error is no terminal) or never")
}
