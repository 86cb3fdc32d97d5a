package graph_test

import (
	"math"
	"testing"

	"ooc/engine/graph"
	"ooc/engine/graph/internal/graphtest"
	"ooc/kernels/entry"
)

// FuzzBuild takes arcs of four bytes each: from, to and a weight.
func FuzzBuild(f *testing.F) {
	f.Add(uint8(3), uint8(0), []byte{0, 1, 5, 0, 1, 2, 6, 0, 2, 0, 250, 255})
	f.Add(uint8(5), uint8(4), []byte{0, 1, 5, 0, 1, 0, 6, 1})
	f.Add(uint8(2), uint8(2), []byte{0, 1, 0, 128, 1, 0, 255, 127})
	f.Fuzz(func(t *testing.T, n, mode uint8, arcs []byte) {
		if len(arcs) > 4000 {
			return
		}
		options := []graph.BuildOption{graph.AsKind([]entry.Kind{graph.KindAuto, entry.KindI32, entry.KindF32,
			entry.KindU16, entry.KindF64}[mode&3+mode>>4&1])}
		if mode&4 != 0 {
			options = append(options, graph.Undirected)
		}
		b := graph.New(int(n), options...)
		least := map[[2]uint8]float64{}
		for ; len(arcs) >= 4; arcs = arcs[4:] {
			w := float64(int16(uint16(arcs[2]) | uint16(arcs[3])<<8))
			if mode&8 != 0 {
				w /= 16
			}
			b.Add(int(arcs[0]), int(arcs[1]), w)
			for i, key := range [][2]uint8{{arcs[0], arcs[1]}, {arcs[1], arcs[0]}} {
				if old, ok := least[key]; (i == 0 || mode&4 != 0) && (!ok || w < old) {
					least[key] = w
				}
			}
		}
		g, err := b.Build()
		if err != nil {
			if graphtest.Kinds(err) != 1 {
				t.Fatalf("an error of no kind: %v", err)
			}
			return
		}
		graphtest.FuzzGraph(t, g)
		for u, row := range graphtest.Entries(g) {
			for v, w := range row {
				want, ok := least[[2]uint8{uint8(u), uint8(v)}]
				if !ok {
					want = math.Inf(1)
				}
				if u != v && w != want {
					t.Fatalf("arc %d→%d has weight %v, not %v", u, v, w, want)
				}
			}
		}
	})
}
