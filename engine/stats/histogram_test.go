package stats

import (
	"math"
	"slices"
	"testing"

	"ooc/engine"
	"ooc/engine/graph"
	"ooc/engine/internal/enginetest"
	"ooc/engine/internal/seeds"
	"ooc/kernels/entry"
	"ooc/tiles"
)

// checkHistograms counts again.
func checkHistograms(t *testing.T, p *engine.Problem, s *Result, d [][]float64, o Options) {
	t.Helper()
	var pairs []float64
	for u := range d {
		for v, x := range d[u] {
			if u != v && !math.IsInf(x, 1) {
				pairs = append(pairs, x)
			}
		}
	}
	checkHistogram(t, p.Meta(), s.DistanceHistogram, pairs, o)
	checkHistogram(t, p.Meta(), s.EccentricityHistogram, s.Longest, o)
}

func checkHistogram(t *testing.T, m *tiles.Meta, h *Histogram, numbers []float64, o Options) {
	t.Helper()
	if o.Edges != nil && !slices.Equal(h.Edges, o.Edges) {
		t.Fatalf("edges %v, want %v", h.Edges, o.Edges)
	}
	want := Histogram{Counts: make([]int64, len(h.Edges)-1)}
	for _, x := range numbers {
		bin := -1
		for i := range want.Counts {
			low, high := rounded(m, h.Edges[i]), rounded(m, h.Edges[i+1])
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
		checkRound(t, m, h, slices.Min(numbers), slices.Max(numbers), o.Bins)
	}
}

// checkRound demands bins of a round width that are not too many, and would be with the next smaller width, unless that
// is less than those of the fine bins, which reach from 0 to the greatest number.
func checkRound(t *testing.T, m *tiles.Meta, h *Histogram, least, most float64, bins int) {
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
	level := finestBins
	for max(most, -least) >= rounded(m, decimalEdge(fineBins, level)) {
		level++
	}
	finest := !m.Kind.Float() && width < 2/float64(m.Scale) || smaller < 0.99*decimalEdge(1, level)
	if n := math.Floor(most/smaller) - math.Floor(least/smaller) + 1; n <= float64(bins) && !finest && most > least {
		t.Fatalf("width %v leaves %d bins of %d; width %v would leave %v", width, len(h.Counts), bins, smaller, n)
	}
}

// TestHistogramRounded counts between edges that float32 cannot tell apart, or not hold.
func TestHistogramRounded(t *testing.T) {
	m := &tiles.Meta{Kind: entry.KindF32, Scale: 1}
	numbers := []float64{-1, 0, 1e8 - 8, 1e8, 1e8 + 8, 1e8 + 16, math.MaxFloat32, 1e30}
	for _, edges := range [][]float64{{1e8 + 1, 1e8 + 2, 1e8 + 3, 1e8 + 9}, {0, 1e39, 1e40}, {-1e308, 0, 1e308},
		{-1, 1e-50, 1e8, 1e30}} {
		o := Options{Edges: edges}
		b := (&gathering{meta: m, o: o, float: true}).newBinner()
		for _, d := range numbers {
			b.add(rounded(m, d), 1)
		}
		h := b.histogram()
		for i := range numbers {
			numbers[i] = rounded(m, numbers[i])
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
	r := seeds.New(t)
	for range 60 {
		m := &tiles.Meta{Kind: entry.KindF32, Scale: 1, Negative: r.IntN(2) == 0}
		if r.IntN(3) == 0 {
			m.Kind, m.Scale = entry.KindI32, []int64{1, 10, 1000, 7}[r.IntN(4)]
		}
		o := Options{Bins: 2 + r.IntN(MaxBins-1)}
		x := &gathering{meta: m, o: o, float: m.Kind == entry.KindF32}
		workers := []*binner{x.newBinner(), x.newBinner(), x.newBinner()}
		var numbers []float64
		top := math.Pow(10, -40+78*r.Float64())
		for range r.IntN(2000) {
			d := rounded(m, top*math.Pow(r.Float64(), 8))
			if !x.float {
				d = float64(r.Int32N(1<<r.IntN(30)+1)) / float64(m.Scale)
			}
			if m.Negative && r.IntN(2) == 0 {
				d = 0 - d
			}
			numbers = append(numbers, d)
			workers[r.IntN(3)].add(d, 1)
		}
		for _, w := range workers[1:] {
			workers[0].merge(w)
		}
		h := workers[0].histogram()
		checkHistogram(t, m, h, numbers, o)
	}
}

// TestHistogramOfRubbish counts what only a damaged store holds.
func TestHistogramOfRubbish(t *testing.T) {
	m := &tiles.Meta{Kind: entry.KindF32, Scale: 1}
	for _, o := range []Options{{Bins: 10}, {Edges: []float64{0, 1}}} {
		b := (&gathering{meta: m, o: o, float: true}).newBinner()
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
	p := enginetest.Create(t, g, 64)
	enginetest.Solve(t, p, enginetest.RandomShape(seeds.New(t), 5, 64).Options(t))
	h := mustStats(t, p, Options{Edges: []float64{1, 2, 3}}).DistanceHistogram
	if !slices.Equal(h.Counts, []int64{1, 2}) || h.Below != 0 || h.Above != 1 {
		t.Errorf("%+v", h)
	}
}

// TestEvenBins: integers on both sides of edges are counted as others are, whatever the scale and the width of bins.
func TestEvenBins(t *testing.T) {
	r, even := seeds.New(t), 0
	for range 100 {
		meta := &tiles.Meta{N: 10, Kind: entry.KindI32, Scale: []int64{1, 10, 1000, 12, 1 << 20}[r.IntN(5)],
			Negative: r.IntN(3) == 0}
		o := Options{Bins: 20}
		if r.IntN(3) == 0 {
			o = Options{Edges: []float64{float64(r.IntN(1000))}}
			for width := 1 + r.IntN(1000); len(o.Edges) < 2+r.IntN(9); {
				o.Edges = append(o.Edges, o.Edges[len(o.Edges)-1]+float64(width+r.IntN(10)/9))
			}
		}
		x := newGathering(meta, o)
		fast, plain := x.newBinner(), x.newBinner()
		if o.Bins > 0 {
			level := fast.level + r.IntN(6)
			fast.widen(level)
			plain.widen(level)
		}
		var line []uint32
		for range 200 {
			edge := int(fast.edges[r.IntN(len(fast.edges))]*float64(meta.Scale)) + r.IntN(3) - 1
			line = append(line, uint32(min(edge, int(entry.Inf32))), uint32(r.IntN(1<<r.IntN(30))))
		}
		if fast.even.first < fast.even.last {
			even++
		}
		fast.addIntegers(line, x)
		for _, bits := range line {
			if uint64(bits) != x.none {
				plain.add(float64(int32(bits))/float64(meta.Scale), 1)
			}
		}
		if a, b := fast.histogram(), plain.histogram(); !slices.Equal(a.Counts, b.Counts) || a.Below != b.Below ||
			a.Above != b.Above {
			t.Fatalf("%+v, scale %d: %+v, want %+v", o, meta.Scale, a, b)
		}
	}
	if even == 0 {
		t.Error("no bins were even")
	}
}
