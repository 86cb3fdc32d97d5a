package plan

import (
	"fmt"

	"github.com/dustin/go-humanize"

	"ooc/engine/graph"
	"ooc/tiles"
)

// StoreBytes returns how much of its volume the store of a graph takes, with tiles of the given edge.
func StoreBytes(e graph.Extent, tile int, r Request) int64 {
	m := tiles.Meta{N: e.N, Arcs: e.Arcs, Kind: r.kind(), Dense: e.Dense, T: tile, Sources: r.Sources,
		Predecessors: r.Predecessors, Layout: r.Layout}
	return tiles.StoreBytes(m, tiles.IDs{Numeric: e.IDs.Numeric, Text: e.IDs.Text})
}

// StoreBytes returns how much more of its volume the store takes, with tiles of the given edge: nothing if it is there.
func (q *Basis) StoreBytes(tile int) int64 {
	if q.Stored {
		return 0
	}
	f := &q.Facts
	return StoreBytes(graph.Extent{N: f.N, Arcs: f.Arcs, Dense: q.Dense, IDs: f.IDs}, tile, q.Request)
}

// Fits fails with tiles.ErrNoSpace if the volume is known to lack the bytes that something takes.
func (q *Basis) Fits(bytes int64, what string) error {
	if room := q.Room; room > 0 && bytes > room {
		return fmt.Errorf("%w: %s takes %s, %s more than the volume has room for; free some, or solve it on another "+
			"volume: ooc solve --out",
			tiles.ErrNoSpace, what, humanize.IBytes(uint64(bytes)), humanize.IBytes(uint64(bytes-room)))
	}
	return nil
}
