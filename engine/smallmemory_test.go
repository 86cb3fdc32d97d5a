package engine_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"ooc/engine"
	"ooc/engine/device"
	"ooc/engine/graph"
	"ooc/engine/internal/enginetest"
	"ooc/engine/internal/seeds"
	"ooc/engine/plan"
	"ooc/kernels/cpu"
	"ooc/kernels/entry"
	"ooc/tiles"
	"ooc/tiles/crashtest"
)

// tinyGraphs are graphs with little or nothing to solve, and of which elimination may leave nothing.
func tinyGraphs(t *testing.T, r *rand.Rand) map[string]*graph.Graph {
	t.Helper()
	graphs := map[string]*graph.Graph{"random": enginetest.RandomGraph(t, r, 90, entry.KindI32, false)}
	for name, add := range map[string]struct {
		n    int
		arcs func(b *graph.Builder)
	}{
		"one vertex":  {1, func(*graph.Builder) {}},
		"no arcs":     {70, func(*graph.Builder) {}},
		"one isolate": {3, func(b *graph.Builder) { b.Add(0, 1, 5).Add(1, 0, 5) }},
		"path": {130, func(b *graph.Builder) {
			for v := range 129 {
				b.Add(v, v+1, 1)
			}
		}},
		"tree": {100, func(b *graph.Builder) {
			for v := 1; v < 100; v++ {
				b.Add(v, v/2, 2).Add(v/2, v, 3)
			}
		}},
		"star": {80, func(b *graph.Builder) {
			for v := 1; v < 80; v++ {
				b.Add(0, v, 2).Add(v, 0, 2)
			}
		}},
	} {
		b := graph.New(add.n, graph.AsKind(entry.KindI32))
		add.arcs(b)
		g, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		graphs[name] = g
	}
	return graphs
}

var needsAtLeast = regexp.MustCompile(`needs? (?:at least )?(\d+) bytes`)

// TestSmallMemory solves tiny graphs with little memory, of the device or of the host: that is solved right, or refused
// before anything is made, and with the least that the refusal names it is solved.
func TestSmallMemory(t *testing.T) {
	crashtest.Slow(t)
	sizes := []int64{1, 40 << 10}
	r := seeds.New(t)
	solved, refused := 0, 0
	try := func(g *graph.Graph, deviceMemory int64, l plan.Request) error {
		d, err := cpu.Open(cpu.Options{Threads: 1, Memory: deviceMemory})
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		choice, err := engine.Choose(t.Context(), g, d, l)
		if err != nil {
			return err
		}
		dir := filepath.Join(t.TempDir(), "x.ooc")
		p, err := engine.Create(t.Context(), dir, g,
			engine.CreateOptions{Choice: choice, Sources: l.Sources, Predecessors: l.Predecessors})
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		defer p.Close()
		if _, err := p.Solve(t.Context(),
			engine.Options{Device: d,
				Request: plan.Request{HostMemory: l.HostMemory, Algorithm: l.Algorithm}}); err != nil {
			t.Fatalf("refused once a store was made: %v", err)
		}
		verifyAll(t, p)
		return nil
	}
	for name, g := range tinyGraphs(t, r) {
		for i, l := range []plan.Request{{}, {Sources: tiles.RowSet{0}}, {Predecessors: true}} {
			for k, algorithm := range engine.Algorithms {
				if one := crashtest.Repeats(5, 3); (r.IntN(one)+i+k)%one > 0 { // all of them take a minute
					continue
				}
				l.Algorithm = algorithm
				for _, size := range sizes {
					for _, ofDevice := range []bool{true, false} {
						with := func(bytes int64) error {
							if l := l; ofDevice {
								return try(g, bytes, l)
							} else {
								l.HostMemory = bytes
								return try(g, 64<<20, l)
							}
						}
						err := with(size)
						if errors.Is(err, plan.ErrAlgorithm) {
							continue
						}
						if err == nil {
							solved++
							continue
						}
						what := fmt.Sprintf("%s, %+v, %d bytes of the device's (%v)", name, l, size, ofDevice)
						named := needsAtLeast.FindAllStringSubmatch(err.Error(), -1)
						if !errors.Is(err, device.ErrMemory) || len(named) == 0 {
							t.Fatalf("%s: %v", what, err)
						}
						if refused++; size > 1 {
							continue
						}
						var enough []int64
						for _, m := range named {
							bytes, _ := strconv.ParseInt(m[1], 10, 64)
							enough = append(enough, bytes)
						}
						if err := with(slices.Min(enough)); err != nil {
							t.Errorf("%s: with the least that was named, %d: %v", what, slices.Min(enough), err)
						}
					}
				}
			}
		}
	}
	t.Logf("%d solved, %d refused", solved, refused)
	if solved == 0 || refused == 0 {
		t.Error("there is nothing of both")
	}
}
