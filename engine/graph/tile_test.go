package graph_test

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"ooc/engine/graph"
	"ooc/engine/graph/internal/graphtest"
	"ooc/engine/internal/seeds"
	"ooc/kernels/entry"
)

func TestFillTile(t *testing.T) {
	r := seeds.New(t)
	for range 40 {
		n, edge := 1+r.IntN(150), []int{1, 5, 64}[r.IntN(3)]
		for _, kind := range []entry.Kind{entry.KindI32, entry.KindF32} {
			arcs := randomArcs(r, n, r.IntN(5*n), func() float64 { return float64(r.IntN(9) - 3) })
			arcs = slices.DeleteFunc(arcs, func(a graph.Arc) bool { return a.From == a.To })
			g := graphtest.Build(t, n, arcs, graph.AsKind(kind))
			graphtest.CheckTiles(t, g, edge)
		}
	}
}

func TestFillTileCapsWeights(t *testing.T) {
	g := graphtest.Build(t, 2, []graph.Arc{{0, 1, math.MaxInt32}})
	dst := make([]byte, 16)
	g.FillTile(dst, 2, 0, 0)
	if got := binary.LittleEndian.Uint32(dst[4:]); int32(got) != entry.Inf32 {
		t.Errorf("entry %d exceeds Unreachable", got)
	}
}

func BenchmarkFillTile(b *testing.B) {
	const n, edge = 1 << 16, 1024
	builder := graph.New(n)
	r := seeds.New(b)
	for range 8 * n {
		builder.Add(r.IntN(n), r.IntN(n), float64(r.IntN(1000)))
	}
	g, err := builder.Build()
	if err != nil {
		b.Fatal(err)
	}
	dst := make([]byte, 4*edge*edge)
	b.SetBytes(int64(len(dst)))
	for i := 0; b.Loop(); i++ {
		g.FillTile(dst, edge, i%(n/edge), i/7%(n/edge))
	}
}
