package number

import "ooc/kernels/entry"

// Weights of kind f64 do not fit the words that arcs are collected with. Such a word is the place of its weight in a
// list, until Settled makes the words ascend with the weights, so that the lighter of parallel arcs is that of the
// lesser word.

// DoublesOf returns what weighs for kind f64, and has weighed a list of weights already: their words are their places.
func DoublesOf(weights []float64, scale int64) Weighing {
	return Weighing{Want: entry.KindF64, Scale: scale, doubles: weights}
}

// Double returns the word of a weight of kind f64. That of 0 is 0.
func (w *Weighing) Double(x float64) uint32 {
	if w.doubles == nil {
		w.doubles = append(w.doubles, 0)
	}
	if x == 0 { // or −0
		return 0
	}
	if w.doubles[len(w.doubles)-1] != x {
		w.doubles = append(w.doubles, x)
	}
	return uint32(len(w.doubles) - 1)
}
