package sparse

import (
	"cmp"
	"errors"
	"fmt"

	"ooc/engine/device"
	"ooc/kernels"
	"ooc/kernels/entry"
)

// Shape is the size of an expansion on a device. It decides how much device memory the expansion takes.
type Shape struct {
	Variant  entry.Variant
	Vertices int
	Core     int   // vertices
	Arcs     int64 // up and down, or more
	Edge     int   // of the tiles
	Lanes    int   // of a batch, a multiple of Edge
}

// side is the tiles of a row of them.
func (s Shape) side() int64 { return int64(entry.CeilDiv(s.Vertices, s.Edge)) }

func (s Shape) rows() int64 {
	core := entry.RoundUp(s.Core, kernels.DeviceLaneUnit)
	return int64(2*core + s.Vertices - s.Core)
}

// FixedBytes is the device memory that all batches share: the arcs, the core's matrix (twice while it is loaded), and
// the map from columns to rows.
func (s Shape) FixedBytes() int64 {
	core := int64(entry.RoundUp(s.Core, kernels.DeviceLaneUnit))
	weight, size := int64(s.Variant.WeightBytes()), int64(s.Variant.Bytes())
	return entry.WordBytes*(2*(s.rows()+1)+s.Arcs+s.side()*int64(s.Edge)) + weight*s.Arcs + size*2*core*core
}

// SumRows is how many rows of a tile, which lie one after the other, a checksum covers that is computed on a device.
const SumRows = kernels.DeviceLaneUnit

// sums is the number of checksums of a row of tiles.
func (s Shape) sums() int64 { return s.side() * int64(s.Edge/SumRows) }

// BatchBytes is the device memory of a batch: its rows of lanes, the tiles made of them, and their checksums.
func (s Shape) BatchBytes() int64 {
	size := int64(s.Variant.Bytes())
	return size*int64(s.Lanes)*(s.rows()+s.side()*int64(s.Edge)) +
		entry.WordBytes*(int64(s.Lanes)*2+int64(s.Lanes/s.Edge)*s.sums())
}

// DeviceExpander expands an elimination on a device, batch by batch, as an Expander does on the processor. It is made
// once for a device and used by any number of Batches.
type DeviceExpander struct {
	l     *levelled
	can   kernels.LaneOps
	shape Shape

	held     device.Held
	stream   kernels.Stream
	up, down [3]kernels.Tile // offsets, ends and weights
	matrix   kernels.Tile    // of the core, transposed
	columns  kernels.Tile
}

// NewDeviceExpander copies to the device what all batches share: FixedBytes of the elimination's Shape. edge is the
// edge of the tiles that rows of distances will be cut into, a multiple of kernels.DeviceLaneUnit.
func (e *Elimination) NewDeviceExpander(d kernels.Device, core *DenseCore, edge int) (*DeviceExpander, error) {
	can, ok := kernels.As[kernels.LaneOps](d)
	if !ok {
		return nil, errors.New("the device expands no levels")
	}
	if core.Size != e.Core() || core.Pitch != entry.RoundUp(core.Size, kernels.DeviceLaneUnit) ||
		len(core.Matrix) != core.Pitch*core.Pitch*e.Variant.WeightBytes()/entry.WordBytes ||
		edge <= 0 || edge%kernels.DeviceLaneUnit != 0 {
		return nil, fmt.Errorf("expansion of a core of %d vertices with distances of %d, %d to a row, to tiles of "+
			"edge %d: want as many, padded, and a multiple of %d",
			e.Core(), core.Size, core.Pitch, edge, kernels.DeviceLaneUnit)
	}
	w := e.arcsOn(d, can, edge)
	if err := w.loadCore(core); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}

// arcsOn is NewDeviceExpander without the core. Errors are those of what it holds.
func (e *Elimination) arcsOn(d kernels.Device, can kernels.LaneOps, edge int) *DeviceExpander {
	w := &DeviceExpander{l: e.levelled(), can: can, shape: e.Shape(edge), held: device.Held{On: d}}
	w.stream = w.held.Stream()
	w.up, w.down = putArcs(&w.held, w.stream, &w.l.up), putArcs(&w.held, w.stream, &w.l.down)
	w.columns = w.held.Put(w.stream, entry.Bytes(w.columnRows()), 0)
	return w
}

