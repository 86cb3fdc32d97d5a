package sparse

import (
	"context"
	"sync"

	"ooc/engine/internal/cancel"
	"ooc/engine/internal/pages"
	"ooc/engine/internal/parallel"
	"ooc/kernels"
	"ooc/kernels/entry"
)

// PieceUnit divides the entries of a row of Pieces.Down and Up, and of Elimination.Inside.
const PieceUnit = 16

// Pieces cut an elimination into two parts, the *upper* ranks and, after them, pieces: ranges of ranks. All arcs up
// from a piece lead into it, or to its *boundary* in the upper part. So the distances from any source to a piece that
// it is not in are one (min,+) product: of the distances to the boundary, and of the paths down from there.
type Pieces struct {
	Upper    int     // ranks below this one are in no piece
	First    []int32 // where each piece begins, and the number of vertices
	Start    []int32 // where each piece's part of Boundary begins, and its length
	Boundary []int32 // upper ranks, ascending within a piece

	// Down and Up have a row for each entry of Boundary: the lengths of the shortest paths of Elimination.Down from
	// there to each vertex of the piece, or of Elimination.Up to there from each, over other vertices of the piece
	// only. They are weights like those of kernels.Arcs, and unreachable where there is no path, or no vertex: a row
	// is padded to Pitch entries. The rows of piece i begin at entry At[i]·PieceUnit. If the graph is undirected,
	// both are one slice.
	Down, Up []uint32
	At       []int32

	inside  []inside      // by piece
	entries float64       // in all
	find    func() error  // finds Down and Up, once
	core    chan struct{} // is closed when a device has begun to close the core, or will not
	enqueue sync.Once     // closes it
}

// inside is what Elimination.Inside has found.
type inside struct {
	sync.Mutex
	rows []uint32 // nil: they are not there
	left int      // of them nobody has used yet
}

// Find makes sure that Down and Up are there. Any number of goroutines may call it. It fails with the cause of
// the context of the elimination if that ends first.
func (p *Pieces) Find() error { return p.find() }

// AwaitCore waits until CloseCore, which must be called, too, has launched all that closes the core.
func (p *Pieces) AwaitCore() { <-p.core }

// coreEnqueued ends what AwaitCore waits for.
func (p *Pieces) coreEnqueued() {
	if p != nil {
		p.enqueue.Do(func() { close(p.core) })
	}
}

// Fit reports whether there are pieces, and they are no more than Cutting.MostUpper allows.
func (p *Pieces) Fit(most int) bool {
	return p != nil && max(float64(p.Upper)*float64(p.Upper), p.entries) <= float64(most)*float64(most)
}

// Count returns the number of pieces.
func (p *Pieces) Count() int { return len(p.First) - 1 }

// Pitch returns the entries of a row of piece i, a multiple of PieceUnit.
func (p *Pieces) Pitch(i int) int { return entry.RoundUp(int(p.First[i+1]-p.First[i]), PieceUnit) }

// Of returns the boundary of piece i.
func (p *Pieces) Of(i int) []int32 { return p.Boundary[p.Start[i]:p.Start[i+1]] }

// newPieces lays out the pieces, without weights; nil if there are none.
func (l *layout) newPieces() *Pieces {
	if len(l.pieces) == 0 {
		return nil
	}
	p := &Pieces{Upper: l.upper, Start: []int32{0}, At: []int32{0}, inside: make([]inside, len(l.pieces)),
		entries: entries(l.pieces), core: make(chan struct{})}
	units := int32(0)
	for _, x := range l.pieces {
		p.First = append(p.First, x.first)
		p.Boundary = append(p.Boundary, x.boundary...)
		p.Start = append(p.Start, int32(len(p.Boundary)))
		units += int32(len(x.boundary) * entry.CeilDiv(x.size(), PieceUnit))
		p.At = append(p.At, units)
	}
	p.First = append(p.First, int32(l.n))
	return p
}

// cutOff finds the lengths of the paths between pieces and their boundaries.
func (v *values[W]) cutOff(ctx context.Context, p *Pieces) error {
	down, err := v.paths(ctx, p, v.down)
	p.Down, p.Up = entry.As[uint32](down), entry.As[uint32](down)
	if err == nil && v.directed() {
		var up []W
		up, err = v.paths(ctx, p, v.up)
		p.Up = entry.As[uint32](up)
	}
	return err
}

