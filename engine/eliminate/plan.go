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
	"ooc/engine/rowtiles"
	"ooc/engine/sparse"
	"ooc/engine/text"
	"ooc/kernels"
	"ooc/kernels/entry"
	"ooc/tiles"
)

// planner plans one solve by elimination.
type planner struct {
	*plan.Basis
	a             Algorithm
	rows          int // of distances
	tile          int
	perRelaxation float64 // seconds, of a core that is closed in rounds
}

func (a Algorithm) planner(q *plan.Basis) *planner {
	rows, tile := cmp.Or(len(q.Sources), q.Graph.N), q.RowTile(q.Graph.Kind, q.Graph.N, q.Upper())
	return &planner{q, a, rows, tile, 1 / (coreShare * q.Rates.Kernel)}
}

// Plan orders the vertices for as long as that promises to pay, and picks where to stop eliminating. It fails with
// device.ErrMemory where a limit is too small, and with disk.ErrNoSpace where the volume has no room for any core.
func (a Algorithm) Plan(ctx context.Context, q *plan.Basis, before []plan.Offer) (offer plan.Offer, err error) {
	if q.Predecessors {
		return withPredecessors.Plan(ctx, q, before)
	}
	began := time.Now()
	a.PreferDevice, a.Free = cmp.Or(a.PreferDevice, 0.25), a.free() // once: that takes a while
	x := a.planner(q)
	chooser, rounds := x, roundsSeconds(before)
	if c := q.Chooser(); c != q {
		c.Info.Memory = math.MaxInt64 // whether the device has the memory matters later
		chooser = a.planner(c)
	}
	if !math.IsInf(rounds, 1) { // a plan for rounds is more exact
		x.perRelaxation = rounds / math.Pow(float64(q.Graph.N), 3)
		if x.Upper() { // they do half
			x.perRelaxation *= 2
		}
	}
	o, best, err := x.again(ctx)
	again := best.Vertices > 0
	if !again && err == nil {
		o, best, offer.Lacks, err = x.choose(ctx, chooser, rounds, plan.Least(before))
	}
	if err != nil {
		return offer, err
	}
	if best.Eliminated == 0 && len(before) > 0 && q.Algorithm != Name {
		offer.Seconds = math.Inf(1)
		return offer, nil
	}
	p := x.predict(best, a.PreferDevice)
	p.OrderSeconds, p.Order = time.Since(began).Seconds(), o
	offer.Plan, offer.Tile, offer.Beside = &p, x.tile, a.beside(best.Core, q.Graph, q.Info)
	offer.Memory = x.memory(best, p.Lanes > 0)
	offer.Left, offer.Seconds = p.Seconds*(1-float64(q.State.Done)/float64(x.rows)), p.Seconds
	if chooser != x {
		offer.Seconds, offer.Short = chooser.predict(best, a.PreferDevice).Seconds, x.short(best, again)
	}
	return offer, nil
}

// fits fails with disk.ErrNoSpace where the volume has no room for both the store and a core.
func (x *planner) fits(core int) error {
	const what = "a store whose elimination leaves a core of %d vertices, which is on disk beside it for a while,"
	return x.Fits(x.StoreBytes(x.tile)+x.a.beside(core, x.Graph, x.Info), fmt.Sprintf(what, core))
}

// Size implements plan.Algorithm: beside the store is that of the largest core.
func (a Algorithm) Size(q *plan.Basis) (tile int, beside int64, err error) {
	if q.Predecessors {
		return withPredecessors.Size(q)
	}
	g := &graph.Graph{Kind: q.Facts.Kind}
	tile = q.RowTile(g.Kind, q.Facts.N, q.Upper())
	return tile, a.beside(min(q.Facts.N, a.largestCore(g.Kind)), g, q.Info), nil
}

// roundsSeconds returns the seconds that the algorithms before this one take; +Inf: there are none.
func roundsSeconds(before []plan.Offer) float64 {
	for _, o := range before {
		if p, ok := o.Plan.(*rounds.Plan); ok {
			return p.Seconds - p.SyncSeconds
		}
	}
	return math.Inf(1)
}

// again returns the order and the stopping point of an earlier run, of whose floats the sums were rounded
// accordingly; a point without vertices: there was none, or another may be chosen. It fails where there is no memory
// or no room for it any more.
func (x *planner) again(ctx context.Context) (*sparse.Order, sparse.Work, error) {
	if x.Store == nil {
		return nil, sparse.Work{}, nil
	}
	stop, err := stopped(x.Store, x.State)
	if stop < 0 || err != nil {
		return nil, sparse.Work{}, err
	}
	o, err := sparse.NewOrder(ctx, x.Graph, x.orderOptions(max(1, stop)))
	if err != nil {
		return nil, sparse.Work{}, err
	}
	if stop > o.Limit {
		const says = "an earlier run eliminated %d vertices, and this program eliminates %d; " +
			"go on with the program that began, or begin again with --restart"
		err = text.ErrorOf(plan.ErrAlgorithm, says, stop, o.Limit)
	} else {
		err = x.coreFits(x.Graph.N - stop)
	}
	if err == nil {
		err = x.fits(x.Graph.N - stop)
	}
	switch {
	case err == nil:
		return o, o.At(stop), nil
	case x.Graph.Kind.Float() && errors.Is(err, device.ErrMemory):
		const says = "the distances so far were rounded as a core of %d vertices has them: %w; " +
			"give more with --host-memory or --device-memory, or begin again with --restart"
		return nil, sparse.Work{}, fmt.Errorf(says, x.Graph.N-stop, err)
	case x.Graph.Kind.Float():
		return nil, sparse.Work{}, err
	}
	return nil, sparse.Work{}, nil
}

