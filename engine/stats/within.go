package stats

import (
	"github.com/dustin/go-humanize"

	"ooc/engine/text"
	"ooc/kernels/entry"
)

// within counts the vertices that are near each.
var within = statistic{
	gather: gatherWithin,
	columns: func(r *Result) []Column {
		var columns []Column
		for _, w := range r.Within {
			columns = append(columns, ofCounts("within_"+string(text.Float64.Append(nil, w.Distance)), w.Count))
		}
		return columns
	},
	text: func(r *Result, t *textWriter) {
		for _, w := range r.Within {
			total, best := int64(0), 0
			for v, count := range w.Count {
				total += int64(count)
				if count > w.Count[best] {
					best = v
				}
			}
			t.row("within "+t.number(w.Distance), "%.6g others on average, at most %s at %s",
				float64(total)/float64(len(w.Count)), humanize.Comma(int64(w.Count[best])), t.ids.Name(best))
		}
	},
}

// Within counts the vertices within a distance.
type Within struct {
	Distance float64
	Count    []int32 // of each vertex v: the other vertices u with d(v,u) ≤ Distance
}

// withinCounts gathers them for each distance asked for.
type withinCounts struct {
	x      *gathering
	limits []int64 // as keys of entries
}

func gatherWithin(x *gathering) gatherer {
	if len(x.o.Within) == 0 {
		return nil
	}
	g := &withinCounts{x: x}
	for _, d := range x.o.Within {
		g.limits = append(g.limits, x.limit(d))
		x.r.Within = append(x.r.Within, Within{d, make([]int32, x.p.Geometry().N)})
	}
	return g
}

func (g *withinCounts) worker() taker { return withinWorker{g} }
func (g *withinCounts) finish()       {}

// withinWorker counts in place: rows belong to one band.
type withinWorker struct{ *withinCounts }

func (w withinWorker) begin(row, rows int) {
	for j, limit := range w.limits {
		if limit < 0 {
			continue
		}
		for v := row; v < row+rows; v++ {
			w.x.r.Within[j].Count[v] = -1 // the vertex itself, at distance 0, will be counted
		}
	}
}

func (w withinWorker) add(b *part) {
	for r := range b.rows {
		if w.x.kind == entry.KindF64 {
			countWithin(w.withinCounts, b.row+r, line[uint64](b, r))
		} else {
			countWithin(w.withinCounts, b.row+r, line[uint32](b, r))
		}
	}
}

// countWithin counts the entries of a part of row v.
func countWithin[W word](g *withinCounts, v int, line []W) {
	float := g.x.float
	for j, limit := range g.limits {
		count := int32(0)
		for _, bits := range line {
			if orderKey(bits, float) <= limit {
				count++
			}
		}
		g.x.r.Within[j].Count[v] += count
	}
}

func (w withinWorker) end() {}
