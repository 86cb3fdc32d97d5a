package engine

import (
	"fmt"
	"math"
	"slices"
)

// deriveCentralities makes closeness: with r the number of vertices whose distances add up to sum,
// r/sum · r/(N−1), the second factor by Wasserman and Faust (Social Network Analysis, 1994, p. 201). It is 0
// where sum is 0 or less, as in networkx.
func deriveCentralities(x *gathering) error {
	s := x.s
	closeness := func(sums []float64, counts []int32) []float64 {
		c := make([]float64, s.N)
		for v, sum := range sums {
			if sum > 0 {
				r := float64(counts[v])
				c[v] = r / sum * (r / float64(s.N-1))
			}
		}
		return c
	}
	s.Closeness = closeness(s.DistanceSumIn, s.Ancestors)
	s.ClosenessOut = closeness(s.DistanceSum, s.Descendants)
	return nil
}

// deriveExtremes makes eccentricities and what is the greatest and the least.
func deriveExtremes(x *gathering) (err error) {
	s := x.s
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
func (s *Stats) pairs() int64 { return int64(s.N) * int64(s.N-1) }

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
	from := slices.Index(x.s.Eccentricity, eccentricity)
	if !math.IsInf(eccentricity, 1) {
		return [2]int{from, int(x.s.Farthest[from])}, nil
	}
	row := entries(x.s.N)
	if err := x.p.store.ReadRow(row, from); err != nil {
		return [2]int{}, err
	}
	to := slices.Index(words32(row), x.none)
	if to < 0 {
		return [2]int{}, fmt.Errorf("row %d has changed while it was read", from)
	}
	return [2]int{from, to}, nil
}

// deriveMeans makes what is a number for the whole graph.
func deriveMeans(x *gathering) error {
	s := x.s
	s.AverageShortestPathLength, s.WienerIndex = math.Inf(1), math.Inf(1)
	if s.Connected {
		s.WienerIndex = s.TotalDistance
		if !s.Directed {
			s.WienerIndex /= 2
		}
	}
	if s.N == 1 {
		s.AverageShortestPathLength = 0
		return nil
	}
	s.MeanDistance = s.TotalDistance / float64(s.ReachablePairs)
	if s.Connected {
		s.AverageShortestPathLength = s.MeanDistance
	}
	for _, h := range s.HarmonicOut {
		s.GlobalEfficiency += h
	}
	s.GlobalEfficiency /= float64(s.pairs())
	return nil
}
