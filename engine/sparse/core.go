package sparse

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"ooc/engine/device"
	"ooc/engine/internal/cancel"
	"ooc/engine/internal/pages"
	"ooc/engine/internal/parallel"
	"ooc/kernels"
	"ooc/kernels/entry"
)

// FillTile writes tile (i, j) of the core's matrix before it is closed, in the format of graph.Graph.FillTile: T×T
// little-endian entries, 0 on the diagonal. An entry is the length of the shortest arc, or path over eliminated
// vertices, between two core vertices, which are in the order of Vertices. Rows and columns from Core() on pad
// the last tiles: they are isolated vertices. Several goroutines may fill different tiles.
func (e *Elimination) FillTile(dst []byte, t, i, j int) {
	if len(dst) != e.Variant.Bytes()*t*t {
		panic(fmt.Sprintf("sparse: FillTile of edge %d given %d bytes", t, len(dst)))
	}
	if t == 0 {
		return
	}
	arithmetics[e.Variant].fill(e, dst, t, t, i, j)
}

// fill is FillTile for a tile of another shape.
func (a arithmetic[W]) fill(e *Elimination, dst []byte, rows, columns, i, j int) {
	if e.Variant == entry.U16 {
		fillCore(e, entry.View[uint16](dst), a, rows, columns, i, j)
	} else {
		fillCore(e, entry.View[W](dst), a, rows, columns, i, j)
	}
}

// stored is a type of entries: that of weights, or a narrower one that holds inf.
type stored interface{ weight | uint16 }

// fillCore implements fill. It places the graph's own arcs first. Then it lowers entries to the paths over each
// rank that has arcs from the tile's rows and to its columns.
func fillCore[E stored, W weight](e *Elimination, entries []E, a arithmetic[W], rows, columns, i, j int) {
	weights := entry.View[W](e.graph.WeightBytes())
	entry.Fill(entries, E(a.inf))
	core := int32(e.Core())
	top, left := int32(i*rows), int32(j*columns)
	for x := top; x < min(top+int32(rows), core); x++ {
		fillArcs(e, entries[int(x-top)*columns:][:columns], weights, a.inf, x, left, min(left+int32(columns), core))
	}
	down, up := e.coreArcs(rows, columns)
	from, to := down.of(i), up.of(j)
	var sums []W
	for len(from) > 0 && len(to) > 0 {
		switch d := from[0].rank - to[0].rank; {
		case d < 0:
			from = from[1:]
		case d > 0:
			to = to[1:]
		default:
			alike := e.alike(from, to)
			sums = fillPaths(e, entries, a.inf, columns, from[:alike], to[:alike], top, left, sums)
			from, to = from[alike:], to[alike:]
		}
	}
	for k, d := range entries {
		if W(d) >= a.limit {
			entries[k] = E(a.inf)
		}
	}
	for x := max(top, left); x < min(top+int32(rows), left+int32(columns)); x++ {
		entries[int(x-top)*columns+int(x-left)] = 0
	}
}

// fillArcs places the graph's own arcs from core vertex x.
func fillArcs[E stored, W weight](e *Elimination, row []E, weights []W, inf W, x, left, right int32) {
	u := e.Vertices[x]
	for k := e.graph.Offsets[u]; k < e.graph.Offsets[u+1]; k++ {
		if y := e.Rank[e.graph.Targets[k]]; y >= left && y < right {
			row[y-left] = E(min(weights[k], inf))
		}
	}
}

// alike counts the first ranks of two lists of arcs that are the same ranks, and have arcs from the same core
// vertices and to the same ones. Ranks of a separator mostly do.
func (e *Elimination) alike(from, to []coreArcs) int {
	ends := func(a *kernels.Arcs, c coreArcs) []int32 { return a.Ends[c.first:c.last] }
	same := func(a *kernels.Arcs, list []coreArcs, k int) bool {
		return list[k].rank == list[k-1].rank+1 && slices.Equal(ends(a, list[k]), ends(a, list[0]))
	}
	k := 1
	for k < min(len(from), len(to)) && same(e.Down, from, k) && same(e.Up, to, k) {
		k++
	}
	return k
}

