package rounds

import (
	"cmp"
	"fmt"
	"math"

	"ooc/engine/device"
	"ooc/engine/plan"
	"ooc/engine/text"
	"ooc/kernels/entry"
	"ooc/tiles"
	"ooc/tiles/class"
)

// ErrRound is wrapped by errors about a round width that is not a multiple of the tile edge.
var ErrRound = class.New(class.Usage, "bad round width")

// Plan says how a solve in rounds will run, how much it will move and how long that should take.
type Plan struct {
	Tile      int  `json:"tile"`       // tile edge in vertices
	Side      int  `json:"side"`       // tiles per side
	Tiles     int  `json:"tiles"`      // that are stored
	Nodes     int  `json:"nodes"`      // machines that share them
	Devices   int  `json:"devices"`    // that share them, on all nodes; slots, pages and streams are those of each
	GridRows  int  `json:"grid_rows"`  // of the grid in which their parts stand
	GridCols  int  `json:"grid_cols"`  // and its columns
	Width     int  `json:"width"`      // pivot tiles a round; of squaring, rows of tiles a group
	Rounds    int  `json:"rounds"`     // that are left to do
	LookAhead bool `json:"look_ahead"` // the next round's panels are made during this one
	InCore    bool `json:"in_core"`    // no tile leaves the device before the end
	Slots     int  `json:"slots"`      // device tile buffers
	Pages     int  `json:"pages"`      // tiles of the host cache
	Streams   int  `json:"streams"`
	Readers   int  `json:"readers"`
	Writers   int  `json:"writers"`
	Window    int  `json:"window"` // operations in flight

	DeviceBytes int64 `json:"device_bytes"` // slots, and what the device itself needs
	HostBytes   int64 `json:"host_bytes"`   // pages of all devices of a node
	DiskBytes   int64 `json:"disk_bytes"`   // of the matrix

	// Predicted, for what is left to do.
	BytesIn       int64   `json:"bytes_in"`      // host → device
	BytesOut      int64   `json:"bytes_out"`     // device → host
	BytesRead     int64   `json:"bytes_read"`    // disk or graph → host
	BytesWritten  int64   `json:"bytes_written"` // host → disk
	BytesTaken    int64   `json:"bytes_taken"`   // tiles of panels that devices take from others, in all
	BytesLink     int64   `json:"bytes_link"`    // those that a node takes from other nodes
	SetupSeconds  float64 `json:"setup_seconds"` // page-locking the host cache
	KernelSeconds float64 `json:"kernel_seconds"`
	CopySeconds   float64 `json:"copy_seconds"`
	LinkSeconds   float64 `json:"link_seconds"`  // between nodes
	WaitSeconds   float64 `json:"wait_seconds"`  // in which devices wait for strips that others make
	PanelSeconds  float64 `json:"panel_seconds"` // of several devices: what each round's panels wait for in turn
	SyncSeconds   float64 `json:"sync_seconds"`
	Seconds       float64 `json:"seconds"` // setup, rounds and final sync
	Bound         string  `json:"bound"`   // what takes longest: computing, copies, link, panels or disk

	Passes  bool    `json:"-"` // rounds are passes over groups of rows, and fewer may do
	Largest float64 `json:"-"` // the share of the work that the device with the largest part has; 0: all
}

// minPages is the fewest pages: one for a tile that is read, one for a tile that is written.
const minPages = 2

// newPlan begins a plan with what the geometry and the request fix.
func newPlan(q *plan.Basis, geom tiles.Geometry) Plan {
	return Plan{
		Nodes: 1, Devices: 1, GridRows: 1, GridCols: 1, Tile: geom.T, Side: geom.Side(), Tiles: geom.Tiles(),
		Streams: q.Streams, DiskBytes: geom.MatrixBytes(),
	}
}

// tooFewPages is the error of a host cache that is too small for any plan.
func tooFewPages(q *plan.Basis, geom tiles.Geometry) error {
	need := minPages * geom.TileBytes()
	return fmt.Errorf("%w: host memory %d bytes; tiles of %d need at least %d bytes (%s)",
		device.ErrMemory, q.HostMemory, geom.T, need, ib(need))
}

