package stats

import (
	"slices"

	"github.com/dustin/go-humanize"

	"ooc/engine/text"
	"ooc/kernels"
	"ooc/kernels/entry"
)

// within counts the vertices that are near each.
var within = statistic{
	gather: gatherWithin,
	columns: func(r *Result) []column {
		var columns []column
		for _, w := range r.Within {
			columns = append(columns, ofRows(of("within_"+string(text.Numbers{}.Append(nil, w.Distance)), w.Count)))
		}
		return columns
	},
	text: func(r *Result, t *textWriter) {
		for _, w := range r.Within {
			total, best := int64(0), first(r, w.Count, descending)
			for _, count := range w.Count {
				total += int64(count)
			}
			t.row("within "+t.number(w.Distance), "%.6g others on average, at most %s at %s",
				float64(total)/float64(r.count()), humanize.Comma(int64(w.Count[best])), t.ids.Name(best))
		}
	},
}

// withinDistance counts the vertices within a distance.
type withinDistance struct {
	Distance float64
	Count    []int32 // of each vertex v: the other vertices u with d(v,u) ≤ Distance
}

// withinCounts gathers them for each distance asked for.
type withinCounts struct {
	x      *gathering
	limits []int64 // as keys of entries
	most   []float64
	beyond []int64 // the keys beyond them
}

func gatherWithin(x *gathering) (gatherer, error) {
	if len(x.o.Within) == 0 {
		return nil, nil
	}
	g := &withinCounts{x: x}
	for _, d := range x.o.Within {
		g.limits, g.most = append(g.limits, x.limit(d)), append(g.most, x.greatest(d))
		x.r.Within = append(x.r.Within, withinDistance{d, make([]int32, x.meta.N)})
		g.beyond = append(g.beyond, x.limit(d)+1)
	}
	return g, nil
}

func (g *withinCounts) worker() taker { return &withinWorker{withinCounts: g} }
func (g *withinCounts) finish()       {}

func (g *withinCounts) state() (all [][]byte) {
	for _, w := range g.x.r.Within {
		all = append(all, entry.Bytes(w.Count))
	}
	return all
}

// withinWorker counts in one band.
type withinWorker struct {
	*withinCounts
	rows   []int32
	counts []int32 // of each row, those of all limits
}

func (w *withinWorker) begin(rows []int32) {
	w.rows = rows
	w.counts = slices.Grow(w.counts[:0], len(rows)*len(w.limits))[:len(rows)*len(w.limits)]
	for i := range w.counts {
		w.counts[i] = 0
		if w.limits[i%len(w.limits)] >= 0 {
			w.counts[i] = -1 // the vertex itself, at distance 0, will be counted
		}
	}
}

func (w *withinWorker) add(b *part) {
	for r := range b.rows {
		if w.x.kind == entry.KindF64 {
			countWithin(w, b.at+r, line[uint64](b, r))
		} else {
			countWithin(w, b.at+r, line[uint32](b, r))
		}
	}
}

// countWithin counts the entries of a part of a row of the band.
func countWithin[W word](w *withinWorker, row int, line []W) {
	float := w.x.float
	for j, limit := range w.limits {
		count := int32(0)
		for _, bits := range line {
			if orderKey(bits, float) <= limit {
				count++
			}
		}
		w.counts[row*len(w.limits)+j] += count
	}
}

func (w *withinWorker) addNear(row int, _ []int32, distances []float64) {
	for j, most := range w.most {
		for _, d := range distances {
			if d <= most {
				w.counts[row*len(w.limits)+j]++
			}
		}
	}
}

func (w *withinWorker) question([]kernels.LaneSum) kernels.LaneQuestion {
	return kernels.LaneBelow{Edges: w.x.entries(w.beyond)}
}

func (w *withinWorker) answered(answer []byte, lanes int) {
	below := entry.View[int32](answer)
	for i := range w.counts {
		w.counts[i] += below[i%len(w.limits)*lanes+i/len(w.limits)]
	}
}

func (w *withinWorker) end() {
	for i, count := range w.counts {
		w.x.r.Within[i%len(w.limits)].Count[w.rows[i/len(w.limits)]] = count
	}
}
