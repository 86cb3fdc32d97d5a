package eliminate

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"runtime"
	"sort"
	"time"

	"ooc/engine/device"
	"ooc/engine/graph"
	"ooc/engine/plan"
	"ooc/engine/rounds"
	"ooc/engine/sparse"
	"ooc/kernels"
	"ooc/kernels/entry"
	"ooc/tiles"
)

// Plan orders the vertices for as long as that promises to pay, and picks where to stop eliminating. It fails with
// device.ErrMemory where a limit is too small, and with tiles.ErrNoSpace where the volume has no room for any core.
func (a Algorithm) Plan(ctx context.Context, q *plan.Request, c *plan.Choice) (plan.Offer, error) {
	g, l, r := q.Graph, q.Limits, &q.Rates
	rows := rowsOf(l, g.N)
	began, most := time.Now(), largestCore(g.Kind)
	perRelaxation := 1 / (coreShare * r.Kernel)
	if c.Rounds != nil { // a plan for rounds is more exact
		perRelaxation = (c.Rounds.Seconds - c.Rounds.SyncSeconds) / math.Pow(float64(g.N), 3)
	}
	x := &predictor{algorithm: a, info: q.Info, rows: rows, tile: l.Tile, kind: g.Kind, negative: g.Negative, rates: r, symmetric: g.Symmetric, upper: q.Upper()}
	if x.tile == 0 {
		x.tile = plan.RowTile(g.Kind, rows, g.N, q.Upper())
	}
	seconds := func(w sparse.Work) float64 { return x.predict(w, perRelaxation, 0).Seconds }
	o, err := sparse.NewOrder(ctx, g, sparse.OrderOptions{Sources: rows, Seconds: seconds, MaxFill: maxFill()})
	if err != nil {
		return plan.Offer{}, err
	}
	// The larger a core, the more memory and the more room on disk it takes: so the largest that can be closed is looked
	// for once.
	closed := largest(min(most, g.N), func(core int) error { return a.coreFits(core, q) })
	// within is the best of the cores of at most so many vertices. Where elimination is asked for, the order goes on until there
	// is one, whether that pays or not.
	within := func(most int) (sparse.Work, error) {
		best, err := bestOf(ctx, o, most, seconds)
		if err != nil || best.Vertices > 0 || most < 0 || l.Algorithm != Name {
			return best, err
		}
		small := func(w sparse.Work) float64 {
			if w.Core > most {
				return math.Inf(1)
			}
			return seconds(w)
		}
		if o, err = sparse.NewOrder(ctx, g, sparse.OrderOptions{Sources: rows, Seconds: small, MaxFill: maxFill()}); err != nil {
			return best, err
		}
		return bestOf(ctx, o, most, seconds)
	}
	best, err := within(closed)
	if err != nil {
		return plan.Offer{}, err
	}
	if best.Vertices == 0 {
		return plan.Offer{}, a.tooLarge(ctx, o, most, q)
	}
	stored := q.StoreBytes(x.tile)
	fits := func(core int) error {
		return q.Fits(stored+a.beside(core, g, q.Info), fmt.Sprintf("a store whose elimination leaves a core of %d vertices, which is on disk beside it for a while,", core))
	}
	if lacks := fits(best.Core); lacks != nil && a.beside(best.Core, g, q.Info) > 0 {
		if c.Rounds == nil || seconds(best) < c.Rounds.Seconds-c.Rounds.SyncSeconds {
			c.Lacks = lacks
		}
		if best, err = within(largest(best.Core, fits)); err != nil {
			return plan.Offer{}, err
		}
		if best.Vertices == 0 {
			return plan.Offer{}, lacks
		}
	}
	if best.Eliminated == 0 && c.Rounds != nil && l.Algorithm != Name {
		return plan.Offer{Seconds: math.Inf(1)}, nil
	}
	p := x.predict(best, perRelaxation, a.o.PreferDevice)
	p.OrderSeconds = time.Since(began).Seconds()
	p.Algorithm, p.Order = Name, o
	c.Eliminate = &p
	return plan.Offer{Seconds: p.Seconds, Tile: x.tile, Beside: a.beside(best.Core, g, q.Info)}, nil
}

// beside returns the bytes of the store that a core is solved in, 0 if it is closed in memory.
func (a Algorithm) beside(core int, g *graph.Graph, info kernels.Info) int64 {
	l := plan.Limits{Kind: g.Kind}
	if !a.spills(core, g.Kind, info) {
		return 0
	}
	if g.Symmetric {
		l.Layout = tiles.Upper
	}
	return plan.StoreBytes(graph.Extent{N: core, Dense: true}, plan.DefaultTile(core, g.Symmetric), l)
}

// MostBeside returns the bytes of the store of the largest core that a graph of n vertices and some kind can leave; "": a kind
// of 4 bytes.
func MostBeside(n int, kind entry.Kind, info kernels.Info) int64 {
	g := &graph.Graph{Kind: cmp.Or(kind, entry.KindI32)}
	return New(Options{}).beside(min(n, largestCore(g.Kind)), g, info)
}

// largest returns the largest core, of at most so many vertices, that fits; -1 if none does.
func largest(most int, fits func(core int) error) int {
	return sort.Search(most+1, func(core int) bool { return fits(core) != nil }) - 1
}

// bestOf returns the best stopping point of those that leave a core of at most so many vertices, one without vertices if
// there is none.
func bestOf(ctx context.Context, o *sparse.Order, most int, cost func(sparse.Work) float64) (sparse.Work, error) {
	return o.Best(ctx, func(w sparse.Work) float64 {
		if w.Core > most {
			return math.Inf(1)
		}
		return cost(w)
	})
}

