package engine_test

import (
	"math/rand/v2"
	"path/filepath"
	"testing"

	"ooc/engine"
	"ooc/engine/graph"
	"ooc/engine/internal/enginetest"
	"ooc/engine/plan"
	"ooc/kernels"
	"ooc/kernels/cpu"
)

// allocations counts the buffers that are taken on a device.
type allocations struct {
	*cpu.Device
	n int
}

func (d *allocations) Alloc(bytes int64) (kernels.Buffer, error) {
	d.n++
	return d.Device.Alloc(bytes)
}

// TestMeasuresOnce demands that a solve takes the rates that its algorithm was chosen by: it takes its slots, and no
// samples.
func TestMeasuresOnce(t *testing.T) {
	host, err := cpu.Open(cpu.Options{Memory: 64 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer host.Close()
	d := &allocations{Device: host}
	// Searches refuse negative arcs: however busy the machine is, rounds are chosen, as half of all pairs have an arc.
	b, rng := graph.New(300, graph.Directed), rand.New(rand.NewPCG(1, 1))
	b.Add(0, 1, -1)
	for u := range 300 {
		for v := range 300 {
			if v > 1 && u != v && rng.IntN(2) == 0 {
				b.Add(u, v, float64(1+rng.IntN(1000)))
			}
		}
	}
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	c, err := engine.Choose(t.Context(), g, d, plan.Request{})
	if err != nil || d.n == 0 {
		t.Fatalf("%d samples, %v", d.n, err)
	}
	p, err := engine.Create(t.Context(), filepath.Join(t.TempDir(), "x.ooc"), g, engine.CreateOptions{Choice: c})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	d.n = 0
	if sum := enginetest.Solve(t, p, engine.Options{Device: d}); sum.Algorithm != "blocked" || d.n != 1 {
		t.Errorf("%s takes %d buffers", sum.Algorithm, d.n)
	}
}
