package export

import (
	"math"
	"slices"

	"ooc/engine"
	"ooc/engine/graph"
	"ooc/engine/rows"
	"ooc/engine/text"
	"ooc/kernels/entry"
)

// extract is the part of a matrix that is exported.
type extract struct {
	Options
	p          *engine.Problem
	ids        graph.IDs
	rows, cols picked
	ready      rows.Ready                              // of a store without a matrix: stored is not asked then
	stored     func(dst []byte, i, j, first int) error // reads what is exported from tiles, as ReadEntries does
	size       int                                     // bytes of an entry that it reads
}

// pick returns the part that options pick, with its ids.
func pick(p *engine.Problem, o Options) (x *extract, err error) {
	x = &extract{Options: o, p: p}
	if x.rows, err = pickRows(p, o.Rows); err != nil {
		return nil, err
	}
	if x.cols, err = pickColumns(p, o.Cols); err != nil {
		return nil, err
	}
	x.ids, err = p.IDs()
	return x, err
}

// picked is a choice of the store's rows or columns, in the order they are wanted.
type picked struct {
	at []int // nil: all, in their own order
	n  int   // how many
}

func (k picked) number(i int) int {
	if k.at == nil {
		return i
	}
	return k.at[i]
}

// pickRows finds the rows of vertices. A store may hold only some rows.
func pickRows(p *engine.Problem, vertices []int) (picked, error) {
	if vertices == nil {
		return picked{n: p.Geometry().RowCount()}, nil
	}
	k, err := pickColumns(p, vertices)
	k.at = slices.Clone(k.at)
	for i, v := range k.at {
		if k.at[i], err = p.Place(v); err != nil {
			return picked{}, err
		}
	}
	return k, err
}

func pickColumns(p *engine.Problem, vertices []int) (picked, error) {
	if vertices == nil {
		return picked{n: p.Geometry().N}, nil
	}
	for _, v := range vertices {
		if v < 0 || v >= p.Geometry().N {
			return picked{}, text.ErrorOf(graph.ErrNoVertex, "%s has no row or column %d", p.Dir(), v)
		}
	}
	if len(vertices) == 0 {
		return picked{}, text.ErrorOf(graph.ErrNoVertex, "no vertex is picked")
	}
	return picked{at: vertices, n: len(vertices)}, nil
}

// rowVertex returns the vertex of a row of the extract, rowName its id, and colName that of a column.
func (x *extract) rowVertex(i int) int { return x.p.Meta().Sources.Vertex(x.rows.number(i)) }

func (x *extract) rowName(i int) string { return x.ids.Name(x.rowVertex(i)) }

func (x *extract) colName(i int) string { return x.ids.Name(x.cols.number(i)) }

// stretch is a range of neighbouring rows, or columns, of one tile.
type stretch struct {
	tile, first int
	to          []int // where each goes in the block; -1: it is read and not wanted
	packed      bool  // their places in the block are neighbours too
}

// stretches cuts the picks lo…hi-1 into stretches within tiles, in the order of the matrix. A bridged stretch also
// covers small gaps: to read unwanted entries between wanted ones costs less than to skip them.
func (k picked) stretches(lo, hi, edge int, bridge bool) []stretch {
	order := make([]int, hi-lo)
	for i := range order {
		order[i] = lo + i
	}
	if k.at != nil {
		slices.SortStableFunc(order, func(a, b int) int { return k.at[a] - k.at[b] })
	}
	var all []stretch
	for _, i := range order {
		tile, at := k.number(i)/edge, k.number(i)%edge
		if len(all) > 0 {
			r := &all[len(all)-1]
			gap := at - (r.first + len(r.to)) // negative where a pick is repeated
			if tile == r.tile && (gap == 0 || gap > 0 && bridge) {
				r.packed = r.packed && gap == 0 && i-lo == r.to[0]+len(r.to)
				for range gap {
					r.to = append(r.to, -1)
				}
				r.to = append(r.to, i-lo)
				continue
			}
		}
		all = append(all, stretch{tile: tile, first: at, to: []int{i - lo}, packed: true})
	}
	return all
}

// read fills a block of an extract with stored entries, width of them in each of its rows.
func (x *extract) read(b *block, rows, cols []stretch, width int) error {
	for _, r := range rows {
		for _, c := range cols {
			if err := x.readPart(b, r, c, width); err != nil {
				return err
			}
		}
	}
	return nil
}

// readThrough is the longest gap, in bytes, that is read instead of skipped. The system would read that much ahead
// anyway.
const readThrough = 16 << 10

// readPart reads the entries of a tile where chosen rows and chosen columns cross.
func (x *extract) readPart(b *block, r, c stretch, width int) error {
	edge, wide := x.p.Geometry().T, len(c.to)
	step := max(1, len(b.part)/(x.size*edge)) // rows of the tile at a time
	if x.size*(edge-wide) > readThrough {
		step = 1
	}
	for y := 0; y < len(r.to); y += step {
		rows := r.to[y:min(y+step, len(r.to))]
		part := b.part[:x.size*((len(rows)-1)*edge+wide)]
		if err := x.stored(part, r.tile, c.tile, (r.first+y)*edge+c.first); err != nil {
			return err
		}
		for i, row := range rows {
			x.scatter(&c, b.stored[x.size*row*width:x.size*(row+1)*width], part[x.size*i*edge:])
		}
	}
	return nil
}

// scatter copies the wanted entries of a tile's row to their places in the block.
func (x *extract) scatter(c *stretch, line, from []byte) {
	if c.packed {
		copy(line[x.size*c.to[0]:], from[:x.size*len(c.to)])
		return
	}
	for i, to := range c.to {
		if to >= 0 {
			copy(line[x.size*to:][:x.size], from[x.size*i:])
		}
	}
}

// numbers picks the type of the elements, and what stands for no path: inf in floating kinds, in integer
// kinds their maximum, or what the caller wants. Where that does not fit the type of the store's kind, and
// where a scale is undone, elements are float64.
func (x *extract) numbers() (kind entry.Kind, none float64) {
	kind, none = x.p.Meta().Kind.Wide(), math.Inf(1)
	if x.p.Meta().Scale > 1 {
		kind = entry.KindF64
	}
	if kind == entry.KindI32 {
		none = math.MaxInt32
	}
	if x.Unreachable != nil {
		none = *x.Unreachable
		switch {
		case kind == entry.KindI32 && (none != math.Trunc(none) || none < math.MinInt32 || none > math.MaxInt32),
			kind == entry.KindF32 && none == none && float64(float32(none)) != none:
			kind = entry.KindF64
		}
	}
	return kind, none
}
