package engine

import (
	"bytes"
	"context"
	"errors"
	"math"
	"testing"

	"ooc/engine/graph"
	"ooc/tiles"
)

// checkTree follows every predecessor of a row back to its source.
func checkTree(t *testing.T, g *graph.Graph, source int, pred, dist []float64, none float64) {
	t.Helper()
	for v := range pred {
		if (v == source || math.IsInf(dist[v], 1)) != (pred[v] == none) {
			t.Fatalf("from %d: predecessor of %d is %v, distance %v", source, v, pred[v], dist[v])
		}
		if pred[v] == none {
			continue
		}
		length, magnitude, arcs := 0.0, 0.0, 0
		for x := v; x != source; arcs++ {
			if arcs > g.N || pred[x] == none {
				t.Fatalf("from %d: the predecessors of %d do not lead back", source, v)
			}
			k := g.Find(int(pred[x]), x)
			if k < 0 {
				t.Fatalf("from %d: no arc from %v to %d", source, pred[x], x)
			}
			length += g.Weight(k)
			magnitude += math.Abs(g.Weight(k))
			x = int(pred[x])
		}
		allowed := 0.0
		if g.Kind == graph.KindF32 {
			allowed = allowedRounding(arcs, magnitude)
		}
		if math.Abs(length-dist[v]) > allowed {
			t.Fatalf("from %d to %d: length %v, distance %v", source, v, length, dist[v])
		}
	}
}

// TestPredecessors checks the tree of every row of random graphs, many of them full of cycles of length 0.
func TestPredecessors(t *testing.T) {
	r := seeded(t)
	for _, c := range everyKind {
		for round := range 6 {
			n := 2 + r.IntN(150)
			g := zeroLaden(t, r, n, c.kind, c.negative)
			if round%2 == 0 {
				g = randomGraph(t, r, n, c.kind, c.negative)
			}
			p := solvedStore(t, r, g)
			none := []int32{NoPredecessor, -1}[r.IntN(2)]
			rows := randomPick(r, n)
			got := parseNPY(t, exported(t, p, ExportOptions{Format: "npy", Predecessors: &none, Rows: rows}))
			if got.element != "<i4" {
				t.Fatalf("elements %s", got.element)
			}
			search := graph.NewSearch(g)
			for i, pred := range got.values {
				source := i
				if rows != nil {
					source = rows[i]
				}
				checkTree(t, g, source, pred, search.From(source), float64(none))
			}
		}
	}
}

func TestPredecessorErrors(t *testing.T) {
	r := seeded(t)
	none := NoPredecessor
	for _, kind := range []graph.Kind{graph.KindI32, graph.KindF32} {
		g, err := graph.New(4, graph.AsKind(kind)).Add(0, 1, 5).Add(1, 2, 2).Build()
		if err != nil {
			t.Fatal(err)
		}
		p := solvedStore(t, r, g)
		for _, o := range []ExportOptions{{Format: "csv"}, {Format: "npy", Cols: []int{1}}} {
			o.Predecessors = &none
			if err := p.ExportTo(context.Background(), new(bytes.Buffer), o); !errors.Is(err, ErrNoFormat) {
				t.Errorf("%+v: %v", o, err)
			}
		}
		for _, at := range [][2]int{{0, 2}, {1, 3}, {2, 2}} {
			was := change(t, p, at[0], at[1], func(uint32) uint32 { return math.Float32bits(3.5) })
			err := p.ExportTo(context.Background(), new(bytes.Buffer), ExportOptions{Format: "npy", Predecessors: &none})
			if !errors.Is(err, ErrWrong) {
				t.Errorf("%s, %v: %v", kind, at, err)
			}
			change(t, p, at[0], at[1], func(uint32) uint32 { return was })
		}
	}
	d := arcless(t)
	if err := d.ExportTo(context.Background(), new(bytes.Buffer), ExportOptions{Format: "npy", Predecessors: &none}); !errors.Is(err, tiles.ErrNoCSR) {
		t.Errorf("without arcs: %v", err)
	}
}
