package rounds

import "ooc/tiles"

// This file decides where each tile is and what happens next. It touches no memory, disk or device. A schedule emits
// steps in program order, and the driver may overlap steps that do not conflict.

// stepKind says what a step does.
type stepKind uint8

const (
	stepRead       stepKind = iota // disk, or the graph, → page
	stepIn                         // page → slot
	stepKernel                     // an operation on slots
	stepOut                        // slot → page
	stepWrite                      // page → disk
	stepSend                       // page → other parts
	stepReceive                    // another part → page
	stepEnd                        // wait for all steps so far: the end of the last round
	stepCheckpoint                 // make durable what was written
)

// operation is what a kernel step does to slots. An algorithm defines its own beside its steps.
type operation struct {
	name   func(x *executor, s step) string // for errors and timelines
	submit func(x *executor, s step) error
}

// step is one operation of a schedule. Tiles, slots and pages are named by index.
type step struct {
	kind       stepKind
	op         *operation // of stepKernel
	tile       int
	slot, page int
	c, a, b    []int
	fresh      bool
	before     int // fresh: the slot of a or b that holds the old tile
	phase      int
	lo, hi     int   // of single-stage: the pivots of the tile
	fromGraph  bool  // read: the disk holds no copy yet
	checkpoint bool  // write: for a checkpoint, not because the page is needed
	done       int   // iterations that the tile (write, send, receive) or every tile (checkpoint) has finished
	from       int   // receive: the part that sends
	to         []int // send, and the step out before it: the parts that receive
	received   bool  // in: after the step receive
}

// pace is what a schedule should do next.
type pace uint8

const (
	goOn  pace = iota
	pause      // stand still until wait returns
	stop       // end after the current step
)

// driver runs the steps of a schedule, and tells it when to stop, pause or take a checkpoint.
type driver interface {
	do(step) error // runs a step, or queues it behind those that it conflicts with
	pace() pace    // asked before each visit
	wait() error   // called in a pause: returns when pace or due may have changed
	// due: asked after each round and, with midway set, before each visit: begin a checkpoint now?
	due(done int, midway bool) bool
	room() bool // asked before each tile that a checkpoint writes during a round: write it now?
	// opens: asked before the round after so many iterations is opened; all parts get the same answer.
	opens(done int) bool
	// differed: waits for all steps, and reports whether a comparison since the last call found a difference.
	differed() (bool, error)
}

// noFrame says that a tile has no copy at a level.
const noFrame = -1

// tileState says where a tile's newest copy is and which iterations it has finished. A tile has one copy in memory at
// most: it is in a slot, in a page, or only on disk.
type tileState struct {
	slot, page int32
	done       int32 // iterations finished by the newest copy
	dirty      bool  // the newest copy is not on disk
	onDisk     bool  // the disk holds some copy
}

// schedule runs an algorithm over the stored tiles of a matrix, with the given numbers of slots and pages. It counts
// progress in the algorithm's iterations.
type schedule struct {
	algorithm   *algorithm
	last        int // iterations in all
	geom        tiles.Geometry
	side, width int
	lookahead   bool
	early       bool // the owner of a pivot block sends its strips before other parts take them
	streams     int
	part        part
	driver      driver

	tiles   []tileState // by Geometry.Index, as tiles are named everywhere here
	slots   *level
	pages   *level
	done    int   // iterations that every tile has finished
	err     error // the first; after it, no frame is released and no step emitted
	stopped bool
	skipped bool // because of it, the current round is incomplete
	awaited bool // other parts wait for what is being done, so nothing may stop or pause it
	flush   flush
}

// flush is a checkpoint that is written while rounds go on. It writes the tiles one after another, each in its state at
// that moment. When it has passed them all, every copy on disk has finished at least the iterations that every tile had
// finished when the checkpoint began.
type flush struct {
	on   bool
	done int // iterations that every tile had finished when it began
	next int // the tile to look at next
}

