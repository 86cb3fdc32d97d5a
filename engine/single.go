package engine

import (
	"errors"
	"fmt"

	"github.com/dustin/go-humanize"

	"ooc/kernels"
	"ooc/stream"
	"ooc/tiles"
)

// AlgorithmSingleStage is Floyd–Warshall with one launch over the whole matrix for each pivot: the simple baseline.
// The matrix stays on the device, as it would be moved n times else.
const AlgorithmSingleStage = "single-stage"

var singleStage = rounds{
	name: AlgorithmSingleStage,
	last: blocked.last, vertices: blocked.vertices, units: blocked.units, work: blocked.work,
	round:   func(*Plan) int { return 1 },
	pivots:  true,
	tracks:  true,
	measure: (*Rates).measurePivot,
	needs:   needsPivoter,
	plan:    planSingleStage,
	run:     (*schedule).singleStage,
}

// planSingleStage wants a slot for each tile.
func planSingleStage(geom tiles.Geometry, done int64, info kernels.Info, r Rates, l Limits) (Plan, error) {
	p := newPlan(geom, l)
	p.Width, p.Slots, p.InCore = 1, p.Side*p.Side, true
	p.Rounds = p.Side - blocked.units(geom, done)
	if need := int64(p.Slots)*geom.TileBytes() + info.Scratch; need > info.Memory {
		return Plan{}, fmt.Errorf("%w: %s uses each pivot on the whole matrix, and streaming would move that %d times: it has to fit the device, whose memory is %d bytes, and needs %d bytes (%s); --algorithm %s streams",
			ErrMemory, AlgorithmSingleStage, geom.N, info.Memory, need, humanize.IBytes(uint64(need)), AlgorithmBlocked)
	}
	n := float64(p.Side * geom.T)
	p.KernelSeconds = r.Pivot * float64(p.Rounds*geom.T)
	if r.Pivot == 0 {
		p.KernelSeconds = n * n * float64(p.Rounds*geom.T) / (singleShare * r.Kernel)
	}
	err := p.finish(geom, info, r, l, p.Rounds)
	p.Window = min(p.Window, singleWindow)
	return p, err
}

// singleWindow is how many steps may be on their way: each is over the whole matrix, and whoever stops or pauses a
// solve waits for those.
const singleWindow = 2

func needsPivoter(d kernels.Device) error {
	if _, ok := kernels.As[kernels.Pivoter](d); !ok {
		return fmt.Errorf("%w: %s has no kernel for %s; use another --device or --algorithm", ErrAlgorithm, d.Info().Name, AlgorithmSingleStage)
	}
	return nil
}

// singleShare is about what single-stage launches reach of the rate of products, where they could not be timed.
const singleShare = 0.1

// The sample that a pivot is timed on: a matrix of the problem's size up to pivotSample vertices, which is more than
// caches hold, in tiles of an edge. Of fewer than pivotLeast vertices, the whole solve takes no longer than the timing.
const (
	pivotLeast  = 256
	pivotSample = 4096
	pivotEdge   = 512
)

// measurePivot times pivots on a matrix that is reached from everywhere. They are limited by memory, caches or the
// start of launches, whichever it is at that size. A device without room for the sample leaves the rates as they are.
func (r *Rates) measurePivot(d kernels.Device, v kernels.Variant, n int) (err error) {
	device, ok := kernels.As[kernels.Pivoter](d)
	if !ok {
		return needsPivoter(d)
	}
	if n < pivotLeast {
		return nil
	}
	t := min(pivotEdge, ceilDiv(n, 64)*64)
	m := ceilDiv(min(n, pivotSample), t)
	buf, err := d.Alloc(int64(m) * int64(m) * int64(t) * int64(t) * int64(entryBytes(d)))
	if errors.Is(err, kernels.ErrNoMemory) {
		return nil
	} else if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, buf.Free()) }()
	s, err := d.NewStream()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	matrix, zeros := make([]kernels.Tile, m*m), make([]byte, t*t*entryBytes(d))
	for i := range matrix {
		matrix[i] = kernels.Tile{Buf: buf, Off: int64(i) * int64(len(zeros))}
		err = errors.Join(err, s.CopyIn(matrix[i], zeros))
	}
	pivots := 1
	if !d.Info().SharedCores { // as a GPU's launches follow one another
		pivots = min(64, m*t)
	}
	work := func() error { return device.Pivots(s, v, t, matrix, 0, pivots) }
	if err = errors.Join(err, work(), work(), s.Sync()); err != nil { // caches and clocks are warm then
		return err
	}
	pivotRate, err := rate(s, float64(pivots), work)
	if err != nil {
		return err
	}
	scale := float64(n) / float64(m*t)
	r.Pivot = max(1, scale*scale) / pivotRate
	return nil
}

// singleStage loads all tiles, and uses the pivots of one tile after another on all of them.
func (s *schedule) singleStage() {
	all := make([]int, len(s.tiles))
	for t := range all {
		if !s.goOn() {
			return
		}
		all[t] = s.load(t)
	}
	for s.done < s.last && s.alive() {
		s.put(step{kind: stepPivots, tile: s.done * (s.side + 1), c: all, done: s.done + 1})
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

// pivots submits the pivots of one tile, a launch each.
func (x *executor) pivots(s step) error {
	device, ok := kernels.As[kernels.Pivoter](x.device)
	if !ok {
		return needsPivoter(x.device)
	}
	t, side, matrix := x.geom.T, x.geom.Side(), x.tilesOf(s.c)
	return x.pipe.Submit(stream.Op{
		Stage: stream.Kernel, Lane: x.pivotLane, Work: int64(t) * int64(t*side) * int64(t*side), Writes: x.regions(s.c),
		Device: func(d kernels.Stream) error { return device.Pivots(d, x.variant, t, matrix, (s.done-1)*t, s.done*t) },
		Done: func() {
			for tile := range matrix {
				x.grid.finished(tile, s.done, 3)
			}
		},
		Name: x.name(s),
	})
}
