package engine

import (
	"cmp"
	"math"
	"ooc/engine/graph"
	"ooc/engine/plan"
	"ooc/kernels"
	"ooc/kernels/entry"
	"ooc/tiles"
	"ooc/tiles/disk"
)

// Space returns the bytes that the store of a graph will take, and the most that may be beside it while it is solved,
// where the graph was not read. It assumes the tile edge of the algorithm whose store would be largest. It fails with
// device.ErrMemory if no algorithm can work within the limits.
func Space(e graph.Extent, d kernels.Device, r plan.Request) (store, beside int64, err error) {
	facts := graph.Facts{N: e.N, Arcs: e.Arcs, Kind: cmp.Or(r.Kind, entry.KindI32), IDs: e.IDs}
	q := &plan.Basis{Request: r.WithDefaults(d.Info()), Facts: facts, Dense: e.Dense, Info: d.Info()}
	q.Layout = tiles.Square
	candidates, err := q.Candidates(planned())
	if err == nil && q.Tile == 0 {
		q.Rates, err = plan.RatesFor(nil, d, entry.I32, e.N)
	}
	if err != nil {
		return 0, 0, err
	}
	var failed error
	for _, a := range candidates {
		tile, more, err := a.Size(q)
		if err != nil {
			failed = err
			continue
		}
		geom := tiles.Geometry{N: e.N, T: tile, EntryBytes: r.EntryBytes(), Rows: len(r.Sources)}
		if err := geom.Validate(); err != nil {
			return 0, 0, err
		}
		store, beside = max(store, r.StoreBytesOf(e, tile)), max(beside, more)
	}
	if store == 0 {
		return 0, 0, failed
	}
	return store, beside, nil
}

// RoomFor fails with disk.ErrNoSpace if the volume of the store dir cannot hold the matrix of a graph, in the place of
// what is there. It does not need the graph, whose plan can take a while.
func RoomFor(dir string, f graph.Facts, l plan.Request) error {
	rows := f.N
	switch {
	case len(l.Sources) > 0:
		rows = len(l.Sources)
	case f.Symmetric && !l.Predecessors && l.Layout != tiles.Square:
		rows = (f.N + 1) / 2
	}
	l.Kind = f.Kind
	size := float64(f.N) * float64(rows) * float64(l.EntryBytes()) // which an int64 might not hold
	return disk.Room(dir, tiles.MatrixPath(dir), int64(min(size, math.MaxInt64/2)), tiles.GivesBack(dir))
}

// Room returns how much of its volume a store at dir may take, in the place of what is there; 0: unknown.
func Room(dir string) int64 {
	free, err := disk.Free(dir)
	if err != nil {
		return 0
	}
	return max(1, free+tiles.GivesBack(dir))
}
