package factors

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/dustin/go-humanize"

	"ooc/engine/device"
	"ooc/engine/graph"
	"ooc/engine/live"
	"ooc/engine/plan"
	"ooc/engine/sparse"
	"ooc/engine/text"
	"ooc/kernels"
	"ooc/kernels/cpu"
	"ooc/kernels/entry"
	"ooc/tiles/arrays"
)

// Options say what factors are made for. The zero value is for all rows, on the processor.
type Options struct {
	Rows    int            // of distances that will be asked for, about; 0: all
	Memory  int64          // bytes to take at most, half of them for the core's matrix; 0: no limit, but what is free has to be enough
	Free    int64          // bytes that are taken to be free; 0: as many as are
	Pieces  int            // find what a device multiplies by to add up rows, with at most so many upper ranks (see sparse.EliminateInPieces); 0: nothing
	Dissect bool           // order large graphs with thin separators by nested dissection, which answers single questions faster
	After   *int           // eliminate so many vertices, as earlier factors of the same graph and as many rows did; nil: as many as pays
	Device  kernels.Device // closes the core if it has room for it, and stays the caller's; nil: the processor does

	Stage func(live.Stage) // called when a stage begins; may be nil
}

// ErrDense is wrapped by the error of a graph whose elimination leaves too large a core.
var ErrDense = errors.New("the graph is too dense for factors")

// Factors are an elimination of a graph and its closed core. Any number of goroutines may ask them.
type Factors struct {
	Elimination *sparse.Elimination
	Core        *sparse.DenseCore

	EliminateSeconds, CoreSeconds float64 // that Make took: to order and eliminate, and to close the core

	host kernels.Device // allocates what expanders compute in
	file *arrays.File   // that is mapped; nil: they are in memory
	asked
}

// Make orders a graph, eliminates vertices as long as that pays, and closes the core that is left. The graph has no negative
// cycle. It fails with ErrDense where the memory has no room for the core's matrix, and with the cause of ctx if that ends
// first. It fails with device.ErrMemory where there is not enough free memory, or where less may be taken than After needs. Close
// the factors after use.
func Make(ctx context.Context, g *graph.Graph, o Options) (f *Factors, err error) {
	host, err := cpu.Open(cpu.Options{})
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, host.Close())
		}
	}()
	closers := []kernels.Device{host}
	if o.Device != nil {
		closers = []kernels.Device{o.Device, host}
	}
	if o.Stage == nil {
		o.Stage = func(live.Stage) {}
	}
	o.Stage(live.StageEliminate)
	began := time.Now()
	order, work, err := stop(ctx, g, o)
	if err != nil {
		return nil, err
	}
	f = &Factors{host: host}
	if o.Pieces > 0 {
		f.Elimination, err = sparse.EliminateInPieces(ctx, g, order, work.Eliminated, sparse.Cutting{MostUpper: o.Pieces}, host)
	} else {
		f.Elimination, err = sparse.EliminateAlike(ctx, g, order, work.Eliminated, host)
	}
	if err != nil {
		return nil, err
	}
	o.Stage(live.StageCore)
	closing := time.Now()
	f.EliminateSeconds = closing.Sub(began).Seconds()
	for _, d := range closers {
		if f.Core, err = f.Elimination.CloseCore(ctx, d, host); !errors.Is(err, kernels.ErrNoMemory) {
			break
		}
	}
	f.CoreSeconds = time.Since(closing).Seconds()
	if err == nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		return nil, err
	}
	return f, nil
}

