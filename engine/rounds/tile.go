package rounds

import (
	"ooc/engine/plan"
	"ooc/tiles"
)

// chooseTile returns the tile edge for a new store: the one with the fastest plan, or the smallest, which needs the
// least memory, where none fits.
func chooseTile(q *plan.Basis) int {
	n, upper := q.Facts.N, q.Upper()
	var all []Plan
	for _, t := range edges(q) {
		if q.Round > 0 && q.Round%t != 0 || !plan.Suits(t, n, upper) {
			continue
		}
		list, err := candidates(q, tiles.Geometry{N: n, T: t, EntryBytes: q.EntryBytes(), Upper: upper})
		if err == nil {
			all = append(all, list...)
		}
	}
	if len(all) == 0 {
		return 64
	}
	return fastest(all).Tile
}

// edges are the tile edges to choose from. A device with memory of its own is filled to the brim, and waits for every
// byte: of all multiples of 64, one leaves the least padding and uses most of the memory.
func edges(q *plan.Basis) []int {
	list := []int{64, 128, 256, 512}
	if q.Info.SharedCores {
		return append(list, 768, 1024)
	}
	for t := 576; t <= 2048; t += 64 {
		list = append(list, t)
	}
	return list
}
