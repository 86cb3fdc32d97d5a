package engine

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"math"
	"os"
	"syscall"
	"time"
	"unsafe"

	"ooc/engine/graph"
	"ooc/engine/sparse"
	"ooc/kernels"
	"ooc/kernels/cpu"
	"ooc/tiles"
)

// coreAtOnce is the largest core that is closed in memory, in a moment; on a GPU, the same moment is enough for one
// that is fasterAtOnce times as large. A larger one is a problem of its own, in a store inside the store, and goes on
// from its own restore points.
var coreAtOnce = 2048

const fasterAtOnce = 6

// closesAtOnce reports whether a device closes a core in memory.
func closesAtOnce(core int, info kernels.Info) bool {
	most := coreAtOnce
	if !info.SharedCores {
		most *= fasterAtOnce
	}
	return core <= most && oneTile(core) <= info.Memory-info.Scratch
}

// elimination is one call of Solve that goes by elimination.
type elimination struct {
	p       *Problem
	o       Options
	plan    EliminatePlan
	sum     *Summary
	lines   *timeline // takes the rounds of a core in a store
	reports *reporter
	began   time.Time     // by the control's clock, as all times here
	prior   time.Duration // work of earlier runs
	sweeper kernels.Sweeper
	host    kernels.Device                  // takes memory for the sweeper
	ring    ring                            // for an expansion on the device
	sink    func(i int, tiles []byte) error // takes rows of tiles that are done
}

// eliminate solves by elimination, from the rows of distances that state counts.
func (p *Problem) eliminate(ctx context.Context, o Options, c *Choice, state tiles.State, sum *Summary, lines *timeline) error {
	x := &elimination{p: p, o: o, plan: *c.Eliminate, sum: sum, lines: lines, began: o.Control.now(), prior: state.Elapsed, sink: p.store.WriteTiles}
	sum.Eliminate = &x.plan
	return x.run(ctx, c.order, state)
}

// run goes through the stages.
func (x *elimination) run(ctx context.Context, order *sparse.Order, state tiles.State) (err error) {
	p, o := x.p, x.o
	if err := x.openSweeper(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.closeSweeper()) }()
	defer func() {
		if ferr := x.ring.free(); err == nil { // a device that failed has said so
			err = ferr
		}
	}()
	// A core in a store takes host memory of its own first.
	if x.plan.Lanes > 0 && (closesAtOnce(x.plan.Core, o.Device.Info()) || closesAtOnce(x.plan.Core, x.host.Info())) {
		x.ring.lock(o.Device, x.rowAndSums(), p.geom.Down()-int(state.Done)/p.geom.T, x.budget())
	}
	x.reports = p.startReports(o, x.inStage(StageEliminate))
	defer x.reports.stop()
	g, err := p.Graph()
	if err != nil {
		return err
	}
	e, err := sparse.Eliminate(g, order, x.plan.Eliminated)
	if err != nil {
		return fmt.Errorf("%s: %w", p.Dir(), err)
	}
	x.sum.EliminateSeconds = x.plan.OrderSeconds + x.since(x.began)
	if err := o.Control.hold(ctx, x.nothingToKeep); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return fmt.Errorf("%w while vertices were eliminated", ErrInterrupted)
	}
	closing := o.Control.now()
	core, err := x.core(ctx, e)
	if err != nil {
		return err
	}
	x.sum.CoreSeconds = x.since(closing)
	return x.expand(ctx, e, core, state)
}

// openSweeper takes the solve's device if it can sweep, else the processor.
func (x *elimination) openSweeper() error {
	if s, ok := kernels.As[kernels.Sweeper](x.o.Device); ok {
		x.sweeper, x.host = s, x.o.Device
		return nil
	}
	d, err := cpu.Open(cpu.Options{})
	if err == nil {
		x.sweeper, x.host = d, d
	}
	return err
}

func (x *elimination) closeSweeper() error {
	if x.host == x.o.Device {
		return nil
	}
	return x.host.Close()
}

// core closes what elimination left.
func (x *elimination) core(ctx context.Context, e *sparse.Elimination) (*sparse.DenseCore, error) {
	x.reports.show(x.inStage(StageCore))
	for _, d := range []kernels.Device{x.o.Device, x.host} {
		if !closesAtOnce(e.Core(), d.Info()) {
			continue
		}
		core, err := e.CloseCore(d, x.sweeper)
		if d != x.host && errors.Is(err, kernels.ErrNoMemory) { // others use the device too
			continue
		}
		return core, err
	}
	sub, err := x.p.openCore(e)
	if err != nil {
		return nil, fmt.Errorf("the core: %w", err)
	}
	o := x.o
	o.Algorithm, o.Round = AlgorithmBlocked, 0
	coreSum, err := sub.solve(ctx, o, watchers{lines: x.lines, show: x.showCore})
	x.sum.Relaxations, x.sum.Rate, x.sum.Plan = coreSum.Relaxations, coreSum.Rate, coreSum.Plan
	core := &sparse.DenseCore{Sweeper: x.sweeper, Variant: e.Variant, Size: e.Core()}
	if err == nil {
		core.Matrix, core.Pitch, err = sub.matrix32()
	}
	if err = errors.Join(err, sub.Close()); err != nil {
		return nil, fmt.Errorf("the core: %w", err)
	}
	return core, nil
}

// oneTile returns the bytes of a matrix as one tile.
func oneTile(n int) int64 {
	edge := int64(n+63) / 64 * 64
	return edge * edge * kernels.EntryBytes
}

