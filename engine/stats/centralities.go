package stats

import (
	"slices"

	"ooc/engine/text"
)

// centralities are computed from sums of distances and of their reciprocals.
var centralities = statistic{
	derive: deriveCentralities,
	columns: func(r *Result) []column {
		return []column{
			of("closeness_centrality", r.Closeness),
			ofRows(of("closeness_centrality_out", r.ClosenessOut)),
			of("harmonic_centrality", r.Harmonic),
			ofRows(of("harmonic_centrality_out", r.HarmonicOut)),
		}
	},
	text: func(r *Result, t *textWriter) {
		t.central("closeness", r, r.Closeness, r.ClosenessOut)
		t.central("harmonic", r, r.Harmonic, r.HarmonicOut)
	},
}

// deriveCentralities computes closeness: if the distances of r vertices add up to sum, it is r/sum · r/(N−1); the
// second factor is by Wasserman and Faust (Social Network Analysis, 1994, p. 201). It is 0 if sum is 0 or less, as in
// networkx.
func deriveCentralities(x *gathering) error {
	s := x.r
	closeness := func(sums []float64, counts, others []int32) []float64 {
		c := make([]float64, s.N)
		for v, sum := range sums {
			if sum > 0 {
				r := float64(counts[v])
				c[v] = r / sum * (r / float64(others[v]))
			}
		}
		return c
	}
	s.Closeness = closeness(s.DistanceSumIn, s.Ancestors, s.others())
	s.ClosenessOut = closeness(s.DistanceSum, s.Descendants, slices.Repeat([]int32{int32(s.N - 1)}, s.N))
	return nil
}

// central prints the most central vertices. Incoming distances are of every vertex, outgoing ones of those with a row.
func (t *textWriter) central(name string, r *Result, in, out []float64) {
	best := func(of *Result, list []float64) string {
		at := first(of, list, descending)
		return text.Numbers{}.Text(list[at]) + " at " + t.ids.Name(at)
	}
	incoming := best(&Result{N: r.N}, in)
	if !r.Directed && r.Sources == nil { // then both are the same
		t.row(name, "at most %s", incoming)
		return
	}
	t.row(name, "at most %s incoming, %s outgoing", incoming, best(r, out))
}
