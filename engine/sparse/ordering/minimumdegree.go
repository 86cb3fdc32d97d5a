package ordering

import (
	"iter"
	"math"
)

// Pivot is one step of an elimination by minimum degrees: some vertices that are eliminated one after another, each
// of which has arcs to all that follow.
type Pivot struct {
	Vertices []int32 // in the order of their elimination; the next step writes over them
	Degree   int     // vertices that they are adjacent to and that are not eliminated, those set apart left out
	Below    int     // vertices of the elimination tree with the pivot at its top
	Children float64 // sum of the costs of the trees right below the pivot
	Steps    int64   // list entries looked at since the beginning: the work of the ordering

	// Above lists the vertices of Degree as variables, vertices that follow one another in the order: the first of each,
	// then, if there are more, how many there are, as a negative number. The next step writes over it. It is nil where
	// vertices are set apart.
	Above []int32

	nodes []node
}

// After returns the vertex after v in its variable, of those that the variable has by now. Any number of goroutines may
// call it between steps, and after the last.
func (p Pivot) After(v int32) int32 { return p.nodes[v].member }

// MinimumDegree orders vertices by approximate minimum degree (P. R. Amestoy, T. A. Davis and I. S. Duff, 1996; see
// quotient), and yields pivot after pivot until the caller has enough or all are ordered. Vertices of more than
// max(16, 10·√n) neighbours are set apart: they are in no pivot. cost is what the caller adds up over trees: that of
// a tree of so many vertices, with so many arcs up from its top; nil: nothing.
func MinimumDegree(p *Pattern, cost func(vertices, arcs int) float64) iter.Seq[Pivot] {
	return func(yield func(Pivot) bool) {
		q := newQuotient(p.clone(), denseDegree(p.n()), cost)
		for q.left > 0 && yield(q.eliminate()) {
		}
	}
}

// denseDegree is the number of neighbours from which a vertex of n is set apart, that is, not ordered: it would be
// looked at in every step and never have the least degree. The bound is that of AMD (see quotient).
func denseDegree(n int) int { return max(16, int(10*math.Sqrt(float64(n)))) }
