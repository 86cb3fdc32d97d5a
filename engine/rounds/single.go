package rounds

import (
	"errors"
	"fmt"

	"ooc/engine/device"
	"ooc/engine/plan"
	"ooc/kernels"
	"ooc/kernels/entry"
	"ooc/stream"
	"ooc/tiles"
)

const singleStageName = "single-stage"

// SingleStage is Floyd–Warshall with one launch over the whole matrix for each pivot: the simple baseline. The matrix
// has to stay on the device, since streaming would move it n times.
var SingleStage = &singleStage

var singleStage = algorithm{
	name:       singleStageName,
	iterations: blocked.iterations, toVertices: blocked.toVertices, fromVertices: blocked.fromVertices,
	work: blocked.work, roundStart: blocked.roundStart,
	round:   func(*Plan) int { return 1 },
	traits:  plan.Traits{Pivots: true, Predecessors: true},
	measure: measurePivot,
	plan:    planSingleStage,
	steps:   (*schedule).singleStage,
}

// pivots is the only operation.
var pivots = operation{
	name:   func(x *executor, s step) string { return fmt.Sprintf("pivot tile %d of %d", s.done, x.geom.Side()) },
	submit: (*executor).pivots,
}

// planSingleStage needs a slot for each tile.
func planSingleStage(q *plan.Basis, geom tiles.Geometry) (Plan, error) {
	p, info, r := newPlan(q, geom), q.Info, &q.Rates
	p.Width, p.Slots, p.InCore = 1, p.Side*p.Side, true
	p.Rounds = p.Side - blocked.fromVertices(geom, q.State.Done)
	if need := int64(p.Slots)*geom.TileBytes() + info.Scratch; need > info.Memory {
		return Plan{}, fmt.Errorf("%w: %s uses each pivot on the whole matrix, and streaming would move that "+
			"%d times: "+
			"it has to fit the device, whose memory is %d bytes, and needs %d bytes (%s); --algorithm %s streams",
			device.ErrMemory, singleStageName, geom.N, info.Memory, need, ib(need), blockedName)
	}
	n := float64(p.Side * geom.T)
	p.KernelSeconds = r.Pivot * float64(p.Rounds*geom.T)
	if r.Pivot == 0 {
		p.KernelSeconds = n * n * float64(p.Rounds*geom.T) / (singleShare * r.Kernel)
	}
	err := p.finish(q, geom, p.Rounds)
	p.Window = min(p.Window, singleWindow)
	return p, err
}

// singleWindow is how many steps may be in flight, and singleStep the relaxations of one, unless a pivot has more: a
// stop or a pause has to wait for all of them, and processors do some billions a second.
const (
	singleWindow = 2
	singleStep   = 1 << 27
)

// singleShare estimates the rate of single-stage launches as a share of the rate of products. It is used where launches
// could not be timed.
const singleShare = 0.1

// Pivots are timed on a sample matrix in tiles of edge pivotEdge. It is as large as the problem, but at most
// pivotSample vertices, which already exceeds the caches. Below pivotLeast vertices nothing is timed: the whole solve
// would be faster.
const (
	pivotLeast  = 256
	pivotSample = 4096
	pivotEdge   = 512
)

// measurePivot times pivots on a matrix in which every vertex reaches every other, so that no row is skipped. Depending
// on the size, memory, caches or the start of launches is the limit, which is why it is timed and not computed. If the
// sample does not fit the device, the rates stay as they are.
func measurePivot(r *plan.Rates, d kernels.Device, v entry.Variant, n int) (err error) {
	ops, err := tileOps(d, singleStageName)
	if err != nil || n < pivotLeast {
		return err
	}
	t := min(pivotEdge, entry.CeilDiv(n, 64)*64)
	m := entry.CeilDiv(min(n, pivotSample), t)
	tile := int64(t) * int64(t) * int64(device.EntryBytes(d, v))
	return plan.Scratch(d, int64(m*m)*tile, func(_ *device.Held, buf kernels.Buffer, s kernels.Stream) (err error) {
		matrix, zeros := make([]kernels.Tile, m*m), make([]byte, tile)
		for i := range matrix {
			matrix[i] = kernels.Tile{Buf: buf, Off: int64(i) * tile}
			err = errors.Join(err, s.CopyIn(matrix[i], zeros))
		}
		pivots := 1
		if !d.Info().SharedCores { // a GPU runs launches back to back, so one alone would look too slow
			pivots = min(64, m*t)
		}
		work := func() error { return ops.Pivots(s, v, t, matrix, 0, pivots) }
		if err = errors.Join(err, work(), work(), s.Sync()); err != nil { // two runs first, to warm caches and clocks
			return err
		}
		pivotRate, err := plan.Rate(n, s.Sync, float64(pivots), work)
		if err == nil {
			scale := float64(n) / float64(m*t)
			r.Pivot = max(1, scale*scale) / pivotRate
		}
		return err
	})
}

// singleStage loads all tiles. Then, for one pivot tile after another, it applies that tile's pivots to the whole
// matrix, a few at a time. If it is stopped in the middle of a tile, the next run applies them again, which changes
// nothing.
func (s *schedule) singleStage() {
	all := make([]int, len(s.tiles))
	for t := range all {
		if !s.mayGoOn() {
			return
		}
		all[t] = s.load(t)
	}
	for s.done < s.last && s.pivotTile(all) {
		for t := range s.tiles {
			s.updated(t, s.done+1)
		}
		s.done++
		for range s.side {
			s.writeSome()
		}
		s.begin()
	}
	for _, slot := range all {
		s.unpin(slot)
	}
}

// pivotTile applies the pivots of the next tile to the slots of all tiles, and reports whether it came to the last.
func (s *schedule) pivotTile(all []int) bool {
	each := max(1, singleStep/(s.side*s.side*s.geom.T*s.geom.T))
	for lo := 0; lo < s.geom.T; lo += each {
		if !s.alive() {
			return false
		}
		s.put(step{kind: stepKernel, op: &pivots, tile: s.geom.Index(s.done, s.done), c: all, done: s.done + 1, lo: lo,
			hi: min(s.geom.T, lo+each)})
	}
	return s.err == nil
}

// pivots submits some of the pivots of one tile, one launch per pivot.
func (x *executor) pivots(s step) error {
	device, err := tileOps(x.device, singleStageName)
	if err != nil {
		return err
	}
	t, side, matrix := x.geom.T, x.geom.Side(), x.tilesOf(s.c)
	return x.pipe.Submit(stream.Op{
		Stage: stream.Kernel, Stream: x.pivotStream, Work: int64(s.hi-s.lo) * int64(t*side) * int64(t*side),
		Writes: x.regions(s.c),
		Device: func(d kernels.Stream) error {
			return device.Pivots(d, x.variant, t, matrix, (s.done-1)*t+s.lo, (s.done-1)*t+s.hi)
		},
		Done: func() {
			if s.hi < t {
				return
			}
			for tile := range matrix {
				x.grid.finished(tile, s.done, 3)
			}
		},
		Name: x.name(s),
	})
}
