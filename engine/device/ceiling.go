package device

import (
	"ooc/kernels"
	"ooc/kernels/entry"
)

// Ceiling returns the highest rate that the device could reach, in relaxations/s, or 0 if it cannot tell.
func Ceiling(d kernels.Device, v entry.Variant) float64 {
	if c, ok := kernels.As[kernels.TileOps](d); ok {
		return c.Ceiling(v)
	}
	return 0
}
