package stats

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"ooc/engine/graph"
	"ooc/engine/near"
	"ooc/engine/rows"
	"ooc/engine/text"
	"ooc/kernels/entry"
)

// decay says how much of a value counts at a distance d. The zero value is all of it, however far.
type decay struct {
	Form string  // one of decays; "": none
	By   float64 // in the input's units, or for exp in 1 of these; more than 0
}

// decays are the forms.
var decays = []struct {
	name, by string
	of       func(d, by float64) float64
}{
	{"exp", "BETA", func(d, by float64) float64 { return math.Exp(-by * d) }},
	{"linear", "R", func(d, by float64) float64 { return max(0, 1-d/by) }},
	{"gaussian", "S", func(d, by float64) float64 { return math.Exp(-d / by * (d / by) / 2) }},
}

// DecayForms says what ParseDecay takes.
func DecayForms() string {
	var forms []string
	for _, d := range decays {
		forms = append(forms, d.name+":"+d.by)
	}
	return strings.Join(forms, ", ")
}

// ParseDecay reads what String writes, such as exp:0.001.
func ParseDecay(word string) (decay, error) {
	form, number, _ := strings.Cut(word, ":")
	by, err := strconv.ParseFloat(number, 64)
	d := decay{form, by}
	if word == "" {
		return decay{}, nil
	}
	if err != nil || d.of() == nil || !(by > 0) || math.IsInf(by, 1) {
		return d, text.ErrorOf(errOptions, "decay %q: want one of %s, with a number of more than 0", word, DecayForms())
	}
	return d, nil
}

func (d decay) String() string {
	if d.Form == "" {
		return ""
	}
	return d.Form + ":" + string(text.Numbers{}.Append(nil, d.By))
}

// of returns the form's function; nil: there is none.
func (d decay) of() func(d, by float64) float64 {
	for _, one := range decays {
		if one.name == d.Form {
			return one.of
		}
	}
	return nil
}

// reach is the greatest distance at which something counts; +Inf: there is none.
func (o *Options) reach() float64 {
	switch {
	case len(o.Within) > 0:
		return slices.Max(o.Within)
	case o.Decay.Form == "linear":
		return o.Decay.By
	}
	return math.Inf(1)
}

// accessibility adds up values of the vertices that are near each.
var accessibility = statistic{
	gather: gatherSumsOfValues,
	columns: func(r *Result) []column {
		var columns []column
		for _, s := range r.Sums {
			columns = append(columns, ofRows(of(s.name("sum", "_within_"), s.Sum)))
		}
		return columns
	},
	text: func(r *Result, t *textWriter) {
		for _, s := range r.Sums {
			best, total := first(r, s.Sum, descending), 0.0
			for _, sum := range s.Sum {
				total += sum
			}
			t.row(s.name("sum", " in "), "%.6g on average, at most %.6g at %s", total/float64(r.count()), s.Sum[best],
				t.ids.Name(best))
		}
	},
}

// sum is of Options.Values.
type sum struct {
	Distance float64 // +Inf: however far
	// Sum, of each vertex v, adds up the values of all u with d(v,u) ≤ Distance, v one of them, each as much as the
	// decay leaves of it.
	Sum []float64
}

func (s *sum) name(of, within string) string {
	if math.IsInf(s.Distance, 1) {
		return of
	}
	return of + within + string(text.Numbers{}.Append(nil, s.Distance))
}

// sumsOfValues gathers a sum for each distance asked for.
type sumsOfValues struct {
	x      *gathering
	limits []int64 // as keys of entries
	most   []float64
	decay  func(d, by float64) float64 // nil: there is none
}

func gatherSumsOfValues(x *gathering) (gatherer, error) {
	if x.o.Values == nil {
		return nil, nil
	}
	g := &sumsOfValues{x: x, decay: x.o.Decay.of()}
	within := x.o.Within
	if len(within) == 0 {
		within = []float64{math.Inf(1)}
	}
	for _, d := range within {
		g.limits, g.most = append(g.limits, x.limit(d)), append(g.most, x.greatest(d))
		x.r.Sums = append(x.r.Sums, sum{d, make([]float64, x.meta.N)})
	}
	return g, nil
}

func (g *sumsOfValues) worker() taker { return &valueWorker{sumsOfValues: g} }
func (g *sumsOfValues) finish()       {}

func (g *sumsOfValues) state() (all [][]byte) {
	for _, s := range g.x.r.Sums {
		all = append(all, entry.Bytes(s.Sum))
	}
	return all
}

