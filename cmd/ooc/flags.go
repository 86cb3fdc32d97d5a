package main

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ooc/cmd/ooc/exit"
	"ooc/cmd/ooc/flagvalue"
	"ooc/engine"
	"ooc/engine/device"
	"ooc/engine/device/registry"
	"ooc/engine/graph/read"
	"ooc/engine/plan"
	"ooc/kernels"
	"ooc/kernels/entry"
	"ooc/tiles"
)

// graphFlags are the flags of every command that reads a graph.
type graphFlags struct {
	format, columns, kind string
	noArc                 string
	base                  int
	directed, undirected  bool
	scale                 int64
}

func (f *graphFlags) add(cmd *cobra.Command) { f.addWith(cmd, entry.Kinds) }

// addWith adds them, with the kinds that the command takes.
func (f *graphFlags) addWith(cmd *cobra.Command, kinds []entry.Kind) {
	var names []string
	for _, format := range read.Formats {
		names = append(names, format.Name)
	}
	fl := cmd.Flags()
	fl.Var(flagvalue.Word(&f.format, names...), "format", "input format: "+strings.Join(names, ", ")+" (default: found from the content)")
	fl.StringVar(&f.columns, "columns", "", "an edge list's columns: from=A,to=B,weight=C by name or number, or all names in order, as in id,from,to,weight")
	fl.Var(flagvalue.Between(&f.base, 0, math.MaxInt32), "base", "the smallest vertex id, where ids are consecutive (default: the format's)")
	fl.BoolVar(&f.directed, "directed", false, "each line is one arc (default: the format's)")
	fl.BoolVar(&f.undirected, "undirected", false, "each line is an edge, both ways")
	help := "type of the numbers: i32, exact integers, or f32"
	if slices.Contains(kinds, entry.KindU16) {
		help = "type of the distances: i32, exact integers; u16, integers below 32639 in half the bytes; f32; or f64, as SciPy has them, in twice the bytes; see ooc help numbers"
	}
	fl.Var(flagvalue.Word(&f.kind, words(kinds)...), "kind", help+" (default: i32 for integer weights, else f32)")
	fl.Var(flagvalue.Large(&f.scale, 1, math.MaxInt64), "scale", "multiply weights by this, which must make them integers")
	fl.StringVar(&f.noArc, "no-arc", "", "in a matrix, a number that means no arc, as inf always does")
	cmd.MarkFlagsMutuallyExclusive("directed", "undirected")
}

// words returns kinds as text.
func words(kinds []entry.Kind) []string {
	list := make([]string, len(kinds))
	for i, k := range kinds {
		list[i] = string(k)
	}
	return list
}

// options returns the options for a reader. spool is a folder for inputs that must be unpacked.
func (f *graphFlags) options(cmd *cobra.Command, spool string) read.Options {
	o := read.Options{Format: f.format, Columns: f.columns, Kind: entry.Kind(f.kind), Scale: f.scale, NoArc: f.noArc, Spool: engine.Spool(spool)}
	if cmd.Flags().Changed("base") {
		o.Base = &f.base
	}
	switch {
	case f.directed:
		o.Directed = &f.directed
	case f.undirected:
		no := false
		o.Directed = &no
	}
	return o
}

// baseText is --base as it was given, "" if it was not.
func (f *graphFlags) baseText(cmd *cobra.Command) string {
	if !cmd.Flags().Changed("base") {
		return ""
	}
	return strconv.Itoa(f.base)
}

// deviceFlags choose a device and its limits.
type deviceFlags struct {
	plan.Request
	device       string
	deviceMemory int64
}