// fillPaths lowers the entries of a tile to the paths over some ranks that are alike, with arcs from its rows and to
// its columns. It finds the least for each row before it places them. It returns sums, which is memory to do that in,
// or a larger one.
func fillPaths[E stored, W weight](e *Elimination, entries []E, inf W, columns int, from, to []coreArcs,
	top, left int32, sums []W) []W {
	ends, rows := e.Up.Ends[to[0].first:to[0].last], e.Down.Ends[from[0].first:from[0].last]
	ups, downs := entry.As[W](e.Up.Weights), entry.As[W](e.Down.Weights)
	sums = slices.Grow(sums[:0], len(ends))[:len(ends)]
	for k, x := range rows {
		entry.Fill(sums, inf)
		for i := range from {
			if by := downs[int(from[i].first)+k:][:1]; by[0] < inf {
				lowerTo(e, sums, ups[to[i].first:to[i].last], by)
			}
		}
		row := entries[int(x-top)*columns:][:columns]
		for m, y := range ends {
			cell := &row[y-left]
			*cell = E(min(W(*cell), sums[m]))
		}
	}
	return sums
}

// lowerTo lowers sums to weights plus by, which is one weight, on the elimination's host if there is one.
func lowerTo[W weight](e *Elimination, sums, weights, by []W) {
	if e.host == nil {
		lowerRow(sums, weights, by[0])
		return
	}
	e.host.LowerRow(e.Variant, entry.As[uint32](sums), entry.As[uint32](weights), entry.As[uint32](by))
}

// coreArcs are the arcs first…last-1 between one rank and the core vertices of one row or column of tiles.
type coreArcs struct{ rank, first, last int32 }

// coreArcLists hold, for each row or column of tiles, its coreArcs by ascending rank.
type coreArcLists struct {
	start []int
	list  []coreArcs
}

// of returns those of row or column i of tiles, which may lie in the padding alone.
func (f *coreArcLists) of(i int) []coreArcs {
	if i >= len(f.start)-1 {
		return nil
	}
	return f.list[f.start[i]:f.start[i+1]]
}

// coreArcs returns the arcs from the core, by rows of tiles of so many rows and columns, and those to it, by columns.
// They are listed once, since all tiles are asked for in one size.
func (e *Elimination) coreArcs(rows, columns int) (down, up *coreArcLists) {
	l := &e.coreArcLists
	l.Lock()
	defer l.Unlock()
	if l.rows != rows || l.columns != columns {
		l.rows, l.columns, l.up = rows, columns, e.listCoreArcs(e.Up, columns)
		if l.down = l.up; e.Down != e.Up || rows != columns {
			l.down = e.listCoreArcs(e.Down, rows)
		}
	}
	return l.down, l.up
}

func (e *Elimination) listCoreArcs(a *kernels.Arcs, t int) *coreArcLists {
	core := e.Core()
	each := func(do func(tile int, f coreArcs)) {
		for r := core; r < len(e.Vertices); r++ {
			for k, last := a.Offsets[r], a.Offsets[r+1]; k < last && int(a.Ends[k]) < core; {
				f, tile := coreArcs{int32(r), k, k}, int(a.Ends[k])/t
				for end := int32(min((tile+1)*t, core)); f.last < last && a.Ends[f.last] < end; {
					f.last++
				}
				do(tile, f)
				k = f.last
			}
		}
	}
	tiles := entry.CeilDiv(core, t)
	f := &coreArcLists{start: make([]int, tiles+1)}
	each(func(tile int, _ coreArcs) { f.start[tile+1]++ })
	for i := range tiles {
		f.start[i+1] += f.start[i]
	}
	f.list = make([]coreArcs, f.start[tiles])
	next := slices.Clone(f.start)
	each(func(tile int, x coreArcs) {
		f.list[next[tile]] = x
		next[tile]++
	})
	return f
}

// coreRows is the closed core of an elimination.
type coreRows interface {
	// Cross sets row y of dst, for every core vertex y, to the minimum over i of src's row i plus the distance from
	// core vertex from[i] to y. dst has no other rows.
	Cross(dst, src kernels.Lanes, from []int32) error
}

// DenseCore is a closed core in memory.
type DenseCore struct {
	Host    kernels.HostLaneOps
	Variant entry.Variant
	Size    int // core vertices
	Pitch   int // Size, padded to a multiple of kernels.DeviceLaneUnit
	// Matrix: Pitch rows of Pitch weights, as those of kernels.Arcs; what pads them is not negative, and does not
	// matter.
	Matrix []uint32

	kept *keptCore // nil: Matrix has it
}

