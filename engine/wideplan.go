package engine

import (
	"errors"
	"math/rand/v2"
	"unsafe"

	"ooc/engine/sparse"
	"ooc/kernels"
)

// What an expansion on a device is given: several batches on their way, so that one is computed while another is
// copied out, each of some thousand lanes, so that the launches of its levels weigh little.
const (
	batchesAtOnce = 3
	batchLanes    = 2048
)

// widely shapes an expansion for the memory of a device: the lanes of a batch, whole rows of tiles, and how many
// batches there is room for. It returns none where not one row of tiles fits, or the shape is not one for a device.
func widely(s sparse.Shape, info kernels.Info, tileRows int) (lanes, batches int) {
	room := info.Memory - info.Scratch - s.FixedBytes()
	if s.Edge%kernels.WideUnit != 0 || tileRows <= 0 {
		return 0, 0
	}
	fits := func() bool {
		s.Lanes = lanes
		return s.BatchBytes()*int64(batches) <= room
	}
	lanes, batches = s.Edge*min(max(1, batchLanes/s.Edge), tileRows), batchesAtOnce
	batches = min(batches, ceilDiv(tileRows*s.Edge, lanes))
	for !fits() {
		switch {
		case batches > 2:
			batches--
		case lanes > s.Edge:
			lanes = max(s.Edge, lanes/2/s.Edge*s.Edge)
		case batches > 1:
			batches--
		default:
			return 0, 0
		}
	}
	return lanes, batches
}

// expander is where rows will be expanded: what a prediction needs to know of it.
type expander struct {
	info  kernels.Info
	rows  int // of distances
	tile  int
	rates *Rates
}

// shape is that of an expansion from a stopping point.
func (x *expander) shape(w sparse.Work) sparse.Shape {
	return sparse.Shape{Vertices: w.Vertices, Core: w.Core, Arcs: 2 * w.Fill, Edge: x.tile}
}

// widely shapes the expansion from a stopping point for the device, or returns none where the processor does it.
func (x *expander) widely(w sparse.Work) (lanes, batches int) {
	if x.rates.Levels == 0 {
		return 0, 0
	}
	return widely(x.shape(w), x.info, ceilDiv(x.rows, x.tile))
}

// bytes is the size of the rows.
func (x *expander) bytes(w sparse.Work) float64 {
	return float64(x.rows) * float64(w.Vertices) * kernels.EntryBytes
}

// levelShare is what levels reach of the sample's rate, whose rows all have as many arcs, and overlapLoss the share of
// copies or levels, whichever is less, that the others do not hide: measured on an H100 (docs/benchmarks.md).
const (
	levelShare  = 0.45
	overlapLoss = 0.3
)

// launchSeconds is what a launch costs that does next to nothing, on an H100 (docs/cuda.md).
const launchSeconds = 3e-6

// wideSeconds is what taking memory and streams of a GPU, and a first launch, cost a small problem.
const wideSeconds = 30e-3

// preferDevice is by how much, and how many seconds, the device may be slower and is still taken, as that is what was
// asked for. A stopping point is picked without.
var preferDevice = 0.25

// widen moves the expansion to the device, if there is room for it and it takes no more than so many seconds. Batches
// are copied out while others are computed, and written while others are copied.
func (x *expander) widen(p *EliminatePlan, w sparse.Work, most float64) {
	lanes, batches := x.widely(w)
	if lanes == 0 {
		return
	}
	r, s := x.rates, x.shape(w)
	rows, n, core := float64(x.rows), float64(w.Vertices), float64(w.Core)
	// Beside its arcs, each entry is written by a climb, read and written on the way down, and read and written by the
	// transposition.
	compute := rows*(2*float64(w.Fill)+5*n)/(levelShare*r.Levels) + rows*core*core/r.Kernel
	link := x.bytes(w) / r.Out
	first := (compute + link) * min(1, float64(lanes)/rows) // nothing overlaps the first batch
	both := max(compute, link) + overlapLoss*min(compute, link)
	seconds := max(both, x.bytes(w)/fileWrites()) + first + wideSeconds + float64(oneTile(w.Core))*coreCopies
	if r.Lock > 0 {
		seconds += float64(x.hostRows()) * float64(ceilDiv(w.Vertices, x.tile)*x.tile*x.tile) * kernels.EntryBytes / r.Lock
	}
	if seconds > most {
		return
	}
	s.Lanes = lanes
	p.ExpandSeconds = seconds
	p.Lanes, p.Batches, p.DeviceBytes = lanes, batches, s.FixedBytes()+int64(batches)*s.BatchBytes()
}

