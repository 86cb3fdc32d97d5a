// Package between adds up betweenness: for how many pairs of vertices the shortest paths lead through each vertex and
// each arc, where a pair with many such paths counts by their share (U. Brandes, A faster algorithm for betweenness
// centrality, 2001).
//
// # Units and invariants
//
// Sums are of ordered pairs, whose first vertex is one of the sources. What they are divided by is for the caller.
// Sources are dealt out in units, which the graph and the sources alone decide. Within a unit, and where units are
// added up in their order, all floats are added in one order: the same bits, whatever computes.
package between

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"ooc/engine/graph"
	"ooc/engine/internal/cancel"
	"ooc/engine/rows"
	"ooc/engine/searches"
	"ooc/kernels/entry"
)

// Question says what is wanted. The zero value is nothing.
type Question struct {
	Vertices, Edges bool
	Endpoints       bool // a path leads through the vertices at its ends, too; for arcs it always does
	// Targets are where paths end that count, which ascend; none: at all vertices. With some, Endpoints is false.
	Targets []int32
}

// Any reports whether anything is wanted.
func (q Question) Any() bool { return q.Vertices || q.Edges }

// String names what is wanted, "" for nothing.
func (q Question) String() string {
	says := ""
	switch {
	case q.Vertices && q.Edges:
		says = "both"
	case q.Vertices:
		says = "vertices"
	case q.Edges:
		says = "edges"
	}
	if q.Endpoints {
		says += ", endpoints"
	}
	return says
}

// Sums are what some sources have given.
type Sums struct {
	Vertices []float64 // of each vertex; nil: not wanted
	Arcs     []float64 // of each arc, an index of the graph's Targets; nil: not wanted
	// Rounded has one byte, so that State has it, too: 1 where some pair has more than 2⁵³ shortest paths, which were
	// counted in floats.
	Rounded []byte
}

// State is all their memory.
func (s *Sums) State() [][]byte {
	return [][]byte{entry.Bytes(s.Vertices), entry.Bytes(s.Arcs), s.Rounded}
}

// exactly is up to where floats count paths exactly, and most up to where they are used: as many of these as a vertex
// can have arcs have a finite sum.
const (
	exactly = 1 << 53
	most    = 0x1p980
)

// Ready is a graph that is ready to be asked. Any number of goroutines may have Workers.
type Ready struct {
	q      Question
	g      *graph.Graph // its weights are of integers or of kind f64, or all equal
	rows   rows.Ready   // of g
	given  rows.Ready   // the caller's, which may be rows
	arcs   *arcs
	equal  bool    // all weights are
	order  []int32 // the sources
	height int     // of a unit
}

// Check refuses graphs whose shortest paths cannot be counted. The error is a *graph.InputError.
func Check(g *graph.Graph) error {
	if g.Arcs() == 0 || g.MinWeight > 0 {
		return nil
	}
	for u := range g.N {
		for k := g.Offsets[u]; k < g.Offsets[u+1]; k++ {
			if w := g.Weight(k); w <= 0 {
				return &graph.InputError{File: g.File, Reason: fmt.Sprintf("the arc from %s to %s has weight %s, and "+
					"along such arcs there may be infinitely many shortest paths: betweenness is for weights above 0; "+
					"leave that arc out, or count arcs with --unweighted",
					g.Name(u), g.Name(int(g.Targets[k])), g.InputWeight(k))}
			}
		}
	}
	return nil
}

