package entry

import "math"

// CeilDiv is a/b rounded up.
func CeilDiv(a, b int) int { return (a + b - 1) / b }

// RoundUp is the least multiple of unit that is at least n.
func RoundUp(n, unit int) int { return CeilDiv(n, unit) * unit }

// RoundingSlack is what one addition may lose in proportion to the path's length, 2⁻²⁴ in f32 and 2⁻⁵³ in f64, four
// times over: the solve may have added another path of almost the same length, with more arcs. In integer kinds it is
// 0.
func (k Kind) RoundingSlack() float64 {
	switch k {
	case KindF32:
		return 4.0 / (1 << 24)
	case KindF64:
		return 4.0 / (1 << 53)
	}
	return 0
}

// AllowedRounding is how far a distance may be from the length of a path with so many arcs, whose weights add
// up to magnitude without their signs: what docs/promises.md says.
func (k Kind) AllowedRounding(arcs int, magnitude float64) float64 {
	if k == KindF32 {
		magnitude += math.SmallestNonzeroFloat32
	}
	return k.RoundingSlack() * (1 + float64(arcs)) * magnitude
}
