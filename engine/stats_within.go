package engine

// Within counts the vertices within a distance.
type Within struct {
	Distance float64
	Count    []int32 // of each vertex v: the other vertices u with d(v,u) ≤ Distance
}

// withinCounts gathers them for each distance asked for.
type withinCounts struct {
	x      *gathering
	limits []int32 // as keys of entries
}

func gatherWithin(x *gathering) gatherer {
	if len(x.o.Within) == 0 {
		return nil
	}
	g := &withinCounts{x: x}
	for _, d := range x.o.Within {
		g.limits = append(g.limits, x.limit(d))
		x.s.Within = append(x.s.Within, Within{d, make([]int32, x.p.geom.N)})
	}
	return g
}

func (g *withinCounts) worker() gatherWorker { return withinWorker{g} }
func (g *withinCounts) finish()              {}

// withinWorker counts in place: rows belong to one band.
type withinWorker struct{ *withinCounts }

func (w withinWorker) begin(row, rows int) {
	for j, limit := range w.limits {
		if limit < 0 {
			continue
		}
		for v := row; v < row+rows; v++ {
			w.x.s.Within[j].Count[v] = -1 // the vertex itself, at distance 0, will be counted
		}
	}
}

func (w withinWorker) add(b *statsPart) {
	for r := range b.rows {
		line := b.line(r)
		for j, limit := range w.limits {
			count := int32(0)
			for _, bits := range line {
				if orderKey(bits, w.x.float) <= limit {
					count++
				}
			}
			w.x.s.Within[j].Count[b.row+r] += count
		}
	}
}

func (w withinWorker) end() {}
