package gen

import (
	"math/bits"
	"math/rand/v2"
)

// dice draws numbers that are the same on every platform and with every version of Go: the generator,
// PCG-DXSM, is fixed by its paper, and the rest is here, in integers (M. E. O'Neill, PCG: a family of
// simple fast space-efficient statistically good algorithms for random number generation, 2014).
type dice struct{ pcg *rand.PCG }

// newDice returns dice that draw what belongs to one place of a sequence, without what comes before it.
func newDice(seed, place uint64) dice { return dice{rand.NewPCG(seed, place^0x9e3779b97f4a7c15)} }

// below draws a number in 0…n-1, all equally likely, for n ≥ 1 (D. Lemire, Fast random integer
// generation in an interval, 2019).
func (d dice) below(n int64) int64 {
	hi, lo := bits.Mul64(d.pcg.Uint64(), uint64(n))
	if lo < uint64(n) {
		for reject := -uint64(n) % uint64(n); lo < reject; {
			hi, lo = bits.Mul64(d.pcg.Uint64(), uint64(n))
		}
	}
	return int64(hi)
}
