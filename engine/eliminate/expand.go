package eliminate

import (
	"context"
	"sync"

	"ooc/engine/factors"
	"ooc/engine/live"
	"ooc/engine/rowtiles"
	"ooc/engine/sparse"
	"ooc/tiles"
)

// expansion is the last stage of an elimination: it computes rows of distances, on devices or on the processor.
type expansion struct {
	*rowtiles.Writer
	run  *run
	mu   sync.Mutex // of the plan's lanes, batches and memory
	e    *sparse.Elimination
	core *sparse.DenseCore
}

// expand computes and writes every row that is not done.
func (x *run) expand(ctx context.Context, e *sparse.Elimination, core *sparse.DenseCore) error {
	w := &expansion{run: x, e: e, core: core,
		Writer: &rowtiles.Writer{Task: x.Task, Host: x.host, Sink: x.algorithm.Sink, Shares: x.shares()}}
	w.Mark = func(st *tiles.State) { st.Stop, st.Closer = stopAt(x.plan.Eliminated), x.closer }
	w.Look = w.look
	w.Start()
	err := w.Close(ctx, w.runOn(ctx))
	if err != nil {
		return err
	}
	return x.Store.RemoveCore()
}

// runOn runs the expansion on devices, or else on the processor.
func (w *expansion) runOn(ctx context.Context) error {
	began := w.run.Control.Now()
	there, err := w.onDevices()
	if err != nil {
		return err
	}
	if len(there) > 0 {
		w.run.Summary.SetupSeconds = w.run.Since(began)
		err := there.run(ctx)
		freeing := w.run.Control.Now()
		defer func() { w.run.Summary.SetupSeconds += w.run.Since(freeing) }()
		if cerr := there.close(); err == nil { // after a failure, the first error is the one to report
			err = cerr
		}
		return err
	}
	if err := w.run.freeRings(); err != nil { // the processor allocates its own memory
		return err
	}
	hands, err := w.Hands(rowtiles.Processor{
		Open: factors.Of(w.run.host, w.e, w.core).NewWorker, Bytes: w.e.ScratchBytes, Unit: w.e.LaneUnit(),
		Batch: w.e.BatchLanes(),
		Room:  w.run.budget(), Must: w.run.HostMemory > 0,
	})
	if err != nil {
		return err
	}
	return w.Run.Do(ctx, hands)
}

// budget is the host memory that may be used, 0 if unknown.
func (x *run) budget() int64 {
	if x.HostMemory > 0 {
		return x.HostMemory
	}
	return x.algorithm.free() / 4
}

// look adds to the status what an expansion on devices takes.
func (w *expansion) look(st *live.Status) {
	w.mu.Lock()
	defer w.mu.Unlock()
	st.DeviceMemory = w.run.plan.DeviceBytes
	if w.run.plan.Lanes > 0 {
		st.OutRate = st.WriteRate
	}
}
