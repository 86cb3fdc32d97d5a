package tiles

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"

	"ooc/tiles/disk"
)

// TestReadEntries reads random parts of tiles and compares them with the whole tiles, while they change.
func TestReadEntries(t *testing.T) {
	rng := seeded(t)
	s := newStore(t, 150, 64)
	g := s.Geometry()
	for range 100 {
		i, j, tile := rng.IntN(g.Side()), rng.IntN(g.Side()), randomTile(g, rng)
		must(t, s.WriteTile(i, j, tile)) // through the mapping, not synced
		for range 5 {
			first := rng.IntN(g.T*g.T + 1)
			count := rng.IntN(g.T*g.T - first + 1)
			got := bytes.Repeat([]byte{0xa5}, 4*count)
			must(t, s.ReadEntries(got, i, j, first))
			if !bytes.Equal(got, tile[4*first:4*(first+count)]) {
				t.Fatalf("tile (%d,%d), %d entries from %d on: wrong bytes", i, j, count, first)
			}
		}
	}
}

func TestReadEntriesErrors(t *testing.T) {
	s := newStore(t, 100, 64)
	for _, c := range []struct{ bytes, i, j, first int }{
		{4, 2, 0, 0}, {4, 0, -1, 0}, {4, 0, 0, -1}, {4, 0, 0, 64 * 64}, {8, 0, 0, 64*64 - 1}, {7, 0, 0, 0},
	} {
		if err := s.ReadEntries(make([]byte, c.bytes), c.i, c.j, c.first); err == nil {
			t.Errorf("%+v was read", c)
		}
	}
	must(t, os.Truncate(s.path(nameDist), s.geo.TileOffset(1, 1)+400))
	must(t, s.ReadEntries(make([]byte, 400), 1, 1, 0))
	var fault *FaultError
	err := s.ReadEntries(make([]byte, 408), 1, 1, 0)
	if !errors.As(err, &fault) || !errors.Is(err, disk.ErrCorrupt) || fault.Offset != s.geo.TileOffset(1, 1)+400 ||
		!strings.Contains(err.Error(), "cut to") {
		t.Errorf("a tile that was cut: %v", err)
	}
	must(t, s.Close())
	if err := s.ReadEntries(make([]byte, 4), 0, 0, 0); !errors.Is(err, errClosed) {
		t.Errorf("a closed store: %v", err)
	}
}