// keptCore is a core's matrix in the memory of the device that has closed it, with rows for the upper ranks after it.
type keptCore struct {
	over   sync.Once
	use    sync.RWMutex // is read-locked while a device reads the tile
	gone   bool         // from there; guarded by use
	failed error
	held   device.Held
	stream kernels.Stream
	tile   kernels.Tile
}

// Fetch makes sure that Matrix is there, and not on the device that has closed the core. Any number of goroutines may
// call it.
func (c *DenseCore) Fetch() error {
	return c.leave(func(k *keptCore) error {
		c.make()
		return errors.Join(k.stream.CopyOut(entry.Bytes(c.Matrix), k.tile), k.stream.Sync())
	})
}

// Close gives back the device's memory that has Matrix, which is lost if nobody has fetched it.
func (c *DenseCore) Close() error { return c.leave(func(*keptCore) error { return nil }) }

// leave gives back the device's memory, if it has the matrix, once something is done.
func (c *DenseCore) leave(do func(*keptCore) error) error {
	if c == nil || c.kept == nil {
		return nil
	}
	k := c.kept
	k.over.Do(func() {
		err := do(k)
		k.use.Lock()
		defer k.use.Unlock()
		k.gone = true
		k.failed = errors.Join(err, k.held.Close())
	})
	return k.failed
}

// lend reports whether a device can read the matrix where it is kept, on that device or from another. Then use is
// read-locked.
func (k *keptCore) lend(d kernels.Device) bool {
	if k == nil {
		return false
	}
	if k.held.On != d {
		if peers, ok := kernels.As[kernels.PeerOps](d); !ok || !peers.Reaches(k.tile.Buf) {
			return false
		}
	}
	if k.use.RLock(); k.gone {
		k.use.RUnlock()
		return false
	}
	return true
}

// make takes memory for Matrix, if there is none.
func (c *DenseCore) make() {
	if c.Matrix == nil {
		words := c.Variant.WeightBytes() / entry.WordBytes
		c.Matrix = entry.As[uint32](pages.Make[uint64](c.Pitch * c.Pitch * words / 2))
	}
}

// Cross implements coreRows.
func (c *DenseCore) Cross(dst, src kernels.Lanes, from []int32) error {
	rows, words := make([][]uint32, len(from)), c.Variant.WeightBytes()/entry.WordBytes
	for i, x := range from {
		rows[i] = c.Matrix[int(x)*c.Pitch*words:][:c.Size*words]
	}
	c.Host.Cross(c.Variant, dst, src, rows)
	return nil
}

// A core of more than oneTile vertices is closed as tiles of an edge of at most coreEdge: a device takes no larger
// tile.
const (
	oneTile  = 1 << 15
	coreEdge = 4096
)

// CloseCore closes the core on a device, whose memory has to have room for Size² entries and their padding to tiles;
// larger cores are solved by package rounds. It fails with the cause of ctx if that ends before the device begins. keep
// has it leave the matrix on the device, if that can be and there are Pieces: Fetch or Close it before the device
// closes.
func (e *Elimination) CloseCore(ctx context.Context, d kernels.Device, s kernels.HostLaneOps,
	keep bool) (*DenseCore, error) {
	return e.closeCore(ctx, d, s, oneTile, coreEdge, keep)
}

func (e *Elimination) closeCore(ctx context.Context, d kernels.Device, s kernels.HostLaneOps, most, edge int,
	keep bool) (*DenseCore, error) {
	defer e.Pieces.coreEnqueued()
	c := &DenseCore{Host: s, Variant: e.Variant, Size: e.Core()}
	if c.Size == 0 {
		return c, nil
	}
	c.Pitch = entry.RoundUp(c.Size, kernels.DeviceLaneUnit)
	side := 1
	if c.Pitch > most {
		// As many tiles as that edge makes, but no larger than they need be, so that little pads the last ones.
		edge = entry.RoundUp(entry.CeilDiv(c.Pitch, entry.CeilDiv(c.Pitch, edge)), kernels.DeviceLaneUnit)
		side = entry.CeilDiv(c.Pitch, edge)
	} else {
		edge = c.Pitch
	}
	if err := e.closeTiles(ctx, d, c, edge, side, keep); err != nil {
		return nil, fmt.Errorf("close a core of %d vertices: %w", c.Size, err)
	}
	return c, nil
}

