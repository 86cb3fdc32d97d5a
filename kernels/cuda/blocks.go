package cuda

import (
	"unsafe"

	"ooc/kernels"
	"ooc/kernels/entry"
	"ooc/kernels/internal/ledger"
)

// laneBlocksParam is LaneBlocks of blocks.cuh.
type laneBlocksParam struct {
	blocks, terms, weights, lanes address
	width, fresh                  int32
}

const (
	blockLanes = 128 // that a block of threads of blocks.cuh takes
	blockBytes = int64(unsafe.Sizeof(kernels.LaneBlock{}))
)

// LaneBlocks implements kernels.LaneOps.
func (d *Device) LaneBlocks(on kernels.Stream, v entry.Variant, b kernels.LaneBlocks) error {
	c := d.onLanes(on, v, b.Width)
	c.Want(b.Count >= 0, "%d blocks", b.Count)
	p := &laneBlocksParam{blocks: c.aligned("blocks", b.Blocks, blockBytes*int64(b.Count)),
		terms:   c.aligned("terms", b.Terms, 0),
		weights: c.aligned("weights", b.Weights, kernels.LaneSlack*int64(v.Bytes())),
		// Which rows are looked at, Blocks and Terms say.
		lanes: c.aligned("lanes", b.Lanes, int64(b.Width)*int64(v.Bytes())),
		width: int32(b.Width), fresh: ledger.OneIf[int32](b.Fresh)}
	c.launch(laneBlocks, b.Count*entry.CeilDiv(b.Width, blockLanes), paramOf(p))
	return c.end("blocks of lanes")
}
