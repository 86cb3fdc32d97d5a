package near

import (
	"math"

	"ooc/engine/graph"
	"ooc/engine/text"
	"ooc/kernels/entry"
)

// Question says which pairs are wanted.
type Question struct {
	Within float64 // no farther than this, in the input's units; +Inf: all that can be reached
	// Nearest: at most so many, the nearest; of those that are equally far, the first rows. 0: however many there are.
	Nearest int
	Self    bool // a vertex is near itself, at distance 0; not with Nearest
}

// check refuses a question that has no answer.
func (q Question) check() error {
	if q.Nearest < 0 || q.Within != q.Within || q.Self && q.Nearest > 0 {
		return text.ErrorOf(graph.ErrOptions, "pairs within %v, the %d nearest: want a number, and 0 or more", q.Within,
			q.Nearest)
	}
	return nil
}

// greatestOf returns the greatest distance of a kind, in stored units, that is within d in the input's units; scale
// is what the input's weights were multiplied by. It is finite, or -Inf where no distance is within d. In f32, d is
// rounded as distances are, so that one that is printed as 0.1 is within 0.1.
func greatestOf(kind entry.Kind, scale int64, d float64) float64 {
	by := float64(scale)
	if kind == entry.KindF32 {
		d = float64(float32(d*by)) / by
	}
	kind = kind.Wide()
	key := kind.LeastKey(func(x float64) bool { return x/by > d }) - 1
	if key < -kind.Key(kind.Unreachable()) {
		return math.Inf(-1)
	}
	return kind.Value(kind.OfKey(key))
}
