package factors

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync"
	"time"

	"github.com/dustin/go-humanize"

	"ooc/engine/device"
	"ooc/engine/graph"
	"ooc/engine/live"
	"ooc/engine/plan"
	"ooc/engine/rows"
	"ooc/engine/sparse"
	"ooc/engine/text"
	"ooc/kernels"
	"ooc/kernels/cpu"
	"ooc/kernels/entry"
	"ooc/tiles/arrays"
)

// Engine is the engine of rows that eliminates the graph.
type Engine struct{}

// Name is the engine's name. It is that of the algorithm of a store that keeps factors, too.
const Name = "factors"

// Name implements rows.Engine.
func (Engine) Name() string { return Name }

// Offer implements rows.Engine.
func (Engine) Offer(ctx context.Context, g *graph.Graph, q rows.Question) (rows.Offer, error) {
	if !g.Kind.Kernels() {
		return rows.Offer{}, text.ErrorOf(plan.ErrAlgorithm,
			"%s are computed in no kind %s; leave the algorithm to the plan", Name, g.Kind)
	}
	began := time.Now()
	if q.Stage == nil {
		q.Stage = func(live.Stage, live.StageShares) {}
	}
	q.Stage(live.StageOrder, live.StageShares{})
	order, work, made, err := stop(ctx, g, q)
	q, failed := q.Opened()
	if err = cmp.Or(err, failed); err != nil {
		return rows.Offer{}, err
	}
	// A line of lanes for each vertex, and a row.
	least := int64(g.N+1+work.Core)*kernels.LaneLine + int64(g.N)*int64(g.Kind.Bytes()) + kernels.LaneLine
	offer := rows.Offer{Engine: Name, Seconds: secondsWith(q)(work), Least: least}
	offer.Counted = q.Pieces > 0 && q.Sums != nil
	// The core is closed in a copy.
	core := int64(work.Core) * int64(work.Core) * int64(g.Kind.Wide().Bytes())
	offer.Memory = orderBytes*int64(g.N) + work.Fill*sparse.ArcBytes*3/4 + 2*core +
		int64(runtime.GOMAXPROCS(0))*work.WindowBytes(g.Kind.Bytes())
	offer.How = fmt.Sprintf("%s eliminated, a core of %s", text.Count(work.Eliminated, "vertex", "vertices"),
		humanize.Comma(int64(work.Core)))
	offer.Prepare = func(ctx context.Context) (rows.Ready, error) {
		f, err := prepare(ctx, g, q, order, work, made, began)
		if err != nil {
			return nil, err
		}
		return f, nil
	}
	return offer, nil
}

// orderBytes is about what ordering takes for each vertex.
const orderBytes = 180

// deviceTimes is about how many times as fast as two threads a GPU is at what it does.
const deviceTimes = 50

// Measured on an H100 (docs/benchmarks.md).
const (
	piecesStart   = 0.05    // to begin, beyond what ordering hides
	orderVertex   = 1.9e-6  // to order, for each vertex
	closeProduct  = 7e-14   // of all of the core's, as devices do not halve them
	crossProduct  = 1.1e-13 // to the distances between upper ranks
	sweepProducts = 6.7e-13 // that pieces take for each of a sweep
)

// secondsWith returns about how long the processor takes for some work, or the question's devices that multiply by
// pieces.
func secondsWith(q rows.Question) func(sparse.Work) float64 {
	rate, times := productsPerSecond(), 1.0
	gpu := q.Device != nil && !q.Device.Info().SharedCores
	if gpu {
		times = 2 * deviceTimes / float64(runtime.GOMAXPROCS(0)) // as fast as all threads
	}
	if !gpu || q.Pieces == 0 {
		return func(w sparse.Work) float64 {
			w.Rounds, w.Climb, w.Cross, w.Sweep = w.Rounds/times, w.Climb/times, w.Cross/times, w.Sweep/times
			return plan.Weigh(w) / rate
		}
	}
	devices := float64(len(device.Each(q.Device)))
	return func(w sparse.Work) float64 {
		core := float64(w.Core)
		return piecesStart + orderVertex*float64(w.Vertices) + plan.Weigh(sparse.Work{Eliminate: w.Eliminate})/rate +
			closeProduct*core*core*core + crossProduct*w.Cross + sweepProducts*w.Sweep/devices
	}
}

