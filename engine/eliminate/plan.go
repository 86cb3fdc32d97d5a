package eliminate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"sort"
	"time"

	"github.com/dustin/go-humanize"

	"ooc/engine/device"
	"ooc/engine/graph"
	"ooc/engine/plan"
	"ooc/engine/rounds"
	"ooc/engine/sparse"
	"ooc/engine/text"
	"ooc/kernels"
	"ooc/kernels/entry"
	"ooc/tiles"
)

// Plan orders the vertices for as long as that promises to pay, and picks where to stop eliminating. It fails with
// device.ErrMemory where a limit is too small, and with tiles.ErrNoSpace where the volume has no room for any core.
func (a Algorithm) Plan(ctx context.Context, q *plan.Basis, before []plan.Offer) (offer plan.Offer, err error) {
	began := time.Now()
	a.o.Free = a.free() // once: that takes a while
	x, chooser := a.predictors(q, before)
	stored := q.StoreBytes(x.tile)
	fits := func(core int) error {
		const what = "a store whose elimination leaves a core of %d vertices, which is on disk beside it for a while,"
		return q.Fits(stored+a.beside(core, q.Graph, q.Info), fmt.Sprintf(what, core))
	}
	o, best, err := a.again(ctx, q, fits)
	again := best.Vertices > 0
	if !again && err == nil {
		o, best, offer.Lacks, err = a.choose(ctx, q, before, chooser, fits)
	}
	if err != nil {
		return offer, err
	}
	if best.Eliminated == 0 && len(before) > 0 && q.Algorithm != Name {
		offer.Seconds = math.Inf(1)
		return offer, nil
	}
	p := x.predict(best, a.o.PreferDevice)
	p.OrderSeconds, p.Order = time.Since(began).Seconds(), o
	offer.Plan, offer.Tile, offer.Beside = &p, x.tile, a.beside(best.Core, q.Graph, q.Info)
	offer.Left, offer.Seconds = p.Seconds*(1-float64(q.State.Done)/float64(x.rows)), p.Seconds
	if chooser != x {
		offer.Seconds, offer.Short = chooser.predict(best, a.o.PreferDevice).Seconds, a.short(best, q, again)
	}
	return offer, nil
}

// Size implements plan.Algorithm: beside the store is that of the largest core.
func (a Algorithm) Size(q *plan.Basis) (tile int, beside int64, err error) {
	g := &graph.Graph{Kind: q.Facts.Kind}
	tile = cmp.Or(q.Tile, plan.RowTile(g.Kind, rowsOf(q.Request, q.Facts.N), q.Facts.N, q.Upper()))
	return tile, a.beside(min(q.Facts.N, a.largestCore(g.Kind)), g, q.Info), nil
}

// roundsSeconds returns the seconds that the algorithms before this one take; +Inf: there are none.
func roundsSeconds(before []plan.Offer) float64 {
	for _, o := range before {
		if p, ok := o.Plan.(*plan.Rounds); ok {
			return p.Seconds - p.SyncSeconds
		}
	}
	return math.Inf(1)
}

// predictors returns what predicts the times of stages: by the rates of the request, and by those that stopping points are
// chosen by.
func (a Algorithm) predictors(q *plan.Basis, before []plan.Offer) (x, chooser *predictor) {
	g := q.Graph
	rows := rowsOf(q.Request, g.N)
	x = &predictor{algorithm: a, info: q.Info, rows: rows, tile: q.Tile, kind: g.Kind, negative: g.Negative,
		rates: &q.Rates, symmetric: g.Symmetric, upper: q.Upper(), perRelaxation: 1 / (coreShare * q.Rates.Kernel)}
	if x.tile == 0 {
		x.tile = plan.RowTile(g.Kind, rows, g.N, q.Upper())
	}
	other := *x
	if seconds := roundsSeconds(before); !math.IsInf(seconds, 1) { // a plan for rounds is more exact
		x.perRelaxation = seconds / math.Pow(float64(g.N), 3)
	}
	r := q.Chooser()
	if r == q {
		return x, x
	}
	// Whether the device has the memory matters later.
	other.rates, other.info, other.perRelaxation = &r.Rates, r.Info, 1/(coreShare*r.Rates.Kernel)
	other.info.Memory, other.tile = math.MaxInt64, plan.RowTile(g.Kind, rows, g.N, q.Upper())
	return x, &other
}

