package engine

import (
	"errors"
	"fmt"
	"math"
	"runtime"

	"github.com/dustin/go-humanize"

	"ooc/kernels"
	"ooc/tiles"
)

// ErrMemory is wrapped by the error of a plan for which a memory limit is too small.
var ErrMemory = errors.New("memory limit too small")

// ErrRound is wrapped by the error of a plan for a round width that cannot be.
var ErrRound = errors.New("bad round width")

// Limits are what a plan must keep to. Zero fields are the plan's to choose.
type Limits struct {
	HostMemory int64        // bytes of host cache
	Round      int          // round width in vertices, a multiple of the tile edge
	Streams    int          // device streams
	Tile       int          // tile edge of a new store, a multiple of 64
	Algorithm  string       // one of Algorithms
	Sources    tiles.RowSet // the rows that are wanted of a new store; none: all

	Predecessors bool // a new store keeps them
}

// Plan says how a solve will run, what it will move and how long that should take.
type Plan struct {
	Tile      int  `json:"tile"`       // tile edge in vertices
	Side      int  `json:"side"`       // tiles per side
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
	HostBytes   int64 `json:"host_bytes"`   // pages
	DiskBytes   int64 `json:"disk_bytes"`   // of the matrix

	// Predicted, for what is left to do.
	BytesIn       int64   `json:"bytes_in"`      // host → device
	BytesOut      int64   `json:"bytes_out"`     // device → host
	BytesRead     int64   `json:"bytes_read"`    // disk or graph → host
	BytesWritten  int64   `json:"bytes_written"` // host → disk
	SetupSeconds  float64 `json:"setup_seconds"` // page-locking the host cache
	KernelSeconds float64 `json:"kernel_seconds"`
	CopySeconds   float64 `json:"copy_seconds"`
	SyncSeconds   float64 `json:"sync_seconds"`
	Seconds       float64 `json:"seconds"` // setup, rounds and final sync
}

// minSlots returns the fewest slots that rounds of the given width, which is at most the pivot tiles left,
// can run in: the pivot block, both panels, and one strip that is being made out of place.
func minSlots(side, width int) int {
	m := min(width, side)
	if m == side {
		return side * side
	}
	return m*m + 2*m*(side-m) + m
}

// lookAheadSlots returns the fewest slots with which two rounds' panels can stand side by side.
func lookAheadSlots(side, width int) int {
	m := min(width, side)
	return minSlots(side, width) + 2*m*(side-m)
}

// inCoreSlots returns the slots with which no tile ever leaves the device before the end.
func inCoreSlots(side, width int) int {
	m := min(width, side)
	if m == side {
		return side * side
	}
	return side*side + 2*m*m + m
}

// minPages is the fewest pages: one for a tile on its way in, one for a tile on its way out.
const minPages = 2