// ErrDense is wrapped by the error of a graph whose elimination leaves too large a core.
var ErrDense = errors.New("the graph is too dense for factors")

// Factors are an elimination of a graph and its closed core. Any number of goroutines may ask them.
type Factors struct {
	Elimination *sparse.Elimination
	Core        *sparse.DenseCore

	EliminateSeconds, CoreSeconds float64 // that it took to order and eliminate, and to close the core

	host kernels.Device // allocates what expanders compute in
	file *arrays.File   // that is mapped; nil: they are in memory
	asked
}

// Stopped is how many vertices are eliminated, for Question.After.
func (f *Factors) Stopped() int { return f.Elimination.Work.Eliminated }

// Of returns the factors of an elimination and its closed core. host allocates what rows are computed in, and stays
// the caller's: do not close these factors.
func Of(host kernels.Device, e *sparse.Elimination, core *sparse.DenseCore) *Factors {
	return &Factors{Elimination: e, Core: core, host: host}
}

// early is an elimination that was made before the devices were open.
type early struct {
	order   *sparse.Order
	best    sparse.Work // where it stops
	e       *sparse.Elimination
	host    *cpu.Device // of e
	cleanup runtime.Cleanup
}

// earlySeconds is how long an early elimination may be estimated to take.
const earlySeconds = 0.1

// eliminateEarly returns an elimination that stops at best; nil: it takes too long, or has failed, and is tried again
// by prepare.
func eliminateEarly(ctx context.Context, g *graph.Graph, order *sparse.Order, best sparse.Work) *early {
	if best.Vertices == 0 || plan.Weigh(sparse.Work{Eliminate: best.Eliminate}) > earlySeconds*productsPerSecond() {
		return nil
	}
	host, err := cpu.Open(cpu.Options{})
	if err != nil {
		return nil
	}
	e, err := order.EliminateInPieces(ctx, g, best.Eliminated, sparse.Cutting{MostUpper: math.MaxInt}, host)
	if err != nil {
		_ = host.Close() // the error that counts is err, which comes again
		return nil
	}
	made := &early{order: order, best: best, e: e, host: host}
	made.cleanup = runtime.AddCleanup(made, func(d *cpu.Device) { _ = d.Close() }, host) // nobody may take the offer
	return made
}

// prepare eliminates vertices, unless that was done early, and closes the core. began is when ordering the vertices has
// begun.
func prepare(ctx context.Context, g *graph.Graph, q rows.Question, order *sparse.Order, work sparse.Work,
	made *early, began time.Time) (f *Factors, err error) {
	var host *cpu.Device
	if made != nil && made.e.Pieces.Fit(q.Pieces) {
		made.cleanup.Stop()
		host = made.host
	} else if host, err = cpu.Open(cpu.Options{}); err != nil {
		return nil, err
	} else if made != nil { // its memory is wanted for another
		made.cleanup.Stop()
		err = made.host.Close()
		*made, made = early{}, nil
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, host.Close())
		}
	}()
	if err != nil {
		return nil, err
	}
	closers := []kernels.Device{host}
	if q.Device != nil {
		closers = []kernels.Device{q.Device, host}
	}
	f = &Factors{host: host}
	shares := Shares(work)
	q.Stage(live.StageEliminate, shares)
	if made != nil {
		f.Elimination = made.e
	} else if q.Pieces > 0 {
		f.Elimination, err = order.EliminateInPieces(ctx, g, work.Eliminated,
			sparse.Cutting{MostUpper: q.Pieces}, host)
	} else {
		f.Elimination, err = order.EliminateAlike(ctx, g, work.Eliminated, host)
	}
	if err != nil {
		return nil, err
	}
	cut := f.Elimination.Pieces != nil && q.Cut != nil
	if cut {
		q.Cut(f.Elimination)
	}
	q.Stage(live.StageCore, shares)
	closing := time.Now()
	f.EliminateSeconds = closing.Sub(began).Seconds()
	for _, d := range closers {
		if f.Core, err = f.Elimination.CloseCore(ctx, d, host, cut); !errors.Is(err, kernels.ErrNoMemory) {
			break
		}
	}
	f.CoreSeconds = time.Since(closing).Seconds()
	if err == nil && ctx.Err() != nil {
		err = errors.Join(context.Cause(ctx), f.Core.Close()) // a device may have it
	}
	if err != nil {
		return nil, err
	}
	return f, nil
}

