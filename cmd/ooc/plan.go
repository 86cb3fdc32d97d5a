package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"ooc/cmd/ooc/exit"
	"ooc/cmd/ooc/terminal"
	"ooc/engine"
	"ooc/engine/graph"
	"ooc/engine/graph/read"
	"ooc/engine/plan"
	"ooc/kernels"
	"ooc/kernels/entry"
	"ooc/tiles"
)

func planCommand() *cobra.Command {
	var gf graphFlags
	var df deviceFlags
	var asJSON bool
	var sources string
	var predecessors bool
	cmd := &cobra.Command{
		Use:   "plan GRAPH",
		Short: "Say how a graph or store would be solved, what that moves and how long it takes",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if isStore(args[0]) {
				if err := noGraphFlags(cmd); err != nil {
					return err
				}
			}
			if isStore(args[0]) && (sources != "" || predecessors || df.layout != "") {
				return exit.UsageError(errors.New("--sources, --predecessors, --layout: a store has those that it was made with"))
			}
			d, _, err := df.open()
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, d.Close()) }()
			var f *engine.Forecast
			if isStore(args[0]) {
				p, err := engine.OpenReadOnly(args[0])
				if err != nil {
					return err
				}
				defer p.Close()
				defer planning(note, p.Dir(), p.Meta().N)()
				f, err = p.Forecast(cmd.Context(), d, df.limits(), filepath.Dir(p.Dir()))
				if err != nil {
					return err
				}
			} else {
				limits := df.limits()
				limits.Predecessors, limits.Room = predecessors, engine.Room(storeName(args[0]))
				if f, err = gf.forecast(cmd, args[0], sources, d, limits); err != nil {
					return err
				}
			}
			if asJSON {
				printPlan(f)
				return nil
			}
			printForecast(f, d.Info().Model)
			return nil
		},
	}
	gf.add(cmd)
	df.add(cmd)
	addSources(cmd, &sources)
	addPredecessors(cmd, &predecessors)
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object")
	return cmd
}

// forecast plans the solve of a graph.
func (gf *graphFlags) forecast(cmd *cobra.Command, input, sources string, d kernels.Device, limits plan.Limits) (f *engine.Forecast, err error) {
	in, err := gf.read(cmd, input, ".")
	if errors.Is(err, tiles.ErrNoSpace) && isFile(input) { // for a copy of a compressed matrix: its size alone will do
		e, err := read.Measure(input, gf.options(cmd, "."))
		if err != nil {
			return nil, err
		}
		if limits.Sources, limits.Tile, err = sourcesOf(graph.Facts{N: e.N, IDs: e.IDs}, sources, limits.Tile); err != nil {
			return nil, err
		}
		return engine.ForecastMatrix(cmd.Context(), e, d, limits)
	}
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, in.close()) }()
	if limits.Sources, limits.Tile, err = sourcesOf(in.weights.Facts(), sources, limits.Tile); err != nil {
		return nil, err
	}
	in.hint(cmd, limits)
	in.remark()
	defer planning(note, in.src.Name, in.weights.Facts().N)()
	return engine.ForecastGraph(cmd.Context(), in.weights, d, limits, ".")
}

// planning says that a plan takes long, once it does, until the returned function is called.
func planning(note func(format string, args ...any), name string, n int) (done func()) {
	timer := time.AfterFunc(slow, func() {
		note("%s: planning; to find an order of %s vertices may take minutes", name, humanize.Comma(int64(n)))
	})
	return func() { timer.Stop() }
}

// slow is when people wonder what a command is at. It is a variable only for tests.
var slow = 2 * time.Second

// note prints a line for people.
func note(format string, args ...any) { fmt.Fprintf(terminal.Err, format+"\n", args...) }

