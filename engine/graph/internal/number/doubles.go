package number

import (
	"fmt"
	"math"
	"strconv"
	"unsafe"

	"ooc/kernels/entry"
)

// Weights of kind f64 do not fit the words that arcs are collected with. Such a word is the place of its weight in a
// list.

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

// doubleWord is Word for kind f64.
func (w *Weighing) doubleWord(d decimal, tok []byte) (word uint32, v verdict, reason string) {
	if len(w.doubles) == math.MaxInt32 {
		return 0, bad, "there are more weights than kind f64 can be read with; use --kind f32"
	}
	if w.Scale > 1 {
		switch x, state := d.Times(w.Scale, tok); state {
		case Fraction:
			return 0, bad, fmt.Sprintf("weight %s times the scale %d is not an integer", Quoted(tok), w.Scale)
		case Integer:
			return w.Double(float64(x)), Arc, ""
		}
		return 0, TooLarge, ""
	}
	x, err := strconv.ParseFloat(unsafe.String(unsafe.SliceData(tok), len(tok)), 64)
	if err != nil {
		return 0, bad, "weight " + Quoted(tok) + " is too large for kind f64"
	}
	return w.Double(x), Arc, ""
}
