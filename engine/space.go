package engine

import (
	"math"
	"math/bits"
	"ooc/engine/eliminate"
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
func Space(e graph.Extent, rows int, d kernels.Device, l plan.Request) (int64, error) {
	edges := []int{l.Tile}
	if l.Tile == 0 {
		rates, err := plan.MeasureRates(d, entry.I32, e.N)
		if err != nil {
			return 0, err
		}
		edges = []int{plan.RowTile(l.Kind, max(rows, 1), e.N, false)}
		if rows == 0 {
			edges = []int{plan.RowTile(l.Kind, e.N, e.N, false)}
			t, limits := rounds.ChooseTile(e.N, false, d.Info(), rates, l.WithDefaults(d.Info())), l.WithDefaults(d.Info())
			err := rounds.BlockedFits(tiles.Geometry{N: e.N, T: t, EntryBytes: l.EntryBytes()}, d.Info(), rates, limits)
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
		most = max(most, plan.StoreBytes(e, t, l))
	}
	return most, nil
}

// RoomFor fails with tiles.ErrNoSpace if the volume of the store dir cannot hold the matrix of a graph, in the place of
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
	hi, size := bits.Mul64(uint64(f.N), uint64(rows)*uint64(l.EntryBytes()))
	if hi > 0 || size > math.MaxInt64 {
		size = math.MaxInt64
	}
	return tiles.RoomInPlace(dir, tiles.MatrixPath(dir), int64(size))
}

// MostBeside returns the most that an elimination of the graph may take beside its store; 0 if none is to be expected.
func MostBeside(e graph.Extent, d kernels.Device, l plan.Request) int64 {
	if e.Dense || l.Predecessors || l.Algorithm != "" && l.Algorithm != plan.Auto && l.Algorithm != eliminate.Name {
		return 0
	}
	return eliminate.MostBeside(e.N, l.Kind, d.Info())
}

// Room returns how much of its volume a store at dir may take, in the place of what is there; 0: unknown.
func Room(dir string) int64 {
	free, err := tiles.FreeInPlace(dir)
	if err != nil {
		return 0
	}
	return max(1, free)
}
