package sparse

import (
	"math"
	"os"
	"testing"

	"ooc/engine/graph"
	"ooc/engine/graph/read"
	"ooc/engine/internal/seeds"
	"ooc/engine/sparse/internal/sparsetest"
	"ooc/kernels/cpu"
	"ooc/kernels/entry"
)

var (
	fresh          = seeds.New
	build          = sparsetest.Build
	generated      = sparsetest.Generated
	shape          = sparsetest.Shape
	randomGraph    = sparsetest.RandomGraph
	randomOfDegree = sparsetest.RandomOfDegree
)

func mustOrder(t testing.TB, g *graph.Graph, o OrderOptions) *Order {
	t.Helper()
	r, err := NewOrder(t.Context(), g, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func mustBest(t testing.TB, o *Order) Work {
	t.Helper()
	best, err := o.Best(t.Context(), estimate)
	if err != nil {
		t.Fatal(err)
	}
	return best
}

func openCPU(t testing.TB, o cpu.Options) *cpu.Device {
	t.Helper()
	d, err := cpu.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

func rome(t testing.TB) *graph.Graph {
	g, _, _, err := read.Open("../graph/testdata/rome99.gr", read.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// california is cal.cedge in f32, or scaled to i32.
func california(t testing.TB, scale int64) *graph.Graph {
	path := os.Getenv("OOC_CAL_CEDGE")
	if path == "" {
		t.Skip("OOC_CAL_CEDGE does not name cal.cedge")
	}
	undirected := false
	g, _, _, err := read.Open(path, read.Options{Directed: &undirected, Scale: scale})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// estimate has rates of the two cores that the project is measured on.
func estimate(w Work) float64 {
	return w.Eliminate/1e9 + w.Rounds/80e9 + w.Climb/30e9 + w.Cross/60e9 + w.Sweep/30e9
}

// decode returns an entry as a number, unreachable as +Inf.
func decode(v entry.Variant, bits uint32) float64 {
	switch {
	case v.Float():
		return float64(math.Float32frombits(bits))
	case int32(bits) == entry.Inf32:
		return math.Inf(1)
	}
	return float64(int32(bits))
}

// encode is the inverse of decode.
func encode(v entry.Variant, x float64) uint32 {
	switch {
	case v.Float():
		return math.Float32bits(float32(x))
	case math.IsInf(x, 1):
		return uint32(entry.Inf32)
	}
	return uint32(int32(x))
}