// orderOptions say that at most so many vertices are ordered, and how many sources are sorted into batches at a time.
func (x *planner) orderOptions(limit int) sparse.OrderOptions {
	n := x.Graph.N
	o := sparse.OrderOptions{Sources: x.rows, Together: rowtiles.Together(n), Limit: limit}
	if !x.Info.SharedCores {
		o.Together = n / devicePortion
	}
	return o
}

// choose orders the vertices and picks where to stop, by the times that the chooser predicts. inRounds are the
// seconds that rounds take, and other those of the fastest algorithm before this one. lacks is why what would be faster
// is not done.
func (x *planner) choose(
	ctx context.Context, chooser *planner, inRounds, other float64,
) (o *sparse.Order, best sparse.Work, lacks, err error) {
	g := x.Graph
	most, fill := math.MaxInt32, int64(sparse.DefaultMaxFill)
	if !g.Kind.Float() { // else another point would do for less memory
		most, fill = x.a.largestCore(g.Kind), x.a.maxFill()
	}
	seconds := func(w sparse.Work) float64 { return chooser.predict(w, 0).Seconds }
	order := func(seconds func(sparse.Work) float64) (*sparse.Order, error) {
		how := x.orderOptions(0)
		how.Seconds, how.Most, how.MaxFill = seconds, func() (float64, float64) { return other, 1 }, fill
		return sparse.NewOrder(ctx, g, how)
	}
	if o, err = order(seconds); err != nil {
		return nil, best, nil, err
	}
	// The larger a core, the more memory and the more room on disk it takes: so the largest that can be closed is
	// looked for once.
	closed := largest(min(most, g.N), x.coreFits)
	// within is the best of the cores of at most so many vertices. Where elimination is asked for, the order goes on
	// until there is one, whether that pays or not.
	within := func(most int) (sparse.Work, error) {
		best, err := bestOf(ctx, o, most, seconds)
		if err != nil || best.Vertices > 0 || most < 0 || x.Algorithm != Name {
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
		err = x.tooLarge(ctx, o, most)
	}
	if err != nil {
		return nil, best, nil, err
	}
	if short := x.fits(best.Core); short != nil && x.a.beside(best.Core, g, x.Info) > 0 {
		if seconds(best) < inRounds {
			lacks = short
		}
		best, err = within(largest(best.Core, x.fits))
		if err == nil && best.Vertices == 0 {
			err = short
		}
	}
	return o, best, lacks, err
}

// short fails with device.ErrMemory if there is not enough free memory for an elimination that stops at w, again or
// at first.
func (x *planner) short(w sparse.Work, again bool) error {
	core, free := int64(w.Core)*int64(w.Core)*int64(x.Graph.Kind.Wide().Bytes()), x.a.free()
	need := w.Fill*sparse.ArcBytes + core + x.leastScratch(w.Core)
	if free == 0 || need <= free {
		return nil
	}
	other := "solve in rounds with --algorithm " + rounds.Blocked.Name()
	if again {
		other = "begin again with --restart --algorithm " + rounds.Blocked.Name()
	}
	return text.ErrorOf(device.ErrMemory,
		"an elimination down to a core of %d vertices needs %d bytes (%s) of memory, and %d (%s) are free: free as "+
			"many, or %s",
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
	return l.StoreBytesOf(graph.Extent{N: core, Dense: true}, plan.DefaultTile(core, g.Symmetric))
}

// largest returns the largest core, of at most so many vertices, that fits; -1 if none does.
func largest(most int, fits func(core int) error) int {
	return sort.Search(most+1, func(core int) bool { return fits(core) != nil }) - 1
}

// bestOf returns the best stopping point of those that leave a core of at most so many vertices, one without vertices
// if there is none.
func bestOf(ctx context.Context, o *sparse.Order, most int, cost func(sparse.Work) float64) (sparse.Work, error) {
	return o.Best(ctx, func(w sparse.Work) float64 {
		if w.Core > most {
			return math.Inf(1)
		}
		return cost(w)
	})
}

// tooLarge returns the error where every stopping point leaves too large a core: what the smallest of them lacks.
// most is how many vertices host memory has room for.
func (x *planner) tooLarge(ctx context.Context, o *sparse.Order, most int) error {
	least, err := bestOf(ctx, o, most, func(w sparse.Work) float64 { return float64(w.Core) })
	switch {
	case err != nil:
		return err
	case least.Vertices == 0:
		return fmt.Errorf("%w: elimination leaves more than %d vertices, whose matrix has to stay in host memory "+
			"while rows are expanded", device.ErrMemory, most)
	}
	return fmt.Errorf("the core that elimination leaves: %w", x.coreFits(least.Core))
}

// coreFits fails if the core can be closed neither in memory nor in rounds, or is too large for rows to be expanded
// from.
func (x *planner) coreFits(core int) error {
	g, most := x.Graph, x.HostMemory
	if most == 0 && !g.Kind.Float() { // else short says it: another choice would round differently
		most = x.a.free()
	}
	if need := x.leastScratch(core); most > 0 && need > most {
		return fmt.Errorf("%w: host memory %d bytes; expanding rows of %d vertices needs at least %d bytes",
			device.ErrMemory, most, g.N, need)
	}
	if !x.a.spills(core, g.Kind, x.Info) {
		return nil
	}
	q := *x.Basis
	q.Round, q.State = 0, tiles.State{}
	return rounds.BlockedFits(&q, tiles.Geometry{
		N: core, T: plan.DefaultTile(core, g.Symmetric), EntryBytes: g.Kind.Bytes(), Upper: g.Symmetric})
}

// leastScratch is the least memory in bytes that expands a row.
func (x *planner) leastScratch(core int) int64 {
	n, tile := x.Graph.N, int64(x.tile)
	return int64(n+1+core)*kernels.LaneLine + int64(entry.CeilDiv(n, x.tile))*tile*tile*int64(x.Graph.Kind.Bytes())
}

// memory is about how many bytes of host memory a solve takes that stops eliminating at w. onDevice says that a device
// expands.
func (x *planner) memory(w sparse.Work, onDevice bool) int64 {
	kind, v := x.Graph.Kind, x.Graph.Kind.Variant(x.Graph.Negative)
	core, closing := int64(w.Core)*int64(w.Core)*int64(v.Bytes()), int64(0)
	if x.a.closesAtOnce(w.Core, kind, x.Info) {
		closing = oneTile(w.Core, kind) // in a copy
	}
	expanding := rowtiles.Processor{
		Bytes: func(lanes int) int64 { return int64(w.Vertices+1+w.Core) * int64(lanes*v.Bytes()) },
		Unit:  kernels.LaneLine / v.Bytes(), Batch: w.BatchLanes(v),
		Room: cmp.Or(x.HostMemory, x.a.free()/4), Must: x.HostMemory > 0,
	}.Memory(x.Geometry(x.tile))
	if onDevice {
		expanding = int64(x.hostRows()*x.tile) * int64(x.Graph.N*kind.Bytes())
	}
	return w.Fill*sparse.ArcBytes + core + max(closing, expanding)
}

// free is how many bytes of memory are free; 0: unknown.
func (a Algorithm) free() int64 {
	if a.Free > 0 {
		return a.Free
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

// Measured on two cores with AVX-512 (docs/benchmarks.md). Shares are of the rate of products.
const (
	coreShare   = 0.7
	coreCopies  = 5e-10 // seconds a byte: to fill a core's matrix, and to bring it to a GPU and back
	storeCopies = 2     // times as long where the core is in a store

	// A device takes more vertices of the core at a time: about as many as if these parts of the sources were sorted one
	// after another.
	devicePortion = 4
)

// predict predicts the times of a solve that stops eliminating at w. The device expands if it takes at most 1+longer
// times as long as the processor, plus longer seconds.
func (x *planner) predict(w sparse.Work, longer float64) Plan {
	p := Plan{Eliminated: w.Eliminated, Core: w.Core, Fill: w.Fill, Rows: x.rows}
	r, kind := &x.Rates, x.Graph.Kind
	p.EliminateSeconds = r.EliminateSeconds(w)
	p.CoreSeconds = w.Rounds * x.perRelaxation
	// Of a symmetric matrix a processor closes half, and so do rounds with layout upper. A core that another device
	// closes in memory needs the other half, too. The store of a larger one costs about as much as that half of the
	// largest in memory.
	if x.Upper() && !x.Info.SharedCores {
		p.CoreSeconds += min(w.Rounds, math.Pow(float64(x.a.coreAtOnce()), 3)/2) * x.perRelaxation
	}
	if !x.Info.SharedCores {
		p.CoreSeconds += storeCopies * float64(oneTile(w.Core, kind)) * coreCopies
		if x.a.closesAtOnce(w.Core, kind, x.Info) {
			p.CoreSeconds = r.ClosureSeconds(float64(w.Core)) + float64(oneTile(w.Core, kind))*coreCopies
		}
	}
	p.ExpandSeconds = r.ExpandSeconds(w) + x.RowSeconds(x.tile, x.rows)
	x.moveToDevice(&p, w, p.ExpandSeconds*(1+longer)+longer)
	p.Seconds = p.EliminateSeconds + p.CoreSeconds + p.ExpandSeconds
	return p
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
