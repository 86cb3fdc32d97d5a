package cuda

import (
	"fmt"
	"unsafe"

	"ooc/kernels"
	"ooc/kernels/entry"
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
	s, err := d.laneStream(on, v, b.Width)
	if err == nil && b.Count < 0 {
		err = fmt.Errorf("%d blocks", b.Count)
	}
	r := &resolver{device: d, err: err}
	p := &laneBlocksParam{blocks: r.aligned("blocks", b.Blocks, blockBytes*int64(b.Count)), terms: r.aligned("terms", b.Terms, 0),
		weights: r.aligned("weights", b.Weights, kernels.LaneSlack*int64(v.Bytes())),
		// Which rows are looked at, Blocks and Terms say.
		lanes: r.aligned("lanes", b.Lanes, int64(b.Width)*int64(v.Bytes())),
		width: int32(b.Width), fresh: oneIf(b.Fresh)}
	if r.err == nil && b.Count > 0 {
		r.err = s.launch(v, laneBlocks, b.Count*entry.CeilDiv(b.Width, blockLanes), paramOf(p))
	}
	return in("blocks of lanes", r.err)
}
