package rounds

import (
	"ooc/engine/plan"
	"ooc/kernels"
	"ooc/tiles"
)

// ChooseTile returns the tile edge for a new store of n vertices: the one with the fastest
// plan. It fails with device.ErrMemory where not even the smallest tile fits.
func ChooseTile(n int, info kernels.Info, rates plan.Rates, l plan.Limits) (int, error) {
	best, seconds := 0, 0.0
	var first error
	for _, t := range []int{64, 128, 256, 512, 768, 1024, 1536, 2048} {
		if l.Round > 0 && l.Round%t != 0 || t > 64 && t*plan.LeastRounds > n || info.SharedCores && t > 1024 {
			continue
		}
		p, err := PlanBlocked(tiles.Geometry{N: n, T: t, EntryBytes: l.EntryBytes()}, 0, info, rates, l)
		switch {
		case err != nil && first == nil:
			first = err // the smallest tile needs the least, so its error is the one to report
		case err == nil && (best == 0 || p.Seconds < seconds):
			best, seconds = t, p.Seconds
		}
	}
	if best == 0 {
		return 0, first
	}
	return best, nil
}
