package engine

// This file decides which tile is where and what happens next; it touches no memory, disk or device.
// A schedule emits steps in program order; whoever runs them may overlap what does not conflict.

// stepKind says what a step does.
type stepKind uint8

const (
	stepRead       stepKind = iota // disk, or the graph, → page
	stepIn                         // page → slot
	stepClosure                    // phase one, on the slots in c
	stepProduct                    // phases two and three, or part of a square, on the slots a, b and c[0]
	stepPivots                     // single stage: the pivots of tile done-1, on the slots in c
	stepDiffer                     // the slots a[0] and b[0] are the same, or not
	stepOut                        // slot → page
	stepWrite                      // page → disk
	stepCheckpoint                 // what was written → durable
)

// step is one operation of a schedule. Tiles, slots and pages are named by index.
type step struct {
	kind       stepKind
	tile       int
	slot, page int
	c, a, b    []int
	fresh      bool
	before     int // fresh: the slot of a or b that holds what the tile was
	phase      int
	fromGraph  bool // read: the disk holds no copy yet
	checkpoint bool // write: for a checkpoint, and not because the page is needed
	done       int  // units that the tile (write) or every tile (checkpoint) has finished
}

// noFrame says that a tile has no copy at a level.
const noFrame = -1

// tileState is where a tile's newest copy is and how far it is. A copy in memory is exclusive: a tile
// is in a slot, in a page, or only on disk.
type tileState struct {
	slot, page int32
	done       int32 // units finished by the newest copy
	dirty      bool  // the newest copy is not on disk
	onDisk     bool  // the disk holds some copy
}

// schedule runs rounds over a grid of side×side tiles, with the given numbers of slots and pages. Units are pivot
// tiles where way is blocked.
type schedule struct {
	way         *rounds
	last        int // units in all
	side, width int
	lookahead   bool
	lanes       int
	emit        func(step) error
	stop        func() bool  // asked before each visit: end after the step in hand
	paused      func() bool  // asked before each visit: stand still
	wait        func() error // called in a pause: returns once there may be another answer to stop, paused or due

	due      func(done int, midway bool) bool // asked after each round, and before each visit, midway: begin a checkpoint now
	room     func() bool                      // asked before each tile that a checkpoint writes beside a round: go ahead
	rounds   func() error                     // called between the last round and the last checkpoint
	differed func() (bool, error)             // waits for all steps, and says whether any found a difference since it was last asked

	tiles   []tileState
	slots   *level
	pages   *level
	done    int // units that every tile has finished
	err     error
	stopped bool
	skipped bool // something of the round in hand was left out because of it
	flush   flush
}

// flush is a checkpoint on its way beside the rounds. It writes the tiles in order, each as far as it is by
// then: once it has passed them all, every copy on disk has finished what every tile had when it began.
type flush struct {
	on   bool
	done int // units that every tile had finished when it began
	next int // the tile to look at next
}

func newSchedule(side, width, slots, pages, lanes int, lookahead bool, start int, emit func(step) error) *schedule {
	s := &schedule{
		way: &blocked, last: side, side: side, width: width, lookahead: lookahead, lanes: lanes, emit: emit, done: start,
		stop: func() bool { return false }, paused: func() bool { return false }, wait: func() error { return nil },
		due: func(int, bool) bool { return false }, room: func() bool { return true }, rounds: func() error { return nil },
		tiles: make([]tileState, side*side), slots: newLevel(slots, 0), pages: newLevel(pages, min(pages/4, 4*lanes)),
	}
	for i := range s.tiles {
		s.tiles[i] = tileState{slot: noFrame, page: noFrame, done: int32(start)}
	}
	return s
}

// resume marks every tile as held by the disk.
func (s *schedule) resume() {
	for i := range s.tiles {
		s.tiles[i].onDisk = true
	}
}

// panels are the finished row and column strips of one round, pinned in slots.
type panels struct {
	k0, k1 int     // pivot tiles [k0, k1)
	col    [][]int // by tile row i ∉ K: the slots of D[i][k0..k1)
	row    [][]int // by tile column j ∉ K: the slots of D[k0..k1)[j]
}

func (p *panels) has(k int) bool { return p.k0 <= k && k < p.k1 }