// counts is how much of a vertex's value counts at a distance in stored units.
func (g *sumsOfValues) counts(v int, d float64) float64 {
	if g.decay == nil {
		return g.x.o.Values[v]
	}
	return g.x.o.Values[v] * g.decay(d/float64(g.x.meta.Scale), g.x.o.Decay.By)
}

// valueWorker adds up in one band.
type valueWorker struct {
	*sumsOfValues
	rows []int32
	sums []float64 // of each row, those of all limits
}

func (w *valueWorker) begin(rows []int32) {
	w.rows, w.sums = rows, append(w.sums[:0], make([]float64, len(rows)*len(w.limits))...)
}

func (w *valueWorker) add(b *part) {
	for r := range b.rows {
		sums := w.sums[(b.at+r)*len(w.limits):][:len(w.limits)]
		if w.x.kind == entry.KindF64 {
			addValues(w, sums, b.col, line[uint64](b, r))
		} else {
			addValues(w, sums, b.col, line[uint32](b, r))
		}
	}
}

// addValues adds what counts of the entries of a part of a row.
func addValues[W word](w *valueWorker, sums []float64, col int, line []W) {
	most := slices.Max(w.limits)
	for i, bits := range line {
		key := orderKey(bits, w.x.float)
		if key > most {
			continue
		}
		counts := w.counts(w.x.vertex(col+i), valueOf(bits, w.x.float))
		for j, limit := range w.limits {
			if key <= limit {
				sums[j] += counts
			}
		}
	}
}

// valueOf is entry.Kind.Value of what is reachable, and faster.
func valueOf[W word](bits W, float bool) float64 {
	switch {
	case unsafe.Sizeof(bits) == 8:
		return math.Float64frombits(uint64(bits))
	case float:
		return float64(math.Float32frombits(uint32(bits)))
	}
	return float64(int32(bits))
}

func (w *valueWorker) addNear(row int, columns []int32, distances []float64) {
	sums := w.sums[row*len(w.limits):][:len(w.limits)]
	for i, v := range columns {
		d := distances[i]
		counts := w.counts(int(v), d)
		for j, most := range w.most {
			if d <= most {
				sums[j] += counts
			}
		}
	}
}

func (w *valueWorker) end() {
	for i, sum := range w.sums {
		w.x.r.Sums[i%len(w.limits)].Sum[w.rows[i/len(w.limits)]] = sum
	}
}

// nearTaker is a taker of what is near each vertex, itself with it.
type nearTaker interface {
	// addNear takes the vertices that are near that of a row of the band, ascending, and their distances in stored
	// units.
	addNear(row int, columns []int32, distances []float64)
}

// nearName is what a Summary has as the engine, where searches that stop at a distance find what is near each vertex.
const nearName = "near searches"

// near returns such searches as a source. Its takers have to be nearTakers.
func (x *graphGathering) near(ctx context.Context) (source, error) {
	searcher, err := near.NewSearcher(ctx, x.g, near.Question{Within: x.o.reach(), Self: true})
	if err != nil {
		return source{}, err
	}
	offer := func(ctx context.Context, g *graph.Graph, q rows.Question) (rows.Offer, error) {
		q.Memory = x.o.Memory
		return x.o.offer(ctx, g, q)
	}
	if len(x.o.Sources) > 0 {
		offer = nil // which is for rows that follow each other
	}
	ready, err := searcher.Ready(ctx, x.g, offer)
	if err != nil {
		return source{}, err
	}
	s := source{hands: ready.Hands, close: ready.Close}
	for v := range x.g.N {
		if _, chosen := x.o.Sources.Index(v); chosen {
			s.order = append(s.order, int32(v))
		}
	}
	s.height = min(bandRows, entry.RoundUp(entry.CeilDiv(len(s.order), manyBands), leastHeight))
	s.reader = func(int) (reader, error) {
		w, err := ready.Open()
		return &nearReader{w, s.order}, err
	}
	return s, nil
}

// nearReader reads bands of near vertices.
type nearReader struct {
	near.Worker
	order []int32
}

func (r *nearReader) read(ctx context.Context, lo, hi int, all takers) error {
	for i, v := range r.order[lo:hi] {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		columns, distances, err := r.Row(int(v))
		if err != nil {
			return fmt.Errorf("row %d: %w", v, err)
		}
		for _, t := range all {
			t.(nearTaker).addNear(i, columns, distances)
		}
	}
	return nil
}
