package stats

import (
	"cmp"
	"math"
	"slices"

	"ooc/engine"
)

// plainStats are the definitions of docs/stats.md, one after the other, without histograms.
func plainStats(p *engine.Problem, d [][]float64, o Options) *Result {
	n, inf, kind, scale := len(d), math.Inf(1), string(p.Meta().Kind), float64(p.Meta().Scale)
	s := &Result{N: n, Kind: kind, Directed: p.Meta().Directed, Radius: inf, MeanDistance: math.NaN()}
	for v := range n {
		p := plainVertex(d, v, scale)
		s.Eccentricity, s.Longest = append(s.Eccentricity, p.eccentricity), append(s.Longest, p.longest)
		s.Farthest = append(s.Farthest, int32(p.farthest))
		s.Descendants, s.Ancestors = append(s.Descendants, int32(p.out.count)), append(s.Ancestors, int32(p.in.count))
		s.DistanceSum, s.DistanceSumIn = append(s.DistanceSum, p.out.sum), append(s.DistanceSumIn, p.in.sum)
		s.Closeness, s.ClosenessOut = append(s.Closeness, p.in.closeness(n)), append(s.ClosenessOut, p.out.closeness(n))
		s.Harmonic, s.HarmonicOut = append(s.Harmonic, p.in.harmonic), append(s.HarmonicOut, p.out.harmonic)
		s.ReachablePairs += int64(p.out.count)
		s.TotalDistance += p.out.sum
		s.GlobalEfficiency += p.out.harmonic / float64(max(1, n*(n-1)))
		if p.eccentricity > s.Diameter || v == 0 {
			s.Diameter, s.DiameterPair = p.eccentricity, [2]int{v, slices.Index(d[v], p.eccentricity)}
		}
		if p.eccentricity < s.Radius || v == 0 {
			s.Radius, s.RadiusPair = p.eccentricity, [2]int{v, slices.Index(d[v], p.eccentricity)}
		}
		if p.longest > s.LongestDistance || v == 0 {
			s.LongestDistance, s.LongestPair = p.longest, [2]int{v, p.farthest}
		}
	}
	for _, pair := range []struct {
		length float64
		pair   *[2]int
	}{{s.Diameter, &s.DiameterPair}, {s.Radius, &s.RadiusPair}} {
		if pair.length == 0 {
			pair.pair[1] = pair.pair[0]
		}
	}
	plainWhole(s)
	for _, r := range o.Within {
		w := withinDistance{Distance: r}
		if kind == "f32" {
			r = float64(float32(r))
		}
		for v := range n {
			w.Count = append(w.Count, int32(len(plainNear(d, v, math.MaxInt, r))))
		}
		s.Within = append(s.Within, w)
	}
	if o.Nearest > 0 {
		s.near = min(o.Nearest, n-1)
		for v := range n {
			s.Nearest = append(s.Nearest, plainNear(d, v, o.Nearest, inf))
		}
	}
	return s
}

// side is what one vertex has of outgoing or of incoming distances.
type side struct {
	count         int
	sum, harmonic float64
	stored        float64 // sum in units of the store: exact, if those are integers
}

func (s *side) add(d, scale float64) {
	if !math.IsInf(d, 1) {
		s.count++
		s.stored += d * scale
		if scale > 1 {
			s.stored = math.Round(s.stored)
		}
		s.sum = s.stored / scale
		if d > 0 {
			s.harmonic += 1 / d
		}
	}
}

func (s *side) closeness(n int) float64 {
	if s.sum <= 0 {
		return 0
	}
	return float64(s.count) / s.sum * float64(s.count) / float64(n-1)
}

type vertexStats struct {
	eccentricity, longest float64
	farthest              int
	out, in               side
}

func plainVertex(d [][]float64, v int, scale float64) vertexStats {
	p := vertexStats{farthest: v}
	for u := range d {
		if u != v {
			p.out.add(d[v][u], scale)
			p.in.add(d[u][v], scale)
		}
		p.eccentricity = max(p.eccentricity, d[v][u])
		if d[v][u] > p.longest && !math.IsInf(d[v][u], 1) {
			p.longest, p.farthest = d[v][u], u
		}
	}
	return p
}

func plainWhole(s *Result) {
	pairs := int64(s.N) * int64(s.N-1)
	s.Connected = s.ReachablePairs == pairs
	s.AverageShortestPathLength, s.WienerIndex = math.Inf(1), math.Inf(1)
	if s.ReachablePairs > 0 {
		s.MeanDistance = s.TotalDistance / float64(s.ReachablePairs)
	}
	if s.Connected {
		s.AverageShortestPathLength, s.WienerIndex = s.MeanDistance, s.TotalDistance
		if s.N == 1 {
			s.AverageShortestPathLength = 0
		}
		if !s.Directed {
			s.WienerIndex /= 2
		}
	}
	for v, e := range s.Eccentricity {
		if e == s.Radius && !math.IsInf(e, 1) {
			s.Center = append(s.Center, v)
		}
		if e == s.Diameter && !math.IsInf(e, 1) {
			s.Periphery = append(s.Periphery, v)
		}
		if s.Connected && s.DistanceSum[v] == slices.Min(s.DistanceSum) {
			s.Barycenter = append(s.Barycenter, v)
		}
	}
}

func plainNear(d [][]float64, v, k int, within float64) []neighbor {
	list := []neighbor{}
	for u, x := range d[v] {
		if u != v && !math.IsInf(x, 1) && x <= within {
			list = append(list, neighbor{u, x})
		}
	}
	slices.SortFunc(list, func(a, b neighbor) int {
		return cmp.Or(cmp.Compare(a.Distance, b.Distance), cmp.Compare(a.Row, b.Row))
	})
	return list[:min(k, len(list))]
}
