package stats

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"
)

// extremes are eccentricities, and the vertices with the greatest and the least.
var extremes = statistic{
	derive: deriveExtremes,
	columns: func(r *Result) []Column {
		return []Column{
			stored(ofFloats("eccentricity", r.Eccentricity)),
			stored(ofFloats("longest_distance", r.Longest)),
			{Name: "farthest", Vertex: func(v int) int { return int(r.Farthest[v]) }},
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
			t.row("longest", "%s, from %s to %s", t.number(r.LongestDistance), t.ids.Name(r.LongestPair[0]), t.ids.Name(r.LongestPair[1]))
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
	for v, count := range s.Descendants {
		s.ReachablePairs += int64(count)
		if int(count) < s.N-1 {
			s.Eccentricity[v] = math.Inf(1)
		}
	}
	s.Connected = s.ReachablePairs == s.pairs()
	s.Diameter, s.Radius = slices.Max(s.Eccentricity), slices.Min(s.Eccentricity)
	s.LongestDistance = slices.Max(s.Longest)
	from := slices.Index(s.Longest, s.LongestDistance)
	s.LongestPair = [2]int{from, int(s.Farthest[from])}
	if s.DiameterPair, err = x.farthestPair(s.Diameter); err != nil {
		return err
	}
	if s.RadiusPair, err = x.farthestPair(s.Radius); err != nil {
		return err
	}
	s.Center, s.Periphery = indexAll(s.Eccentricity, s.Radius), indexAll(s.Eccentricity, s.Diameter)
	if s.Connected {
		s.Barycenter = indexAll(s.DistanceSum, slices.Min(s.DistanceSum))
	}
	return nil
}

// pairs is the number of ordered pairs.
func (r *Result) pairs() int64 { return int64(r.N) * int64(r.N-1) }

// indexAll lists where a number stands, unless it is +Inf.
func indexAll(list []float64, want float64) []int {
	var at []int
	for i, v := range list {
		if v == want && !math.IsInf(want, 1) {
			at = append(at, i)
		}
	}
	return at
}

// farthestPair is the first vertex with an eccentricity, and what is that far from it.
func (x *gathering) farthestPair(eccentricity float64) ([2]int, error) {
	from := slices.Index(x.r.Eccentricity, eccentricity)
	if !math.IsInf(eccentricity, 1) {
		return [2]int{from, int(x.r.Farthest[from])}, nil
	}
	row := x.kind.Make(x.r.N)
	if err := x.p.Store().ReadRow(row, from); err != nil {
		return [2]int{}, err
	}
	for to := range x.r.N {
		if x.kind.At(row, to) == x.none {
			return [2]int{from, to}, nil
		}
	}
	return [2]int{}, fmt.Errorf("row %d has changed while it was read", from)
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
