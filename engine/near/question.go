package near

import (
	"math"

	"ooc/engine/graph"
	"ooc/engine/text"
	"ooc/kernels/entry"
)

// Question says which pairs are wanted. A vertex is never near itself.
type Question struct {
	Within float64 // no farther than this, in the input's units; +Inf: all that can be reached
	// Nearest: at most so many, the nearest; of those that are equally far, the first rows. 0: however many there are.
	Nearest int
}

// check refuses a question that has no answer.
func (q Question) check() error {
	if q.Nearest < 0 || q.Within != q.Within {
		return text.ErrorOf(graph.ErrOptions, "pairs within %v, the %d nearest: want a number, and 0 or more", q.Within, q.Nearest)
	}
	return nil
}

// greatestOf returns the greatest distance of a kind, in stored units, that is within d in the input's units; scale
// is what the input's weights were multiplied by. It is finite, or -Inf where no distance is within d. In f32, d is
// rounded as distances are, so that one that is printed as 0.1 is within 0.1.
func greatestOf(kind entry.Kind, scale int64, d float64) float64 {
	kind = kind.Wide()
	by, most := float64(scale), float64(entry.Inf32-1)
	step := func(x, to float64) float64 { return x + math.Copysign(1, to) }
	x := math.Floor(d * by)
	switch kind {
	case entry.KindF32:
		most = math.MaxFloat32
		step = func(x, to float64) float64 { return float64(math.Nextafter32(float32(x), float32(to))) }
		x = float64(float32(d * by))
		d = x / by
	case entry.KindF64:
		most, step, x = math.MaxFloat64, math.Nextafter, d*by
	}
	if x < -most {
		return math.Inf(-1)
	}
	x = min(x, most)
	for x > -most && x/by > d { // the product was rounded
		x = step(x, math.Inf(-1))
	}
	if x/by > d {
		return math.Inf(-1)
	}
	for x < most && step(x, math.Inf(1))/by <= d {
		x = step(x, math.Inf(1))
	}
	return x
}