// newSchedule returns the schedule of an algorithm of which done iterations are finished, with the width, the memory
// and the look-ahead of a plan.
func newSchedule(a *algorithm, geom tiles.Geometry, p *Plan, done int, d driver) *schedule {
	s := &schedule{
		algorithm: a, last: a.iterations(geom), geom: geom, side: geom.Side(), width: p.Width, lookahead: p.LookAhead,
		streams: p.Streams, driver: d, done: done, part: whole(geom, p.Width), tiles: make([]tileState, geom.Tiles()),
		slots: newLevel(p.Slots, 0), pages: newLevel(p.Pages, min(p.Pages/4, 4*p.Streams)),
	}
	for i := range s.tiles {
		s.tiles[i] = tileState{slot: noFrame, page: noFrame, done: int32(done)}
	}
	return s
}

// resume marks every tile as present on disk.
func (s *schedule) resume() {
	for i := range s.tiles {
		s.tiles[i].onDisk = true
	}
}

// run emits every step from s.done on, until the end or until the driver says stop. In both cases it then writes all
// tiles to disk and takes a checkpoint.
func (s *schedule) run() error {
	s.algorithm.steps(s)
	s.put(step{kind: stepEnd})
	if s.err == nil && (s.done > 0 || !s.stopped) {
		s.checkpoint()
	}
	return s.err
}

// begin begins a checkpoint that runs beside the next steps, if one is due.
func (s *schedule) begin() {
	if s.done < s.last {
		s.beginFlush(false)
	}
}

// alive reports whether to go on. In a pause it first ends a checkpoint that is in progress or asked for, and then
// waits.
func (s *schedule) alive() bool {
	if s.awaited {
		return s.err == nil
	}
	for s.err == nil && !s.stopped {
		now := s.driver.pace()
		if s.stopped = now == stop; s.stopped {
			break
		}
		s.beginFlush(true)
		if now != pause {
			break
		}
		if s.flush.on {
			s.writeSome()
		} else if s.err = s.driver.wait(); s.err != nil {
			break
		}
	}
	return s.err == nil && !s.stopped
}

func (s *schedule) beginFlush(midway bool) {
	if !s.flush.on && s.driver.due(s.done, midway) {
		s.flush = flush{on: true, done: s.done}
	}
}

// mayGoOn is alive for a step without which the current round is incomplete.
func (s *schedule) mayGoOn() bool {
	if !s.alive() {
		s.skipped = true
		return false
	}
	return true
}

func (s *schedule) put(st step) {
	if s.err == nil {
		s.err = s.driver.do(st)
	}
}

func (s *schedule) updated(t, done int) {
	s.tiles[t].dirty = true
	s.tiles[t].done = int32(done)
}

// flushPerVisit is the most tiles that a checkpoint writes between two visits.
const flushPerVisit = 4

// writeSome writes the next tiles of the checkpoint in progress, if there is one, while the driver has room.
func (s *schedule) writeSome() {
	for wrote := 0; s.flush.on && wrote < flushPerVisit && s.err == nil; {
		switch f := &s.flush; {
		case f.next == len(s.tiles):
			s.put(step{kind: stepCheckpoint, done: f.done})
			f.on = false
		case !s.tiles[f.next].dirty:
			f.next++
		case !s.driver.room():
			return
		default:
			s.writeBack(f.next)
			f.next++
			wrote++
		}
	}
}

// checkpoint writes every changed tile and then emits the checkpoint itself.
func (s *schedule) checkpoint() {
	for t := range s.tiles {
		if s.tiles[t].dirty {
			s.writeBack(t)
		}
	}
	s.put(step{kind: stepCheckpoint, done: s.done})
	s.flush.on = false
}

// writeBack emits the steps that bring a tile's copy on disk up to date.
func (s *schedule) writeBack(t int) {
	st := &s.tiles[t]
	page := int(st.page)
	if st.slot != noFrame {
		page = s.takePage()
		s.put(step{kind: stepOut, tile: t, slot: int(st.slot), page: page})
	}
	s.put(step{kind: stepWrite, tile: t, page: page, done: int(st.done), checkpoint: true})
	if st.slot != noFrame && s.err == nil {
		s.pages.release(page)
	}
	st.dirty, st.onDisk = false, true
}