// stop orders the vertices, and picks where elimination stops: where counts say that it pays, in the memory that it may take. What
// is free decides nothing, since sums of floats and of reciprocals are rounded in the order of elimination.
func stop(ctx context.Context, g *graph.Graph, o Options) (*sparse.Order, sparse.Work, error) {
	room, most := o.Memory, g.N
	options := sparse.OrderOptions{Sources: o.Rows, Dissect: o.Dissect}
	if o.After != nil {
		options.Limit = max(1, *o.After)
		order, err := sparse.NewOrder(ctx, g, options)
		if err != nil {
			return nil, sparse.Work{}, err
		}
		best := order.At(min(*o.After, order.Limit))
		return order, best, o.short(best, g.Kind)
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
	order, err := sparse.NewOrder(ctx, g, options)
	if err != nil {
		return nil, sparse.Work{}, err
	}
	best, err := order.Best(ctx, fits)
	if err == nil && best.Vertices == 0 { // no core fits that is worth its time: then one that fits
		options.Seconds = fits
		if order, err = sparse.NewOrder(ctx, g, options); err == nil {
			best, err = order.Best(ctx, fits)
		}
	}
	if err == nil && best.Vertices == 0 {
		core := int64(g.N - order.Limit)
		err = fmt.Errorf("%w: elimination leaves %d of its %d vertices, whose distances take %d bytes of memory, and there is room for %d; ooc solve computes all distances on disk",
			ErrDense, core, g.N, core*core*int64(g.Kind.Wide().Bytes()), room/2)
	}
	if err == nil {
		err = o.short(best, g.Kind)
	}
	return order, best, err
}

// short fails with device.ErrMemory if an elimination that stops at w needs more memory than it may take, or than is free; and with
// ErrDense, too, if it could stop elsewhere.
func (o *Options) short(w sparse.Work, of entry.Kind) error {
	need := w.Fill*sparse.ArcBytes + int64(w.Core)*int64(w.Core)*int64(of.Wide().Bytes())
	room, kind, remedy := o.Memory, device.ErrMemory, "give as many with --host-memory"
	switch {
	case room == 0 && o.After == nil: // another place to stop would do
		kind = errors.Join(kind, ErrDense)
		room, remedy = o.free(), "free as many, or give less with --host-memory, with which elimination goes on until that is enough"
	case room == 0:
		room, remedy = o.free(), "free as many"
	case o.After == nil: // it was chosen by that
		return nil
	}
	if room == 0 || need <= room {
		return nil
	}
	return text.ErrorOf(kind, "elimination down to a core of %d vertices needs %d bytes (%s) of memory, and there are %d (%s): %s",
		w.Core, need, humanize.IBytes(uint64(need)), room, humanize.IBytes(uint64(room)), remedy)
}

// free is how many bytes of memory are free; 0: unknown.
func (o *Options) free() int64 { return cmp.Or(o.Free, device.FreeMemory()) }

// Expander is a sparse.Expander with its memory.
type Expander struct {
	*sparse.Expander
	f       *Factors
	lanes   int
	scratch []byte
	rows    []byte  // of ReadRows: those of a batch, padded
	sources []int32 // of that batch
}

// NewExpander returns an Expander for one goroutine, for batches of about so many sources: fewer than that take as long, and
// Elimination.BatchLanes are best. Close it after use.
func (f *Factors) NewExpander(sources int) (*Expander, error) { return f.newExpander(sources, true) }

// NewLaneExpander is NewExpander for Lanes alone, which take far less memory than Rows.
func (f *Factors) NewLaneExpander(sources int) (*Expander, error) {
	return f.newExpander(sources, false)
}

func (f *Factors) newExpander(sources int, rows bool) (*Expander, error) {
	if err := f.whole(); err != nil {
		return nil, err
	}
	unit := f.Elimination.LaneUnit()
	lanes := entry.RoundUp(max(1, min(sources, f.Elimination.BatchLanes())), unit)
	var scratch []byte
	if rows {
		var err error
		if scratch, err = f.host.AllocHost(f.Elimination.ScratchBytes(lanes)); err != nil {
			return nil, err
		}
	}
	x, err := f.Elimination.NewExpander(f.Core.Host, f.Core, lanes, scratch)
	if err != nil {
		return nil, errors.Join(err, f.free(scratch))
	}
	return &Expander{Expander: x, f: f, lanes: lanes, scratch: scratch}, nil
}

// Close frees the Expander's memory.
func (x *Expander) Close() error { return x.f.free(x.scratch) }

func (f *Factors) free(scratch []byte) error {
	if scratch == nil {
		return nil
	}
	return f.host.FreeHost(scratch)
}