// New makes a graph ready to tell of some sources, which ascend; none: all vertices. ready computes rows of the graph,
// and offer makes others ready; it is that of engine.OfferRows. Errors are those of Check and of offer.
func New(ctx context.Context, g *graph.Graph, q Question, sources []int32, ready rows.Ready,
	offer func(ctx context.Context, g *graph.Graph, q rows.Question) (rows.Offer, error)) (_ *Ready, err error) {
	if err := Check(g); err != nil {
		return nil, err
	}
	r := &Ready{q: q, g: g, rows: ready, given: ready, height: lanesOf(g.N)}
	chosen := make([]bool, g.N)
	for _, v := range sources {
		chosen[v] = true
	}
	r.equal = g.MinWeight == g.MaxWeight
	order := rows.ByBreadth(g)
	if !r.equal {
		order = together(g, order, r.height)
	}
	for _, v := range order {
		if len(sources) == 0 || chosen[v] {
			r.order = append(r.order, v)
		}
	}
	r.arcs = newArcs(g, order)
	r.arcs.aim(q.Targets)
	switch {
	case r.equal:
		return r, nil
	case !g.Kind.Float():
		r.arcs.weigh(g)
		return r, nil
	}
	// Sums of integers are exact. All others have to be those along paths from the source.
	ask := rows.Question{Rows: len(sources)}
	exact := false
	if r.g, exact = comparable(g); !exact {
		ask.Engine = searches.Engine{}.Name()
	}
	r.arcs.weigh(r.g)
	o, err := offer(ctx, r.g, ask)
	if err == nil {
		r.rows, err = o.Prepare(ctx)
	}
	return r, err
}

// together orders vertices so that as many as a unit has are near each other. first is an order of where to begin.
func together(g *graph.Graph, first []int32, unit int) []int32 {
	order, taken := make([]int32, 0, g.N), make([]bool, g.N)
	for _, v := range first {
		next := len(order)
		most := next + unit - next%unit
		take := func(v int32) {
			if !taken[v] && len(order) < most {
				taken[v] = true
				order = append(order, v)
			}
		}
		for take(v); next < len(order); next++ {
			for k := g.Offsets[order[next]]; k < g.Offsets[order[next]+1]; k++ {
				take(g.Targets[k])
			}
		}
	}
	return order
}

// mostPlaces is how many digits behind the point a scale may remove.
const mostPlaces = 9

// comparable returns a graph with the weights of another, of kind f64. Where all weights times a power of ten are
// integers, and distances are exact, too, its weights are these: then equal paths are equal, in whatever order their
// arcs are added up.
func comparable(g *graph.Graph) (_ *graph.Graph, exact bool) {
	c := *g
	c.Kind, c.F32, c.F64 = entry.KindF64, nil, make([]float64, g.Arcs())
	for k := range c.F64 {
		c.F64[k] = g.Weight(int64(k))
		if g.F32 != nil { // the number that was read, and not its rounding
			c.F64[k], _ = strconv.ParseFloat(strconv.FormatFloat(c.F64[k], 'g', -1, 32), 64)
		}
	}
	for scale, places := 1.0, 0; places <= mostPlaces && scale*g.MaxWeight*float64(g.N) < exactly; places++ {
		if !slices.ContainsFunc(c.F64, func(w float64) bool { return math.Round(w*scale)/scale != w }) {
			for k, w := range c.F64 {
				c.F64[k] = math.Round(w * scale)
			}
			exact = true
			break
		}
		scale *= 10
	}
	c.MinWeight, c.MaxWeight = slices.Min(c.F64), slices.Max(c.F64)
	return &c, exact
}

// Close gives back what New has made ready. What it was given stays the caller's.
func (r *Ready) Close() error {
	if r.rows != r.given {
		return r.rows.Close()
	}
	return nil
}

// Sources is how many sources there are, and how many of them a unit has; the last may have fewer.
func (r *Ready) Sources() (all, unit int) { return len(r.order), r.height }

// Sums returns sums of no source.
func (q Question) Sums(g *graph.Graph) *Sums {
	s := &Sums{Rounded: make([]byte, 1)}
	if q.Vertices {
		s.Vertices = make([]float64, g.N)
	}
	if q.Edges {
		s.Arcs = make([]float64, g.Arcs())
	}
	return s
}

// WorkerBytes is about the memory that a Worker takes.
func (r *Ready) WorkerBytes() int64 {
	bytes, _ := MemoryOf(r.g)
	if !r.equal {
		bytes += r.rows.WorkerBytes(r.height)
	}
	return bytes
}

