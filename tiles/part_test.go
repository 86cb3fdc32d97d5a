package tiles

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestReadPart reads random rectangles of tiles and compares them with the whole tiles.
func TestReadPart(t *testing.T) {
	rng := seeded(t)
	s := newStore(t, 150, 64)
	g := s.Geometry()
	whole := map[[2]int][]byte{}
	for i := range g.Side() {
		for j := range g.Side() {
			tile := randomTile(g, rng)
			must(t, s.WriteTile(i, j, tile))
			whole[[2]int{i, j}] = tile
		}
	}
	for range 500 {
		i, j, r, c := rng.IntN(g.Side()), rng.IntN(g.Side()), rng.IntN(g.T), rng.IntN(g.T)
		rows, cols := rng.IntN(g.T-r+1), rng.IntN(g.T-c+1)
		if rng.IntN(4) == 0 {
			c, cols = 0, g.T
		}
		var want []byte
		for y := r; y < r+rows; y++ {
			at := (y*g.T + c) * g.EntryBytes
			want = append(want, whole[[2]int{i, j}][at:at+cols*g.EntryBytes]...)
		}
		got := bytes.Repeat([]byte{0xa5}, len(want))
		must(t, s.ReadPart(got, i, j, r, c, rows, cols))
		if !bytes.Equal(got, want) {
			t.Fatalf("tile (%d,%d), %d×%d from (%d,%d): wrong bytes", i, j, rows, cols, r, c)
		}
	}
}

func TestReadPartErrors(t *testing.T) {
	s := newStore(t, 100, 64)
	for _, p := range [][6]int{{2, 0, 0, 0, 1, 1}, {0, -1, 0, 0, 1, 1}, {0, 0, -1, 0, 1, 1}, {0, 0, 0, -1, 1, 1},
		{0, 0, 64, 0, 1, 1}, {0, 0, 0, 1, 1, 64}, {0, 0, 0, 0, -1, -1}} {
		if err := s.ReadPart(make([]byte, max(0, p[4]*p[5]*4)), p[0], p[1], p[2], p[3], p[4], p[5]); err == nil {
			t.Errorf("part %v was read", p)
		}
	}
	if err := s.ReadPart(make([]byte, 7), 0, 0, 0, 0, 1, 2); err == nil {
		t.Error("a short buffer was filled")
	}
	must(t, os.Truncate(filepath.Join(s.Dir(), "dist.npy"), 8192))
	var fault *FaultError
	if err := s.ReadPart(make([]byte, 4), 1, 1, 3, 3, 1, 1); !errors.As(err, &fault) {
		t.Errorf("a tile that is gone: %v", err)
	}
}
