package sparse

import (
	"errors"
	"hash/crc32"
	"math/rand/v2"
	"slices"
	"testing"

	"ooc/engine/graph"
	"ooc/kernels"
	"ooc/kernels/conformance"
	"ooc/kernels/cpu"
	"ooc/kernels/entry"
	"ooc/tiles/crashtest"
)

// TestLevels: every vertex has a row, arcs of a climb and of the way down lead from rows of ranges that are taken
// earlier, and all arcs are there.
func TestLevels(t *testing.T) {
	r := fresh(t)
	for range 200 {
		g := randomGraph(t, r, 60)
		o := mustOrder(t, g, OrderOptions{})
		e, err := o.Eliminate(t.Context(), g, r.IntN(o.Limit+1))
		if err != nil {
			t.Fatal(err)
		}
		l := e.levelled()
		used := make([]bool, l.Rows)
		for rank := range int32(g.N) {
			for _, row := range []int32{l.row[rank], l.last(rank)} {
				if used[row] && row != l.row[rank] {
					t.Fatalf("row %d is taken twice", row)
				}
				used[row] = true
			}
		}
		before := make([]bool, l.Rows)
		checkRanges(t, &l.up, l.climb, slices.Clone(before))
		for i := l.Core; i < 2*l.Core; i++ {
			before[i] = true
		}
		checkRanges(t, &l.down, l.descent, before)
		if len(l.up.Ends) != len(e.Up.Ends) || len(l.down.Ends) != len(e.Down.Ends) {
			t.Fatalf("%d and %d arcs of %d and %d", len(l.up.Ends), len(l.down.Ends), len(e.Up.Ends), len(e.Down.Ends))
		}
	}
}

// checkRanges wants the arcs of every row to lead to rows that are there before its range is taken.
func checkRanges(t *testing.T, a *kernels.Arcs, ranges []kernels.LevelRange, before []bool) {
	t.Helper()
	arcs := 0
	for _, r := range ranges {
		most := int32(0)
		for row := r.Lo; row < r.Hi; row++ {
			ends := a.Ends[a.Offsets[row]:a.Offsets[row+1]]
			for _, end := range ends {
				if !before[end] {
					t.Fatalf("row %d has an arc to row %d, which comes later", row, end)
				}
			}
			arcs += len(ends)
			most = max(most, int32(len(ends)))
		}
		for row := r.Lo; row < r.Hi; row++ {
			before[row] = true
		}
		if most != r.Degree {
			t.Fatalf("rows from %d to %d have %d arcs at most, not %d", r.Lo, r.Hi, most, r.Degree)
		}
	}
	if arcs != len(a.Ends) {
		t.Fatalf("%d arcs in ranges, %d in all", arcs, len(a.Ends))
	}
}

