package stats

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"

	"ooc/engine/graph"
	"ooc/kernels/entry"
)

// extremes are eccentricities, and the vertices with the greatest and the least.
var extremes = statistic{
	derive: deriveExtremes,
	columns: func(r *Result) []column {
		return []column{
			ofRows(inUnits(of("eccentricity", r.Eccentricity))),
			ofRows(inUnits(of("longest_distance", r.Longest))),
			ofRows(column{Name: "farthest", Vertex: func(v int) int { return int(r.Farthest[v]) }}),
		}
	},
	summary: func(r *Result) []summaryValue {
		return []summaryValue{
			{"connected", r.Connected},
			{"reachable_pairs", r.ReachablePairs},
			{"diameter", entryNumber(r.Diameter)},
			{"diameter_pair", rowList(r.DiameterPair[:])},
			{"radius", entryNumber(r.Radius)},
			{"radius_pair", rowList(r.RadiusPair[:])},
			{"longest_distance", entryNumber(r.LongestDistance)},
			{"longest_pair", rowList(r.LongestPair[:])},
			{"center", rowList(r.Center)},
			{"periphery", rowList(r.Periphery)},
			{"barycenter", rowList(r.Barycenter)},
		}
	},
	text: func(r *Result, t *textWriter) {
		t.extreme("diameter", r.Diameter, r.DiameterPair)
		if math.IsInf(r.Diameter, 1) {
			t.row("longest", "%s, from %s to %s", t.number(r.LongestDistance), t.ids.Name(r.LongestPair[0]),
				t.ids.Name(r.LongestPair[1]))
		}
		t.extreme("radius", r.Radius, r.RadiusPair)
		t.list("center", r.Center)
		t.list("periphery", r.Periphery)
		t.list("barycenter", r.Barycenter)
	},
}

// deriveExtremes makes eccentricities and what is the greatest and the least.
func deriveExtremes(x *gathering) (err error) {
	s := x.r
	s.Eccentricity = slices.Clone(s.Longest)
	for v := range s.Rows() {
		s.ReachablePairs += int64(s.Descendants[v])
		if int(s.Descendants[v]) < s.N-1 {
			s.Eccentricity[v] = math.Inf(1)
		}
	}
	s.Connected = s.ReachablePairs == s.pairs()
	longest := first(s, s.Longest, descending)
	s.LongestDistance, s.LongestPair = s.Longest[longest], [2]int{longest, int(s.Farthest[longest])}
	farthest, nearest := first(s, s.Eccentricity, descending), first(s, s.Eccentricity, cmp.Compare)
	s.Diameter, s.Radius = s.Eccentricity[farthest], s.Eccentricity[nearest]
	if s.DiameterPair, err = x.farthestPair(farthest); err != nil {
		return err
	}
	if s.RadiusPair = s.DiameterPair; nearest != farthest {
		if s.RadiusPair, err = x.farthestPair(nearest); err != nil {
			return err
		}
	}
	s.Center, s.Periphery = s.all(s.Eccentricity, s.Radius), s.all(s.Eccentricity, s.Diameter)
	if s.Connected {
		s.Barycenter = s.all(s.DistanceSum, s.DistanceSum[first(s, s.DistanceSum, cmp.Compare)])
	}
	return nil
}

// pairs is the number of ordered pairs.
func (r *Result) pairs() int64 { return int64(r.count()) * int64(r.N-1) }

func descending[T cmp.Ordered](a, b T) int { return cmp.Compare(b, a) }

// first is the first vertex, of those with a row, whose number no other's comes before.
func first[T cmp.Ordered](r *Result, list []T, order func(a, b T) int) int {
	best := -1
	for v := range r.Rows() {
		if best < 0 || order(list[v], list[best]) < 0 {
			best = v
		}
	}
	return best
}

// all lists the vertices, of those with a row, that have a number, unless it is +Inf.
func (r *Result) all(list []float64, want float64) []int {
	var at []int
	for v := range r.Rows() {
		if list[v] == want && !math.IsInf(want, 1) {
			at = append(at, v)
		}
	}
	return at
}

// farthestPair is a vertex, and what is as far from it as its eccentricity says.
func (x *gathering) farthestPair(from int) (pair [2]int, err error) {
	if !math.IsInf(x.r.Eccentricity[from], 1) {
		return [2]int{from, int(x.r.Farthest[from])}, nil
	}
	to := -1
	if count := x.r.Descendants[from]; x.symmetric && 2*int(count) >= x.r.N { // no other component is as large
		to = slices.IndexFunc(x.r.Descendants, func(of int32) bool { return of != count })
	} else {
		to, err = x.from.missed(from)
	}
	if err == nil && to < 0 {
		err = fmt.Errorf("row %d has changed while it was read", from)
	}
	return [2]int{from, to}, err
}

// missedIn is source.missed of rows of n entries of some kind, which read reads.
func missedIn(kind entry.Kind, n int, read func(dst []byte, v int) error) func(int) (int, error) {
	return func(from int) (int, error) {
		row := kind.Make(n)
		if err := read(row, from); err != nil {
			return -1, err
		}
		for to := range n {
			if kind.At(row, to) == kind.Unreachable() {
				return to, nil
			}
		}
		return -1, nil
	}
}

// missedBy is source.missed of a graph.
func missedBy(g *graph.Graph) func(int) (int, error) {
	return func(from int) (int, error) {
		seen := make([]bool, g.N)
		seen[from] = true
		for found := []int32{int32(from)}; len(found) > 0; {
			last := len(found) - 1
			v := found[last]
			found = found[:last]
			for _, to := range g.Targets[g.Offsets[v]:g.Offsets[v+1]] {
				if !seen[to] {
					seen[to], found = true, append(found, to)
				}
			}
		}
		return slices.Index(seen, false), nil
	}
}

func (t *textWriter) extreme(name string, d float64, pair [2]int) {
	from, to := t.ids.Name(pair[0]), t.ids.Name(pair[1])
	if math.IsInf(d, 1) {
		t.row(name, "infinite: %s does not reach %s", from, to)
		return
	}
	t.row(name, "%s, from %s to %s", t.number(d), from, to)
}

// list prints vertices, some of them where they are many.
func (t *textWriter) list(name string, at []int) {
	const most = 10
	var names []string
	for _, v := range at[:min(len(at), most)] {
		names = append(names, t.ids.Name(v))
	}
	switch {
	case len(at) == 0:
		t.row(name, "none")
	case len(at) > most:
		t.row(name, "%s … %s vertices in all", strings.Join(names, " "), humanize.Comma(int64(len(at))))
	default:
		t.row(name, "%s", strings.Join(names, " "))
	}
}