// run emits every step from s.done to the end, or to where stop said so; in both cases everything ends
// on disk, followed by a checkpoint.
func (s *schedule) run() error {
	s.way.run(s)
	if s.err == nil {
		s.err = s.rounds()
	}
	if s.err == nil && (s.done > 0 || !s.stopped) {
		s.checkpoint()
	}
	return s.err
}

// begin begins a checkpoint beside what comes, if one is due.
func (s *schedule) begin() {
	if s.done < s.last {
		s.beginFlush(false)
	}
}

// blocked emits blocked Floyd–Warshall (Venkataraman, Sahni and Mukhopadhyaya 2003) in rounds of width pivot tiles.
func (s *schedule) blocked() {
	var next *panels
	for k0 := s.done; k0 < s.side && s.alive(); {
		cur := next
		if cur == nil {
			cur = s.openRound(k0)
		}
		next = nil
		if s.lookahead && cur.k1 < s.side {
			next = s.lookAhead(cur)
		}
		for _, t := range s.order(cur) {
			s.visit(cur, t)
			s.writeSome()
		}
		if s.err != nil || s.skipped {
			break
		}
		s.release(cur)
		s.done, k0 = cur.k1, cur.k1
		s.slots.nextRound()
		s.pages.nextRound()
		s.begin()
	}
}

// alive asks whether to go on, and stands still in pauses. A checkpoint that is on its way then, or that is asked for,
// ends first.
func (s *schedule) alive() bool {
	for s.err == nil && !s.stopped {
		if s.stopped = s.stop(); s.stopped {
			break
		}
		s.beginFlush(true)
		if !s.paused() {
			break
		}
		for s.flush.on && s.paused() && s.err == nil {
			s.writeSome()
		}
		if s.err == nil {
			s.err = s.wait()
		}
	}
	return s.err == nil && !s.stopped
}

func (s *schedule) beginFlush(midway bool) {
	if !s.flush.on && s.due(s.done, midway) {
		s.flush = flush{on: true, done: s.done}
	}
}

// goOn is alive for a step of the round in hand, which is not complete without it.
func (s *schedule) goOn() bool {
	if !s.alive() {
		s.skipped = true
		return false
	}
	return true
}

func (s *schedule) put(st step) {
	if s.err == nil {
		s.err = s.emit(st)
	}
}

// openRound brings the pivot block in, closes it and makes the panels (phases one and two).
func (s *schedule) openRound(k0 int) *panels {
	p := &panels{k0: k0, k1: min(k0+s.width, s.side), col: make([][]int, s.side), row: make([][]int, s.side)}
	s.makePanels(p, s.closePivot(p), s.load)
	return p
}

// lookAhead finishes this round for the next round's pivot block and panels before anything else, and
// then runs the next round's phases one and two, so that they overlap the rest of this round.
func (s *schedule) lookAhead(cur *panels) *panels {
	p := &panels{k0: cur.k1, k1: min(cur.k1+s.width, s.side), col: make([][]int, s.side), row: make([][]int, s.side)}
	for i := p.k0; i < p.k1; i++ {
		for j := p.k0; j < p.k1; j++ {
			s.visit(cur, i*s.side+j)
		}
	}
	pivot := s.closePivot(p)
	held := map[int]int{}
	for x := range s.side {
		if p.has(x) || cur.has(x) {
			continue
		}
		for k := p.k0; k < p.k1; k++ {
			for _, t := range []int{k*s.side + x, x*s.side + k} {
				held[t] = s.visitPinned(cur, t)
			}
		}
	}
	s.makePanels(p, pivot, func(t int) int {
		if slot, ok := held[t]; ok {
			return slot
		}
		return s.load(t) // a panel of this round
	})
	return p
}

// closePivot pins the pivot block's tiles and emits phase one. The slots are row-major.
func (s *schedule) closePivot(p *panels) []int {
	var pivot []int
	for i := p.k0; i < p.k1 && s.goOn(); i++ {
		for j := p.k0; j < p.k1; j++ {
			pivot = append(pivot, s.load(i*s.side+j))
		}
	}
	if !s.goOn() {
		return nil
	}
	s.put(step{kind: stepClosure, phase: 1, tile: p.k0*s.side + p.k0, c: pivot, done: p.k1})
	for i := p.k0; i < p.k1; i++ {
		for j := p.k0; j < p.k1; j++ {
			s.updated(i*s.side+j, p.k1)
		}
	}
	return pivot
}