// putArcs takes memory of a device for the offsets, ends and weights of arcs, and copies them there.
func putArcs(h *device.Held, s kernels.Stream, a *kernels.Arcs) [3]kernels.Tile {
	return [3]kernels.Tile{h.Put(s, entry.Bytes(a.Offsets), 0), h.Put(s, entry.Bytes(a.Ends), 0),
		h.Put(s, entry.Bytes(a.Weights), 0)}
}

// Shape returns the elimination's shape for tiles of some edge, without lanes.
func (e *Elimination) Shape(edge int) Shape {
	return Shape{Variant: e.Variant, Vertices: len(e.Vertices), Core: e.Core(),
		Arcs: int64(len(e.Up.Ends) + len(e.Down.Ends)), Edge: edge}
}

// Launches returns the number of kernel launches per batch.
func (w *DeviceExpander) Launches() int { return len(w.l.climb) + len(w.l.descent) + 3 }

// Close frees the device's memory. Close all batches first.
func (w *DeviceExpander) Close() error { return w.held.Close() }

// columnRows returns the row of the vertex of each column; -1 for the columns that pad the last tile.
func (w *DeviceExpander) columnRows() []int32 {
	columns := make([]int32, w.shape.side()*int64(w.shape.Edge))
	for v := range columns {
		columns[v] = -1
		if v < len(w.l.e.Rank) {
			columns[v] = w.l.last(w.l.e.Rank[v])
		}
	}
	return columns
}

// loadCore copies the core's matrix to the device, which transposes it: rows of lanes are multiplied by it from the
// left.
func (w *DeviceExpander) loadCore(core *DenseCore) (err error) {
	if w.held.Err() != nil || w.l.Core == 0 {
		return w.held.Err()
	}
	loading := device.Held{On: w.held.On}
	defer func() { err = errors.Join(err, loading.Close()) }()
	s, edge, matrix := w.stream, w.l.Core, w.shape.Variant.Entries(core.Matrix)
	same := make([]int32, edge)
	for i := range same {
		same[i] = int32(i)
	}
	w.matrix.Buf = w.held.Buffer(int64(len(matrix)))
	rows, columns := loading.Put(s, matrix, 0), loading.Put(s, entry.Bytes(entry.As[uint32](same)), 0)
	if err := cmp.Or(w.held.Err(), loading.Err()); err != nil {
		return err
	}
	t := kernels.LaneTranspose{Dst: w.matrix, Edge: edge, Side: 1, Lanes: rows, Width: edge, Columns: columns}
	return errors.Join(w.can.LaneTranspose(s, w.l.e.Variant, t), s.Sync())
}

// Batch is a stream and the device memory for one batch of sources at a time. It is for one goroutine.
type Batch struct {
	w      *DeviceExpander
	lanes  int
	held   device.Held
	stream kernels.Stream
	rows   kernels.Buffer // of lanes
	tiles  kernels.Buffer // that come of them
	sums   kernels.Buffer // CRC-32C of each SumRows rows of each tile
	ends   kernels.Buffer // where the sources' climbs begin, and end
	host   []byte         // the same in host memory
	read   kernels.Event  // of the last copy of host; nil: none yet
}

// NewBatch takes BatchBytes for so many lanes, a multiple of the edge of the tiles.
func (w *DeviceExpander) NewBatch(lanes int) (*Batch, error) {
	if lanes <= 0 || lanes%w.shape.Edge != 0 {
		return nil, fmt.Errorf("a batch of %d lanes: want a multiple of %d", lanes, w.shape.Edge)
	}
	b := &Batch{w: w, lanes: lanes, held: device.Held{On: w.held.On}}
	h, shape := &b.held, w.shape
	ends, width := int64(lanes)*entry.WordBytes, int64(lanes)*int64(shape.Variant.Bytes())
	b.rows, b.tiles = h.Buffer(shape.rows()*width), h.Buffer(shape.side()*int64(shape.Edge)*width)
	b.sums = h.Buffer(int64(lanes/shape.Edge) * shape.sums() * entry.WordBytes)
	b.ends, b.host = h.Buffer(2*ends), h.Host(2*ends)
	if b.stream = h.Stream(); h.Err() != nil {
		return nil, errors.Join(h.Err(), b.Close())
	}
	return b, nil
}

// Close waits for the stream and gives the memory back.
func (b *Batch) Close() error { return b.held.Close() }

