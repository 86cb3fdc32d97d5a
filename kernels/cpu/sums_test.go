package cpu

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"ooc/kernels/conformance"
	"ooc/kernels/entry"
)

// TestSums adds up rows that are cut into parts, on every path, and demands the bits of plain loops.
func TestSums(t *testing.T) {
	r := rand.New(rand.NewPCG(conformance.Seed(t), 0))
	for _, name := range PathNames() {
		t.Run(name, func(t *testing.T) {
			needPath(t, name)
			p, err := choosePath(name)
			if err != nil {
				t.Fatal(err)
			}
			for range 30 {
				checkSums[int64, uint32](t, r, p, entry.KindI32)
				checkSums[float64, uint32](t, r, p, entry.KindF32)
				checkSums[float64, uint64](t, r, p, entry.KindF64)
			}
		})
	}
	if _, err := NewSums[int64, uint64](entry.KindI32); err == nil {
		t.Error("entries of another size were added up")
	}
}

func checkSums[S Addable, W Word](t *testing.T, r *rand.Rand, p *path, kind entry.Kind) {
	t.Helper()
	s, err := sumsOn[S, W](p, kind)
	if err != nil {
		t.Fatal(err)
	}
	n, signed := 1+r.IntN(200), r.IntN(2) == 0
	cols, want := NewColumnSums[S, W](n), NewColumnSums[S, W](n)
	below := &cols
	if r.IntN(3) == 0 {
		below = nil
	}
	for range 1 + r.IntN(4) {
		line := entry.View[W](entriesFor(r, kind.Variant(signed), n, signed))
		for i := range line {
			if r.IntN(8) == 0 {
				line[i] = []W{0, W(kind.Unreachable()), line[r.IntN(n)]}[r.IntN(3)]
			}
		}
		var row, rest RowSums[S, W]
		for at := 0; at < n; {
			part := line[at:min(n, at+SumLanes*(1+r.IntN(6)))]
			s.Add(part, at, &row, below)
			at += len(part)
		}
		top, column := plainTop(kind, line)
		if d, at := row.Top(); d != top || at != column {
			t.Fatalf("%s, %d entries: the greatest is %x in column %d, not %x in %d", kind, n, top, column, d, at)
		}
		plainSums(kind, line, &rest, &want)
		rest.top, rest.block = row.top, row.block
		if row != rest {
			t.Fatalf("%s, %d entries: %+v, want %+v", kind, n, row, rest)
		}
	}
	if below != nil && !(slices.Equal(cols.Sum, want.Sum) && slices.Equal(cols.Inverse, want.Inverse) &&
		slices.Equal(cols.Missing, want.Missing)) {
		t.Fatalf("%s, columns: %+v, want %+v", kind, cols, want)
	}
}

// plainTop returns the bits and the first column of the greatest entry that is reachable and positive.
func plainTop[W Word](kind entry.Kind, line []W) (top W, column int) {
	column = -1
	for i, bits := range line {
		if uint64(bits) != kind.Unreachable() && kind.Value(uint64(bits)) > max(0, kind.Value(uint64(top))) {
			top, column = bits, i
		}
	}
	return top, column
}

// plainSums adds a line to sums of rows and of columns.
func plainSums[S Addable, W Word](kind entry.Kind, line []W, row *RowSums[S, W], cols *ColumnSums[S, W]) {
	for i, bits := range line {
		if uint64(bits) == kind.Unreachable() {
			row.missing[i%SumLanes]++
			cols.Missing[i]++
			continue
		}
		d := kind.Value(uint64(bits))
		row.sum[i%SumLanes] += S(d)
		cols.Sum[i] += S(d)
		if d > 0 {
			row.inverse[i%SumLanes] += 1 / d
			cols.Inverse[i] += 1 / d
		}
	}
}

// BenchmarkSums adds up parts of rows, and the same in lanes, that are in the cache. Bytes are entries.
func BenchmarkSums(b *testing.B) {
	const n, rows = 256, 64
	for _, name := range PathNames() {
		for _, columns := range []bool{false, true} {
			for _, inLanes := range []bool{false, true} {
				b.Run(fmt.Sprintf("%s/columns=%t/lanes=%t", name, columns, inLanes), func(b *testing.B) {
					needPath(b, name)
					p, err := choosePath(name)
					if err != nil {
						b.Fatal(err)
					}
					s, err := sumsOn[int64, uint32](p, entry.KindI32)
					if err != nil {
						b.Fatal(err)
					}
					entries, names, cols := make([]uint32, n*rows), make([]uint32, n), NewColumnSums[int64, uint32](n)
					for i := range entries {
						entries[i] = uint32(1 + i)
					}
					sums, lanes, below := make([]RowSums[int64, uint32], rows), NewLaneSums[int64, uint32](rows), &cols
					if !columns {
						below = nil
					}
					b.SetBytes(n * rows)
					for b.Loop() {
						if inLanes {
							s.AddLanes(entries, 0, names, lanes, rows, below)
							continue
						}
						for i := range sums {
							s.Add(entries[i*n:][:n], 0, &sums[i], below)
						}
					}
				})
			}
		}
	}
}