// MakePlan picks round width, slots and pages for what is left of a solve of which done pivot vertices
// are finished. It fails with ErrMemory, saying how much is needed, where a limit is too small.
func MakePlan(geom tiles.Geometry, done int64, info kernels.Info, rates Rates, l Limits) (Plan, error) {
	side := geom.Side()
	if l.Round < 0 || l.Round%geom.T != 0 {
		return Plan{}, fmt.Errorf("%w: %d is not a multiple of the tile edge %d", ErrRound, l.Round, geom.T)
	}
	left := max(1, side-int(done)/geom.T) // a round over all tiles at once needs less than one over almost all
	lo, hi := 1, max(1, min(left, maxRound/geom.T, side/leastRounds))
	if l.Round > 0 {
		lo = min(l.Round/geom.T, left)
		hi = lo
	}
	room := int((info.Memory - info.Scratch) / geom.TileBytes())
	var best Plan
	for width := lo; width <= hi; width++ {
		for _, look := range []bool{true, false} {
			for _, cache := range []bool{true, false} { // with little left to do, locking a host cache may not pay
				p, ok := candidate(geom, int(done)/geom.T, info, width, look, cache, room, rates, l)
				if ok && (best.Slots == 0 || p.Seconds < best.Seconds) {
					best = p
				}
			}
		}
	}
	if best.Slots == 0 && l.Round > 0 && lo > 1 && lo == left {
		// What is left is narrower than the round asked for, and a block that is not the whole matrix needs
		// room for panels: a resumed run must not fail where the first did not.
		l.Round = (lo - 1) * geom.T
		return MakePlan(geom, done, info, rates, l)
	}
	if best.Slots == 0 {
		need := int64(minSlots(side, lo))*geom.TileBytes() + info.Scratch
		return Plan{}, fmt.Errorf("%w: device memory %d bytes; n = %d with tiles of %d and rounds of %d needs at least %d bytes (%s)",
			ErrMemory, info.Memory, geom.N, geom.T, lo*geom.T, need, humanize.IBytes(uint64(need)))
	}
	if best.Pages < minPages {
		need := minPages * geom.TileBytes()
		return Plan{}, fmt.Errorf("%w: host memory %d bytes; tiles of %d need at least %d bytes (%s)", ErrMemory, l.HostMemory, geom.T, need, humanize.IBytes(uint64(need)))
	}
	return best, nil
}

// newPlan begins a plan.
func newPlan(geom tiles.Geometry, l Limits) Plan {
	return Plan{Tile: geom.T, Side: geom.Side(), Streams: l.Streams, DiskBytes: geom.MatrixBytes()}
}

// finish adds streams, host cache and times to a plan of so many launches that has its slots and the bytes that they
// make move.
func (p *Plan) finish(geom tiles.Geometry, info kernels.Info, r Rates, l Limits, launches int) error {
	tb := geom.TileBytes()
	if p.Streams == 0 {
		p.Streams = fewStreams
	}
	p.hostCache(info, tb, l)
	if p.Pages < minPages {
		need := minPages * tb
		return fmt.Errorf("%w: host memory %d bytes; tiles of %d need at least %d bytes (%s)", ErrMemory, l.HostMemory, geom.T, need, humanize.IBytes(uint64(need)))
	}
	p.BytesIn, p.BytesOut = max(p.BytesIn, p.DiskBytes), max(p.BytesOut, p.DiskBytes)
	p.BytesRead, p.BytesWritten = p.BytesIn, p.BytesOut
	if p.HostBytes+p.DeviceBytes >= p.DiskBytes {
		p.BytesRead, p.BytesWritten = p.DiskBytes, p.DiskBytes
	}
	p.times(info, r, launches)
	return nil
}

// hostCache picks pages, and the goroutines that copy.
func (p *Plan) hostCache(info kernels.Info, tb int64, l Limits) {
	p.Pages = max(0, p.Side*p.Side-p.Slots) + p.staging()
	switch {
	case l.HostMemory > 0:
		p.Pages = min(p.Pages, int(l.HostMemory/tb))
	case info.SharedCores:
		p.Pages = p.staging() // the page cache is as near as a host cache would be
	}
	p.Readers, p.Writers, p.Window = copiers(), copiers(), max(128, 16*p.Streams)
	if info.SharedCores { // its products are long, and what comes behind all those of a window comes late
		p.Window = 16 * p.Streams
	}
	if p.synchronous() {
		p.Readers, p.Writers, p.Window = 1, 1, 1
	}
	p.DeviceBytes, p.HostBytes = int64(p.Slots)*tb+info.Scratch, int64(p.Pages)*tb
}

// staging is how many pages are on their way between disk and device, at most.
func (p *Plan) staging() int { return 4 * min(p.Streams, 8) }

// flushes is how many tiles a checkpoint has on their way beside a round, at most: each waits for the products in its
// lane and holds a page from then on, so a few are needed to get on, and too many would leave no page to others.
func (p *Plan) flushes() int { return max(p.Writers, min(p.Pages/2, 8)) }

