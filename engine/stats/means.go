package stats

import (
	"math"

	"ooc/engine/text"
)

// means are numbers of the whole graph.
var means = statistic{
	derive: deriveMeans,
	summary: func(r *Result) []summaryValue {
		return []summaryValue{
			{"total_distance", r.TotalDistance},
			{"mean_distance", r.MeanDistance},
			{"average_shortest_path_length", r.AverageShortestPathLength},
			{"wiener_index", r.WienerIndex},
			{"global_efficiency", r.GlobalEfficiency},
		}
	},
	text: func(r *Result, t *textWriter) {
		if r.ReachablePairs > 0 {
			t.row("mean", "%s over reachable pairs, %s in total", text.Numbers{}.Text(r.MeanDistance),
				text.Numbers{}.Text(r.TotalDistance))
		}
		if r.Connected {
			t.row("Wiener index", "%s", text.Numbers{}.Text(r.WienerIndex))
		}
		t.row("efficiency", "%s", text.Numbers{}.Text(r.GlobalEfficiency))
	},
}

// deriveMeans makes what is a number for the whole graph.
func deriveMeans(x *gathering) error {
	s := x.r
	s.AverageShortestPathLength, s.WienerIndex = math.Inf(1), math.Inf(1)
	if s.Connected {
		s.WienerIndex = s.TotalDistance
		if !s.Directed && s.count() == s.N { // each pair is counted both ways
			s.WienerIndex /= 2
		}
	}
	s.MeanDistance = s.TotalDistance / float64(s.ReachablePairs)
	if s.N == 1 { // as networkx has it
		s.AverageShortestPathLength = 0
		return nil
	}
	if s.Connected {
		s.AverageShortestPathLength = s.MeanDistance
	}
	for _, h := range s.HarmonicOut { // of a vertex without a row it is 0
		s.GlobalEfficiency += h
	}
	s.GlobalEfficiency /= float64(s.pairs())
	return nil
}
