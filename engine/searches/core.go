package searches

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"

	"github.com/dustin/go-humanize"

	"ooc/engine/graph"
	"ooc/engine/rows"
	"ooc/engine/sparse"
	"ooc/engine/text"
	"ooc/kernels/cpu"
	"ooc/kernels/entry"
)

// CoreEngine eliminates the vertices that have few arcs, and searches what is left by lanes.
type CoreEngine struct{}

// Name implements rows.Engine.
func (CoreEngine) Name() string { return "core-searches" }

const (
	fewer      = 0.95   // of the time: less is not worth another trial
	mostArcs   = 2      // times as many as the graph has make searches slower
	tryingEach = 0.5e-6 // about the seconds for each vertex and arc to find out what a batch takes
	tryingTime = 30     // times that at least have the other engines to take for it to be worth it
)

// Offer implements rows.Engine. It halves what is left as long as that makes a batch faster. It fails with
// plan.ErrAlgorithm where no lanes search, where weights are no integers, or where another engine is faster for sure.
func (e CoreEngine) Offer(ctx context.Context, g *graph.Graph, q rows.Question) (rows.Offer, error) {
	count := cmp.Or(q.Rows, g.N)
	lanes := cpu.PushBytes / g.Kind.Bytes()
	batches := float64(entry.CeilDiv(count, lanes))
	// All rows are written, and each vertex that is eliminated takes an arc down.
	least := onAll((lineSeconds + pushSeconds) * float64(g.N) * batches / 2)
	const says = "%s are for integer weights that differ, and for many rows; leave the algorithm to the plan"
	if g.Negative || equal(g) || g.Kind.Float() || !g.Kind.Kernels() {
		return rows.Offer{}, text.ErrorOf(errOther, says, e.Name())
	}
	if err := short(q, lanedBytes(g)); err != nil {
		return rows.Offer{}, err
	}
	arcs := int64(math.MaxInt64) // where nobody else is asked, or it was chosen before
	if q.Most != nil && q.After == nil {
		trying := tryingEach * float64(int64(g.N)+g.Arcs())
		most := q.Most()
		if most > 0 && most < max(least, tryingTime*trying) {
			return rows.Offer{}, text.ErrorOf(errOther, says, e.Name())
		} else if most > 0 {
			arcs = mostArcs * g.Arcs()
		}
	}
	// A core that has more arcs than the graph takes longer.
	options := sparse.OrderOptions{Sources: count, MaxFill: min(g.Arcs(), math.MaxInt32)}
	left := g.N - g.N/2
	if q.After != nil {
		left, options.Limit = g.N-*q.After, max(1, *q.After)
	}
	order, err := sparse.NewOrder(ctx, g, options)
	if err != nil {
		return rows.Offer{}, err
	}
	whole := newLaned(g, numberOut(g))
	var ready *laned
	batch := math.Inf(1)
	for ; left > 0; left /= 2 {
		next, err := whole.after(ctx, order, min(g.N-left, order.Limit), arcs)
		if err != nil {
			return rows.Offer{}, err
		}
		if next == nil {
			break
		}
		took, _, err := next.try(count)
		if err != nil {
			return rows.Offer{}, err
		}
		if took > fewer*batch {
			break
		}
		if ready, batch = next, took; q.After != nil || g.N-left > order.Limit {
			break
		}
	}
	if ready == nil {
		return rows.Offer{}, text.ErrorOf(errOther, says, e.Name())
	}
	q, err = q.Opened()
	o := rows.Offer{Engine: e.Name(), Seconds: inBatches(batch, entry.CeilDiv(count, ready.lanes()), q),
		Least: lanedBytes(g) + 8*int64(len(ready.out.ends)+len(ready.down.ends)), Tiles: true, How: fmt.Sprintf("%s eliminated, the other %s searched from %d at a time",
			text.Count(ready.stopped, "vertex", "vertices"), humanize.Comma(int64(g.N-ready.stopped)), ready.lanes())}
	o.Memory = 8*int64(len(ready.out.ends)+len(ready.down.ends)) + ready.LaneBytes(0)*int64(runtime.GOMAXPROCS(0))
	o.Prepare = func(context.Context) (rows.Ready, error) { return ready, nil }
	return o, cmp.Or(err, short(q, o.Least))
}

// downward are the arcs from places to eliminated ones that have them as arcs up.
type downward struct {
	arcs
	weights []uint32
	from    []int32 // the places that have any, in an order in which none has an arc from one after it
}

// Stopped is how many vertices are eliminated, for rows.Question.After.
func (r *laned) Stopped() int { return r.stopped }