// Rows enqueues the computation of the distances from the sources, which are vertices; a batch takes at most as many
// as it has lanes. The distances from source l are in row l%edge of the tiles of row l/edge. Rows of tiles beyond the
// last source are not made; padding in the last one is unreachable. A row of distances does not depend on the other
// sources.
func (b *Batch) Rows(sources []int32) error {
	edge := b.w.shape.Edge
	width := entry.RoundUp(len(sources), edge)
	if width == 0 || width > b.lanes {
		return fmt.Errorf("expand %d sources in a batch of %d lanes", len(sources), b.lanes)
	}
	if b.read != nil { // what was written to host for the batch before
		if err := b.read.Sync(); err != nil {
			return err
		}
	}
	l := b.w.l
	ends := entry.As[int32](entry.View[uint32](b.host))
	first, last := ends[:width], ends[width:2*width]
	for i := range first {
		first[i], last[i] = -1, -1
		if i < len(sources) {
			rank := l.e.Rank[sources[i]]
			first[i], last[i] = l.row[rank], l.last(rank)
		}
	}
	bytes := width * entry.WordBytes
	in := b.stream.CopyIn(kernels.Tile{Buf: b.ends}, b.host[:2*bytes])
	if in != nil {
		return in
	}
	var err error
	if b.read, err = b.stream.Record(); err != nil {
		return err
	}
	return b.enqueue(width, kernels.Tile{Buf: b.ends}, kernels.Tile{Buf: b.ends, Off: int64(bytes)})
}

// enqueue enqueues the climb, the product, the descent, the transposition and the checksums.
func (b *Batch) enqueue(width int, first, last kernels.Tile) error {
	w, l, v := b.w, b.w.l, b.w.l.e.Variant
	rows := kernels.Tile{Buf: b.rows}
	level := func(arcs *[3]kernels.Tile, ranges []kernels.LevelRange, sources kernels.Tile, fresh bool) error {
		return w.can.Level(b.stream, v,
			kernels.Level{Lanes: rows, Width: width, Offsets: arcs[0], Ends: arcs[1], Weights: arcs[2],
				Sources: sources, Fresh: fresh, Ranges: ranges})
	}
	if err := level(&w.up, l.climb, first, true); err != nil {
		return err
	}
	if l.Core > 0 {
		p := kernels.LaneProduct{Dst: kernels.Tile{Buf: b.rows, Off: int64(l.Core) * int64(width) * int64(v.Bytes())},
			Src: rows, Width: width,
			Weights: w.matrix, Edge: l.Core}
		if err := w.can.LaneProduct(b.stream, v, p); err != nil {
			return err
		}
	}
	if err := level(&w.down, l.descent, kernels.Tile{}, false); err != nil {
		return err
	}
	edge, side := w.shape.Edge, int(w.shape.side())
	if err := w.can.LaneTranspose(b.stream, v,
		kernels.LaneTranspose{Dst: kernels.Tile{Buf: b.tiles}, Edge: edge, Side: side, Lanes: rows, Width: width,
			Columns: w.columns, Sources: last}); err != nil {
		return err
	}
	return w.can.Checksums(b.stream, kernels.Tile{Buf: b.sums}, kernels.Tile{Buf: b.tiles},
		SumRows*int64(edge)*int64(v.Bytes()), width/edge*int(w.shape.sums()))
}

// Sync waits for all that was enqueued.
func (b *Batch) Sync() error { return b.stream.Sync() }

// TileRow enqueues copies of row i of the tiles that Rows computes and of their CRC-32C checksums, one for each
// SumRows rows of a tile. Tiles before column first are not copied; dst has room for them, too. Both may be read once
// the event that it returns has passed. The device computes the checksums, so they also reveal damage on the way to
// dst or to a disk.
func (b *Batch) TileRow(dst []byte, sums []uint32, i, first int) (kernels.Event, error) {
	shape := b.w.shape
	bytes := shape.side() * int64(shape.Edge) * int64(shape.Edge) * int64(shape.Variant.Bytes())
	if int64(len(dst)) != bytes || int64(len(sums)) != shape.sums() {
		return nil, fmt.Errorf("a row of tiles of %d bytes with %d checksums to %d bytes, %d checksums", bytes,
			shape.sums(), len(dst), len(sums))
	}
	skip := bytes / shape.side() * int64(first)
	err := errors.Join(b.stream.CopyOut(dst[skip:], kernels.Tile{Buf: b.tiles, Off: int64(i)*bytes + skip}),
		b.stream.CopyOut(entry.Bytes(sums), kernels.Tile{Buf: b.sums, Off: int64(i) * shape.sums() * entry.WordBytes}))
	if err != nil {
		return nil, err
	}
	return b.stream.Record()
}