func (f *deviceFlags) add(cmd *cobra.Command) {
	fl := cmd.Flags()
	f.Algorithm = plan.Auto
	fl.Var(flagvalue.Word(&f.Algorithm, engine.Algorithms...), "algorithm", strings.Join(engine.Algorithms, ", ")+" (a store keeps the one that it was begun with)")
	addDevice(cmd, &f.device, &f.deviceMemory)
	fl.Var(flagvalue.Size(&f.HostMemory), "host-memory", "memory for the host cache of tiles (default: a few tiles on the CPU, else half of what is free)")
	fl.Var(flagvalue.Between(&f.Streams, 1, 64), "streams", "device streams; 1 overlaps nothing: each copy and each kernel ends before the next begins (default: planned)")
	fl.Var(flagvalue.Whole(&f.Round, "a multiple of the tile edge, which is one of 64", func(n int) bool { return n > 0 && n%64 == 0 }), "round", "round width in vertices, a multiple of the tile edge (default: planned)")
	fl.Var(flagvalue.Word((*string)(&f.Layout), string(tiles.Upper), string(tiles.Square)), "layout", "tiles of a new store: upper (one half of a symmetric matrix) or square (all) (default: upper where the graph is symmetric)")
	fl.Var(flagvalue.TileEdge(&f.Tile), "tile", "tile edge of a new store, a multiple of 64 (default: planned)")
}

// addDevice adds the flags of every command that computes on a device.
func addDevice(cmd *cobra.Command, name *string, memory *int64) {
	*name = "auto"
	cmd.Flags().Var(flagvalue.Device(name), "device", "auto, "+strings.Join(registry.Names(), ", ")+"; cuda:1 for the second GPU; cuda:0,1 for both; cuda for all that are free, where they can share the work")
	cmd.Flags().Var(flagvalue.Size(memory), "device-memory", "most memory to take on each device (default: half of what is free on the CPU, most on a GPU)")
}

// addPredecessors adds the flag of commands that make or plan a store.
func addPredecessors(cmd *cobra.Command, wanted *bool) {
	cmd.Flags().BoolVar(wanted, "predecessors", false, "keep predecessors beside the distances, in rounds: "+
		"twice the memory and disk, up to twice the time of rounds, and in a sparse graph many times that of an elimination; "+
		"only paths in a graph that is given as a matrix need them")
}

func (f *deviceFlags) check() error {
	if f.Tile > 0 && f.Round%f.Tile != 0 {
		return exit.UsageError(fmt.Errorf("--round %d: want a multiple of --tile %d", f.Round, f.Tile))
	}
	return nil
}

// open opens the device. If the user did not name it, why says what is wrong with a faster one, "" if nothing is.
func (f *deviceFlags) open() (d kernels.Device, why string, err error) {
	if err := f.check(); err != nil {
		return nil, "", err
	}
	return openDevice(f.device, f.deviceMemory)
}

// openFree is open for one solve, which several devices may share: --device cuda takes all GPUs that others do not use.
func (f *deviceFlags) openFree() (d kernels.Device, why string, err error) {
	if f.Algorithm != plan.Auto && !engine.TraitsOf(f.Algorithm).Devices {
		return f.open()
	}
	if err := f.check(); err != nil {
		return nil, "", err
	}
	d, why, err = registry.OpenFree(f.device, f.deviceMemory)
	return d, why, orAuto(f.device, err)
}

// oneDevice refuses the names of several devices, of which only solves make use.
func oneDevice(name string) error {
	if registry.Several(name) {
		return exit.UsageError(fmt.Errorf("--device %s: this command runs on one device; name one", name))
	}
	return nil
}

// openDevice opens a device by its name.
func openDevice(name string, memory int64) (d kernels.Device, why string, err error) {
	d, why, err = registry.Open(name, memory)
	return d, why, orAuto(name, err)
}

// orAuto adds the way out to the error of a named device that is there and does not open.
func orAuto(name string, err error) error {
	if err != nil && name != "auto" && !errors.Is(err, device.ErrUnknown) {
		err = fmt.Errorf("%w; --device auto takes one that works", err)
	}
	return err
}

// noGraphFlags refuses the flags of graphFlags for an argument that is a store.
func noGraphFlags(cmd *cobra.Command) error {
	all := new(cobra.Command)
	new(graphFlags).add(all)
	var err error
	all.Flags().VisitAll(func(fl *pflag.Flag) {
		if err == nil && cmd.Flags().Changed(fl.Name) {
			err = exit.UsageError(fmt.Errorf("--%s is for graphs: a store knows how its graph was read", fl.Name))
		}
	})
	return err
}
