package rounds

import (
	"errors"
	"math"

	"ooc/engine/plan"
	"ooc/tiles"
)

// simulation is a driver that runs no step. It computes when each would end on a device with copy engines, as executor and
// package stream would run it: one goroutine issues operations in program order, a lane runs in order, each direction of the
// link carries one copy at a time, and kernels share the device in the order in which they can start.
type simulation struct {
	geom      tiles.Geometry
	plan      *plan.Rounds
	rates     plan.Rates
	tileBytes float64
	write     float64 // bytes/s to the matrix
	perRound  float64 // relaxations

	now      float64
	pending  [sources]fifo // what will happen, each list in order of time
	lanes    lanes
	lane     []int        // of each slot
	last     []*simulated // of each lane
	issues   []*simulated // that wait for the goroutine that issues
	kernels  []*simulated // that wait for the device
	links    [2][]*simulated
	hosts    [2][]*simulated // that wait for a reader, a writer
	idle     [2]int          // readers and writers
	inFlight int

	slots, pages, disk []user
	work               float64   // relaxations done
	marks              []float64 // when the relaxations of each round were done
	steps              int
}

// user is who uses a slot, a page or a tile on disk: the newest writer, and the newest reader, which stands for the others.
type user struct{ writer, reader *simulated }

// simulated is an operation of a simulation.
type simulated struct {
	kind    stepKind
	lane    int
	waits   int     // for how many operations, and to be issued
	host    int     // for how many reads and writes, before it is issued
	busy    float64 // seconds in which no other kernel begins
	tail    float64 // seconds from then on until it ends
	work    float64 // relaxations
	done    bool
	taken   bool // by a reader or a writer
	closing bool
	after   []*simulated  // that wait for it
	few     [4]*simulated // where after begins
}

// The sources of events.
const (
	sourceIssue = iota
	sourceIn
	sourceOut
	sourceKernel // the device has room for the next one
	sourceEnd    // of a kernel
	sourceClosure
	sourceRead
	sourceWrite
	sources
)

// fifo is a list of events, in order of time.
type fifo struct {
	events []event
	head   int
	newest float64
}

type event struct {
	at float64
	op *simulated
}

func (f *fifo) add(at float64, op *simulated) {
	if f.head == len(f.events) {
		f.events, f.head = f.events[:0], 0
	}
	f.newest = max(f.newest, at)
	f.events = append(f.events, event{f.newest, op})
}

func (f *fifo) empty() bool { return f.head == len(f.events) }

// errSimulated ends a simulation that has seen enough.
var errSimulated = errors.New("simulated enough rounds")

// simulatedRounds is how many rounds are simulated. The first one also fills the matrix; the others are all like the second.
const simulatedRounds = 2

// What a simulation adds to measured rates. They are fitted to a sweep on an H200 (docs/benchmarks.md).
const (
	copyGap       = 5e-6 // seconds between two copies of one direction
	kernelLatency = 6e-6 // seconds until what waits for a kernel starts
	startOfDepth  = 10   // a product takes as long as one with a depth that is so much larger takes for the depth alone
)

// transposeRate is the bytes/s at which tiles are transposed, read and written.
const transposeRate = 2e12

func newSimulation(geom tiles.Geometry, p *plan.Rounds, r plan.Rates) *simulation {
	padded := float64(p.Side * geom.T)
	s := &simulation{
		geom: geom, plan: p, rates: r, tileBytes: float64(geom.TileBytes()),
		write:    r.Written(min(float64(p.BytesWritten), float64(p.DiskBytes))),
		perRound: float64(p.Width*geom.T) * padded * padded * share(geom),
		lanes:    lanes{n: p.Streams}, lane: make([]int, p.Slots), last: make([]*simulated, p.Streams+1), idle: [2]int{p.Readers, p.Writers},
		slots: make([]user, p.Slots), pages: make([]user, p.Pages), disk: make([]user, geom.Tiles()),
	}
	return s
}

