package rounds

import (
	"ooc/engine/plan"
	"ooc/kernels"
	"ooc/tiles"
)

// ChooseTile returns the tile edge for a new store of n vertices: the one with the fastest plan, or the smallest, which
// needs the least memory, where none fits.
func ChooseTile(n int, upper bool, info kernels.Info, rates plan.Rates, l plan.Request) int {
	var all []candidate
	for _, t := range edges(info) {
		if l.Round > 0 && l.Round%t != 0 || !plan.Suits(t, n, upper) {
			continue
		}
		list, err := candidates(tiles.Geometry{N: n, T: t, EntryBytes: l.EntryBytes(), Upper: upper}, 0, info, rates, l)
		if err == nil {
			all = append(all, list...)
		}
	}
	if len(all) == 0 {
		return 64
	}
	return fastest(all, 0, info, rates).Tile
}

// edges are the tile edges to choose from. A device with memory of its own is filled to the brim, and waits for every byte:
// of all multiples of 64, one leaves the least padding and uses most of the memory.
func edges(info kernels.Info) []int {
	list := []int{64, 128, 256, 512}
	if info.SharedCores {
		return append(list, 768, 1024)
	}
	for t := 576; t <= 2048; t += 64 {
		list = append(list, t)
	}
	return list
}