// hostRows is how many rows of tiles host memory is taken for.
func (x *expander) hostRows() int { return min(tileRowsAtOnce(), ceilDiv(x.rows, x.tile)) }

// tileRowsAtOnce is how many rows of tiles are in host memory, if there is room: one each writer has in hand, and
// some that are being copied.
func tileRowsAtOnce() int { return writers() + 4 }

// writers is how many goroutines write rows of tiles: more than eight would only wait for one another at the file.
func writers() int { return min(threads(), 8) }

// levelSample is what a device's levels are timed with: rows with arcs to other rows, more than its caches hold.
type levelSample struct{ rows, lanes, arcs int }

func levelSampleOf(info kernels.Info) levelSample {
	if info.SharedCores {
		return levelSample{64, 64, 4}
	}
	return levelSample{8192, batchLanes, 8}
}

// defaultLevels is the rate where the device has no room for the sample: only good for comparing plans.
const defaultLevels = 300e9

// measureLevels times levels on a device that can expand by them. Without, Levels stays 0.
func (r *Rates) measureLevels(d kernels.Device, v kernels.Variant) (err error) {
	can, ok := kernels.As[kernels.Leveller](d)
	if !ok {
		return nil
	}
	o := levelSampleOf(d.Info())
	offsets, ends, weights := o.make()
	lanes := 2 * int64(o.rows) * int64(o.lanes) * kernels.EntryBytes
	arcs := int64(4 * (len(offsets) + 2*len(ends)))
	if lanes+2*arcs > d.Info().Memory-d.Info().Scratch {
		r.Levels = defaultLevels
		return nil
	}
	buf, err := d.Alloc(lanes)
	if errors.Is(err, kernels.ErrNoMemory) {
		r.Levels = defaultLevels
		return nil
	} else if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, buf.Free()) }()
	list, err := d.Alloc(arcs + 64)
	if errors.Is(err, kernels.ErrNoMemory) {
		r.Levels = defaultLevels
		return nil
	} else if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, list.Free()) }()
	s, err := d.NewStream()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	l := kernels.Level{Lanes: kernels.Tile{Buf: buf}, Width: o.lanes, Fresh: true,
		Ranges: []kernels.LevelRange{{Lo: int32(o.rows), Hi: int32(2 * o.rows), Degree: int32(o.arcs)}}}
	at := int64(0)
	for _, a := range []struct {
		to   *kernels.Tile
		data []int32
	}{{&l.Ends, ends}, {&l.Weights, weights}, {&l.Offsets, offsets}} { // those of even length first: all are aligned
		*a.to = kernels.Tile{Buf: list, Off: at}
		data := unsafe.Slice((*byte)(unsafe.Pointer(&a.data[0])), 4*len(a.data))
		if err := errors.Join(s.CopyIn(*a.to, data), s.Sync()); err != nil {
			return err
		}
		at += int64(len(data))
	}
	work := float64(o.rows) * float64(o.lanes) * float64(o.arcs+1)
	level := func() error { return can.Level(s, v, l) }
	if err = errors.Join(level(), s.Sync()); err == nil { // a driver may have to compile it first
		r.Levels, err = rate(s, work, level)
	}
	return err
}

// make draws the arcs: the first half of the rows has none.
func (o levelSample) make() (offsets, ends, weights []int32) {
	r := rand.New(rand.NewPCG(1, 2))
	offsets = make([]int32, 2*o.rows+1)
	for i := range o.rows {
		for range o.arcs {
			ends, weights = append(ends, r.Int32N(int32(o.rows))), append(weights, 1)
		}
		offsets[o.rows+i+1] = int32(len(ends))
	}
	return offsets, ends, weights
}