// printPlan prints a plan in JSON, where what was not measured, or is not needed, is null.
func printPlan(f *engine.Forecast) {
	type rates struct {
		plan.Rates
		Tail   *float64 `json:"tail_seconds"`
		Disk   *float64 `json:"sync_bytes_per_second"`
		Lock   *float64 `json:"lock_bytes_per_second"`
		Host   *float64 `json:"host_relaxations_per_second"`
		Levels *float64 `json:"level_relaxations_per_second"`
		Pivot  *float64 `json:"pivot_seconds"`
		Dirty  *float64 `json:"dirty_bytes"`
	}
	known, r := terminal.Known[float64], f.Rates
	terminal.PrintJSON("plan", struct {
		*engine.Forecast
		Rates rates  `json:"rates"`
		Room  *int64 `json:"room_bytes"`
	}{f, rates{r, known(r.Tail), known(r.Disk), known(r.Lock), known(r.Host), known(r.Levels), known(r.Pivot), known(r.Dirty)}, terminal.Known(f.Room)})
}

// memorySpeed is what no disk reaches, in bytes a second: what such a volume says of a sync is no rate of a disk.
const memorySpeed = 100e9

// isFile reports whether an input can be read twice.
func isFile(input string) bool {
	info, err := os.Stat(input)
	return err == nil && info.Mode().IsRegular()
}

func printForecast(f *engine.Forecast, model string) {
	fmt.Fprintf(terminal.Out, "graph     %s, %s, %s\n", terminal.Count(f.Vertices, "vertex", "vertices"), terminal.Count(f.Arcs, "arc", "arcs"), f.Kind)
	fmt.Fprintf(terminal.Out, "device    %s\n", model)
	disk := "not timed"
	if f.Rates.Disk > memorySpeed {
		disk = "as fast as memory"
	} else if f.Rates.Disk > 0 {
		disk = terminal.PerSecond(f.Rates.Disk)
	}
	fmt.Fprintf(terminal.Out, "rates     kernel %s; copies %s in, %s out; disk %s\n", terminal.Rate(f.Rates.Kernel), terminal.PerSecond(f.Rates.In), terminal.PerSecond(f.Rates.Out), disk)
	fmt.Fprintf(terminal.Out, "algorithm %s\n", f.Algorithm)
	printSpace(f)
	if f.Eliminates() {
		printElimination(f)
	} else {
		printRounds(f)
	}
}

// printSpace says what a plan takes on disk, and whether that is there.
func printSpace(f *engine.Forecast) {
	ib := func(n int64) string { return humanize.IBytes(uint64(n)) }
	var parts []string
	if f.StoreBytes > 0 {
		parts = append(parts, ib(f.StoreBytes)+" for the store")
	}
	if f.BesideBytes > 0 {
		parts = append(parts, ib(f.BesideBytes)+" beside it for a while")
	}
	if f.Room > 0 {
		parts = append(parts, "the volume has room for "+ib(f.Room))
	}
	if len(parts) > 0 {
		fmt.Fprintf(terminal.Out, "disk      %s\n", strings.Join(parts, "; "))
	}
	if err := f.Fits(); err != nil {
		fmt.Fprintf(terminal.Out, "          %v\n", err)
	}
	if f.Lacks != nil {
		fmt.Fprintf(terminal.Out, "          %v\n", f.Lacks)
	}
}

