package sparse

import (
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"ooc/kernels"
)

// FillTile writes tile (i, j) of the core's matrix before it is closed, as graph.Graph's FillTile does of
// a graph's: T×T little-endian 4-byte entries, 0 on the diagonal; an entry is the shortest arc or path over
// eliminated vertices from core vertex to core vertex, in the order of CoreVertices. Rows and columns from
// Core() on, which pad the last tiles, are isolated vertices. Several goroutines may fill different tiles.
func (e *Elimination) FillTile(dst []byte, t, i, j int) {
	if len(dst) != kernels.EntryBytes*t*t {
		panic(fmt.Sprintf("sparse: FillTile of edge %d given %d bytes", t, len(dst)))
	}
	if t == 0 {
		return
	}
	words := unsafe.Slice((*uint32)(unsafe.Pointer(&dst[0])), t*t)
	switch e.Variant {
	case kernels.I32:
		fillCore(e, words, e.graph.I32, arithmeticI32, t, i, j)
	case kernels.I32Signed:
		fillCore(e, words, e.graph.I32, arithmeticI32Signed, t, i, j)
	default:
		fillCore(e, words, e.graph.F32, arithmeticF32, t, i, j)
	}
}

// fillCore implements FillTile. What elimination left between two core vertices is found anew for each
// tile: each rank with arcs from one and to the other has a path for them.
func fillCore[W weight](e *Elimination, words []uint32, weights []W, a arithmetic[W], t, i, j int) {
	entries := entriesOf[W](words)
	fill(entries, a.inf)
	core := int32(e.Core())
	top, left := int32(i*t), int32(j*t)
	right := min(left+int32(t), core)
	for x := top; x < min(top+int32(t), core); x++ {
		row := entries[int(x-top)*t:][:t]
		fillArcs(e, row, weights, x, left, right)
		for _, r := range e.lower[e.lowerStart[x]:e.lowerStart[x+1]] {
			if k := findArc(e.Down, r, x); k >= 0 {
				fillPaths(e.Up, row, r, entriesOf[W](e.Down.Weights)[k], left, right)
			}
		}
		a.reset(row)
	}
	if i == j {
		for k := range t {
			entries[k*t+k] = 0
		}
	}
}

// fillArcs places the graph's own arcs from core vertex x.
func fillArcs[W weight](e *Elimination, row, weights []W, x, left, right int32) {
	u := e.Vertices[x]
	for k := e.graph.Offsets[u]; k < e.graph.Offsets[u+1]; k++ {
		if y := e.Rank[e.graph.Targets[k]]; y >= left && y < right {
			row[y-left] = weights[k]
		}
	}
}

// fillPaths lowers the entries of the core vertices that r, at distance w, has arcs up to.
func fillPaths[W weight](up *kernels.Arcs, row []W, r int32, w W, left, right int32) {
	first, last := up.Offsets[r], up.Offsets[r+1]
	ends, weights := up.Ends[first:last], entriesOf[W](up.Weights[first:last])
	k, _ := slices.BinarySearch(ends, left)
	for ; k < len(ends) && ends[k] < right; k++ {
		to := &row[ends[k]-left]
		*to = min(*to, w+weights[k])
	}
}

// findArc returns the index of row r's arc to end, or -1.
func findArc(a *kernels.Arcs, r, end int32) int {
	k, ok := slices.BinarySearch(a.Ends[a.Offsets[r]:a.Offsets[r+1]], end)
	if !ok {
		return -1
	}
	return int(a.Offsets[r]) + k
}

// Core is the closed core of an elimination.
type Core interface {
	// Cross sets row y of dst, for every core vertex y, to the least of src's row i plus the distance from
	// core vertex from[i] to y. There are no other rows in dst.
	Cross(dst, src kernels.Lanes, from []int32) error
}

// DenseCore is a closed core in memory.
type DenseCore struct {
	Sweeper kernels.Sweeper
	Variant kernels.Variant
	Size    int      // core vertices
	Matrix  []uint32 // Size×Size entries, row by row
}

// Cross implements Core.
func (c *DenseCore) Cross(dst, src kernels.Lanes, from []int32) error {
	rows := make([][]uint32, len(from))
	for i, x := range from {
		rows[i] = c.Matrix[int(x)*c.Size:][:c.Size]
	}
	c.Sweeper.Cross(c.Variant, dst, src, rows)
	return nil
}

// CloseCore closes the core on a device as one tile: for cores that fit its memory, Size² entries and the
// padding to a tile. Larger ones are for the rounds of package engine.
func (e *Elimination) CloseCore(d kernels.Device, s kernels.Sweeper) (*DenseCore, error) {
	c := &DenseCore{Sweeper: s, Variant: e.Variant, Size: e.Core()}
	if c.Size == 0 {
		return c, nil
	}
	edge := roundUp(c.Size, 64)
	tile := make([]uint32, edge*edge)
	e.FillTile(bytesOf(tile), edge, 0, 0)
	if err := closeTile(d, e.Variant, edge, bytesOf(tile)); err != nil {
		return nil, fmt.Errorf("close a core of %d vertices: %w", c.Size, err)
	}
	for i := range c.Size {
		copy(tile[i*c.Size:][:c.Size], tile[i*edge:])
	}
	c.Matrix = tile[:c.Size*c.Size]
	return c, nil
}

// closeTile replaces a tile in host memory by its closure.
func closeTile(d kernels.Device, v kernels.Variant, edge int, tile []byte) (err error) {
	buf, err := d.Alloc(int64(len(tile)))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, buf.Free()) }()
	stream, err := d.NewStream()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stream.Close()) }()
	at := kernels.Tile{Buf: buf}
	if err := stream.CopyIn(at, tile); err != nil {
		return err
	}
	if err := stream.Closure(v, edge, []kernels.Tile{at}); err != nil {
		return err
	}
	if err := stream.CopyOut(tile, at); err != nil {
		return err
	}
	return stream.Sync()
}
