package gen

import "strings"

// rmatQuarters has a place for each hundredth of the probability of a quarter: 0 and 1 above, 2 and 3
// below. To look it up takes half the time of comparing, which no branch predictor can foresee.
var rmatQuarters = strings.Repeat("\x00", 57) + strings.Repeat("\x01", 19) + strings.Repeat("\x02", 19) +
	strings.Repeat("\x03", 5)

// rmatArc draws an arc by the recursive matrix model, with the probabilities of Graph500: of the four
// quarters of the adjacency matrix one is chosen, of that a quarter again, down to an entry. Few vertices,
// those of low numbers, get most arcs. Entries on the diagonal, and outside the matrix where N is no power
// of two, are drawn again. The same arc may be drawn twice; reading merges the two.
//
// D. Chakrabarti, Y. Zhan and C. Faloutsos, R-MAT: a recursive model for graph mining, SDM 2004.
func (d dice) rmatArc(n int64) (from, to int64) {
	for from == to || from >= n || to >= n {
		from, to = 0, 0
		for reach := int64(1); reach < n; reach *= 2 {
			quarter := rmatQuarters[d.below(100)]
			from, to = 2*from+int64(quarter>>1), 2*to+int64(quarter&1)
		}
	}
	return from, to
}
