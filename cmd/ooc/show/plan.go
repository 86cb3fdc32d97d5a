package show

import (
	"fmt"
	"strings"

	"github.com/dustin/go-humanize"

	"ooc/cmd/ooc/terminal"
	"ooc/engine"
	"ooc/engine/plan"
	"ooc/kernels/entry"
	"ooc/tiles"
)

// PlanJSON prints a plan in JSON, where what was not measured, or is not needed, is null.
func PlanJSON(f *engine.Forecast) {
	type rates struct {
		plan.Rates
		Tail   *float64 `json:"tail_seconds"`
		Disk   *float64 `json:"sync_bytes_per_second"`
		Lock   *float64 `json:"lock_bytes_per_second"`
		Host   *float64 `json:"host_relaxations_per_second"`
		Levels *float64 `json:"level_relaxations_per_second"`
		Pivot  *float64 `json:"pivot_seconds"`
		Dirty  *float64 `json:"dirty_bytes"`
		Link   *float64 `json:"link_bytes_per_second"`
	}
	known, r := terminal.Known[float64], f.Rates
	terminal.PrintJSON("plan", struct {
		*engine.Forecast
		Rates rates  `json:"rates"`
		Room  *int64 `json:"room_bytes"`
	}{f, rates{r, known(r.Tail), known(r.Disk), known(r.Lock), known(r.Host), known(r.Levels), known(r.Pivot), known(r.Dirty), known(r.Link)}, terminal.Known(f.Room)})
}

// memorySpeed is what no disk reaches, in bytes a second: what such a volume says of a sync is no rate of a disk.
const memorySpeed = 100e9

// Plan prints a plan for a device of a model, and for a graph that may have any arcs.
func Plan(f *engine.Forecast, model string, anyArcs bool) {
	arcs := terminal.Count(f.Arcs, "arc", "arcs")
	if anyArcs {
		arcs = "any arcs"
	}
	fmt.Fprintf(terminal.Out, "graph     %s, %s, %s\n", terminal.Count(f.Vertices, "vertex", "vertices"), arcs, f.Kind)
	fmt.Fprintf(terminal.Out, "device    %s\n", model)
	disk := "not timed"
	if f.Rates.Disk > memorySpeed {
		disk = "as fast as memory"
	} else if f.Rates.Disk > 0 {
		disk = terminal.PerSecond(f.Rates.Disk)
	}
	fmt.Fprintf(terminal.Out, "rates     kernel %s; copies %s in, %s out; disk %s\n", terminal.Rate(f.Rates.Kernel), terminal.PerSecond(f.Rates.In), terminal.PerSecond(f.Rates.Out), disk)
	fmt.Fprintf(terminal.Out, "algorithm %s\n", f.Algorithm)
	if f.Without != nil {
		fmt.Fprintf(terminal.Out, "          %s\n", WithoutPredecessors(*f.Without))
	}
	printSpace(f)
	if f.Eliminates() {
		printElimination(f)
	} else {
		printRounds(f)
	}
}

// WithoutPredecessors says why a solve that keeps predecessors is not by the elimination that takes so many seconds, and the
// way out.
func WithoutPredecessors(seconds float64) string {
	return fmt.Sprintf("elimination, which would take %s, keeps no predecessors, so rounds are run; "+
		"leave --predecessors away: ooc path and ooc export --predecessors find them by the graph's arcs",
		terminal.Time(seconds))
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
	if f.Done == int64(f.Vertices) && f.Done > 0 {
		fmt.Fprintln(terminal.Out, "rounds    none left: it is solved")
		return
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
	if printShared(p); p.Devices > 1 {
		each = "each "
	}
	fmt.Fprintf(terminal.Out, "memory    %sdevice %s: %s on %s (%s); host %s: %s\n", each, ib(p.DeviceBytes), terminal.Count(p.Slots, "slot", "slots"), terminal.Count(p.Streams, "stream", "streams"),
		where, ib(p.HostBytes/int64(max(1, p.PerNode()))), terminal.Count(p.Pages, "page", "pages"))
	fmt.Fprintf(terminal.Out, "traffic   device %s in, %s out; disk %s read, %s written\n", ib(p.BytesIn), ib(p.BytesOut), ib(p.BytesRead), ib(p.BytesWritten))
	fmt.Fprintf(terminal.Out, "time      %s: page-locking %s, kernels %s, copies %s, final sync %s", terminal.Time(p.Seconds), terminal.Time(p.SetupSeconds),
		terminal.Time(p.KernelSeconds), terminal.Time(p.CopySeconds), terminal.Time(p.SyncSeconds))
	if p.Devices > 1 {
		fmt.Fprintf(terminal.Out, ", waiting for strips %s", terminal.Time(p.WaitSeconds))
	}
	fmt.Fprintf(terminal.Out, "; bound by %s", p.Bound)
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

// printShared says how several devices share the rounds.
func printShared(p *plan.Rounds) {
	ib := func(n int64) string { return humanize.IBytes(uint64(n)) }
	if p.Devices > 1 {
		fmt.Fprintf(terminal.Out, "devices   %d share the rounds, in a grid of %d×%d", p.Devices, p.GridRows, p.GridCols)
		if p.Nodes > 1 {
			fmt.Fprintf(terminal.Out, "; %s, each with %d", terminal.Count(p.Nodes, "node", "nodes"), p.PerNode())
		}
		fmt.Fprintln(terminal.Out)
	}
	if p.Nodes > 1 {
		fmt.Fprintf(terminal.Out, "each node host memory %s; disk %s; link %s in and as much out, %s\n", ib(p.HostBytes), ib(p.NodeDiskBytes()), ib(p.BytesLink), terminal.Time(p.LinkSeconds))
	}
}