// matrix32 reads all distances into memory, in rows of pitch entries, and as many rows, as a device wants them.
func (p *Problem) matrix32() (m []uint32, pitch int, err error) {
	n := p.geom.N
	pitch = ceilDiv(n, kernels.WideUnit) * kernels.WideUnit
	m = make([]uint32, pitch*pitch)
	for i := range n {
		if err := p.store.ReadRow(unsafe.Slice((*byte)(unsafe.Pointer(&m[i*pitch])), 4*n), i); err != nil {
			return nil, 0, err
		}
	}
	return m, pitch, nil
}

// coreWeights is the matrix of a core.
type coreWeights struct{ e *sparse.Elimination }

func (c coreWeights) Facts() graph.Facts {
	f := graph.Facts{N: c.e.Core(), Kind: graph.KindI32, Directed: true, Scale: 1}
	if c.e.Variant.Float() {
		f.Kind = graph.KindF32
	}
	f.Negative = c.e.Variant == kernels.I32Signed || c.e.Variant == kernels.F32Signed
	return f
}

// Check has nothing to prove: distances in the core are distances in the graph, which was checked.
func (coreWeights) Check() error { return nil }

func (c coreWeights) FillTile(dst []byte, t, i, j int) error {
	c.e.FillTile(dst, t, i, j)
	return nil
}

// openCore opens the problem of a core, or makes it anew where what is there is another's.
func (p *Problem) openCore(e *sparse.Elimination) (*Problem, error) {
	dir, err := p.store.CoreDir()
	if err != nil {
		return nil, err
	}
	w, print := coreWeights{e}, fingerprint(e)
	sub, err := Open(dir)
	switch {
	case err == nil && sub.meta.Input.SHA256 == print && sub.geom.N == e.Core():
		sub.given = w
		return sub, nil
	case err == nil:
		err = sub.Close()
		if err == nil {
			err = p.store.RemoveCore()
		}
	case absent(err), errors.Is(err, tiles.ErrNotStore): // an empty folder, or one that Create refuses
		err = nil
	case damaged(err):
		err = p.store.RemoveCore()
	}
	if err != nil {
		return nil, err
	}
	sub, err = Create(dir, w, CreateOptions{
		Tile: DefaultTile(e.Core()), Command: os.Args,
		Input: tiles.Input{Name: "what is left of " + p.meta.Input.Name, Format: "core", SHA256: print},
	})
	if err == nil {
		sub.given = w
	}
	return sub, err
}

// coreLeft returns the vertices of the core that an earlier run was solving, 0 if there is none that is of use.
func (p *Problem) coreLeft() (int, error) {
	dir, err := p.store.CoreDir()
	if err == nil {
		var s *tiles.Store
		if s, err = tiles.OpenReadOnly(dir); err == nil {
			return s.Meta().N, s.Close()
		}
	}
	if absent(err) || damaged(err) || errors.Is(err, tiles.ErrNotStore) {
		return 0, nil
	}
	return 0, fmt.Errorf("the core: %w", err)
}

// absent says of the error of opening a store that none is there yet.
func absent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, tiles.ErrIncomplete)
}

// damaged says of the error of opening a store, or of reading a file of one, that what is there is of no use, and not that
// the disk cannot be read now.
func damaged(err error) bool {
	return (errors.Is(err, tiles.ErrCorrupt) || errors.Is(err, tiles.ErrVersion)) && !errors.Is(err, syscall.EIO)
}

// fingerprint tells eliminations apart.
func fingerprint(e *sparse.Elimination) string {
	h := sha256.New()
	for _, s := range [][]int32{e.Vertices, e.Up.Offsets, e.Up.Ends, e.Down.Offsets, e.Down.Ends} {
		hashWords(h, s)
	}
	for _, s := range [][]uint32{e.Up.Weights, e.Down.Weights} {
		hashWords(h, s)
	}
	return hex.EncodeToString(h.Sum(nil))
}

func hashWords[E int32 | uint32](h hash.Hash, s []E) {
	var length [8]byte
	binary.LittleEndian.PutUint64(length[:], uint64(len(s)))
	h.Write(length[:])
	if len(s) > 0 {
		h.Write(unsafe.Slice((*byte)(unsafe.Pointer(&s[0])), 4*len(s)))
	}
}

// showCore reports on the rounds of a core in a store.
func (x *elimination) showCore(look func() Live) (stop func()) {
	x.reports.show(func() Live {
		live := look()
		st, s := x.status(StageCore), live.Status
		st.Round, st.Rounds, st.Rate, st.Ceiling, st.Busy = s.Round, s.Rounds, s.Rate, s.Ceiling, s.Busy
		st.InRate, st.OutRate, st.ReadRate, st.WriteRate = s.InRate, s.OutRate, s.ReadRate, s.WriteRate
		st.DeviceMemory, st.HostMemory, st.Checkpoint = s.DeviceMemory, s.HostMemory, s.Checkpoint
		live.Status = st
		return live
	})
	return func() { x.reports.show(x.inStage(StageCore)) }
}

// inStage describes the solve in a stage of which there is nothing more to see.
func (x *elimination) inStage(stage string) func() Live {
	return func() Live { return Live{Status: x.status(stage)} }
}

// status describes the solve in a stage before rows are written.
func (x *elimination) status(stage string) Status {
	st := x.p.status()
	st.Algorithm, st.Stage = AlgorithmEliminate, stage
	st.Device, st.PID = x.o.Device.Info().Model, os.Getpid()
	st.Rows = x.plan.Rows
	st.Elapsed = x.prior.Seconds() + x.since(x.began)
	st.Checkpoint = checkpointState(x.o.Control, false)
	st.ETA = math.Max(0, x.plan.Seconds-x.since(x.began))
	return st
}

// since is the time from then on in seconds, pauses left out.
func (x *elimination) since(then time.Time) float64 { return x.o.Control.now().Sub(then).Seconds() }

// nothingToKeep is what there is to do for a checkpoint in a pause before the first row.
func (x *elimination) nothingToKeep() error { return nil }