func (s *simulation) do(st step) error {
	s.steps++
	for s.inFlight >= s.plan.Window {
		s.advance()
	}
	o := &simulated{kind: st.kind}
	o.after = o.few[:0]
	switch st.kind {
	case stepRead:
		o.reads(&s.disk[st.tile])
		o.writes(&s.pages[st.page])
		s.serve(0, o)
	case stepWrite:
		o.reads(&s.pages[st.page])
		o.writes(&s.disk[st.tile])
		s.serve(1, o)
	case stepIn:
		o.lane = s.fill(st.slot)
		o.reads(&s.pages[st.page])
		o.writes(&s.slots[st.slot])
		s.enqueue(o)
	case stepOut:
		o.lane = s.lane[st.slot]
		o.reads(&s.slots[st.slot])
		o.writes(&s.pages[st.page])
		s.enqueue(o)
	case stepKernel:
		s.kernel(o, st)
		s.enqueue(o)
	case stepEnd:
		for s.inFlight > 0 {
			s.advance()
		}
		return errSimulated
	}
	if len(s.marks) == simulatedRounds {
		return errSimulated
	}
	return nil
}

// fill returns the lane of a slot that gets a new tile.
func (s *simulation) fill(slot int) int {
	s.lane[slot] = s.lanes.take()
	return s.lane[slot]
}

// kernel fills in what an operation on slots waits for and takes.
func (s *simulation) kernel(o *simulated, st step) {
	t := float64(s.geom.T)
	switch {
	case st.op == &closure:
		b := math.Sqrt(float64(len(st.c))) * t
		o.lane, o.closing, o.work = s.plan.Streams, true, b*b*b*share(s.geom)
		o.busy = s.rates.ClosureSeconds(b)
	case st.op == &transposition:
		o.lane = s.fill(st.c[0])
		o.busy, o.tail = 2*s.tileBytes/transposeRate, kernelLatency
	default:
		o.lane = s.lane[st.c[0]]
		if st.fresh {
			o.lane = s.fill(st.c[0])
		}
		depth := float64(len(st.a)) * t
		o.work = depth * t * t
		o.busy = (depth + startOfDepth) * t * t / s.rates.Kernel
		o.tail = depth*s.rates.Tail + kernelLatency
	}
	for _, slot := range st.a {
		o.reads(&s.slots[slot])
	}
	for _, slot := range st.b {
		o.reads(&s.slots[slot])
	}
	for _, slot := range st.c {
		o.writes(&s.slots[slot])
	}
}

func (o *simulated) onDevice() bool { return o.kind != stepRead && o.kind != stepWrite }

// follows makes o wait for another operation, unless they are in one lane.
func (o *simulated) follows(d *simulated) {
	if d == nil || d.done || d == o || d.onDevice() && o.onDevice() && d.lane == o.lane {
		return
	}
	d.after = append(d.after, o)
	if !d.onDevice() && o.onDevice() {
		o.host++
	} else {
		o.waits++
	}
}

func (o *simulated) reads(u *user) {
	o.follows(u.writer)
	u.reader = o
}

func (o *simulated) writes(u *user) {
	o.follows(u.writer)
	o.follows(u.reader)
	u.writer, u.reader = o, nil
}

// enqueue adds an operation of the device to those to be issued.
func (s *simulation) enqueue(o *simulated) {
	s.inFlight++
	o.waits++ // to be issued
	if before := s.last[o.lane]; before != nil && !before.done {
		before.after = append(before.after, o)
		o.waits++
	}
	s.last[o.lane] = o
	s.issues = append(s.issues, o)
	s.issue()
}

func (s *simulation) issue() {
	if s.pending[sourceIssue].empty() && len(s.issues) > 0 && s.issues[0].host == 0 {
		s.pending[sourceIssue].add(s.now+s.rates.PerOperation, s.issues[0])
		s.issues = s.issues[1:]
	}
}

// serve gives a read (0) or a write (1) to the next of the goroutines that do those.
func (s *simulation) serve(which int, o *simulated) {
	s.inFlight++
	s.hosts[which] = append(s.hosts[which], o)
	s.take(which)
}

func (s *simulation) take(which int) {
	for s.idle[which] > 0 && len(s.hosts[which]) > 0 {
		o := s.hosts[which][0]
		s.hosts[which] = s.hosts[which][1:]
		s.idle[which]--
		o.taken = true
		if o.waits == 0 {
			s.start(o)
		}
	}
}

// start begins an operation that waits for nothing any more.
func (s *simulation) start(o *simulated) {
	switch {
	case o.kind == stepRead && o.taken:
		s.pending[sourceRead].add(s.now+s.tileBytes*float64(s.plan.Readers)/s.rates.Read, o)
	case o.kind == stepWrite && o.taken:
		s.pending[sourceWrite].add(s.now+s.tileBytes*float64(s.plan.Writers)/s.write, o)
	case o.kind == stepIn:
		s.links[0] = append(s.links[0], o)
		s.copy(0)
	case o.kind == stepOut:
		s.links[1] = append(s.links[1], o)
		s.copy(1)
	case o.closing:
		s.pending[sourceClosure].add(s.now+o.busy, o)
	case o.kind == stepKernel:
		s.kernels = append(s.kernels, o)
		s.compute()
	}
}

