package cuda

import (
	"ooc/kernels"
	"ooc/kernels/entry"
)

// laneSumsParam is LaneSums of lanesums.cuh.
type laneSumsParam struct {
	lanes, names, byLane, byRow address
	width, rows, count, pad     int32
}

// What a block of lanesums.cuh takes.
const (
	sumStrip   = 128 // lanes
	sumThreads = 256
	rowWarps   = 8
)

// LaneSums implements kernels.LaneOps.
func (d *Device) LaneSums(on kernels.Stream, v entry.Variant, l kernels.LaneSums) error {
	c := d.onLanes(on, v, l.Width)
	c.Rows(l.Rows, l.Count, l.Width)
	parts := entry.CeilDiv(l.Rows, kernels.LaneSumRows)
	p := &laneSumsParam{lanes: c.aligned("lanes", l.Lanes, int64(l.Rows)*int64(l.Width)*int64(v.Bytes())),
		names:  c.aligned("names", l.Names, 4*int64(l.Rows)),
		byLane: c.aligned("sums", l.ByLane, int64(kernels.LaneSumBytes)*int64(l.Width)*int64(parts+1)),
		width:  int32(l.Width), rows: int32(l.Rows), count: int32(l.Count)}
	if l.ByRow != (kernels.Tile{}) {
		p.byRow = c.aligned("sums of rows", l.ByRow, int64(kernels.LaneSumBytes)*int64(l.Rows))
	}
	c.launch(laneSums, parts*entry.CeilDiv(l.Width, sumStrip), paramOf(p))
	c.launch(laneTotals, entry.CeilDiv(l.Width, sumThreads), paramOf(p))
	if p.byRow != 0 {
		c.launch(rowSums, entry.CeilDiv(l.Rows, rowWarps), paramOf(p))
	}
	return c.end("sums of lanes")
}
