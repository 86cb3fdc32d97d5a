package show

import (
	"encoding/json"
	"fmt"

	"github.com/dustin/go-humanize"

	"ooc/cmd/ooc/terminal"
	"ooc/engine"
	"ooc/engine/graph"
	"ooc/engine/rows"
	"ooc/engine/text"
)

// printPlan prints a plan, with each algorithm's as a member.
func printPlan(f *engine.Forecast) {
	body, err := f.Plans.JSON(struct {
		*engine.Forecast
		Rates json.RawMessage `json:"rates"`
	}{f, terminal.Object(f.Rates, "tail_seconds", "sync_bytes_per_second", "lock_bytes_per_second",
		"host_relaxations_per_second", "level_relaxations_per_second", "pivot_seconds", "dirty_bytes",
		"link_bytes_per_second")})
	if err != nil {
		body = terminal.Members("message", err.Error())
	}
	terminal.PrintJSON("plan", terminal.Object(json.RawMessage(body), "room_bytes"))
}

// memorySpeed is what no disk reaches, in bytes a second: what such a volume says of a sync is no rate of a disk.
const memorySpeed = 100e9

// Plan prints a plan for a device of a model, and for a graph that may have any arcs.
func Plan(f *engine.Forecast, model string, anyArcs, asJSON bool) {
	if asJSON {
		printPlan(f)
		return
	}
	size := vertices(f.Vertices) + ", any arcs"
	if !anyArcs {
		size = vertices(f.Vertices) + ", " + arcs(f.Arcs)
	}
	printf("graph     %s, %s\n", size, f.Kind)
	printf("device    %s\n", model)
	disk := "not timed"
	if f.Rates.Disk > memorySpeed {
		disk = "as fast as memory"
	} else if f.Rates.Disk > 0 {
		disk = text.Per(f.Rates.Disk, "B")
	}
	printf("rates     kernel %s; copies %s in, %s out; disk %s\n", text.Per(f.Rates.Kernel, "relax"),
		text.Per(f.Rates.In, "B"), text.Per(f.Rates.Out, "B"), disk)
	printf("algorithm %s\n", f.Algorithm)
	printSpace(f)
	printf("memory    about %s\n", humanize.IBytes(uint64(f.MemoryBytes)))
	for _, line := range f.Lines() {
		printf("%s%s\n", label(line.Name), line.Text)
	}
}

// StatsPlan prints how statistics of a graph would be gathered, of so many rows: as the first of some offers.
func StatsPlan(g graph.Facts, count int, offers []rows.Offer, asJSON bool) {
	if asJSON {
		var engines []json.RawMessage
		for _, o := range offers {
			engines = append(engines, terminal.Members("engine", o.Engine, "seconds", o.Seconds, "memory_bytes",
				o.Memory, "how", o.How))
		}
		terminal.PrintJSON("plan", terminal.Members("vertices", g.N, "arcs", g.Arcs, "kind", g.Kind, "rows", count,
			"engines", engines))
		return
	}
	printf("graph     %s, %s, %s\n", vertices(g.N), arcs(g.Arcs), g.Kind)
	printf("rows      %s, and none is kept\n", humanize.Comma(int64(count)))
	printf("engine    %s: %s\n", offers[0].Engine, offers[0].How)
	printf("memory    about %s\n", humanize.IBytes(uint64(offers[0].Memory)))
	times := text.Time(offers[0].Seconds)
	for _, other := range offers[1:] {
		times += fmt.Sprintf("; by %s %s: %s", other.Engine, text.Time(other.Seconds), other.How)
	}
	printf("time      %s\n", times)
}

// printSpace says what a plan takes on disk, and whether that is there.
func printSpace(f *engine.Forecast) {
	ib := func(n int64) string { return humanize.IBytes(uint64(n)) }
	space := known("; ", terminal.If(f.StoreBytes > 0, "%s for the store", ib(f.StoreBytes)),
		terminal.If(f.BesideBytes > 0, "%s beside it for a while", ib(f.BesideBytes)),
		terminal.If(f.Room > 0, "the volume has room for %s", ib(f.Room)))
	if space != "" {
		printf("disk      %s\n", space)
	}
	if err := f.Fits(); err != nil {
		printf("          %v\n", err)
	}
	if f.Lacks != nil {
		printf("          %v\n", f.Lacks)
	}
}