// checkRound refuses rounds that are not made of whole tiles.
func checkRound(q *plan.Basis, geom tiles.Geometry) error {
	if q.Round < 0 || q.Round%geom.T != 0 {
		return text.ErrorOf(ErrRound, "rounds of %d vertices are not a multiple of the tile edge %d", q.Round, geom.T)
	}
	return nil
}

// finish completes a plan that has its slots and its traffic: it adds streams, host cache and times. launches is the
// number of kernels that the solve launches.
func (p *Plan) finish(q *plan.Basis, geom tiles.Geometry, launches int) error {
	tb := geom.TileBytes()
	if p.Streams == 0 {
		p.Streams = fewStreams
	}
	p.hostCache(q, tb, p.Slots)
	if p.Pages < minPages {
		return tooFewPages(q, geom)
	}
	p.BytesIn, p.BytesOut = max(p.BytesIn, p.DiskBytes), max(p.BytesOut, p.DiskBytes)
	p.BytesRead, p.BytesWritten = p.BytesIn, p.BytesOut
	if p.HostBytes+p.DeviceBytes >= p.DiskBytes {
		p.BytesRead, p.BytesWritten = p.DiskBytes, p.DiskBytes
	}
	p.times(q, launches)
	return nil
}

// hostCache picks the pages of the host cache, the goroutines that copy, and how many operations may be in flight.
// held is how many slots hold tiles of the matrix between rounds.
func (p *Plan) hostCache(q *plan.Basis, tb int64, held int) {
	info := &q.Info
	p.Readers, p.Writers, p.Window = plan.Copiers(), plan.Copiers(), max(128, 16*p.Streams)
	if info.SharedCores { // products are long there: a long queue of them would delay stops and checkpoints
		p.Window = 16 * p.Streams
	}
	if p.synchronous() {
		p.Readers, p.Writers, p.Window = 1, 1, 1
	}
	p.Pages = max(0, p.Tiles-held) + p.staging()
	switch {
	case q.HostMemory > 0:
		p.Pages = min(p.Pages, int(q.HostMemory/int64(p.perNode())/tb))
	case info.SharedCores:
		p.Pages = p.staging() // the page cache is just as near as a host cache
	}
	p.DeviceBytes, p.HostBytes = int64(p.Slots)*tb+info.Scratch, int64(p.perNode())*int64(p.Pages)*tb
}

// perNode is how many devices a node has.
func (p *Plan) perNode() int { return p.Devices / p.Nodes }

// nodeDiskBytes is how much of the matrix a node has at most.
func (p *Plan) nodeDiskBytes() int64 {
	return min(p.DiskBytes, int64(math.Ceil(float64(p.DiskBytes)*cmp.Or(p.Largest, 1)*float64(p.perNode()))))
}

// staging is the most pages that are in transit at one time: between disk and device, and to other devices.
func (p *Plan) staging() int { return 4*min(p.Streams, 8) + p.ahead() }

// ahead is how many tiles of a round's panels a device sends before others take them: a pivot block, and the strips
// of each panel that go to others. Then no device has to wait for another. It is 0 if so many sends would hold up
// what else the device does.
func (p *Plan) ahead() int {
	sends := 0
	if p.GridRows > 1 {
		sends += p.Width * entry.CeilDiv(p.Side, p.GridCols)
	}
	if p.GridCols > 1 {
		sends += p.Width * entry.CeilDiv(p.Side, p.GridRows)
	}
	if !p.LookAhead || sends > p.Window/2 {
		return 0
	}
	return sends
}

// early reports whether there are pages for all of these.
func (p *Plan) early() bool { return p.ahead() > 0 && p.Pages >= p.ahead()+minPages }

// flushes is the most tiles that a checkpoint writes at one time during a round. Each waits for the products in its
// stream and then occupies a page. A few are needed for progress; too many would leave the round without pages.
func (p *Plan) flushes() int { return max(p.Writers, min(p.Pages/2, 8)) }

// synchronous reports whether nothing overlaps: each copy or kernel ends before the next begins. One stream means
// that, so that users can measure what overlap gains.
func (p *Plan) synchronous() bool { return p.Streams == 1 }

