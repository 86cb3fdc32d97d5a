package tiles

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ooc/kernels/entry"
)

// TestLayouts wants every tile of every layout to have a place of its own, and the places to fill the file.
func TestLayouts(t *testing.T) {
	for _, g := range []Geometry{
		{N: 1, T: 64, EntryBytes: 4}, {N: 64, T: 64, EntryBytes: 4}, {N: 300, T: 64, EntryBytes: 8},
		{N: 300, T: 64, EntryBytes: 4, Rows: 1}, {N: 300, T: 64, EntryBytes: 4, Rows: 130},
		{N: 300, T: 128, EntryBytes: 4, Rows: 300},
		{N: 1, T: 64, EntryBytes: 4, Upper: true}, {N: 65, T: 64, EntryBytes: 2, Upper: true},
		{N: 100, T: 64, EntryBytes: 1}, {N: 100, T: 64, EntryBytes: 1, Upper: true},
		{N: 1000, T: 64, EntryBytes: 8, Upper: true},
	} {
		t.Run(fmt.Sprint(g), func(t *testing.T) {
			seen := make([]bool, g.Tiles())
			for i := range g.Down() {
				for j := range g.Side() {
					if si, sj, transposed := g.Stored(i, j); transposed != !g.Holds(i, j) || transposed &&
						(si != j || sj != i) || !g.Holds(si, sj) {
						t.Fatalf("tile (%d,%d) is stored as (%d,%d), transposed %v", i, j, si, sj, transposed)
					}
					if !g.Holds(i, j) {
						continue
					}
					at := (g.TileOffset(i, j) - npyHeaderLen) / g.TileBytes()
					if at < 0 || at >= int64(len(seen)) || seen[at] {
						t.Fatalf("tile (%d,%d) is at place %d of %d", i, j, at, len(seen))
					}
					seen[at] = true
					if a, b := g.TileAt(int(at)); a != i || b != j {
						t.Fatalf("tile (%d,%d) is at place %d, where (%d,%d) is", i, j, at, a, b)
					}
				}
			}
			if slices.Contains(seen, false) {
				t.Errorf("there are places without a tile: %v", seen)
			}
			entries := int64(1)
			for _, n := range g.Dimensions() {
				entries *= int64(n)
			}
			if entries*int64(g.EntryBytes) != g.MatrixBytes() {
				t.Errorf("NumPy sees %d entries of %d bytes in %d bytes", entries, g.EntryBytes, g.MatrixBytes())
			}
		})
	}
}

// symmetricTile fills tile (i,j) of a symmetric matrix: entry (u,v) tells which it is.
func symmetricTile(k entry.Kind, g Geometry, i, j int) []byte {
	b := k.Make(g.T * g.T)
	for r := range g.T {
		for c := range g.T {
			u, v := i*g.T+r, j*g.T+c
			k.Put(b, r*g.T+c, symmetricEntry(k, u, v))
		}
	}
	return b
}

func symmetricEntry(k entry.Kind, u, v int) uint64 {
	if x := uint64(min(u, v)<<16 | max(u, v)); k != entry.KindU16 {
		return x
	}
	return uint64((min(u, v)*331 + max(u, v)) % (int(entry.Inf16) + 1))
}