func printElimination(f *engine.Forecast) {
	e := f.Eliminate
	fmt.Fprintf(terminal.Out, "eliminate %s, a core of %s, %s kept; ordered in %s\n", terminal.Count(e.Eliminated, "vertex", "vertices"),
		humanize.Comma(int64(e.Core)), terminal.Count(e.Fill, "arc", "arcs"), terminal.Time(e.OrderSeconds))
	switch {
	case e.Lanes > 0:
		fmt.Fprintf(terminal.Out, "expand    on the device: %s of %s rows at a time, %s\n", terminal.Count(e.Batches, "batch", "batches"), humanize.Comma(int64(e.Lanes)), humanize.IBytes(uint64(e.DeviceBytes)))
	case f.Rates.Levels > 0:
		fmt.Fprintln(terminal.Out, "expand    by the processor: the device has no room for a batch, or is slower")
	default:
		fmt.Fprintln(terminal.Out, "expand    by the processor")
	}
	entries := uint64(e.Rows) * uint64(f.Vertices)
	if f.Layout == tiles.Upper {
		entries = (entries + uint64(f.Vertices)) / 2
	}
	fmt.Fprintf(terminal.Out, "matrix    %s, %s%s\n", terminal.Count(e.Rows, "row", "rows"), humanize.IBytes(uint64(entry.Kind(f.Kind).Bytes())*entries), half(f))
	fmt.Fprintf(terminal.Out, "time      %s: elimination %s, core %s, expansion %s", terminal.Time(e.Seconds), terminal.Time(e.EliminateSeconds), terminal.Time(e.CoreSeconds), terminal.Time(e.ExpandSeconds))
	if f.Plan.Rounds > 0 {
		fmt.Fprintf(terminal.Out, "; by algorithm %s %s", f.Plan.Algorithm, terminal.Time(f.Plan.Seconds))
	}
	fmt.Fprintln(terminal.Out)
}

func printRounds(f *engine.Forecast) {
	p := &f.Plan
	ib := func(n int64) string { return humanize.IBytes(uint64(n)) }
	fmt.Fprintf(terminal.Out, "matrix    %s on disk, %d×%d tiles of %d×%d (%s each)%s\n", ib(p.DiskBytes), p.Side, p.Side, p.Tile, p.Tile, ib(p.DiskBytes/int64(p.Tiles)), half(f))
	done := ""
	if f.Done > 0 {
		done = fmt.Sprintf(" left, %.1f %% done", 100*float64(f.Done)/float64(f.Vertices))
	}
	if p.Passes {
		fmt.Fprintf(terminal.Out, "passes    %d at most, over groups of %d rows%s\n", p.Rounds, p.Width*p.Tile, done)
	} else {
		fmt.Fprintf(terminal.Out, "rounds    %d of %d vertices%s, look-ahead %s\n", p.Rounds, p.Width*p.Tile, done, onOff(p.LookAhead))
	}
	where := "tiles stream through"
	if p.InCore {
		where = "the matrix fits"
	}
	each := ""
	if p.Devices > 1 {
		fmt.Fprintf(terminal.Out, "devices   %d share the rounds\n", p.Devices)
		each = "each "
	}
	fmt.Fprintf(terminal.Out, "memory    %sdevice %s: %s on %s (%s); host %s: %s\n", each, ib(p.DeviceBytes), terminal.Count(p.Slots, "slot", "slots"), terminal.Count(p.Streams, "stream", "streams"),
		where, ib(p.HostBytes), terminal.Count(p.Pages, "page", "pages"))
	fmt.Fprintf(terminal.Out, "traffic   device %s in, %s out; disk %s read, %s written\n", ib(p.BytesIn), ib(p.BytesOut), ib(p.BytesRead), ib(p.BytesWritten))
	fmt.Fprintf(terminal.Out, "time      %s: page-locking %s, kernels %s, copies %s, final sync %s", terminal.Time(p.Seconds), terminal.Time(p.SetupSeconds),
		terminal.Time(p.KernelSeconds), terminal.Time(p.CopySeconds), terminal.Time(p.SyncSeconds))
	if e := f.Eliminate; e != nil {
		fmt.Fprintf(terminal.Out, "; by algorithm %s %s", e.Algorithm, terminal.Time(e.Seconds))
	}
	fmt.Fprintln(terminal.Out)
}

// half says that one half of the matrix is stored, if so it is.
func half(f *engine.Forecast) string {
	if f.Layout == tiles.Upper {
		return ", the upper half of them: the graph is symmetric"
	}
	return ""
}

func onOff(b bool) string {
	if b {
		return "on"
	}
	return "off"
}
