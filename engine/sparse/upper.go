package sparse

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"ooc/engine/device"
	"ooc/kernels"
	"ooc/kernels/entry"
)

// upperRows is how many ranks of the upper part are computed together from the core's rows.
const upperRows = 64

// UpperOnDevice returns the distances of UpperDistances, bit for bit, in memory that h takes on its device, which has
// kernels.LaneOps: Pitch rows of as many entries, as in a DenseCore, and slack bytes more. Of the core it asks last. It
// fails with kernels.ErrNoMemory where it would take more than room beside.
//
// All upper ranks are lanes of one batch. It climbs from each, and multiplies what reaches the core by the core's rows.
// Of the core few vertices are reached from below, so that this takes far less than a product with all of its matrix.
func (e *Elimination) UpperOnDevice(h *device.Held, core func() (*DenseCore, error), slack int,
	room int64) (to kernels.Tile, err error) {
	can, ok := kernels.As[kernels.LaneOps](h.On)
	if !ok {
		return to, errors.New("the device has no operations on lanes")
	}
	top, v := e.upper(), e.Variant
	n, c, size := e.Pieces.Upper, int32(e.Core()), int64(v.Bytes())
	if n == 0 {
		to.Buf = h.Buffer(int64(max(slack, 1)))
		return to, h.Err()
	}
	pitch := entry.RoundUp(n, kernels.DeviceLaneUnit)
	shape, first := top.Shape(pitch), int32(e.firstUpper())
	width := entry.RoundUp(int(c), kernels.DeviceLaneUnit)
	below := (int64(width) + e.below()) * int64(width) * size
	if need := shape.FixedBytes() + shape.rows()*int64(pitch)*size + below; need > room {
		return to, fmt.Errorf("%w: %d bytes for distances between %d ranks, and there are %d", kernels.ErrNoMemory,
			need, n, room)
	}
	w := top.arcsOn(h.On, can, pitch)
	defer func() { err = errors.Join(err, w.Close()) }()
	s, l := w.stream, w.l
	lanes, rows := kernels.Tile{Buf: w.held.Buffer(shape.rows() * int64(pitch) * size)}, kernels.Tile{}
	sources, columns := make([]int32, 2*pitch), slices.Repeat([]int32{-1}, pitch)
	for r := range sources {
		sources[r] = -1
	}
	for r := range int32(n) {
		sources[r], sources[pitch+int(r)], columns[r] = l.row[r], l.last(r), r
		if r >= c {
			columns[r] = int32(l.Core) + r - first
		}
	}
	put := func(list []int32) kernels.Tile { return w.held.Put(s, entry.Bytes(entry.As[uint32](list)), 0) }
	ends, blocks, terms := put(sources), []int32(nil), []int32(nil)
	for r := first; c > 0 && int(c) < n && int(r) < n; r += upperRows {
		reached := top.reached(max(r, c), min(r+upperRows, int32(n)))
		blocks = append(blocks, int32(l.Core)+r-first, min(upperRows, int32(n)-r), int32(len(terms)/2),
			int32(len(reached)), r/kernels.LaneWeightUnit)
		for _, x := range reached {
			terms = append(terms, x, x*int32(pitch/kernels.LaneWeightUnit))
		}
	}
	product := kernels.LaneBlocks{Width: l.Core, Blocks: put(blocks), Terms: put(terms), Count: len(blocks) / 5,
		Weights: lanes, Fresh: true}
	places := put(columns)
	to.Buf = h.Buffer(int64(pitch)*int64(pitch)*size + int64(slack))
	if err := errors.Join(w.held.Err(), h.Err()); err != nil {
		return to, err
	}
	level := func(arcs [3]kernels.Tile, ranges []kernels.LevelRange, sources kernels.Tile, fresh bool) error {
		return can.Level(s, v, kernels.Level{Lanes: lanes, Width: pitch, Offsets: arcs[0], Ends: arcs[1],
			Weights: arcs[2], Sources: sources, Fresh: fresh, Ranges: ranges})
	}
	err = level(w.up, l.climb, ends, true)
	closed, failed := core()
	if err = cmp.Or(failed, err); err != nil {
		return to, err
	}
	if c > 0 {
		k := closed.kept
		lent := k.lend(h.On)
		if lent {
			defer k.use.RUnlock()
		}
		if lent && k.held.On == h.On {
			rows = k.tile
		} else if rows.Buf = w.held.Buffer(below); w.held.Err() != nil {
			return to, w.held.Err()
		} else if lent {
			peers, _ := kernels.As[kernels.PeerOps](h.On)
			err = peers.CopyPeer(s, rows, k.tile, int64(closed.Pitch)*int64(closed.Pitch)*size)
		} else if err = closed.Fetch(); err == nil {
			err = s.CopyIn(rows, v.Entries(closed.Matrix))
		}
		if err != nil {
			return to, err
		}
		product.Lanes = rows
		across := kernels.LaneTranspose{Dst: kernels.Tile{Buf: lanes.Buf, Off: int64(l.Core) * int64(pitch) * size},
			Edge: pitch, Side: 1, Lanes: rows, Width: l.Core, Columns: places}
		err = errors.Join(can.LaneBlocks(s, v, product), can.LaneTranspose(s, v, across))
	}
	all := kernels.LaneTranspose{Dst: to, Edge: pitch, Side: 1, Lanes: lanes, Width: pitch, Columns: w.columns,
		Sources: kernels.Tile{Buf: ends.Buf, Off: int64(pitch) * entry.WordBytes}}
	return to, errors.Join(err, level(w.down, l.descent, kernels.Tile{}, false), can.LaneTranspose(s, v, all), s.Sync())
}

// below is how many rows a device needs after those of the core for upper ranks, which begin with the first of a unit
// of weights.
func (e *Elimination) below() int64 { return int64(e.Pieces.Upper - e.firstUpper()) }

func (e *Elimination) firstUpper() int {
	return e.Core() / kernels.LaneWeightUnit * kernels.LaneWeightUnit
}

// reached lists the core vertices that paths up from some ranks may reach, ascending.
func (e *Elimination) reached(lo, hi int32) (list []int32) {
	seen := make([]bool, hi)
	core := int32(e.Core())
	for r := lo; r < hi; r++ {
		for x := r; x >= core && !seen[x]; x = e.Parent[x] {
			seen[x] = true
			for _, end := range e.Up.Ends[e.Up.Offsets[x]:e.Up.Offsets[x+1]] {
				if end < core && !seen[end] {
					seen[end], list = true, append(list, end)
				}
			}
		}
	}
	slices.Sort(list)
	return list
}
