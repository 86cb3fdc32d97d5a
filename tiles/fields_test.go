package tiles

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ooc/kernels/entry"
	"ooc/tiles/disk"
)

// pairsStore is pairsStoreOf for i32.
func pairsStore(t *testing.T, n, tile int, sources RowSet) *Store {
	return pairsStoreOf(t, entry.KindI32, n, tile, sources)
}

// pairsStoreOf makes a store of pairs and fills it: the distance from u to v is 1000u + v, the predecessor u - v.
func pairsStoreOf(t *testing.T, kind entry.Kind, n, tile int, sources RowSet) *Store {
	t.Helper()
	m := testMeta(n, tile)
	m.Kind, m.Predecessors, m.Sources = kind, true, sources
	s, err := Create(filepath.Join(t.TempDir(), "a.ooc"), m, nil, IDs{})
	must(t, err)
	t.Cleanup(func() { s.Close() })
	g := s.Geometry()
	b := make([]byte, g.TileBytes())
	for i := range g.Down() {
		for j := range g.Side() {
			for k := range tile * tile {
				u, v := i*tile+k/tile, j*tile+k%tile
				pair := b[k*kind.PairBytes():]
				kind.Put(pair, 0, kind.Bits(float64(1000*u+v)))
				binary.LittleEndian.PutUint32(pair[kind.Bytes():], uint32(u-v))
			}
			must(t, s.WriteTile(i, j, b))
		}
	}
	return s
}

func TestPairs(t *testing.T) {
	for _, kind := range []entry.Kind{entry.KindI32, entry.KindF64} {
		t.Run(string(kind), func(t *testing.T) { readPairs(t, kind) })
	}
}

func readPairs(t *testing.T, kind entry.Kind) {
	rng := seeded(t)
	s := pairsStoreOf(t, kind, 150, 64, nil)
	if g, each := s.Geometry(), 2*kind.Bytes(); g.EntryBytes != each || g.TileBytes() != int64(64*64*each) {
		t.Fatalf("%+v, version %d", g, s.Meta().Version)
	}
	distance := func(b []byte, k int) int { return int(kind.Value(kind.At(b, k))) }
	row, col := kind.Make(150), kind.Make(150)
	for u := range 150 {
		must(t, s.ReadRow(row, u))
		must(t, s.ReadCol(col, u))
		for v := range 150 {
			bits, err := s.ReadAt(u, v)
			if must(t, err); distance(row, v) != 1000*u+v || distance(col, v) != 1000*v+u ||
				int(kind.Value(bits)) != 1000*u+v {
				t.Fatalf("distance (%d,%d): %d by row, %d by column, %#x", u, v, distance(row, v), distance(col, v),
					bits)
			}
		}
	}
	row, col = make([]byte, 600), make([]byte, 600)
	at := func(b []byte, k int) int { return int(int32(binary.LittleEndian.Uint32(b[4*k:]))) }
	for u := range 150 {
		must(t, s.ReadRowPredecessors(row, u))
		must(t, s.ReadColPredecessors(col, u))
		for v := range 150 {
			if at(row, v) != u-v || at(col, v) != v-u {
				t.Fatalf("predecessor (%d,%d): %d by row, %d by column", u, v, at(row, v), at(col, v))
			}
		}
	}
	for range 50 { // at 64² entries, some are longer than is read at a time
		first := rng.IntN(64 * 64)
		n := rng.IntN(64*64 - first + 1)
		got, before := kind.Make(n), entry.Make(n)
		must(t, s.ReadEntries(got, 1, 2, first))
		must(t, s.ReadEntriesPredecessors(before, 1, 2, first))
		for k := range n {
			e := first + k
			if distance(got, k) != 1000*(64+e/64)+128+e%64 || at(before, k) != 64+e/64-128-e%64 {
				t.Fatalf("entry %d of %d from %d on: %d, %d", k, n, first, distance(got, k), at(before, k))
			}
		}
	}
	tile, file := make([]byte, s.geo.TileBytes()), make([]byte, s.geo.TileBytes())
	must(t, s.ReadTile(tile, 1, 1))
	if must(t, s.ReadTileFile(file, 1, 1)); !bytes.Equal(tile, file) {
		t.Error("a tile differs by file and by mapping")
	}
}

func TestWritePredecessors(t *testing.T) {
	s := pairsStore(t, 150, 64, nil)
	must(t, s.WritePredecessors(70, []int32{0, 63, 64, 149}, []int32{7, 8, 9, entry.NoVertex}))
	want := map[int]int32{0: 7, 63: 8, 64: 9, 149: entry.NoVertex}
	row := make([]byte, 600)
	must(t, s.Checkpoint(State{Algorithm: "blocked", Done: 150}))
	dir := s.Dir()
	must(t, s.Close())
	s, _, _ = reopen(t, dir)
	for _, u := range []int{69, 70, 71} {
		must(t, s.ReadRowPredecessors(row, u))
		for v := range 150 {
			x, ok := want[v]
			if u != 70 || !ok {
				x = int32(u - v)
			}
			if got := int32(binary.LittleEndian.Uint32(row[4*v:])); got != x {
				t.Fatalf("predecessor (%d,%d) is %d, not %d", u, v, got, x)
			}
		}
		must(t, s.ReadRow(row, u))
		for v := range 150 {
			if got := int(binary.LittleEndian.Uint32(row[4*v:])); got != 1000*u+v {
				t.Fatalf("distance (%d,%d) became %d", u, v, got)
			}
		}
	}
	for _, err := range []error{s.WritePredecessors(150, []int32{0}, []int32{0}),
		s.WritePredecessors(0, []int32{150}, []int32{0})} {
		if err == nil || errors.Is(err, disk.ErrCorrupt) {
			t.Errorf("beyond the matrix: %v", err)
		}
	}
}

func TestNoPairs(t *testing.T) {
	s := newStore(t, 100, 64)
	b := make([]byte, 400)
	for _, err := range []error{s.ReadRowPredecessors(b, 0), s.ReadColPredecessors(b, 0),
		s.ReadEntriesPredecessors(b, 0, 0, 0), s.WritePredecessors(0, nil, nil)} {
		if !errors.Is(err, errNoPredecessors) {
			t.Error(err)
		}
	}
}

// TestNumPyOpensPairs opens a matrix of pairs in place.
func TestNumPyOpensPairs(t *testing.T) {
	needNumPy(t)
	for _, kind := range []entry.Kind{entry.KindI32, entry.KindF64} {
		s := pairsStoreOf(t, kind, 150, 64, nil)
		out, err := exec.Command("python3", "-c", `
import numpy as np, sys
d = np.load(sys.argv[1], mmap_mode="r")
assert isinstance(d, np.memmap) and d.offset == 4096 and d.shape == (3, 3, 64, 64), (d.dtype, d.shape)
assert d.itemsize == 2 * d["distance"].itemsize and d.dtype.names == ("distance", "predecessor") and d["distance"].dtype == sys.argv[2], d.dtype
u, v = np.arange(192)[:, None], np.arange(192)[None, :]
full = d.transpose(0, 2, 1, 3).reshape(192, 192)
assert (full["distance"] == 1000 * u + v).all() and (full["predecessor"] == u - v).all()
print("good")`, filepath.Join(s.Dir(), nameDist), kind.NumPy()).CombinedOutput()
		if err != nil || strings.TrimSpace(string(out)) != "good" {
			t.Errorf("NumPy, %s: %v: %s", kind, err, out)
		}
	}
}
