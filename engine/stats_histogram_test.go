package engine

import (
	"math"
	"slices"
	"testing"

	"ooc/engine/graph"
	"ooc/tiles"
)

// checkHistograms counts again.
func checkHistograms(t *testing.T, p *Problem, s *Stats, d [][]float64, o StatsOptions) {
	t.Helper()
	var pairs []float64
	for u := range d {
		for v, x := range d[u] {
			if u != v && !math.IsInf(x, 1) {
				pairs = append(pairs, x)
			}
		}
	}
	checkHistogram(t, p, s.DistanceHistogram, pairs, o)
	checkHistogram(t, p, s.EccentricityHistogram, s.Longest, o)
}

func checkHistogram(t *testing.T, p *Problem, h *Histogram, numbers []float64, o StatsOptions) {
	t.Helper()
	if o.Edges != nil && !slices.Equal(h.Edges, o.Edges) {
		t.Fatalf("edges %v, want %v", h.Edges, o.Edges)
	}
	want := Histogram{Counts: make([]int64, len(h.Edges)-1)}
	for _, x := range numbers {
		bin := -1
		for i := range want.Counts {
			low, high := p.rounded(h.Edges[i]), p.rounded(h.Edges[i+1])
			if low <= x && (x < high || x == high && i == len(want.Counts)-1 && o.Edges != nil) {
				bin = i
			}
		}
		switch {
		case bin >= 0:
			want.Counts[bin]++
		case x < h.Edges[0]:
			want.Below++
		default:
			want.Above++
		}
	}
	if !slices.Equal(h.Counts, want.Counts) || h.Below != want.Below || h.Above != want.Above {
		t.Fatalf("%+v, want %+v", h, want)
	}
	if o.Edges == nil && len(numbers) > 0 {
		checkRound(t, p, h, slices.Min(numbers), slices.Max(numbers), o.Bins)
	}
}

// checkRound demands bins of a round width that are not too many, and would be with the next smaller width.
func checkRound(t *testing.T, p *Problem, h *Histogram, least, most float64, bins int) {
	t.Helper()
	width := h.Edges[1] - h.Edges[0]
	exponent := math.Floor(math.Log10(width) + 1e-9)
	digit := width / math.Pow(10, exponent)
	smaller := 0.0
	for _, d := range [][2]float64{{1, 0.5}, {2, 1}, {5, 2}} {
		if math.Abs(digit-d[0]) < 1e-3 {
			smaller = d[1] * math.Pow(10, exponent)
		}
	}
	switch {
	case smaller == 0:
		t.Fatalf("width %v is not round", width)
	case len(h.Counts) > bins || h.Below+h.Above > 0 || h.Counts[0] == 0 || h.Counts[len(h.Counts)-1] == 0:
		t.Fatalf("%d bins asked for: %+v", bins, h)
	}
	finest := p.meta.Kind == tiles.I32 && width < 2/float64(p.meta.Scale) || width < 2*decimalEdge(1, finestBins)
	if n := math.Floor(most/smaller) - math.Floor(least/smaller) + 1; n <= float64(bins) && !finest && most > least {
		t.Fatalf("width %v leaves %d bins of %d; width %v would leave %v", width, len(h.Counts), bins, smaller, n)
	}
}

// TestHistogramRounded counts between edges that float32 cannot tell apart, or not hold.
func TestHistogramRounded(t *testing.T) {
	p := &Problem{meta: tiles.Meta{Kind: tiles.F32, Scale: 1}}
	numbers := []float64{-1, 0, 1e8 - 8, 1e8, 1e8 + 8, 1e8 + 16, math.MaxFloat32, 1e30}
	for _, edges := range [][]float64{{1e8 + 1, 1e8 + 2, 1e8 + 3, 1e8 + 9}, {0, 1e39, 1e40}, {-1e308, 0, 1e308}, {-1, 1e-50, 1e8, 1e30}} {
		o := StatsOptions{Edges: edges}
		b := (&gathering{p: p, o: o, float: true}).newBinner()
		for _, d := range numbers {
			b.add(p.rounded(d), 1)
		}
		h := b.histogram()
		for i := range numbers {
			numbers[i] = p.rounded(numbers[i])
		}
		total := h.Below + h.Above
		for _, c := range h.Counts {
			total += c
		}
		if total != int64(len(numbers)) {
			t.Errorf("%v: %+v", edges, h)
		}
	}
}

// TestHistogramRange counts numbers of every magnitude, in any order and by several binners.
func TestHistogramRange(t *testing.T) {
	r := seeded(t)
	for range 60 {
		p := &Problem{meta: tiles.Meta{Kind: tiles.F32, Scale: 1, Negative: r.IntN(2) == 0}}
		if r.IntN(3) == 0 {
			p.meta.Kind, p.meta.Scale = tiles.I32, []int64{1, 10, 1000, 7}[r.IntN(4)]
		}
		o := StatsOptions{Bins: 2 + r.IntN(MaxBins-1)}
		x := &gathering{p: p, o: o, float: p.meta.Kind == tiles.F32}
		workers := []*binner{x.newBinner(), x.newBinner(), x.newBinner()}
		var numbers []float64
		top := math.Pow(10, -40+78*r.Float64())
		for range r.IntN(2000) {
			d := p.rounded(top * math.Pow(r.Float64(), 8))
			if !x.float {
				d = float64(r.Int32N(1<<r.IntN(30)+1)) / float64(p.meta.Scale)
			}
			if p.meta.Negative && r.IntN(2) == 0 {
				d = 0 - d
			}
			numbers = append(numbers, d)
			workers[r.IntN(3)].add(d, 1)
		}
		for _, w := range workers[1:] {
			workers[0].merge(w)
		}
		h := workers[0].histogram()
		checkHistogram(t, p, h, numbers, o)
	}
}

// TestHistogramOfRubbish counts what only a damaged store holds.
func TestHistogramOfRubbish(t *testing.T) {
	p := &Problem{meta: tiles.Meta{Kind: tiles.F32, Scale: 1}}
	for _, o := range []StatsOptions{{Bins: 10}, {Edges: []float64{0, 1}}} {
		b := (&gathering{p: p, o: o, float: true}).newBinner()
		for _, d := range []float64{math.NaN(), math.Inf(-1), -1} {
			b.add(d, 1)
		}
		if h := b.histogram(); h.Below != 3 || h.Counts[0] != 0 {
			t.Errorf("%+v", h)
		}
	}
}

// TestHistogramEdges follows numpy.histogram: bins hold their lower edge, the last one both.
func TestHistogramEdges(t *testing.T) {
	g, err := graph.New(5).Add(0, 1, 1).Add(0, 2, 2).Add(0, 3, 3).Add(0, 4, 4).Build()
	if err != nil {
		t.Fatal(err)
	}
	p := create(t, g, 64)
	mustSolve(t, p, randomSolve(seeded(t), 5, 64).open(t))
	h := mustStats(t, p, StatsOptions{Edges: []float64{1, 2, 3}}).DistanceHistogram
	if !slices.Equal(h.Counts, []int64{1, 2}) || h.Below != 0 || h.Above != 1 {
		t.Errorf("%+v", h)
	}
}