// closeTiles closes the core on a device as side×side tiles, and takes its distances to c.Matrix, or keeps them there.
func (e *Elimination) closeTiles(ctx context.Context, d kernels.Device, c *DenseCore, edge, side int,
	keep bool) (err error) {
	v, size := e.Variant, e.Variant.Bytes()
	bytes := int64(edge) * int64(edge) * int64(size)
	kept := &keptCore{held: device.Held{On: d}}
	keep = keep && e.Pieces != nil && edge == c.Pitch && size == v.WeightBytes()
	defer func() {
		if err != nil || !keep {
			err = errors.Join(err, kept.held.Close())
		}
	}()
	room, can := int64(side)*int64(side)*bytes, kernels.LaneOps(nil)
	if keep {
		room += e.below() * int64(c.Pitch*size)
	}
	if keep && !e.graph.Negative { // else rounding might leave less than 0 on the diagonal
		can, _ = kernels.As[kernels.LaneOps](d)
	}
	lists := device.Held{On: d} // given back at the end, as that waits for all that the device does
	defer func() { err = errors.Join(err, lists.Close()) }()
	buf, stream := kept.held.Buffer(room), kept.held.Stream()
	if kept.held.Err() != nil {
		return kept.held.Err()
	}

	filled := false // then memory for the matrix is only needed to fetch it
	if can != nil {
		err := e.fillOnDevice(can, &lists, stream, kernels.Tile{Buf: buf}, edge)
		if filled = err == nil; !filled && !errors.Is(err, kernels.ErrNoMemory) {
			return errors.Join(err, stream.Sync())
		}
	}
	// One tile whose entries are those of the matrix lies in it. Others pass through memory of their own.
	direct, tile := edge == c.Pitch && size == v.WeightBytes(), []byte(nil)
	if !filled {
		c.make()
		if tile = entry.Bytes(c.Matrix); !direct {
			tile = v.Kind().Make(edge * edge)
		}
	}
	pivot := make([]kernels.Tile, side*side)
	for k := range pivot {
		pivot[k] = kernels.Tile{Buf: buf, Off: int64(k) * bytes}
		if filled {
			continue
		}
		if err := errors.Join(e.fillBands(ctx, tile, edge, k/side, k%side, func(first int64, band []byte) error {
			return stream.CopyIn(kernels.Tile{Buf: buf, Off: pivot[k].Off + first}, band)
		}), stream.Sync()); err != nil {
			return err
		}
	}
	n := int64(side * edge)
	tally := cancel.Begin(ctx, n*n*n)
	if counts, ok := stream.(kernels.ClosureCounter); ok {
		counts.CountClosures(&tally.Done)
	}
	if err := context.Cause(ctx); err != nil {
		return errors.Join(err, stream.Sync())
	}
	if err := stream.Closure(v, edge, pivot); err != nil {
		return errors.Join(err, stream.Sync())
	}
	e.Pieces.coreEnqueued()
	if keep {
		kept.stream, kept.tile, c.kept = stream, pivot[0], kept
		return stream.Sync()
	}
	for k, from := range pivot {
		if err := errors.Join(stream.CopyOut(tile, from), stream.Sync()); err != nil || direct {
			return err
		}
		top, left, words := k/side*edge, k%side*edge, e.weightWords()
		width := min(edge, c.Pitch-left)
		for r := range min(edge, c.Pitch-top) {
			v.Weights(c.Matrix[((top+r)*c.Pitch+left)*words:][:width*words], tile[r*edge*size:][:width*size])
		}
	}
	return nil
}