// deviceRows expands sources by a DeviceExpander, batch by batch, and returns the entries of each row, padding
// included.
func deviceRows(t *testing.T, r *rand.Rand, e *Elimination, d kernels.Device, core *DenseCore,
	sources []int32) [][]uint32 {
	t.Helper()
	edge := SumRows * (1 + r.IntN(3))
	w, err := e.NewDeviceExpander(d, core, edge)
	if err != nil {
		t.Fatal(err)
	}
	lanes := edge * (1 + r.IntN(3))
	b, err := w.NewBatch(lanes)
	if err != nil {
		t.Fatal(err)
	}
	side := (len(e.Vertices) + edge - 1) / edge
	tiles := make([]uint32, side*edge*edge)
	sums := make([]uint32, side*edge/SumRows)
	out := make([][]uint32, 0, len(sources))
	for batch := range slices.Chunk(sources, lanes) {
		if err := b.Rows(batch); err != nil {
			t.Fatal(err)
		}
		for i := range (len(batch) + edge - 1) / edge {
			for k := range tiles {
				tiles[k] = r.Uint32()
			}
			done, err := b.TileRow(entry.Bytes(tiles), sums, i, 0)
			if err != nil {
				t.Fatal(err)
			}
			if err := done.Sync(); err != nil {
				t.Fatal(err)
			}
			for k, sum := range sums {
				if want := crc32.Checksum(entry.Bytes(tiles[k*SumRows*edge:][:SumRows*edge]),
					crc32.MakeTable(crc32.Castagnoli)); sum != want {
					t.Fatalf("strip %d of row %d of tiles of edge %d: checksum %08x, not %08x", k, i, edge, sum, want)
				}
			}
			for l := range edge {
				var row []uint32
				for j := range side {
					row = append(row, tiles[(j*edge+l)*edge:][:edge]...)
				}
				if i*edge+l < len(batch) {
					out = append(out, row)
				} else if slices.ContainsFunc(row,
					func(x uint32) bool { return x != uint32(e.Variant.Unreachable()) }) {
					t.Fatalf("a row that pads tiles is not unreachable")
				}
			}
		}
	}
	if err := errors.Join(b.Close(), w.Close()); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestDeviceExpander expands random graphs of every kind from random stopping points level by level, and wants the
// rows of an Expander, to the bit.
func TestDeviceExpander(t *testing.T) {
	crashtest.Slow(t)
	r := fresh(t)
	d := openCPU(t, cpu.Options{Threads: 1})
	device := conformance.WithLaneOps(d)
	compare := func(g *graph.Graph) {
		t.Helper()
		o := mustOrder(t, g, OrderOptions{})
		e, err := o.Eliminate(t.Context(), g, []int{0, o.Limit, r.IntN(o.Limit + 1)}[r.IntN(3)])
		if err != nil {
			t.Fatal(err)
		}
		core := closedCore(t, r, e, d)
		sources := someSources(r, g.N, 300)
		want := rows(t, r, expander(t, r, e, d, core, batchLanes), sources, r.IntN(2) > 0)
		got := deviceRows(t, r, e, device, core, sources)
		for i := range want {
			if !slices.Equal(got[i][:g.N], want[i][:g.N]) {
				t.Fatalf("%s, core %d of %d: the row of %d is not that of an Expander", e.Variant, e.Core(), g.N,
					sources[i])
			}
		}
		checkRows(t, g, e, sources, got, rounding)
	}
	for range crashtest.Repeats(50, 150) {
		compare(randomGraph(t, r, 90))
	}
	big := float64(1 << 24) // additions in float32 make this cycle's length -2, but no distance to itself
	compare(build(t, graph.New(4, graph.AsKind(entry.KindF32)).Add(0, 1, big).Add(1, 2, 1).Add(2, 3, 1).Add(3, 0,
		-big-2)))
}

// TestDeviceExpanderBytes expands on devices with no more memory than what is said to be needed, and one too small.
func TestDeviceExpanderBytes(t *testing.T) {
	r := fresh(t)
	for range 20 {
		g := randomGraph(t, r, 90)
		o := mustOrder(t, g, OrderOptions{})
		e, err := o.Eliminate(t.Context(), g, r.IntN(o.Limit+1))
		if err != nil {
			t.Fatal(err)
		}
		shape := e.Shape(64)
		shape.Lanes = 64 * (1 + r.IntN(3))
		const slack = 64 // arrays without an entry take one
		d := openCPU(t, cpu.Options{Threads: 1, Memory: shape.FixedBytes() + shape.BatchBytes() + slack})
		core := closedCore(t, r, e, d)
		w, err := e.NewDeviceExpander(conformance.WithLaneOps(d), core, 64)
		if err != nil {
			t.Fatalf("%+v: %v", shape, err)
		}
		b, err := w.NewBatch(shape.Lanes)
		if err != nil {
			t.Fatalf("%+v: %v", shape, err)
		}
		if again, err := w.NewBatch(shape.Lanes); !errors.Is(err, kernels.ErrNoMemory) {
			t.Errorf("a second batch of %+v: %v, %v", shape, again, err)
		}
		if err := errors.Join(b.Close(), w.Close()); err != nil {
			t.Fatal(err)
		}
	}
}
