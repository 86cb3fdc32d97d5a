package plan

import (
	"fmt"

	"github.com/dustin/go-humanize"

	"ooc/engine/graph"
	"ooc/tiles"
	"ooc/tiles/disk"
)

// StoreBytesOf returns how much of its volume the store of a graph takes, with tiles of the given edge.
func (r Request) StoreBytesOf(e graph.Extent, tile int) int64 {
	return r.meta(e, tile).StoreBytes(tiles.IDs{Numeric: e.IDs.Numeric, Text: e.IDs.Text})
}

// meta describes the store of a graph.
func (r Request) meta(e graph.Extent, tile int) tiles.Meta {
	return tiles.Meta{N: e.N, Arcs: e.Arcs, Kind: r.kind(), Dense: e.Dense, T: tile, Sources: r.Sources,
		Predecessors: r.Predecessors, Layout: r.Layout}
}

// Geometry is that of the store, with tiles of the given edge.
func (q *Basis) Geometry(tile int) tiles.Geometry {
	m := q.meta(graph.Extent{N: q.Facts.N}, tile)
	m.Kind = q.Facts.Kind
	return m.Geometry()
}

// StoreBytes returns how much more of its volume the store takes, with tiles of the given edge: nothing if it is there.
func (q *Basis) StoreBytes(tile int) int64 {
	if q.Stored {
		return 0
	}
	f := &q.Facts
	return q.StoreBytesOf(graph.Extent{N: f.N, Arcs: f.Arcs, Dense: q.Dense, IDs: f.IDs}, tile)
}

// Fits fails with disk.ErrNoSpace if the volume is known to lack the bytes that something takes.
func (q *Basis) Fits(bytes int64, what string) error {
	if room := q.Room; room > 0 && bytes > room {
		return fmt.Errorf("%w: %s takes %s, %s more than the volume has room for; free some, or solve it on another "+
			"volume: ooc solve --out",
			disk.ErrNoSpace, what, humanize.IBytes(uint64(bytes)), humanize.IBytes(uint64(bytes-room)))
	}
	return nil
}