// makePanels emits phase two, and lets the pivot block go: phase three does not read it. pin returns the
// pinned slot of a tile.
func (s *schedule) makePanels(p *panels, pivot []int, pin func(t int) int) {
	m := p.k1 - p.k0
	for x := range s.side {
		if p.has(x) || !s.goOn() {
			continue
		}
		p.row[x] = s.strip(p, pin, func(k int) int { return k*s.side + x }, func(k int, raw []int) (a, b []int) {
			return pivot[k*m : (k+1)*m], raw
		})
		p.col[x] = s.strip(p, pin, func(k int) int { return x*s.side + k }, func(k int, raw []int) (a, b []int) {
			column := make([]int, m)
			for i := range column {
				column[i] = pivot[i*m+k]
			}
			return raw, column
		})
	}
	for _, slot := range pivot {
		s.unpin(slot)
	}
}

// strip emits phase two for the m tiles of one panel strip, out of place: a product may not write what
// it reads, and the old copies may still be panels of the round before. It returns the new, pinned slots.
func (s *schedule) strip(p *panels, pin, tile func(int) int, operands func(k int, raw []int) (a, b []int)) []int {
	m := p.k1 - p.k0
	raw, out := make([]int, m), make([]int, m)
	for k := range m {
		raw[k] = pin(tile(p.k0 + k))
	}
	for k := range m {
		out[k] = s.takeSlot()
		if s.err != nil {
			return out
		}
		a, b := operands(k, raw)
		// The closed pivot has a diagonal of at most 0, so the product alone is the minimum.
		s.put(step{kind: stepProduct, phase: 2, tile: tile(p.k0 + k), c: out[k : k+1], a: a, b: b, fresh: true, before: raw[k], done: p.k1})
	}
	for k := range m {
		t := tile(p.k0 + k)
		s.slots.frames[raw[k]].tile = noFrame // superseded: freed by its last unpin
		s.unpin(raw[k])
		s.tiles[t].slot = int32(out[k])
		s.slots.frames[out[k]] = frame{tile: t, pins: 1}
		s.updated(t, p.k1)
	}
	return out
}

// visit emits phase three for one tile.
func (s *schedule) visit(p *panels, t int) { s.unpin(s.visitPinned(p, t)) }

func (s *schedule) visitPinned(p *panels, t int) int {
	if !s.goOn() {
		return noFrame
	}
	slot := s.load(t)
	if s.err != nil {
		return slot
	}
	s.put(step{kind: stepProduct, phase: 3, tile: t, c: []int{slot}, a: p.col[t/s.side], b: p.row[t%s.side], done: p.k1})
	s.updated(t, p.k1)
	return slot
}

func (s *schedule) updated(t, done int) {
	s.tiles[t].dirty = true
	s.tiles[t].done = int32(done)
}

// release lets the round's panels go.
func (s *schedule) release(p *panels) {
	for x := range s.side {
		for _, slot := range p.row[x] {
			s.unpin(slot)
		}
		for _, slot := range p.col[x] {
			s.unpin(slot)
		}
	}
}

// flushPerVisit is how many tiles a checkpoint writes between two visits, at most.
const flushPerVisit = 4

// writeSome goes on with the checkpoint on its way, if there is one, as far as there is room for that.
func (s *schedule) writeSome() {
	for wrote := 0; s.flush.on && wrote < flushPerVisit && s.err == nil; {
		switch f := &s.flush; {
		case f.next == len(s.tiles):
			s.put(step{kind: stepCheckpoint, done: f.done})
			f.on = false
		case !s.tiles[f.next].dirty:
			f.next++
		case !s.room():
			return
		default:
			s.writeBack(f.next)
			f.next++
			wrote++
		}
	}
}

// checkpoint writes everything and then emits the checkpoint itself.
func (s *schedule) checkpoint() {
	for t := range s.tiles {
		if s.tiles[t].dirty {
			s.writeBack(t)
		}
	}
	s.put(step{kind: stepCheckpoint, done: s.done})
	s.flush.on = false
}

// writeBack emits what brings a tile's copy on disk level with the one in memory.
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