// Shares are what the stages of an elimination take on a processor that expands rows after it.
func Shares(w sparse.Work) live.StageShares {
	return live.StageShares{
		Eliminate: plan.Weigh(sparse.Work{Eliminate: w.Eliminate}), Core: plan.Weigh(sparse.Work{Rounds: w.Rounds}),
		Last: plan.Weigh(sparse.Work{Climb: w.Climb, Cross: w.Cross, Sweep: w.Sweep}),
	}
}

// productsPerSecond is about how many relaxations, as plan.Weigh counts them, all threads do in a second.
func productsPerSecond() float64 { return plan.Products * float64(runtime.GOMAXPROCS(0)) }

// stop orders the vertices, and picks where elimination stops: where counts say that it pays, in the memory that it
// may take. What is free decides nothing, since sums of floats and of reciprocals are rounded in the order of
// elimination.
func stop(ctx context.Context, g *graph.Graph, q rows.Question) (_ *sparse.Order, best sparse.Work, made *early,
	err error) {
	room, most := q.Memory, g.N
	options := sparse.OrderOptions{Sources: q.Rows, Dissect: q.Dissect}
	if q.After != nil {
		options.Limit = max(1, *q.After)
		order, err := sparse.NewOrder(ctx, g, options)
		if err != nil {
			return nil, best, nil, err
		}
		best = order.At(min(*q.After, order.Limit))
		return order, best, nil, short(q, best, g.Kind)
	}
	if room > 0 {
		most = min(most, int(math.Sqrt(float64(room)/2/float64(g.Kind.Wide().Bytes()))))
		options.MaxFill = min(sparse.DefaultMaxFill, max(1, room/2/sparse.ArcBytes))
	}
	fits := func(w sparse.Work) float64 {
		if w.Core > most {
			return math.Inf(1)
		}
		return plan.Weigh(w)
	}
	options.Seconds = plan.Weigh
	opened := sync.OnceValues(func() (seconds func(sparse.Work) float64, second float64) {
		q, _ := q.Opened()     // Offer returns the error
		second = plan.Products // the same on every machine
		if d := q.Device; d != nil && !d.Info().SharedCores {
			second = productsPerSecond()
		}
		return secondsWith(q), second
	})
	options.Others = func(w sparse.Work) float64 {
		seconds, _ := opened()
		return seconds(w) * productsPerSecond()
	}
	if q.Most != nil {
		options.Most = func() (most, second float64) {
			_, second = opened()
			return q.Most() * productsPerSecond(), second
		}
	}
	if cmp.Or(q.Rows, g.N) >= manyRows {
		options.Ahead = aheadSteps * int64(g.N)
	}
	if q.Open != nil {
		options.Meanwhile = func(order *sparse.Order) {
			best, err := order.Best(ctx, fits)
			if err = cmp.Or(err, short(q, best, g.Kind)); err == nil { // it comes again
				made = eliminateEarly(ctx, g, order, best)
			}
		}
	}
	order, err := sparse.NewOrder(ctx, g, options)
	if err != nil {
		return nil, best, nil, err
	}
	if made != nil && made.order == order {
		best = made.best
	} else {
		made = nil
		best, err = order.Best(ctx, fits)
	}
	if err == nil && best.Vertices == 0 { // no core fits that is worth its time: then one that fits
		options.Seconds, options.Meanwhile = fits, nil
		if order, err = sparse.NewOrder(ctx, g, options); err == nil {
			best, err = order.Best(ctx, fits)
		}
	}
	if err == nil && best.Vertices == 0 {
		core := int64(g.N - order.Limit)
		need := core * core * int64(g.Kind.Wide().Bytes())
		err = fmt.Errorf("%w: elimination leaves %d of its %d vertices, whose distances take %s of memory, %s more than "+
			"there is room for; ooc query GRAPH answers a few questions without factors, and ooc solve --keep rows "+
			"computes all distances on disk",
			ErrDense, core, g.N, humanize.IBytes(uint64(need)), humanize.IBytes(uint64(need-room/2)))
	}
	if err == nil {
		err = short(q, best, g.Kind)
	}
	return order, best, made, err
}

