package rounds

import (
	"math"

	"ooc/engine/plan"
	"ooc/kernels"
	"ooc/tiles"
)

// ChooseTile returns the tile edge for a new store of n vertices: the one with the fastest plan, or the smallest, which
// needs the least memory, where none fits.
func ChooseTile(n int, upper bool, info kernels.Info, rates plan.Rates, l plan.Limits) int {
	best, seconds := 64, math.Inf(1)
	for _, t := range []int{64, 128, 256, 512, 768, 1024, 1536, 2048} {
		if l.Round > 0 && l.Round%t != 0 || !plan.Suits(t, n, upper) || info.SharedCores && t > 1024 {
			continue
		}
		p, err := PlanBlocked(tiles.Geometry{N: n, T: t, EntryBytes: l.EntryBytes(), Upper: upper}, 0, info, rates, l)
		if err == nil && p.Seconds < seconds {
			best, seconds = t, p.Seconds
		}
	}
	return best
}