// synchronous says that nothing overlaps: one operation, of a copy or a kernel, ends before the next begins. That is
// what one stream means, so that what several gain can be read off.
func (p *Plan) synchronous() bool { return p.Streams == 1 }

// maxRound is the widest round, in vertices, that a plan picks by itself: wider ones save no more
// traffic worth having, and make the closure, which is the least parallel part, longer.
const maxRound = 8192

// leastRounds is how many rounds a plan makes of a matrix where it can: restore points lie between rounds.
const leastRounds = 8

// candidate plans one round width, with or without look-ahead, with a host cache or none beyond what is on its way.
func candidate(geom tiles.Geometry, start int, info kernels.Info, width int, look, cache bool, room int, r Rates, l Limits) (Plan, bool) {
	side, tb := geom.Side(), geom.TileBytes()
	p := newPlan(geom, l)
	p.Width, p.Rounds, p.LookAhead = width, ceilDiv(side-start, width), look
	p.Slots = min(room, inCoreSlots(side, width))
	p.InCore = p.Slots == inCoreSlots(side, width)
	need := minSlots(side, width)
	if look && !p.InCore {
		// A lane needs a slot to fill while another computes; without that, look-ahead gains nothing.
		need = lookAheadSlots(side, width) + 2*fewStreams
	}
	if p.Slots < need || look && p.synchronous() {
		return p, false
	}
	if p.Streams == 0 {
		p.Streams = fewStreams
		if !info.SharedCores {
			p.Streams = min(max(fewStreams, p.Slots-need+width), manyStreams)
		}
	}
	p.hostCache(info, tb, l)
	if !cache {
		p.Pages = min(p.Pages, p.staging())
		p.HostBytes = int64(p.Pages) * tb
	}
	p.estimate(geom, start, info, r)
	return p, true
}

// A stream is one tile's way in, through a kernel and out, one after the other. Where these share cores, one
// to fill, one to compute and one to drain are enough; a device with engines of its own wants a stream for
// each slot that is not a panel, up to a number past which nothing was gained.
const (
	fewStreams  = 3
	manyStreams = 24
)

// copiers is how many goroutines copy each way between the mapping and host memory.
func copiers() int { return min(16, max(2, runtime.GOMAXPROCS(0)/2)) }

// withDefaults gives a device with memory of its own half of the free memory as its host cache.
func (l Limits) withDefaults(info kernels.Info) Limits {
	if l.HostMemory == 0 && !info.SharedCores {
		l.HostMemory = freeMemory() / 2
	}
	return l
}

// RoundsSeconds is what the rounds alone should take.
func (p *Plan) RoundsSeconds() float64 { return p.Seconds - p.SetupSeconds - p.SyncSeconds }

// estimate predicts traffic and time from counts per round; Predict counts step by step.
func (p *Plan) estimate(geom tiles.Geometry, start int, info kernels.Info, r Rates) {
	all, tb := int64(p.Side)*int64(p.Side), geom.TileBytes()
	missDevice := max(0, all-int64(p.Slots))
	missHost := max(0, missDevice-int64(p.Pages))
	if p.InCore {
		missDevice, missHost = 0, 0
	}
	again := int64(max(0, p.Rounds-1))
	p.BytesIn, p.BytesRead = tb*(all+again*missDevice), tb*(all+again*missHost)
	p.BytesOut, p.BytesWritten = p.BytesIn, p.BytesRead
	p.predict(geom, start, info, r)
}

// predict turns traffic and counts into times. Where copies and kernels share cores their times add up;
// else kernels, copies and the issuing of operations overlap.
func (p *Plan) predict(geom tiles.Geometry, start int, info kernels.Info, r Rates) {
	padded, b := float64(p.Side*geom.T), float64(p.Width*geom.T)
	left := float64(p.Side-start) / float64(p.Side)
	p.KernelSeconds = padded * padded * padded * left / (r.Kernel * r.efficiency(geom.T))
	if closures := float64(p.Rounds) * r.closure(b); !p.LookAhead {
		p.KernelSeconds += closures
	} else if info.SharedCores {
		p.KernelSeconds += max(0, closures-float64(p.Rounds)*b*b*b/r.Kernel) // hidden, but the cores did it
	}
	p.times(info, r, p.Rounds*p.Side*p.Side)
}

