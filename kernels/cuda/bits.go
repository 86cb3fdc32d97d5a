package cuda

import (
	"slices"

	"ooc/kernels"
	"ooc/kernels/entry"
)

var _ kernels.BitOps = (*Device)(nil)

// bitParam is BitSearch of bits.cuh.
type bitParam struct {
	offsets, ends, order, sources             address
	seen, from, to, hubs                      address
	pieces, header, slot, live, liveTo, full  address
	planes, results                           address
	n, words, level, count, planeCount, width int32
}

// bitRowsParam is BitRows of bits.cuh.
type bitRowsParam struct {
	planes, columns, sources, values, to address
	n, words, count, planeCount          int32
	edge, side, first, pad               int32
}

// What bits.cuh takes.
const (
	bitWarps      = 8
	hubArcs       = 1024
	pieceArcs     = 256
	countRows     = 1024
	countLanes    = 1024
	bitPieceBytes = 16
	hubBlocks     = 4 // of each multiprocessor
	rowLanes      = 256
	rowColumns    = 64
)

// bitPulls are the kernels for each of kernels.BitLanes, and bitRows those for entries of 1, 2, 4 and 8 bytes.
var (
	bitPulls = []kernel{bitPull1, bitPull2, bitPull4, bitPull8}
	bitRows  = map[int]kernel{1: bitRows1, 2: bitRows2, 4: bitRows4, 8: bitRows8}
)

// bitPlaces are where the parts of a search's memory are: as in bitParam, from seen on.
func bitPlaces(b kernels.BitSearch) (at [11]int64, all int) {
	n, arcs, row := b.Vertices, b.Arcs, b.Lanes/8
	for i, bytes := range []int{n * row, n * row, n * row, (arcs/hubArcs + 1) * row,
		(arcs/pieceArcs + arcs/hubArcs + 1) * bitPieceBytes, 64, 4 * n, n, n, n,
		b.Planes * n * row} {
		at[i] = int64(all)
		all += entry.RoundUp(bytes, 256)
	}
	return at, all
}

// BitRoom implements kernels.BitOps.
func (*Device) BitRoom(b kernels.BitSearch) int64 {
	_, all := bitPlaces(b)
	return int64(all)
}

// BitStart implements kernels.BitOps.
func (d *Device) BitStart(on kernels.Stream, b kernels.BitSearch) error {
	c, p := d.onBits(on, b)
	p.sources = c.vector("sources", b.Sources, b.Count)
	c.launch(bitClear, 1, paramOf(p))
	c.launch(bitStart, entry.CeilDiv(b.Vertices, bitWarps), paramOf(p))
	c.launch(bitSeed, entry.CeilDiv(b.Count, kernelInfo[bitSeed].threads), paramOf(p))
	return c.end("begin of a search")
}

// BitLevels implements kernels.BitOps.
func (d *Device) BitLevels(on kernels.Stream, b kernels.BitSearch, first, levels int, results kernels.Tile) error {
	c, p := d.onBits(on, b)
	c.Want(first >= 1 && levels >= 0, "%d levels from %d on", levels, first)
	p.results = c.vector("results", results, b.BitResults(levels)/entry.WordBytes)
	p.level, p.width = int32(first), int32(2*b.Lanes*levels)
	c.launch(bitClear, entry.CeilDiv(int(p.width), kernelInfo[bitClear].threads), paramOf(p))
	pull := bitPulls[max(0, slices.Index(kernels.BitLanes, b.Lanes))]
	if first%2 == 0 {
		p.from, p.to, p.live, p.liveTo = p.to, p.from, p.liveTo, p.live
	}
	for range levels {
		if b.Arcs > hubArcs {
			c.launch(bitHubs, hubBlocks*d.sms, paramOf(p))
		}
		c.launch(pull, entry.CeilDiv(b.Vertices, bitWarps), paramOf(p))
		c.launch(bitCount, entry.CeilDiv(b.Vertices, countRows)*(b.Lanes/countLanes), paramOf(p))
		p.from, p.to, p.live, p.liveTo = p.to, p.from, p.liveTo, p.live
		p.results += address(b.BitResults(1))
		p.level++
	}
	return c.end("levels of a search")
}

// BitRows implements kernels.BitOps.
func (d *Device) BitRows(on kernels.Stream, b kernels.BitSearch, r kernels.BitRows) error {
	c, search := d.onBits(on, b)
	k, is := bitRows[r.Size]
	c.Want(is && r.Edge > 0 && r.Edge%kernels.DeviceLaneUnit == 0 && r.First >= 0 && r.Side >= r.First,
		"tiles from %d to %d, of edge %d, of entries of %d bytes", r.First, r.Side, r.Edge, r.Size)
	if c.Err == nil {
		tiles := entry.CeilDiv(b.Count, r.Edge) * r.Side
		p := &bitRowsParam{planes: search.planes, columns: c.vector("columns", r.Columns, r.Side*r.Edge),
			sources: c.vector("sources", b.Sources, b.Count),
			values:  c.aligned("values", r.Values, int64(r.Size)<<b.Planes),
			to:      c.aligned("result", r.Dst, int64(tiles)*int64(r.Edge)*int64(r.Edge)*int64(r.Size)),
			n:       int32(b.Vertices), words: search.words, count: int32(b.Count), planeCount: int32(b.Planes),
			edge: int32(r.Edge), side: int32(r.Side), first: int32(r.First)}
		c.launch(k, entry.CeilDiv(b.Count, rowLanes)*((r.Side-r.First)*r.Edge/rowColumns), paramOf(p))
	}
	return c.end("rows of a search")
}

// onBits begins an operation on a search. Its levels before are those of even numbers.
func (d *Device) onBits(on kernels.Stream, b kernels.BitSearch) (*call, *bitParam) {
	c := d.on(on, forAll)
	c.Want(slices.Contains(kernels.BitLanes, b.Lanes), "%d lanes: want one of %v", b.Lanes, kernels.BitLanes)
	c.Want(b.Vertices > 0 && b.Arcs >= 0 && b.Arcs < 1<<31 && b.Count >= 0 && b.Count <= b.Lanes,
		"%d vertices, %d arcs, %d sources in %d lanes", b.Vertices, b.Arcs, b.Count, b.Lanes)
	c.Want(b.Planes >= 0 && b.Planes <= kernels.MostBitPlanes, "%d planes: want at most %d", b.Planes,
		kernels.MostBitPlanes)
	if c.Err != nil {
		return c, &bitParam{}
	}
	at, all := bitPlaces(b)
	p := &bitParam{offsets: c.vector("offsets", b.Offsets, b.Vertices+1), ends: c.vector("ends", b.Ends, b.Arcs),
		order: c.vector("order", b.Order, b.Vertices),
		n:     int32(b.Vertices), words: int32(b.Lanes / 32), count: int32(b.Count), planeCount: int32(b.Planes)}
	memory := c.aligned("memory", b.Memory, int64(all))
	for i, part := range []*address{&p.seen, &p.from, &p.to, &p.hubs, &p.pieces, &p.header, &p.slot, &p.live, &p.liveTo,
		&p.full, &p.planes} {
		*part = memory + address(at[i])
	}
	return c, p
}