// Of so many rows, what other engines take is asked for after so many steps of ordering for each vertex: that takes as
// long as these need to promise it, and no such engine is as fast as that.
const manyRows, aheadSteps = 2000, 4

// short fails with device.ErrMemory if an elimination that stops at w needs more memory than it may take, or than is
// free; and with ErrDense, too, if it could stop elsewhere.
func short(q rows.Question, w sparse.Work, of entry.Kind) error {
	need := w.Fill*sparse.ArcBytes + int64(w.Core)*int64(w.Core)*int64(of.Wide().Bytes())
	room, kind, remedy := q.Memory, device.ErrMemory, "give as many with --host-memory"
	switch {
	case room == 0 && q.After == nil: // another place to stop would do
		kind = errors.Join(kind, ErrDense)
		room, remedy = free(q), "free as many, or give less with --host-memory, with which elimination goes on until "+
			"that is enough"
	case room == 0:
		room, remedy = free(q), "free as many"
	case q.After == nil: // it was chosen by that
		return nil
	}
	if room == 0 || need <= room {
		return nil
	}
	return text.ErrorOf(kind,
		"elimination down to a core of %d vertices needs %d bytes (%s) of memory, and there are %d (%s): %s",
		w.Core, need, humanize.IBytes(uint64(need)), room, humanize.IBytes(uint64(room)), remedy)
}

// free is how many bytes of memory are free; 0: unknown.
func free(q rows.Question) int64 { return cmp.Or(q.Free, device.FreeMemory()) }

// Expander is a sparse.Expander with its memory.
type Expander struct {
	*sparse.Expander
	f       *Factors
	columns *sparse.Labels // of a Table; nil: rows are whole
	lanes   int
	scratch []byte
	rows    []byte  // of ReadRows: those of a batch, padded
	sources []int32 // of that batch
}

// NewWorker implements rows.Ready. It returns an *Expander. Fewer sources at a time than it is for take as long, and
// Elimination.BatchLanes are best.
func (f *Factors) NewWorker(sources int) (rows.Worker, error) {
	if err := f.whole(); err != nil {
		return nil, err
	}
	lanes := f.lanes(sources)
	x, err := f.Elimination.NewExpander(f.Core.Host, f.Core, lanes, nil)
	if err != nil {
		return nil, err
	}
	return &Expander{Expander: x, f: f, lanes: lanes}, nil
}

// lanes is how many lanes an Expander for so many sources has.
func (f *Factors) lanes(sources int) int {
	return entry.RoundUp(max(1, min(sources, f.Elimination.BatchLanes())), f.Elimination.LaneUnit())
}

// Order implements rows.Ready: vertices by rank.
func (f *Factors) Order() []int32 { return f.Elimination.Vertices }

// takeScratch takes the memory that Rows needs, once.
func (x *Expander) takeScratch() (err error) {
	if x.scratch == nil {
		if x.scratch, err = x.f.host.AllocHost(x.f.Elimination.ScratchBytes(x.lanes)); err == nil {
			x.Scratch(x.scratch)
		}
	}
	return err
}

// Close frees the Expander's memory.
func (x *Expander) Close() error {
	if x.scratch == nil {
		return nil
	}
	return x.f.host.FreeHost(x.scratch)
}
