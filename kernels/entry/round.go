package entry

import "math"

// CeilDiv is a/b rounded up.
func CeilDiv(a, b int) int { return (a + b - 1) / b }

// RoundUp is the least multiple of unit that is at least n.
func RoundUp(n, unit int) int { return CeilDiv(n, unit) * unit }

// RoundingSlack is what one float32 addition may lose in proportion to the path's length, 2⁻²⁴, four
// times over: the solve may have added another path of almost the same length, with more arcs.
const RoundingSlack = 4.0 / (1 << 24)

// AllowedRounding is how far an f32 distance may be from the length of a path with so many arcs, whose weights add
// up to magnitude without their signs: what docs/promises.md says.
func AllowedRounding(arcs int, magnitude float64) float64 {
	return RoundingSlack * (1 + float64(arcs)) * (magnitude + math.SmallestNonzeroFloat32)
}