// again returns the order and the stopping point of an earlier run, of whose floats the sums were rounded accordingly; a point
// without vertices: there was none, or another may be chosen. It fails where there is no memory or no room for it any more.
func (a Algorithm) again(ctx context.Context, q *plan.Basis, fits func(core int) error) (*sparse.Order, sparse.Work, error) {
	if q.Store == nil {
		return nil, sparse.Work{}, nil
	}
	stop, err := stopped(q.Store, q.State)
	if stop < 0 || err != nil {
		return nil, sparse.Work{}, err
	}
	o, err := sparse.NewOrder(ctx, q.Graph, sparse.OrderOptions{Sources: rowsOf(q.Request, q.Graph.N), Limit: max(1, stop)})
	if err != nil {
		return nil, sparse.Work{}, err
	}
	if stop > o.Limit {
		const says = "an earlier run eliminated %d vertices, and this program eliminates %d; " +
			"go on with the program that began, or begin again with --restart"
		err = text.ErrorOf(plan.ErrAlgorithm, says, stop, o.Limit)
	} else {
		err = a.coreFits(q.Graph.N-stop, q)
	}
	if err == nil {
		err = fits(q.Graph.N - stop)
	}
	switch {
	case err == nil:
		return o, o.At(stop), nil
	case q.Graph.Kind.Float() && errors.Is(err, device.ErrMemory):
		const says = "the distances so far were rounded as a core of %d vertices has them: %w; " +
			"give more with --host-memory or --device-memory, or begin again with --restart"
		return nil, sparse.Work{}, fmt.Errorf(says, q.Graph.N-stop, err)
	case q.Graph.Kind.Float():
		return nil, sparse.Work{}, err
	}
	return nil, sparse.Work{}, nil
}

// choose orders the vertices and picks where to stop, by the times that x predicts.
func (a Algorithm) choose(ctx context.Context, q *plan.Basis, before []plan.Offer, x *predictor, fits func(core int) error) (o *sparse.Order, best sparse.Work, lacks, err error) {
	g := q.Graph
	most, fill := math.MaxInt32, int64(sparse.DefaultMaxFill)
	if !g.Kind.Float() { // else another point would do for less memory
		most, fill = a.largestCore(g.Kind), a.maxFill()
	}
	seconds := func(w sparse.Work) float64 { return x.predict(w, 0).Seconds }
	order := func(seconds func(sparse.Work) float64) (*sparse.Order, error) {
		return sparse.NewOrder(ctx, g, sparse.OrderOptions{Sources: x.rows, Seconds: seconds, MaxFill: fill})
	}
	if o, err = order(seconds); err != nil {
		return nil, best, nil, err
	}
	// The larger a core, the more memory and the more room on disk it takes: so the largest that can be closed is looked
	// for once.
	closed := largest(min(most, g.N), func(core int) error { return a.coreFits(core, q) })
	// within is the best of the cores of at most so many vertices. Where elimination is asked for, the order goes on until there
	// is one, whether that pays or not.
	within := func(most int) (sparse.Work, error) {
		best, err := bestOf(ctx, o, most, seconds)
		if err != nil || best.Vertices > 0 || most < 0 || q.Algorithm != Name {
			return best, err
		}
		small := func(w sparse.Work) float64 {
			if w.Core > most {
				return math.Inf(1)
			}
			return seconds(w)
		}
		if o, err = order(small); err != nil {
			return best, err
		}
		return bestOf(ctx, o, most, seconds)
	}
	best, err = within(closed)
	if err == nil && best.Vertices == 0 {
		err = a.tooLarge(ctx, o, most, q)
	}
	if err != nil {
		return nil, best, nil, err
	}
	if short := fits(best.Core); short != nil && a.beside(best.Core, g, q.Info) > 0 {
		if seconds(best) < roundsSeconds(before) {
			lacks = short
		}
		best, err = within(largest(best.Core, fits))
		if err == nil && best.Vertices == 0 {
			err = short
		}
	}
	return o, best, lacks, err
}

// short fails with device.ErrMemory if there is not enough free memory for an elimination that stops at w, again or at first.
func (a Algorithm) short(w sparse.Work, q *plan.Basis, again bool) error {
	l, n, kind := q.Request, q.Graph.N, q.Graph.Kind
	need, free := w.Fill*sparse.ArcBytes+int64(w.Core)*int64(w.Core)*int64(kind.Wide().Bytes()), a.free()
	need += leastScratch(kind, rowsOf(l, n), n, w.Core, l.Tile, q.Upper())
	if free == 0 || need <= free {
		return nil
	}
	other := "solve in rounds with --algorithm " + rounds.BlockedName
	if again {
		other = "begin again with --restart --algorithm " + rounds.BlockedName
	}
	return text.ErrorOf(device.ErrMemory,
		"an elimination down to a core of %d vertices needs %d bytes (%s) of memory, and %d (%s) are free: free as many, or %s",
		w.Core, need, humanize.IBytes(uint64(need)), free, humanize.IBytes(uint64(free)), other)
}