// Inside returns a row for each vertex of piece i: the lengths of the shortest paths from it to each vertex of the
// piece, over vertices of the piece only. They are padded as those of Pieces.Down. The caller uses so many of the rows,
// which are kept until all have been used once. Any number of goroutines may call it.
func (e *Elimination) Inside(i, used int) []uint32 {
	x := &e.Pieces.inside[i]
	x.Lock()
	defer x.Unlock()
	rows := x.rows
	if rows == nil {
		rows, x.left = arithmetics[e.Variant].inside(e, i), int(e.Pieces.First[i+1]-e.Pieces.First[i])
	}
	x.rows = rows
	if x.left -= used; x.left <= 0 {
		x.rows = nil
	}
	return rows
}

// inside finds the lengths of the paths between the vertices of a piece: up to those above both, and down. A row is of
// the paths from a vertex, so it grows from their ends, by arcs against their directions.
func (a arithmetic[W]) inside(e *Elimination, i int) []uint32 {
	first, last, pitch := e.Pieces.First[i], e.Pieces.First[i+1]-1, e.Pieces.Pitch(i)
	size := int(last-first) + 1
	rows := make([]W, size*pitch)
	entry.Fill(rows, a.inf)
	row := func(r int32) []W { return rows[int(r-first)*pitch:][:size] }
	// each lowers rows by each arc from r to a vertex of the piece.
	each := func(arcs *kernels.Arcs, r int32, rows func(end int32) (to, from []W)) {
		weights := entry.As[W](arcs.Weights)
		for k := arcs.Offsets[r+1] - 1; k >= arcs.Offsets[r] && arcs.Ends[k] >= first; k-- {
			if by := weights[k:][:1]; by[0] < a.inf {
				to, from := rows(arcs.Ends[k])
				lowerTo(e, to, from, by)
			}
		}
	}
	for r := last; r >= first; r-- {
		row(r)[r-first] = 0
		a.settle(row(r))
		each(e.Down, r, func(end int32) (to, from []W) { return row(end), row(r) })
	}
	for r := first; r <= last; r++ {
		each(e.Up, r, func(end int32) (to, from []W) { return row(r), row(end) })
		a.settle(row(r))
	}
	return entry.As[uint32](rows)
}

// paths finds, for each piece, the lengths of the shortest paths by arcs of some weights between its boundary and its
// vertices.
func (v *values[W]) paths(ctx context.Context, p *Pieces, weights []W) ([]W, error) {
	lengths := make([]W, int(p.At[p.Count()])*PieceUnit)
	return lengths, parallel.Do(ctx, p.Count(), func() func(i int) error {
		column, poll, table := make([]int32, p.Upper), &cancel.Poll{Ctx: ctx}, []W(nil)
		return func(i int) error {
			boundary, first := p.Of(i), p.First[i]
			for k, x := range boundary {
				column[x] = int32(k)
			}
			width, size, pitch := len(boundary), int(p.First[i+1]-first), p.Pitch(i)
			if cap(table) < width*size {
				table = make([]W, 2*width*size)
			}
			table = table[:width*size] // a row for each vertex
			for j := range size {
				v.nearest(table[:(j+1)*width], first, int32(j), column, weights, width)
			}
			rows := lengths[int(p.At[i])*PieceUnit:][:width*pitch]
			entry.Fill(rows, v.inf)
			for j := range size {
				for k, w := range table[j*width:][:width] {
					rows[k*pitch+j] = w
				}
			}
			return poll.After(int64(width * size))
		}
	}, func() {})
}

// lowerRow lowers a row to the paths by an arc of weight w to what another row has paths from.
func lowerRow[W weight](row, from []W, w W) {
	from = from[:len(row)]
	for i, x := range from {
		row[i] = min(row[i], x+w)
	}
}

// lowerTo is lowerRow by a weight that may be unreachable, on the host if there is one.
func (v *values[W]) lowerTo(row, from, by []W) {
	switch {
	case by[0] >= v.inf:
	case v.host == nil:
		lowerRow(row, from, by[0])
	default:
		v.host.LowerRow(v.variant, entry.As[uint32](row), entry.As[uint32](from), entry.As[uint32](by))
	}
}