// tooLarge returns the error where every stopping point leaves too large a core: what the smallest of them lacks. most is
// how many vertices host memory has room for.
func (a Algorithm) tooLarge(ctx context.Context, o *sparse.Order, most int, q *plan.Request) error {
	least, err := bestOf(ctx, o, most, func(w sparse.Work) float64 { return float64(w.Core) })
	switch {
	case err != nil:
		return err
	case least.Vertices == 0:
		return fmt.Errorf("%w: elimination leaves more than %d vertices, whose matrix has to stay in host memory while rows are expanded", device.ErrMemory, most)
	}
	return fmt.Errorf("the core that elimination leaves: %w", a.coreFits(least.Core, q))
}

// coreFits fails if the core can be closed neither in memory nor in rounds, or is too large for rows to be expanded from.
func (a Algorithm) coreFits(core int, q *plan.Request) error {
	l, n := q.Limits, q.Graph.N
	if need := leastScratch(q.Graph.Kind, rowsOf(l, n), n, core, l.Tile, q.Upper()); l.HostMemory > 0 && need > l.HostMemory {
		return fmt.Errorf("%w: host memory %d bytes; expanding rows of %d vertices needs at least %d bytes", device.ErrMemory, l.HostMemory, n, need)
	}
	if !a.spills(core, q.Graph.Kind, q.Info) {
		return nil
	}
	l.Round = 0
	return rounds.BlockedFits(tiles.Geometry{N: core, T: plan.DefaultTile(core, q.Graph.Symmetric), EntryBytes: q.Graph.Kind.Bytes(), Upper: q.Graph.Symmetric}, q.Info, q.Rates, l)
}

// leastScratch is the least memory in bytes that expands a row of n vertices.
func leastScratch(kind entry.Kind, rows, n, core, tile int, upper bool) int64 {
	if tile == 0 {
		tile = plan.RowTile(kind, rows, n, upper)
	}
	return int64(n+1+core)*kernels.LaneLine + int64(entry.CeilDiv(n, tile))*int64(tile)*int64(tile)*int64(kind.Bytes())
}

// rowsOf is how many rows are wanted.
func rowsOf(l plan.Limits, n int) int {
	if len(l.Sources) > 0 {
		return len(l.Sources)
	}
	return n
}

// maxFill is how many arcs up fit in memory.
func maxFill() int64 {
	if free := device.FreeMemory(); free > 0 {
		return min(sparse.DefaultMaxFill, free/2/sparse.ArcBytes)
	}
	return sparse.DefaultMaxFill
}

// Measured on two cores with AVX-512, unless said otherwise (docs/benchmarks.md). Shares are of the rate of products.
const (
	writeRate   = 600e6 // bytes/s of one thread into a file that was never written: the system finds pages
	fileRate    = 2e9   // bytes/s of all threads on the H100's host: writes to one file take turns, and go on to its disk
	coreShare   = 0.7
	coreCopies  = 5e-10 // seconds a byte: to fill a core's matrix, and to bring it to a GPU and back
	storeCopies = 2     // times as long where the core is in a store
)

// predict predicts the times of a solve that stops eliminating at w. A core closed in rounds takes perRelaxation seconds
// per relaxation. The device expands if it takes at most 1+longer times as long as the processor, plus longer seconds.
func (x *predictor) predict(w sparse.Work, perRelaxation, longer float64) plan.Elimination {
	p := plan.Elimination{Eliminated: w.Eliminated, Core: w.Core, Fill: w.Fill, Rows: x.rows}
	r := x.rates
	p.EliminateSeconds = plan.EliminateSeconds(w)
	p.CoreSeconds = w.Rounds * perRelaxation
	// perRelaxation counts the relaxations of a whole matrix, of which rounds with layout upper do half. A core that is closed
	// in memory needs the other half, too. The store of a larger one costs about as much as that half of the largest in memory.
	if x.upper {
		p.CoreSeconds += min(w.Rounds, math.Pow(float64(max(0, x.algorithm.o.CoreAtOnce)), 3)) * perRelaxation
	}
	if !x.info.SharedCores {
		p.CoreSeconds += storeCopies * float64(oneTile(w.Core, x.kind)) * coreCopies
		if x.algorithm.closesAtOnce(w.Core, x.kind, x.info) {
			p.CoreSeconds = r.ClosureSeconds(float64(w.Core)) + float64(oneTile(w.Core, x.kind))*coreCopies
		}
	}
	p.ExpandSeconds = r.ExpandSeconds(w) + x.bytes(w)/fileWrites()
	x.moveToDevice(&p, w, p.ExpandSeconds*(1+longer)+longer)
	p.Seconds = p.EliminateSeconds + p.CoreSeconds + p.ExpandSeconds
	return p
}

// fileWrites returns the bytes/s at which rows are written.
func fileWrites() float64 { return min(writeRate*float64(threads()), fileRate) }

// largestCore returns the vertices of the largest core whose matrix may stay in memory while rows are expanded.
func largestCore(kind entry.Kind) int {
	free := device.FreeMemory()
	if free == 0 {
		return math.MaxInt32
	}
	return int(math.Sqrt(float64(free) / 2 / float64(kind.Wide().Bytes())))
}

// threads is how many goroutines expand on the processor.
func threads() int { return runtime.GOMAXPROCS(0) }