// MemoryOf is about the memory that a Worker takes at least, and how much is enough, by the graph alone: what computes
// rows takes some, too, where weights are not equal, and up to as much as all else.
func MemoryOf(g *graph.Graph) (least, enough int64) {
	n, m, height := int64(g.N), g.Arcs(), lanesOf(g.N)
	least = 8*m + n*int64(24*height+88)
	if g.MinWeight == g.MaxWeight {
		return least, least
	}
	kind := g.Kind.Wide()
	if kind.Float() {
		kind = entry.KindF64
	}
	least += 8*m + n*int64(height*(kind.Bytes()+4)+40)
	return least, 2 * least
}

// Worker adds up, for one goroutine.
type Worker struct {
	r      *Ready
	own    Sums // of a unit
	lanes  *lanes
	rows   rows.Worker // where weights are not equal, as all below; else nil
	ids    []int
	memory []byte // of rows
	batch  *batch // of a device; nil: own and lanes are of the processor
}

// NewWorker returns one. Close it after use.
func (r *Ready) NewWorker() (w *Worker, err error) {
	w = &Worker{r: r, own: *r.q.Sums(r.g)}
	if r.equal {
		w.lanes, err = newLanes(r.arcs, r.height, nil)
		return w, err
	}
	if w.rows, err = r.rows.NewWorker(r.height); err != nil {
		return nil, err
	}
	if w.lanes, err = newLanes(r.arcs, r.height, newTight(r.g, r.arcs)); err != nil {
		return nil, errors.Join(err, w.rows.Close())
	}
	w.memory = r.g.Kind.Wide().Make(r.height * r.g.N)
	return w, nil
}

// Close gives back what the worker has.
func (w *Worker) Close() error {
	switch {
	case w.batch != nil:
		return w.batch.held.Close()
	case w.rows != nil:
		return w.rows.Close()
	}
	return nil
}

// Do adds up what the sources of some units give, one unit where the worker is of the processor, and forgets those
// before. It fails with a *graph.InputError where floats cannot tell distances apart, and with the cause of ctx if that
// ends first.
func (w *Worker) Do(ctx context.Context, unit, count int) error {
	if w.batch != nil {
		return w.batch.do(ctx, w.r, unit, count)
	}
	sources := w.r.order[unit*w.r.height : min((unit+1)*w.r.height, len(w.r.order))]
	clear(w.own.Vertices)
	clear(w.own.Arcs)
	w.own.Rounded[0] = 0
	if w.rows != nil {
		if err := w.readTight(sources); err != nil {
			return err
		}
	}
	return w.lanes.add(&cancel.Poll{Ctx: ctx}, sources, w.r.q, &w.own)
}

// readTight finds the arcs that are tight from each source.
func (w *Worker) readTight(sources []int32) error {
	w.ids = w.ids[:0]
	for _, v := range sources {
		w.ids = append(w.ids, int(v))
	}
	kind := w.r.g.Kind.Wide()
	row := w.r.g.N * kind.Bytes()
	memory := w.memory[:row*len(sources)]
	if err := w.rows.ReadRows(memory, w.ids); err != nil {
		return err
	}
	clear(w.lanes.tight.lanes)
	for lane := range sources {
		at := memory[lane*row:][:row]
		if kind != entry.KindF64 {
			mark(w.lanes, lane, entry.View[uint32](at))
			continue
		}
		distances := entry.View[float64](at)
		for v, d := range distances {
			if math.IsInf(d, 1) {
				distances[v] = math.NaN()
			}
		}
		mark(w.lanes, lane, distances)
	}
	return nil
}

// AddTo adds the sums of the last units' i-th to those of others.
func (w *Worker) AddTo(all *Sums, i int) {
	own := &w.own
	if w.batch != nil {
		own = w.batch.sums(w.r.q, i)
	}
	all.Rounded[0] |= own.Rounded[0]
	add(all.Vertices, own.Vertices)
	add(all.Arcs, own.Arcs)
}
