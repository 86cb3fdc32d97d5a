package graph

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"
)

func TestFillTile(t *testing.T) {
	r := fresh(t)
	for range 40 {
		n, edge := 1+r.IntN(150), []int{1, 5, 64}[r.IntN(3)]
		for _, kind := range []Kind{KindI32, KindF32} {
			arcs := randomArcs(r, n, r.IntN(5*n), func() float64 { return float64(r.IntN(9) - 3) })
			arcs = slices.DeleteFunc(arcs, func(a Arc) bool { return a.From == a.To })
			g := build(t, n, arcs, AsKind(kind))
			checkTiles(t, g, edge)
		}
	}
}

func checkTiles(t *testing.T, g *Graph, edge int) {
	t.Helper()
	m := entries(g)
	tiles := (g.N + edge - 1) / edge
	dst := make([]byte, 4*edge*edge)
	for i := range tiles {
		for j := range tiles {
			for k := range dst {
				dst[k] = 0xAB // poison
			}
			g.FillTile(dst, edge, i, j)
			for k := range edge * edge {
				u, v := i*edge+k/edge, j*edge+k%edge
				want := math.Inf(1)
				if u < g.N && v < g.N {
					want = m[u][v]
					if g.Kind == KindI32 && want >= float64(Unreachable) {
						want = math.Inf(1)
					}
				} else if u == v {
					want = 0
				}
				if got := tileEntry(g, dst, k); got != want {
					t.Fatalf("entry (%d,%d) is %v, not %v", u, v, got, want)
				}
			}
		}
	}
}

func tileEntry(g *Graph, dst []byte, k int) float64 {
	bits := binary.LittleEndian.Uint32(dst[4*k:])
	if g.Kind == KindF32 {
		return float64(math.Float32frombits(bits))
	}
	if int32(bits) == Unreachable {
		return math.Inf(1)
	}
	return float64(int32(bits))
}

func TestFillTileCapsWeights(t *testing.T) {
	g := build(t, 2, []Arc{{0, 1, math.MaxInt32}})
	dst := make([]byte, 16)
	g.FillTile(dst, 2, 0, 0)
	if got := binary.LittleEndian.Uint32(dst[4:]); int32(got) != Unreachable {
		t.Errorf("entry %d exceeds Unreachable", got)
	}
}

func BenchmarkFillTile(b *testing.B) {
	const n, edge = 1 << 16, 1024
	builder := New(n)
	r := fresh(b)
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
