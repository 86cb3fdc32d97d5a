package show

import (
	"fmt"
	"strings"

	"github.com/dustin/go-humanize"

	"ooc/cmd/ooc/terminal"
	"ooc/engine"
	"ooc/engine/plan"
)

// PlanJSON prints a plan in JSON.
func PlanJSON(f *engine.Forecast) { terminal.PrintJSON("plan", planObject{f}) }

// planObject is a plan in JSON, where what was not measured, or is not needed, is null.
type planObject struct{ *engine.Forecast }

// MarshalJSON has each plan as a member.
func (f planObject) MarshalJSON() ([]byte, error) {
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
	return f.Plans.JSON(struct {
		*engine.Forecast
		Rates rates  `json:"rates"`
		Room  *int64 `json:"room_bytes"`
	}{
		f.Forecast,
		rates{r, known(r.Tail), known(r.Disk), known(r.Lock), known(r.Host), known(r.Levels), known(r.Pivot), known(r.Dirty), known(r.Link)},
		terminal.Known(f.Room),
	})
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
	printSpace(f)
	for _, line := range f.Lines() {
		fmt.Fprintf(terminal.Out, "%s%s\n", terminal.Label(line.Name), line.Text)
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