// upperAndSquare makes two solved stores of the same symmetric matrix.
func upperAndSquare(t *testing.T, kind entry.Kind, n, tile int) (upper, square *Store) {
	t.Helper()
	var stores []*Store
	for _, layout := range []Layout{Upper, Square} {
		s, err := Create(t.TempDir()+"/"+string(layout), Meta{N: n, T: tile, Kind: kind, Layout: layout}, nil, IDs{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		g := s.Geometry()
		var sums []uint32
		for at := range g.Tiles() {
			i, j := g.TileAt(at)
			b := symmetricTile(kind, g, i, j)
			if err := s.WriteTile(i, j, b); err != nil {
				t.Fatal(err)
			}
			sum := make([]uint32, s.meta.SumsPerTile())
			Sums(sum, b)
			sums = append(sums, sum...)
		}
		if err := s.Checkpoint(State{Algorithm: "test", Done: int64(n)}); err != nil {
			t.Fatal(err)
		}
		if err := s.WriteSums(sums); err != nil {
			t.Fatal(err)
		}
		stores = append(stores, s)
	}
	return stores[0], stores[1]
}

// TestUpperReads wants every way of reading to give the same of a matrix in layout upper as of the whole one.
func TestUpperReads(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n, kind := range map[int]entry.Kind{1: entry.KindI32, 64: entry.KindU16, 65: entry.KindF64, 300: entry.KindI32,
		200: entry.KindU16, 250: entry.KindF64} {
		upper, square := upperAndSquare(t, kind, n, 64*(1+r.IntN(2)))
		g, wide := upper.Geometry(), kind.Wide().Bytes()
		read := func(what string, size int, do func(s *Store, dst []byte) error) {
			t.Helper()
			got, want := kind.Wide().Make(size/wide), kind.Wide().Make(size/wide)
			if err := do(upper, got); err != nil {
				t.Fatalf("n %d, %s: %v", n, what, err)
			}
			if err := do(square, want); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Fatalf("n %d, %s: differs", n, what)
			}
		}
		for u := range n {
			read("row", wide*n, func(s *Store, dst []byte) error { return s.ReadRow(dst, u) })
			read("column", wide*n, func(s *Store, dst []byte) error { return s.ReadCol(dst, u) })
		}
		for i := range g.Side() {
			for j := range g.Side() {
				tile := func(s *Store) []byte {
					b := kind.Make(g.T * g.T)
					must(t, s.ReadTile(b, i, j))
					return b
				}
				if !bytes.Equal(tile(upper), tile(square)) {
					t.Fatalf("n %d, tile (%d,%d): differs", n, i, j)
				}
				for range 20 {
					first := r.IntN(g.T * g.T)
					count := 1 + r.IntN(min(g.T*g.T-first, 1<<(1+r.IntN(14))))
					read("entries", wide*count,
						func(s *Store, dst []byte) error { return s.ReadEntries(dst, i, j, first) })
				}
				u, v := min(n-1, i*g.T+r.IntN(g.T)), min(n-1, j*g.T+r.IntN(g.T))
				a, err := upper.ReadAt(u, v)
				b, berr := square.ReadAt(u, v)
				want := symmetricEntry(kind, u, v)
				if kind == entry.KindU16 && want == uint64(entry.Inf16) {
					want = uint64(entry.Inf32)
				}
				if err != nil || berr != nil || a != b || a != want {
					t.Fatalf("entry (%d,%d): %x and %x, %v, %v", u, v, a, b, err, berr)
				}
			}
		}
	}
}

// TestUpperWrites writes rows of tiles, and refuses tiles that are not stored.
func TestUpperWrites(t *testing.T) {
	s, _ := upperAndSquare(t, entry.KindI32, 200, 64)
	g := s.Geometry()
	for i := range g.Down() {
		var row []byte
		for j := g.First(i); j < g.Side(); j++ {
			row = append(row, bytes.Repeat([]byte{byte(10*i + j)}, int(g.TileBytes()))...)
		}
		// All at once, or first all but the last tile and then that.
		cut := len(row) - i%2*int(g.TileBytes())
		if err := errors.Join(s.WriteTiles(i, g.First(i), row[:cut]),
			s.WriteTiles(i, g.Side()-1, row[len(row)-int(g.TileBytes()):])); err != nil {
			t.Fatal(err)
		}
		if err := s.WriteTiles(i, g.First(i), append(row, row...)); err == nil {
			t.Error("a row of tiles twice as long is written")
		}
		if i > 0 && s.WriteTiles(i, g.First(i)-1, row) == nil {
			t.Error("a tile that is not stored is written")
		}
	}
	b := make([]byte, g.TileBytes())
	for i := range g.Side() {
		for j := range g.Side() {
			if err := s.ReadTile(b, i, j); err != nil || b[0] != byte(10*min(i, j)+max(i, j)) {
				t.Errorf("tile (%d,%d) is %d: %v", i, j, b[0], err)
			}
		}
	}
	sums := make([]uint32, s.meta.SumsPerTile())
	for what, err := range map[string]error{"write": s.WriteTile(2, 1, b), "sum": s.TileSums(sums, 2, 1),
		"read the file of": s.ReadTileFile(b, 2, 1)} {
		if err == nil || !strings.Contains(err.Error(), "tile (2,1) is not stored") {
			t.Errorf("%s a tile that is not stored: %v", what, err)
		}
	}
}

// TestUpperDamage flips a bit, and wants every reading of it, from either side, to name the tile and the rows where
// it is.
func TestUpperDamage(t *testing.T) {
	s, _ := upperAndSquare(t, entry.KindI32, 200, 128)
	g := s.Geometry()
	flip := make([]byte, 1)
	at := g.TileOffset(0, 1) + int64(4*(70*g.T+3)) // row 70, column 131
	if _, err := s.dist.ReadAt(flip, at); err != nil {
		t.Fatal(err)
	}
	flip[0] ^= 4
	if _, err := s.dist.WriteAt(flip, at); err != nil {
		t.Fatal(err)
	}
	b := entry.Make(g.T * g.T)
	for what, err := range map[string]error{
		"row":     s.ReadRow(b[:4*g.N], 131),
		"column":  s.ReadCol(b[:4*g.N], 131),
		"tile":    s.ReadTile(b, 1, 0),
		"entries": s.ReadEntries(b[:256], 1, 0, 64),
	} {
		if err == nil || !strings.Contains(err.Error(), "tile (0,1), rows 64 to 127") {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := s.ReadRow(b[:4*g.N], 3); err != nil {
		t.Errorf("a row beside the damage: %v", err)
	}
}

// TestMirror wants a mirrored tile to be what its upper half says.
func TestMirror(t *testing.T) {
	for _, e := range []int{1, 2, 4, 8} {
		g := Geometry{N: 192, T: 192, EntryBytes: e}
		tile, transposed := make([]byte, g.TileBytes()), make([]byte, g.TileBytes())
		for i := range tile {
			tile[i] = byte(rand.Uint32())
		}
		above := slices.Clone(tile)
		g.Mirror(tile)
		g.Transpose(transposed, tile, 0)
		if !bytes.Equal(transposed, tile) {
			t.Errorf("entries of %d bytes: not symmetric", e)
		}
		for r := range g.T {
			if at := (r*g.T + r) * e; !bytes.Equal(tile[at:(r+1)*g.T*e], above[at:(r+1)*g.T*e]) {
				t.Fatalf("entries of %d bytes: row %d of the upper half has changed", e, r)
			}
		}
	}
}
