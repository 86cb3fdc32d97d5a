package export

import (
	"bytes"
	"context"
	"errors"
	"math"
	"testing"

	"ooc/engine"
	"ooc/engine/graph"
	"ooc/engine/internal/enginetest"
	"ooc/engine/internal/seeds"
	"ooc/engine/newfile"
	"ooc/kernels/entry"
	"ooc/tiles"
	"ooc/tiles/crashtest"
)

// TestPredecessors checks the tree of every row of random graphs, many of them full of cycles of length 0.
func TestPredecessors(t *testing.T) {
	crashtest.Slow(t)
	r := seeds.New(t)
	for _, c := range enginetest.EveryKind {
		for round := range 6 {
			n := 2 + r.IntN(150)
			g := enginetest.ZeroLaden(t, r, n, c.Kind, c.Negative)
			if round%2 == 0 {
				g = enginetest.RandomGraph(t, r, n, c.Kind, c.Negative)
			}
			p := enginetest.Solved(t, r, g)
			none := []int32{entry.SciPyNoVertex, -1}[r.IntN(2)]
			rows := randomPick(r, n)
			got := enginetest.ParseNPY(t, exported(t, p, Options{Format: "npy", Predecessors: &none, Rows: rows}))
			if got.Element != "<i4" {
				t.Fatalf("elements %s", got.Element)
			}
			search := graph.NewSearch(g)
			for i, pred := range got.Values {
				source := i
				if rows != nil {
					source = rows[i]
				}
				enginetest.CheckTree(t, g, source, pred, search.From(source), float64(none))
			}
		}
	}
}

func TestPredecessorErrors(t *testing.T) {
	r := seeds.New(t)
	none := entry.SciPyNoVertex
	for _, kind := range []entry.Kind{entry.KindI32, entry.KindF32} {
		g, err := graph.New(4, graph.AsKind(kind)).Add(0, 1, 5).Add(1, 2, 2).Build()
		if err != nil {
			t.Fatal(err)
		}
		p := enginetest.Solved(t, r, g)
		for _, o := range []Options{{Format: "csv"}, {Format: "npy", Cols: []int{1}}} {
			o.Predecessors = &none
			if err := Write(context.Background(), p, new(bytes.Buffer), o); !errors.Is(err, newfile.ErrNoFormat) {
				t.Errorf("%+v: %v", o, err)
			}
		}
		for _, at := range [][2]int{{0, 2}, {1, 3}, {2, 2}} {
			was := enginetest.Change(t, p, at[0], at[1], func(uint32) uint32 { return math.Float32bits(3.5) })
			err := Write(context.Background(), p, new(bytes.Buffer), Options{Format: "npy", Predecessors: &none})
			if !errors.Is(err, engine.ErrWrong) {
				t.Errorf("%s, %v: %v", kind, at, err)
			}
			enginetest.Change(t, p, at[0], at[1], func(uint32) uint32 { return was })
		}
	}
	d := enginetest.Arcless(t)
	if err := Write(context.Background(), d, new(bytes.Buffer),
		Options{Format: "npy", Predecessors: &none}); !errors.Is(err, tiles.ErrNoCSR) {
		t.Errorf("without arcs: %v", err)
	}
}
