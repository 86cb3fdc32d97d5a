package cuda

import (
	"fmt"

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
	s, err := d.laneStream(on, v, l.Width)
	if err == nil && (l.Rows < 0 || l.Count < 0 || l.Count > l.Width) {
		err = fmt.Errorf("%d rows, %d of %d lanes", l.Rows, l.Count, l.Width)
	}
	r := &resolver{device: d, err: err}
	parts := entry.CeilDiv(l.Rows, kernels.LaneSumRows)
	p := &laneSumsParam{lanes: r.aligned("lanes", l.Lanes, int64(l.Rows)*int64(l.Width)*int64(v.Bytes())), names: r.aligned("names", l.Names, 4*int64(l.Rows)),
		byLane: r.aligned("sums", l.ByLane, int64(kernels.LaneSumBytes)*int64(l.Width)*int64(parts+1)),
		width:  int32(l.Width), rows: int32(l.Rows), count: int32(l.Count)}
	if l.ByRow != (kernels.Tile{}) {
		p.byRow = r.aligned("sums of rows", l.ByRow, int64(kernels.LaneSumBytes)*int64(l.Rows))
	}
	if r.err == nil && parts > 0 {
		r.err = s.launch(v, laneSums, parts*entry.CeilDiv(l.Width, sumStrip), paramOf(p))
	}
	if r.err == nil {
		r.err = s.launch(v, laneTotals, entry.CeilDiv(l.Width, sumThreads), paramOf(p))
	}
	if r.err == nil && p.byRow != 0 && l.Rows > 0 {
		r.err = s.launch(v, rowSums, entry.CeilDiv(l.Rows, rowWarps), paramOf(p))
	}
	return in("sums of lanes", r.err)
}
