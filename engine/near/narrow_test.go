package near

import (
	"slices"
	"testing"

	"ooc/engine/internal/seeds"
	"ooc/kernels/entry"
)

// TestNarrow narrows columns and distances at the edges of what 2 bytes hold, and random ones, and widens them again.
func TestNarrow(t *testing.T) {
	type row = []int32
	for _, c := range []struct {
		first int
		rows  []row
		fits  bool
	}{
		{0, nil, true},
		{5, []row{{}, {}, {}}, true},
		{32768, []row{{0}, {1}}, true},
		{32769, []row{{0}}, false},
		{0, []row{{32767, 32768 + 65534}}, true},
		{0, []row{{32768}}, false},
		{0, []row{{7, 7 + 65535}, {}, {2}}, true},
		{0, []row{{7, 7 + 65536}}, false},
		{1 << 30, []row{{1<<30 - 1, 1<<30 + 1}, {1 << 30}}, true},
		{1 << 30, []row{{0}}, false},
		{3, []row{{2, 4}, {0, 1<<31 - 1}}, false},
	} {
		counts, columns := []uint32{}, []int32{}
		for _, r := range c.rows {
			counts, columns = append(counts, uint32(len(r))), append(columns, r...)
		}
		checkColumns(t, c.first, counts, columns, c.fits)
	}
	r := seeds.New(t)
	for range 200 {
		first, most, counts, columns := r.IntN(1<<20), 1+r.IntN(1<<17), []uint32{}, []int32{}
		for row := range r.IntN(20) {
			n := r.IntN(30)
			counts = append(counts, uint32(n))
			c := int32(first + row - r.IntN(1<<15))
			for range n {
				columns = append(columns, c)
				c += 1 + r.Int32N(int32(most))
			}
		}
		fits := true
		at := 0
		for row, n := range counts {
			of := columns[at:][:n]
			at += int(n)
			for i := range of {
				by := int(of[i]) - (first + row)
				if i > 0 {
					by = int(of[i] - of[i-1])
				}
				fits = fits && (i > 0 && by < 1<<16 || i == 0 && by >= -1<<15 && by < 1<<15)
			}
		}
		checkColumns(t, first, counts, columns, fits)
	}
	for _, c := range []struct {
		distances []int32
		fits      bool
	}{{[]int32{}, true}, {[]int32{0, 65535, 1}, true}, {[]int32{65536}, false}, {[]int32{3, -1}, false},
		{[]int32{1 << 30, 5}, false}} {
		narrow, fits := narrowedDistances(nil, c.distances)
		if fits != c.fits {
			t.Errorf("distances %v fit: %v", c.distances, fits)
		}
		if memory := secondHalf(narrow); fits {
			if widenDistances(memory); !slices.Equal(entry.View[int32](memory), c.distances) {
				t.Errorf("distances %v became %v", c.distances, entry.View[int32](memory))
			}
		}
	}
}

func checkColumns(t *testing.T, first int, counts []uint32, columns []int32, want bool) {
	t.Helper()
	narrow, fits := narrowedColumns(nil, first, counts, columns)
	if fits != want {
		t.Fatalf("columns %v of %v from row %d fit: %v", columns, counts, first, fits)
	}
	if !fits {
		return
	}
	memory := secondHalf(narrow)
	if !widenColumns(memory, first, counts) || !slices.Equal(entry.View[int32](memory), columns) {
		t.Fatalf("columns %v of %v from row %d became %v", columns, counts, first, entry.View[int32](memory))
	}
	for _, wrong := range [][]uint32{append(slices.Clone(counts), 1), append(slices.Clone(counts), 1<<32-1)} {
		if widenColumns(secondHalf(narrow), first, wrong) {
			t.Fatalf("%d columns are as many as %v", len(columns), wrong)
		}
	}
	if len(narrow) > 0 && widenColumns(secondHalf(narrow), first, []uint32{uint32(len(narrow)) - 1}) {
		t.Fatalf("%d columns are one fewer", len(columns))
	}
}

func secondHalf(narrow []uint16) []byte {
	memory := make([]uint64, len(narrow)/2+1)
	all := entry.Bytes(memory)[:4*len(narrow)]
	copy(all[2*len(narrow):], entry.Bytes(narrow))
	return all
}