// copy begins the next copy in (0) or out (1).
func (s *simulation) copy(way int) {
	if s.pending[sourceIn+way].empty() && len(s.links[way]) > 0 {
		rate := [2]float64{s.rates.In, s.rates.Out}[way]
		if !s.pending[sourceOut-way].empty() {
			rate *= plan.Duplex
		}
		s.pending[sourceIn+way].add(s.now+s.tileBytes/rate+copyGap, s.links[way][0])
		s.links[way] = s.links[way][1:]
	}
}

// compute begins the next kernel, for whose first blocks the device has room once the last blocks of the one before have
// begun.
func (s *simulation) compute() {
	if s.pending[sourceKernel].empty() && len(s.kernels) > 0 {
		o := s.kernels[0]
		s.kernels = s.kernels[1:]
		s.pending[sourceKernel].add(s.now+o.busy, o)
		s.pending[sourceEnd].add(s.now+o.busy+o.tail, o)
	}
}

// advance goes on to the next event.
func (s *simulation) advance() {
	next := -1
	for i := range s.pending {
		if f := &s.pending[i]; !f.empty() && (next < 0 || f.events[f.head].at < s.now) {
			next, s.now = i, f.events[f.head].at
		}
	}
	f := &s.pending[next]
	o := f.events[f.head].op
	f.head++
	switch next {
	case sourceIssue:
		s.resolve(o)
		s.issue()
	case sourceKernel:
		s.compute()
	default:
		s.finish(o)
	}
}

func (s *simulation) resolve(o *simulated) {
	if o.waits--; o.waits == 0 {
		s.start(o)
	}
}

func (s *simulation) finish(o *simulated) {
	o.done = true
	s.inFlight--
	switch o.kind {
	case stepRead:
		s.idle[0]++
		s.take(0)
	case stepIn:
		s.copy(0)
	case stepOut:
		s.copy(1)
	case stepWrite:
		s.idle[1]++
		s.take(1)
	case stepKernel:
		if s.work += o.work; s.work >= s.perRound*float64(len(s.marks)+1) {
			s.marks = append(s.marks, s.now)
		}
	}
	for _, next := range o.after {
		if !o.onDevice() && next.onDevice() {
			next.host--
		} else {
			s.resolve(next)
		}
	}
	o.after = nil
	s.issue()
}

// pace and the methods below are those of a driver that never stops.
func (s *simulation) pace() pace              { return goOn }
func (s *simulation) wait() error             { return nil }
func (s *simulation) due(int, bool) bool      { return false }
func (s *simulation) room() bool              { return true }
func (s *simulation) opens(int) bool          { return true }
func (s *simulation) differed() (bool, error) { return true, nil }

// simulate replaces the predicted time of a candidate's rounds by what a simulation of its first rounds, and the like for
// the others, says. It returns the steps that it took.
func (c *candidate) simulate(start int, r plan.Rates) (steps int) {
	return c.simulateBy(start, r, func(s *simulation) driver { return s })
}

// simulateBy lets a driver hand the steps to the simulation.
func (c *candidate) simulateBy(start int, r plan.Rates, by func(*simulation) driver) (steps int) {
	p := &c.Rounds
	s := newSimulation(c.geom, p, r)
	a := &Algorithm{iterations: tiles.Geometry.Side, steps: (*schedule).blocked}
	rounds := newSchedule(a, c.geom, dimensions{p.Width, p.Slots, p.Pages, p.Streams, p.LookAhead}, start, by(s))
	if start > 0 {
		rounds.resume()
	}
	if err := rounds.run(); !errors.Is(err, errSimulated) {
		return s.steps // a plan without room: what the formulas say stands
	}
	seconds := s.now
	if len(s.marks) == simulatedRounds {
		first, last := s.marks[0], s.marks[simulatedRounds-1]
		left := float64(p.Side-start)/float64(p.Width) - 1
		seconds = first + left*(last-first)/(simulatedRounds-1)
	}
	p.Seconds += seconds - p.RoundsSeconds()
	return s.steps
}