// times adds copies, the issuing of operations, so many of which are launches, setup and sync to the time of kernels.
func (p *Plan) times(info kernels.Info, r Rates, launches int) {
	copies := float64(p.BytesIn+p.BytesOut) / float64(p.DiskBytes) * float64(p.Side) * float64(p.Side)
	issue := (float64(launches) + copies) * r.PerOperation
	in, out := float64(p.BytesIn)/r.In, float64(p.BytesOut)/r.Out
	host := float64(p.BytesRead)/r.Read + float64(p.BytesWritten)/r.written(min(float64(p.BytesWritten), float64(p.DiskBytes)))
	if info.SharedCores || p.synchronous() {
		p.CopySeconds = in + out + host
		p.Seconds = p.KernelSeconds + issue + p.CopySeconds
	} else {
		p.CopySeconds = max(in/duplex, out/duplex, host)
		p.Seconds = overlapped(p.KernelSeconds, p.CopySeconds, issue)
	}
	if r.Lock > 0 {
		p.SetupSeconds = float64(p.HostBytes) / r.Lock
		p.Seconds += p.SetupSeconds
	}
	if r.Disk > 0 {
		p.SyncSeconds = float64(p.DiskBytes) / r.Disk
		p.Seconds += p.SyncSeconds
	}
}

// overlapped is the time of several things at once: that of the longest, and more the nearer the others come,
// as each then waits for another now and again. The exponent is a fit.
func overlapped(times ...float64) float64 {
	sum := 0.0
	for _, t := range times {
		sum += math.Pow(t, 4)
	}
	return math.Pow(sum, 0.25)
}

// duplex is what a link keeps of its rate in each direction while it carries both: 45 of 55 GB/s on an H100.
const duplex = 0.82

// Predict replaces the plan's estimated traffic by a count over its whole schedule, step by step, and
// its times by what follows from that.
func (p *Plan) Predict(geom tiles.Geometry, done int64, info kernels.Info, r Rates) error {
	start, tb := int(done)/geom.T, geom.TileBytes()
	p.BytesIn, p.BytesOut, p.BytesRead, p.BytesWritten = 0, 0, 0, 0
	s := newSchedule(p.Side, p.Width, p.Slots, p.Pages, p.Streams, p.LookAhead, start, func(st step) error {
		switch st.kind {
		case stepRead:
			p.BytesRead += tb
		case stepIn:
			p.BytesIn += tb
		case stepOut:
			p.BytesOut += tb
		case stepWrite:
			p.BytesWritten += tb
		}
		return nil
	})
	if start > 0 {
		s.resume()
	}
	if err := s.run(); err != nil {
		return err
	}
	p.predict(geom, start, info, r)
	return nil
}

// ChooseTile returns the tile edge for a new store of n vertices: the one whose best plan should end
// first. It fails with ErrMemory where not even the smallest tile fits.
func ChooseTile(n int, info kernels.Info, rates Rates, l Limits) (int, error) {
	best, seconds := 0, 0.0
	var first error
	for _, t := range []int{64, 128, 256, 512, 768, 1024, 1536, 2048} {
		if l.Round > 0 && l.Round%t != 0 || t > 64 && t*leastRounds > n || info.SharedCores && t > 1024 {
			continue
		}
		p, err := MakePlan(tiles.Geometry{N: n, T: t, EntryBytes: l.entryBytes()}, 0, info, rates, l)
		switch {
		case err != nil && first == nil:
			first = err // of the smallest tile, which needs the least
		case err == nil && (best == 0 || p.Seconds < seconds):
			best, seconds = t, p.Seconds
		}
	}
	if best == 0 {
		return 0, first
	}
	return best, nil
}
