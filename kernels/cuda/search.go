package cuda

import (
	"ooc/kernels"
	"ooc/kernels/entry"
)

var _ kernels.SearchOps = (*Device)(nil)

// searchParam is Search of search.cuh.
type searchParam struct {
	pieces, ends, weights, lanes, sources      address
	least, keys, live                          address
	near                                       float64
	rows, width, count, pieceCount, sweep, pad int32
}

// searched are the variants that there are searches of.
var searched = []entry.Variant{entry.I32, entry.F32, entry.U16, entry.F64}

const (
	searchWarps  = 8   // of a block of search.cuh
	searchSweeps = 9   // at a time: a multiple of 3, after which the least key is in its first place again
	searchBlocks = 8   // of each multiprocessor, that clear
	searchHeader = 256 // bytes before the keys
)

// LaneSearch implements kernels.SearchOps.
func (d *Device) LaneSearch(on kernels.Stream, v entry.Variant, l kernels.LaneSearch) error {
	c := d.onLanes(on, v, l.Width)
	c.Rows(l.Rows, l.Count, l.Width)
	c.Want(l.PieceCount >= 0 && l.Arcs >= 0 && l.Near >= 0, "%d arcs in %d pieces, %g far", l.Arcs, l.PieceCount, l.Near)
	if c.Err != nil {
		return c.end("search")
	}
	keys := entry.RoundUp(entry.WordBytes*l.Rows, searchHeader)
	memory := c.aligned("memory", l.Memory, int64(searchHeader+keys+l.Rows))
	p := &searchParam{pieces: c.aligned("pieces", l.Pieces, 16*int64(l.PieceCount)),
		ends:    c.vector("ends", l.Ends, l.Arcs),
		weights: c.aligned("weights", l.Weights, int64(l.Arcs)*int64(v.WeightBytes())),
		lanes:   c.aligned("lanes", l.Lanes, int64(l.Rows)*int64(l.Width)*int64(v.Bytes())),
		sources: c.vector("sources", l.Sources, l.Count),
		least:   memory, keys: memory + searchHeader, live: memory + address(searchHeader+keys), near: l.Near,
		rows: int32(l.Rows), width: int32(l.Width), count: int32(l.Count), pieceCount: int32(l.PieceCount)}
	if l.Fresh {
		c.launch(searchClear, searchBlocks*d.sms, paramOf(p))
		c.launch(searchSeed, entry.CeilDiv(l.Count, kernelInfo[searchSeed].threads), paramOf(p))
	}
	strips := entry.CeilDiv(l.Width, min(512, 2048/v.Bytes())) // each the lanes of a warp
	for range searchSweeps {
		c.launch(searchPick, max(1, entry.CeilDiv(l.Rows, kernelInfo[searchPick].threads)), paramOf(p))
		c.launch(searchLower, entry.CeilDiv(l.PieceCount*strips, searchWarps), paramOf(p))
		p.sweep++
	}
	return c.end("search")
}