// fillOnDevice makes the core's matrix on the device that keeps it, one tile, as products of arcs: those are far less
// to copy. The first product places the graph's own arcs, the second lowers entries to paths over eliminated ranks. h
// holds the arcs until the device has done so.
func (e *Elimination) fillOnDevice(can kernels.LaneOps, h *device.Held, s kernels.Stream, tile kernels.Tile,
	edge int) error {
	same := &kernels.Arcs{Offsets: make([]int32, edge+1), Weights: make([]uint32, edge*e.weightWords())}
	for i := range edge {
		same.Offsets[i+1], same.Ends = int32(i+1), append(same.Ends, int32(i))
	}
	for i, list := range [][2]*kernels.Arcs{
		{same, arithmetics[e.Variant].arcsInCore(e, edge)}, {e.fromCore(edge), e.Up},
	} {
		from, to := putArcs(h, s, list[0]), putArcs(h, s, list[1])
		if h.Err() != nil {
			return h.Err()
		}
		if err := can.ArcProduct(s, e.Variant, kernels.ArcProduct{Dst: tile, Edge: edge, Fresh: i == 0, Offsets: from[0],
			Ends: from[1], Weights: from[2], Offsets2: to[0], Ends2: to[1], Weights2: to[2]}); err != nil {
			return err
		}
	}
	return nil
}

// weightWords is how many words a weight takes.
func (e *Elimination) weightWords() int { return e.Variant.WeightBytes() / entry.WordBytes }

// arcsInCore lists the graph's own arcs between core vertices, for so many rows.
func (a arithmetic[W]) arcsInCore(e *Elimination, rows int) *kernels.Arcs {
	list, lengths := &kernels.Arcs{Offsets: make([]int32, rows+1)}, []W(nil)
	weights, core := entry.View[W](e.graph.WeightBytes()), e.Core()
	for x := range rows {
		if x < core {
			u := e.Vertices[x]
			for k := e.graph.Offsets[u]; k < e.graph.Offsets[u+1]; k++ {
				if y := e.Rank[e.graph.Targets[k]]; int(y) < core {
					list.Ends, lengths = append(list.Ends, y), append(lengths, min(weights[k], a.inf))
				}
			}
		}
		list.Offsets[x+1] = int32(len(list.Ends))
	}
	list.Weights = entry.As[uint32](lengths)
	return list
}

// fromCore lists the arcs from core vertices to eliminated ranks, for so many rows. Goroutines share the ranks.
func (e *Elimination) fromCore(rows int) *kernels.Arcs {
	core, n, words, parts := e.Core(), len(e.Vertices), e.weightWords(), runtime.GOMAXPROCS(0)
	each := func(p int, do func(x, r, k int32)) {
		for r := core + (n-core)*p/parts; r < core+(n-core)*(p+1)/parts; r++ {
			for k := e.Down.Offsets[r]; k < e.Down.Offsets[r+1] && int(e.Down.Ends[k]) < core; k++ {
				do(e.Down.Ends[k], int32(r), k)
			}
		}
	}
	next := make([][]int32, parts) // how many from each row, and then where the next goes
	together(parts, func(p int) {
		next[p] = make([]int32, rows)
		each(p, func(x, _, _ int32) { next[p][x]++ })
	})
	list, at := &kernels.Arcs{Offsets: make([]int32, rows+1)}, int32(0)
	for x := range rows {
		for p := range next {
			next[p][x], at = at, at+next[p][x]
		}
		list.Offsets[x+1] = at
	}
	list.Ends, list.Weights = make([]int32, at), make([]uint32, int(at)*words)
	together(parts, func(p int) {
		each(p, func(x, r, k int32) {
			i := next[p][x]
			next[p][x], list.Ends[i] = i+1, r
			copy(list.Weights[int(i)*words:][:words], e.Down.Weights[int(k)*words:])
		})
	})
	return list
}

// fillParts is into how many bands of rows a tile of the core's matrix is cut, which goroutines share. It divides the
// edge.
const fillParts = 64

// fillBands fills tile (i, j) of the core's matrix on all processors, and meanwhile gives each band to take, in order,
// with where it begins.
func (e *Elimination) fillBands(ctx context.Context, tile []byte, edge, i, j int,
	take func(first int64, band []byte) error) error {
	bytes, at := len(tile)/fillParts, int64(0)
	return parallel.Ordered(ctx, fillParts, fillParts, func(k int) ([]byte, error) {
		band := tile[k*bytes:][:bytes]
		arithmetics[e.Variant].fill(e, band, edge/fillParts, edge, i*fillParts+k, j)
		return band, nil
	}, func(band []byte) error {
		defer func() { at += int64(bytes) }()
		return take(at, band)
	})
}
