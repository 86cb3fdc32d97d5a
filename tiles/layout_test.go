package tiles

import (
	"fmt"
	"testing"
)

// TestLayouts wants every tile of every layout to have a place of its own, and the places to fill the file.
func TestLayouts(t *testing.T) {
	for _, g := range []Geometry{
		{N: 1, T: 64, EntryBytes: 4}, {N: 64, T: 64, EntryBytes: 4}, {N: 300, T: 64, EntryBytes: 8},
		{N: 300, T: 64, EntryBytes: 4, Rows: 1}, {N: 300, T: 64, EntryBytes: 4, Rows: 130}, {N: 300, T: 128, EntryBytes: 4, Rows: 300},
	} {
		t.Run(fmt.Sprint(g), func(t *testing.T) {
			seen := make([]bool, g.Tiles())
			for i := range g.Down() {
				for j := range g.Side() {
					at := (g.TileOffset(i, j) - npyHeaderLen) / g.TileBytes()
					if at < 0 || at >= int64(len(seen)) || seen[at] {
						t.Fatalf("tile (%d,%d) is at place %d of %d", i, j, at, len(seen))
					}
					seen[at] = true
				}
			}
			entries := int64(1)
			for _, n := range g.layout().shape(g) {
				entries *= int64(n)
			}
			if entries*int64(g.EntryBytes) != g.MatrixBytes() {
				t.Errorf("NumPy sees %d entries of %d bytes in %d bytes", entries, g.EntryBytes, g.MatrixBytes())
			}
		})
	}
}