// beside returns the bytes of the store that a core is solved in, 0 if it is closed in memory.
func (a Algorithm) beside(core int, g *graph.Graph, info kernels.Info) int64 {
	l := plan.Request{Kind: g.Kind}
	if !a.spills(core, g.Kind, info) {
		return 0
	}
	if g.Symmetric {
		l.Layout = tiles.Upper
	}
	return plan.StoreBytes(graph.Extent{N: core, Dense: true}, plan.DefaultTile(core, g.Symmetric), l)
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
func (a Algorithm) tooLarge(ctx context.Context, o *sparse.Order, most int, q *plan.Basis) error {
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
func (a Algorithm) coreFits(core int, q *plan.Basis) error {
	l, n := q.Request, q.Graph.N
	most := l.HostMemory
	if most == 0 && !q.Graph.Kind.Float() { // else short says it: another choice would round differently
		most = a.free()
	}
	if need := leastScratch(q.Graph.Kind, rowsOf(l, n), n, core, l.Tile, q.Upper()); most > 0 && need > most {
		return fmt.Errorf("%w: host memory %d bytes; expanding rows of %d vertices needs at least %d bytes",
			device.ErrMemory, most, n, need)
	}
	if !a.spills(core, q.Graph.Kind, q.Info) {
		return nil
	}
	in := *q
	in.Round, in.State = 0, tiles.State{}
	return rounds.BlockedFits(&in, tiles.Geometry{
		N: core, T: plan.DefaultTile(core, q.Graph.Symmetric), EntryBytes: q.Graph.Kind.Bytes(), Upper: q.Graph.Symmetric})
}

// leastScratch is the least memory in bytes that expands a row of n vertices.
func leastScratch(kind entry.Kind, rows, n, core, tile int, upper bool) int64 {
	if tile == 0 {
		tile = plan.RowTile(kind, rows, n, upper)
	}
	return int64(n+1+core)*kernels.LaneLine + int64(entry.CeilDiv(n, tile))*int64(tile)*int64(tile)*int64(kind.Bytes())
}

// rowsOf is how many rows are wanted.
func rowsOf(l plan.Request, n int) int {
	if len(l.Sources) > 0 {
		return len(l.Sources)
	}
	return n
}

// free is how many bytes of memory are free; 0: unknown.
func (a Algorithm) free() int64 {
	if a.o.Free > 0 {
		return a.o.Free
	}
	return device.FreeMemory()
}

// maxFill is how many arcs up fit in memory.
func (a Algorithm) maxFill() int64 {
	if free := a.free(); free > 0 {
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

// predict predicts the times of a solve that stops eliminating at w. The device expands if it takes at most 1+longer times as
// long as the processor, plus longer seconds.
func (x *predictor) predict(w sparse.Work, longer float64) Plan {
	p := Plan{Eliminated: w.Eliminated, Core: w.Core, Fill: w.Fill, Rows: x.rows}
	r := x.rates
	p.EliminateSeconds = r.EliminateSeconds(w)
	p.CoreSeconds = w.Rounds * x.perRelaxation
	// perRelaxation counts the relaxations of a whole matrix, of which rounds with layout upper do half. A core that is closed
	// in memory needs the other half, too. The store of a larger one costs about as much as that half of the largest in memory.
	if x.upper {
		p.CoreSeconds += min(w.Rounds, math.Pow(float64(max(0, x.algorithm.o.CoreAtOnce)), 3)) * x.perRelaxation
	}
	if !x.info.SharedCores {
		p.CoreSeconds += storeCopies * float64(oneTile(w.Core, x.kind)) * coreCopies
		if x.algorithm.closesAtOnce(w.Core, x.kind, x.info) {
			p.CoreSeconds = r.ClosureSeconds(float64(w.Core)) + float64(oneTile(w.Core, x.kind))*coreCopies
		}
	}
	p.ExpandSeconds = r.ExpandSeconds(w) + x.bytes(w)/x.fileWrites()
	x.moveToDevice(&p, w, p.ExpandSeconds*(1+longer)+longer)
	p.Seconds = p.EliminateSeconds + p.CoreSeconds + p.ExpandSeconds
	return p
}

// fileWrites returns the bytes/s at which rows are written.
func (x *predictor) fileWrites() float64 {
	return min(writeRate*float64(x.rates.Threads()), fileRate)
}

// largestCore returns the vertices of the largest core whose matrix may stay in memory while rows are expanded.
func (a Algorithm) largestCore(kind entry.Kind) int {
	free := a.free()
	if free == 0 {
		return math.MaxInt32
	}
	return int(math.Sqrt(float64(free) / 2 / float64(kind.Wide().Bytes())))
}

// threads is how many goroutines expand on the processor.
func threads() int { return runtime.GOMAXPROCS(0) }