// maxRound is the widest round, in vertices, that a plan picks by itself. Wider ones save little more traffic, and
// lengthen the closure, which is the least parallel part.
const maxRound = 8192

// leastRounds is how many rounds a plan makes at least, where it can: restore points lie between rounds.
const leastRounds = 8

// Where a device launches kernels, fewer rounds take fewer launches. So there a plan may make leastShortRounds, if
// each takes shortRound seconds at most: a restore point that often is enough.
const (
	leastShortRounds = 3
	shortRound       = 0.1
)

// A stream copies a tile in, runs its kernel and copies it out, in this order. Where copies and kernels share cores,
// three streams are enough: one fills, one computes, one drains. A device with copy engines gets manyStreams; more
// gained nothing (docs/benchmarks.md).
const (
	fewStreams  = 3
	manyStreams = 24
)

// roundsSeconds is the predicted time of the rounds alone.
func (p *Plan) roundsSeconds() float64 { return p.Seconds - p.SetupSeconds - p.SyncSeconds }

// times adds the times of copies, of the link, of issuing operations, of setup and of the sync to KernelSeconds and
// PanelSeconds. launches is the number of kernels to issue.
func (p *Plan) times(q *plan.Basis, launches int) {
	info, r := &q.Info, &q.Rates
	copies := float64(p.BytesIn+p.BytesOut) / float64(p.DiskBytes) * float64(p.Tiles)
	devices, nodes := float64(p.Devices), float64(p.Nodes)
	issue := (float64(launches) + copies) / devices * r.PerOperation
	in, out := float64(p.BytesIn)/devices/r.In, float64(p.BytesOut)/devices/r.Out
	written := float64(p.BytesWritten)
	host := float64(p.BytesRead)/r.Read + written/r.Written(min(written, float64(p.DiskBytes)))
	host += (float64(p.BytesTaken) - nodes*float64(p.BytesLink)) / r.Read // within a node, from page to page
	host /= nodes
	disk := 0.0
	if r.Uncached {
		disk = float64(p.BytesRead+p.BytesWritten-2*p.DiskBytes) / nodes / r.Disk
	}
	if r.Link > 0 {
		p.LinkSeconds = float64(p.BytesLink) / r.Link
	}
	if info.SharedCores || p.synchronous() {
		p.CopySeconds = in + out + host
		p.Seconds = p.KernelSeconds + issue + p.CopySeconds
	} else {
		p.CopySeconds = max(in/duplex, out/duplex, host)
		p.Seconds = overlapped(p.KernelSeconds, p.CopySeconds, issue)
	}
	if p.LookAhead {
		p.Seconds = overlapped(p.Seconds, p.PanelSeconds, p.LinkSeconds, disk)
	} else {
		p.Seconds += p.PanelSeconds + p.LinkSeconds + disk
	}
	p.Seconds += p.WaitSeconds
	if r.Lock > 0 {
		p.SetupSeconds = float64(p.HostBytes) / r.Lock
		p.Seconds += p.SetupSeconds
	}
	if r.Disk > 0 {
		p.SyncSeconds = float64(p.nodeDiskBytes()) / r.Disk
		p.Seconds += p.SyncSeconds
	}
	most := 0.0
	for _, b := range []struct {
		what    string
		seconds float64
	}{
		{"computing", p.KernelSeconds}, {"copies", p.CopySeconds}, {"link", p.LinkSeconds},
		{"panels", p.PanelSeconds}, {"disk", disk + p.SyncSeconds},
	} {
		if b.seconds > most {
			p.Bound, most = b.what, b.seconds
		}
	}
}

// overlapped is the time of several activities that overlap. It is that of the longest one, and more if others are
// nearly as long, since they then wait for each other at times. The exponent is fitted to measurements.
func overlapped(times ...float64) float64 {
	const exponent = 8
	sum := 0.0
	for _, t := range times {
		sum += math.Pow(t, exponent)
	}
	return math.Pow(sum, 1.0/exponent)
}

// duplex is the share of its rate that a link keeps in each direction while it is used in both: 45 of 55 GB/s on an
// H100.
const duplex = 0.82
