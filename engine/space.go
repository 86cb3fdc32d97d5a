package engine

import (
	"ooc/engine/graph"
	"ooc/kernels"
	"ooc/tiles"
)

// Space returns the bytes that the store of a graph will take, rows of distances in it, 0 for all: that of the tile
// edge which the larger of the algorithms would pick. A core that stays on disk while it is solved is not in it. It
// fails with ErrMemory where no algorithm can do with the limits.
func Space(e graph.Extent, rows int, d kernels.Device, l Limits) (int64, error) {
	edges := []int{l.Tile}
	if l.Tile == 0 {
		rates, err := MeasureRates(d, kernels.I32)
		if err != nil {
			return 0, err
		}
		edges = []int{rowTile(max(rows, 1), e.N)}
		if rows == 0 {
			edges = []int{rowTile(e.N, e.N)}
			t, err := ChooseTile(e.N, d.Info(), rates, l.withDefaults(d.Info()))
			if err != nil && e.Dense {
				return 0, err
			}
			if err == nil {
				edges = append(edges, t)
			}
		}
	}
	var most int64
	for _, t := range edges {
		geom := tiles.Geometry{N: e.N, T: t, EntryBytes: l.entryBytes(), Rows: rows}
		if err := geom.Validate(); err != nil {
			return 0, err
		}
		size := geom.MatrixBytes() + 4*int64(geom.Tiles()) + storeOverhead
		if !e.Dense {
			size += 8*(int64(e.N)+1) + 2*kernels.EntryBytes*e.Arcs
		}
		if e.IDs.Numeric != nil || e.IDs.Text != nil {
			size += 8 * int64(e.N)
		}
		for _, id := range e.IDs.Text {
			size += int64(len(id))
		}
		most = max(most, size)
	}
	return most, nil
}

// storeOverhead is what a store's small files and the heads of the others take.
const storeOverhead = 40 << 10