// after returns the graph, of integer weights, where an elimination stops. Places of the core come first. Searches go
// up from eliminated places, and through the core; a sweep down ends them. It returns nil where that leaves more arcs
// than most.
func (r *laned) after(ctx context.Context, o *sparse.Order, stop int, most int64) (*laned, error) {
	e, err := o.Eliminate(ctx, r.g, stop)
	if err != nil {
		return nil, err
	}
	core, n := int32(e.Core()), r.g.N
	next := *r
	next.stopped, next.left = stop, int(core)
	next.numbered = &numbered{order: slices.Clone(r.order), place: make([]int32, n)}
	slices.SortStableFunc(next.order, func(a, b int32) int {
		return cmp.Compare(min(e.Rank[a], core), min(e.Rank[b], core))
	})
	for i, v := range next.order {
		next.place[v] = int32(i)
	}
	next.share()
	down := &downward{}
	next.down = down

	// Arcs down are listed by what they lead from.
	down.start = make([]int64, n+1)
	for _, end := range e.Down.Ends {
		down.start[next.place[e.Vertices[end]]+1]++
	}
	for i := range n {
		down.start[i+1] += down.start[i]
	}
	at := slices.Clone(down.start)
	down.ends = make([]int32, len(e.Down.Ends), len(e.Down.Ends)+cpu.EndsAhead)
	down.weights = make([]uint32, len(e.Down.Ends))
	for rank := core; int(rank) < n; rank++ {
		for k := e.Down.Offsets[rank]; k < e.Down.Offsets[rank+1]; k++ {
			from := next.place[e.Vertices[e.Down.Ends[k]]]
			down.ends[at[from]], down.weights[at[from]] = next.place[e.Vertices[rank]], next.capped(e.Down.Weights[k])
			at[from]++
		}
	}
	for _, v := range e.Vertices {
		if p := next.place[v]; down.start[p] < down.start[p+1] {
			down.from = append(down.from, p)
		}
	}

	// Between vertices of the core lead their own arcs, and paths over one eliminated vertex.
	out := newCollector(n)
	weights := entry.As[uint32](r.g.I32)
	for p, v := range next.order {
		rank := e.Rank[v]
		if rank >= core {
			for k := e.Up.Offsets[rank]; k < e.Up.Offsets[rank+1]; k++ {
				out.add(next.place[e.Vertices[e.Up.Ends[k]]], next.capped(e.Up.Weights[k]))
			}
			out.end()
			continue
		}
		for k := r.g.Offsets[v]; k < r.g.Offsets[v+1]; k++ {
			if e.Rank[r.g.Targets[k]] < core {
				out.add(next.place[r.g.Targets[k]], next.capped(weights[k]))
			}
		}
		for i := down.start[p]; i < down.start[p+1]; i++ {
			over := e.Rank[next.order[down.ends[i]]]
			for k := e.Up.Offsets[over]; k < e.Up.Offsets[over+1] && e.Up.Ends[k] < core; k++ {
				if to := next.place[e.Vertices[e.Up.Ends[k]]]; int(to) != p {
					out.add(to, next.capped(down.weights[i]+e.Up.Weights[k]))
				}
			}
		}
		if out.end(); int64(len(out.ends)) > most {
			return nil, nil
		}
	}
	next.out, next.weights = &out.arcs, out.weights
	out.ends = append(out.ends, make([]int32, cpu.EndsAhead)...)[:len(out.ends)]
	return &next, nil
}

// capped is a weight, or what is unreachable if the lanes hold no more.
func (r *laned) capped(weight uint32) uint32 { return min(weight, uint32(r.kind.Unreachable())) }

// sweep ends a search of what an elimination has left.
func (w *laner) sweep() {
	d := w.down
	for i, u := range d.from {
		lo, hi := d.start[u], d.start[u+1]
		next := d.ends[d.start[d.from[min(i+1, len(d.from)-1)]]:cap(d.ends)]
		w.push(w.m.Data, int(u), d.ends[lo:hi], d.weights[lo:hi], w.changed, w.keys, next)
	}
}

// collector collects arcs place by place, of several to one place the lightest.
type collector struct {
	arcs
	weights []uint32
	at      []int64 // by place: where the arc to it is, if that is of the place at hand
}

func newCollector(n int) *collector {
	return &collector{arcs: arcs{start: make([]int64, 1, n+1)}, at: slices.Repeat([]int64{-1}, n)}
}

func (c *collector) add(end int32, weight uint32) {
	if k := c.at[end]; k >= c.start[len(c.start)-1] {
		c.weights[k] = min(c.weights[k], weight)
		return
	}
	c.at[end] = int64(len(c.ends))
	c.ends, c.weights = append(c.ends, end), append(c.weights, weight)
}

func (c *collector) end() { c.start = append(c.start, int64(len(c.ends))) }
