package engine

import (
	"math"
	"math/bits"
	"ooc/engine/graph"
	"ooc/engine/plan"
	"ooc/engine/rounds"
	"ooc/kernels"
	"ooc/kernels/entry"
	"ooc/tiles"
)

// Space returns the bytes that the store of a graph will take, with the given number of rows of distances; 0: all. It
// assumes the tile edge of the algorithm whose store would be larger. It does not include a core that is on disk while it
// is solved. It fails with device.ErrMemory if no algorithm can work within the limits.
func Space(e graph.Extent, rows int, d kernels.Device, l plan.Limits) (int64, error) {
	edges := []int{l.Tile}
	if l.Tile == 0 {
		rates, err := plan.MeasureRates(d, entry.I32)
		if err != nil {
			return 0, err
		}
		edges = []int{plan.RowTile(max(rows, 1), e.N)}
		if rows == 0 {
			edges = []int{plan.RowTile(e.N, e.N)}
			t, limits := rounds.ChooseTile(e.N, d.Info(), rates, l.WithDefaults(d.Info())), l.WithDefaults(d.Info())
			_, err := rounds.PlanBlocked(tiles.Geometry{N: e.N, T: t, EntryBytes: l.EntryBytes()}, 0, d.Info(), rates, limits)
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
		geom := tiles.Geometry{N: e.N, T: t, EntryBytes: l.EntryBytes(), Rows: rows}
		if err := geom.Validate(); err != nil {
			return 0, err
		}
		size := geom.MatrixBytes() + 4*int64(geom.Tiles()) + storeOverhead
		if !e.Dense {
			size += 8*(int64(e.N)+1) + 2*entry.EntryBytes*e.Arcs
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

// RoomFor fails with tiles.ErrNoSpace if the volume of the store dir cannot hold the matrix of n vertices, in the place of
// what is there. It does not need the graph, whose plan can take a while.
func RoomFor(dir string, n int, l plan.Limits) error {
	rows := n
	if len(l.Sources) > 0 {
		rows = len(l.Sources)
	}
	hi, size := bits.Mul64(uint64(n), uint64(rows)*uint64(l.EntryBytes()))
	if hi > 0 || size > math.MaxInt64 {
		size = math.MaxInt64
	}
	return tiles.RoomInPlace(dir, tiles.MatrixPath(dir), int64(size))
}

// storeOverhead is the size of a store's small files and of the headers of the others.
const storeOverhead = 40 << 10