// nearest makes the last row of a table of paths, that of vertex j of a piece, out of those before.
func (v *values[W]) nearest(table []W, first, j int32, column []int32, weights []W, width int) {
	row, r := table[int(j)*width:], first+j
	entry.Fill(row, v.inf)
	for k := v.start[r]; k < v.start[r+1]; k++ {
		w, end := weights[k], v.ends[k]
		switch {
		case w >= v.inf:
		case end < first:
			row[column[end]] = min(row[column[end]], w)
		default:
			v.lowerTo(row[:width], table[int(end-first)*width:][:width], weights[k:][:1])
		}
	}
	v.settle(row)
}

// upper returns the elimination of the upper part alone. Its vertices are the ranks below Pieces.Upper, and it has
// the same core. It has no tiles: CloseCore takes the whole elimination.
func (e *Elimination) upper() *Elimination {
	n := e.Pieces.Upper
	top := &Elimination{Variant: e.Variant, Parent: e.Parent[:n], Up: firstRows(e.Up, n, e.Variant)}
	top.Work = Work{Vertices: n, Sources: n, Eliminated: n - e.Core(), Core: e.Core()}
	top.Vertices = make([]int32, n)
	for r := range top.Vertices {
		top.Vertices[r] = int32(r)
	}
	top.Rank = top.Vertices
	if top.Down = top.Up; e.Down != e.Up {
		top.Down = firstRows(e.Down, n, e.Variant)
	}
	return top
}

func firstRows(a *kernels.Arcs, rows int, v entry.Variant) *kernels.Arcs {
	last := a.Offsets[rows]
	return &kernels.Arcs{Offsets: a.Offsets[:rows+1], Ends: a.Ends[:last],
		Weights: a.Weights[:int(last)*v.WeightBytes()/entry.WordBytes]}
}

// UpperDistances returns the distances between all upper ranks, from those between the core's vertices, which
// CloseCore gives. It takes all processors, and fails with the cause of ctx if that ends first.
func (e *Elimination) UpperDistances(ctx context.Context, s kernels.HostLaneOps, core coreRows) (*DenseCore, error) {
	if dense, is := core.(*DenseCore); is {
		if err := dense.Fetch(); err != nil {
			return nil, err
		}
	}
	top := e.upper()
	n, v := e.Pieces.Upper, e.Variant
	all := &DenseCore{Host: s, Variant: v, Size: n, Pitch: entry.RoundUp(n, kernels.DeviceLaneUnit)}
	words, lanes := v.WeightBytes()/entry.WordBytes, top.BatchLanes()
	all.Matrix = entry.As[uint32](pages.Make[uint64](all.Pitch * all.Pitch * words / 2))
	row := all.Pitch * v.Bytes()
	return all, parallel.Do(ctx, entry.CeilDiv(n, lanes), func() func(i int) error {
		scratch := entry.Bytes(make([]uint64, entry.CeilDiv(int(top.ScratchBytes(lanes)), 8)))
		x, err := top.NewExpander(s, core, lanes, scratch)
		narrow := entry.Bytes(make([]uint64, entry.CeilDiv(lanes*row, 8)))
		var sources []int32
		to := Target{Width: all.Pitch, Stride: int64(row)}
		return func(i int) error {
			if err != nil {
				return err
			}
			sources, to.Places = sources[:0], to.Places[:0]
			for r := i * lanes; r < min((i+1)*lanes, n); r++ {
				to.Places = append(to.Places, int64(len(sources)*row))
				sources = append(sources, int32(r))
			}
			rows := all.Matrix[i*lanes*all.Pitch*words:][:len(sources)*all.Pitch*words]
			to.Data = entry.Bytes(rows)
			if v.Bytes() < v.WeightBytes() {
				to.Data = narrow
			}
			if err := x.Rows(sources, to); err != nil {
				return err
			}
			if v.Bytes() < v.WeightBytes() {
				v.Weights(rows, narrow[:len(sources)*row])
			}
			return nil
		}
	}, func() {})
}
