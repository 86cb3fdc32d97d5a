package rounds

import "slices"

// panels are the finished row and column strips of one round, pinned in slots. Of a symmetric matrix one of the two
// strips of each x is stored, and the other is its transpose.
type panels struct {
	k0, k1 int     // pivot tiles [k0, k1)
	col    [][]int // by tile row i ∉ K: the slots of D[i][k0..k1)
	row    [][]int // by tile column j ∉ K: the slots of D[k0..k1)[j]
}

func (p *panels) has(k int) bool { return p.k0 <= k && k < p.k1 }

// blocked emits blocked Floyd–Warshall (Venkataraman, Sahni and Mukhopadhyaya 2003) in rounds of width pivot tiles.
func (s *schedule) blocked() {
	var next *panels
	for k0 := s.done; k0 < s.side && s.alive(); {
		cur := next
		if cur == nil {
			if cur, _ = s.openRound(k0, nil); cur == nil {
				break
			}
		}
		next = nil
		later := func() {}
		if s.lookahead && cur.k1 < s.side {
			next, later = s.openRound(cur.k1, cur)
		}
		visits := s.order(cur)
		half := len(visits) / 2
		s.visitAll(cur, visits[:half])
		later()
		s.visitAll(cur, visits[half:])
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

// openRound brings the pivot block in, closes it and makes the panels (phases one and two). It returns nil where the
// schedule is to stop.
//
// cur is the round that goes on meanwhile, nil if there is none. It is finished first for the tiles of the new pivot
// block and panels, so that phases one and two overlap the rest of it. What waits for tiles of other parts is then left
// to making: visits before it give the device work, and time to the part that makes these tiles. The owner of the pivot
// block closes it at once. Where sends do not hold it up, it also makes and sends its strips, for which it needs
// nothing of others.
func (s *schedule) openRound(k0 int, cur *panels) (p *panels, making func()) {
	if s.err != nil || s.stopped || !s.driver.opens(k0) {
		s.stopped = true
		return nil, func() {}
	}
	p = &panels{k0: k0, k1: min(k0+s.width, s.side), col: make([][]int, s.side), row: make([][]int, s.side)}
	var pivot []int
	held := map[int]int{} // slots of tiles of the panels
	pin := func(t int) int {
		if slot, ok := held[t]; ok {
			return slot
		}
		return s.load(t) // a panel of cur
	}
	owns := s.part.owns(k0, k0)
	s.awaited = !s.part.alone()
	if owns {
		pivot = s.closePivot(p, cur)
	}
	if cur != nil {
		s.hold(p, cur, held)
	}
	if s.early && owns {
		s.makeStrips(p, pivot, pin, true)
	}
	s.awaited = false
	making = func() {
		s.awaited = !s.part.alone()
		if s.part.uses(s.part.pivotUsers(k0)) {
			pivot = s.pivotSlots(p, s.block(p), func(t int) int { return s.receive(t, p.k1) })
		}
		if !s.early || !owns {
			s.makeStrips(p, pivot, pin, true)
		}
		s.makeStrips(p, pivot, pin, false)
		for _, slot := range pivot { // phase three does not read it
			s.unpin(slot)
		}
		s.awaited = false
	}
	if cur == nil || s.part.alone() {
		making()
		making = func() {}
	}
	return p, making
}

// hold finishes round cur for the tiles of panels p, and keeps them pinned.
func (s *schedule) hold(p, cur *panels, held map[int]int) {
	for x := range s.side {
		if p.has(x) || cur.has(x) {
			continue
		}
		for k := p.k0; k < p.k1; k++ {
			for _, at := range [][2]int{{k, x}, {x, k}} {
				if i, j := at[0], at[1]; s.geom.Holds(i, j) && s.part.owns(i, j) {
					t := s.geom.Index(i, j)
					held[t] = s.visitPinned(cur, t)
				}
			}
		}
	}
}

// noTile stands for a tile of the grid that is not stored.
const noTile = -1

// block returns the tiles of the pivot block, row-major, with noTile for those that are not stored.
func (s *schedule) block(p *panels) []int {
	var block []int
	for i := p.k0; i < p.k1; i++ {
		for j := p.k0; j < p.k1; j++ {
			t := noTile
			if s.geom.Holds(i, j) {
				t = s.geom.Index(i, j)
			}
			block = append(block, t)
		}
	}
	return block
}

// pivotSlots returns the slots of the pivot block, row-major, as slot pins those of its tiles, or nil where
// the schedule stops. Tiles that are not stored are transposed: the closure of a symmetric block is symmetric.
func (s *schedule) pivotSlots(p *panels, block []int, slot func(t int) int) []int {
	m := p.k1 - p.k0
	pivot := make([]int, len(block))
	for at, t := range block {
		if mirror := at%m*m + at/m; t == noTile {
			pivot[at] = s.transpose(block[mirror], pivot[mirror], p.k1)
		} else if s.mayGoOn() {
			pivot[at] = slot(t)
		} else {
			return nil
		}
	}
	return pivot
}

// closePivot pins the pivot block's tiles, once round cur is done for them, and emits phase one.
func (s *schedule) closePivot(p, cur *panels) []int {
	block := s.block(p)
	for _, t := range block {
		if t != noTile && cur != nil {
			s.visit(cur, t)
		}
	}
	pivot := s.pivotSlots(p, block, s.load)
	if !s.mayGoOn() {
		return nil
	}
	s.put(step{kind: stepKernel, op: &closure, phase: 1, tile: block[0], c: pivot, done: p.k1})
	for _, t := range block {
		if t != noTile {
			s.updated(t, p.k1)
		}
	}
	for at, t := range block {
		if t != noTile {
			s.send(t, pivot[at], p.k1, s.part.pivotUsers(p.k0))
		}
	}
	return pivot
}

// send emits the steps that give other parts the tile in a slot.
func (s *schedule) send(t, slot, done int, to []int) {
	if len(to) == 0 {
		return
	}
	page := s.takePage()
	s.put(step{kind: stepOut, tile: t, slot: slot, page: page, to: to})
	s.put(step{kind: stepSend, tile: t, slot: slot, page: page, done: done, to: to})
	if s.err == nil {
		s.pages.release(page)
	}
}

// receive emits the steps that bring in a tile of another part, and returns its slot, pinned. That one holds no tile
// of this part: its last unpin frees it.
func (s *schedule) receive(t, done int) int {
	page, slot := s.takePage(), s.takeSlot()
	if s.err != nil {
		return noFrame
	}
	s.put(step{kind: stepReceive, tile: t, page: page, done: done, from: s.part.owner(s.geom.TileAt(t))})
	s.put(step{kind: stepIn, tile: t, page: page, slot: slot, done: done, received: true})
	s.pages.release(page)
	s.slots.frames[slot] = frame{tile: noFrame, pins: 1}
	return slot
}

// transpose emits a transposition of a tile from its slot into another, which it returns pinned. That one holds no
// tile: its last unpin frees it.
func (s *schedule) transpose(t, from, done int) int {
	slot := s.takeSlot()
	if s.err != nil {
		return slot
	}
	s.put(step{kind: stepKernel, op: &transposition, tile: t, c: []int{slot}, a: []int{from}, done: done})
	s.slots.frames[slot] = frame{tile: noFrame, pins: 1}
	return slot
}

// line is where a strip of a panel is: x is its column of tiles in the row panel, and its row in the column panel.
type line struct {
	x   int
	row bool // it is of the row panel
}

// at returns the tile of the strip that is in the row, or the column, of pivot tile k.
func (l line) at(k int) (i, j int) {
	if l.row {
		return k, l.x
	}
	return l.x, k
}

// makeStrips makes the strips of the panels that the owner of the pivot block has, or those of other owners. Phase
// two is emitted for the strips that this part owns. All parts send and receive in one order, first the owner's
// strips and then the others; else two of them, short of pages, could wait for each other. pin returns the pinned
// slot of a tile.
func (s *schedule) makeStrips(p *panels, pivot []int, pin func(t int) int, ofPivotOwner bool) {
	for x := range s.side {
		if p.has(x) || !s.mayGoOn() {
			continue
		}
		for _, l := range []line{{x, true}, {x, false}} {
			i, j := l.at(p.k0)
			if !s.geom.Holds(i, j) || (s.part.owner(i, j) == s.part.owner(p.k0, p.k0)) != ofPivotOwner {
				continue
			}
			here, other, used := p.row, p.col, s.part.usesCol
			if !l.row {
				here, other, used = p.col, p.row, s.part.usesRow
			}
			here[x] = s.share(p, l, pivot, pin)
			if s.geom.Holds(j, i) || !used(x) {
				continue
			}
			for k, from := range here[x] { // the strip that is not stored
				other[x] = append(other[x], s.transpose(s.geom.Index(l.at(p.k0+k)), from, p.k1))
			}
		}
	}
}

// share returns the slots of a finished strip. Its owner makes it, and sends it to the parts that need it; the others
// have none.
func (s *schedule) share(p *panels, l line, pivot []int, pin func(t int) int) (strip []int) {
	i, j := l.at(p.k0)
	users := s.part.stripUsers(i, j, l.row)
	switch {
	case s.part.owns(i, j):
		strip = s.strip(p, l, pivot, pin)
		for k, slot := range strip {
			s.send(s.geom.Index(l.at(p.k0+k)), slot, p.k1, users)
		}
	case s.part.uses(users):
		for k := p.k0; k < p.k1; k++ {
			strip = append(strip, s.receive(s.geom.Index(l.at(k)), p.k1))
		}
	}
	return strip
}

// strip emits phase two for the m tiles of one strip of a panel. It works out of place, since a product may not write
// what it reads and the old copies may still be panels of the previous round. It returns the new, pinned slots.
func (s *schedule) strip(p *panels, l line, pivot []int, pin func(t int) int) []int {
	m := p.k1 - p.k0
	raw, out := make([]int, m), make([]int, m)
	for k := range m {
		raw[k] = pin(s.geom.Index(l.at(p.k0 + k)))
	}
	for k := range m {
		out[k] = s.takeSlot()
		if s.err != nil {
			return out
		}
		a, b := pivot[k*m:(k+1)*m], raw
		if !l.row {
			a, b = raw, make([]int, m)
			for i := range b {
				b[i] = pivot[i*m+k]
			}
		}
		// The closed pivot has a diagonal of at most 0, so the product alone is the minimum.
		s.put(step{kind: stepKernel, op: &product, phase: 2, tile: s.geom.Index(l.at(p.k0 + k)), c: out[k : k+1],
			a: a, b: b, fresh: true, before: raw[k], done: p.k1})
	}
	for k := range m {
		t := s.geom.Index(l.at(p.k0 + k))
		s.slots.frames[raw[k]].tile = noFrame // superseded: freed by its last unpin
		s.unpin(raw[k])
		s.tiles[t].slot = int32(out[k])
		s.slots.frames[out[k]] = frame{tile: t, pins: 1}
		s.updated(t, p.k1)
	}
	return out
}

// visitAll visits tiles, and writes those of a checkpoint meanwhile.
func (s *schedule) visitAll(p *panels, list []int) {
	for _, t := range list {
		s.visit(p, t)
		s.writeSome()
	}
}

// visit emits phase three for one tile.
func (s *schedule) visit(p *panels, t int) { s.unpin(s.visitPinned(p, t)) }

func (s *schedule) visitPinned(p *panels, t int) int {
	if !s.mayGoOn() {
		return noFrame
	}
	slot := s.load(t)
	if s.err != nil {
		return slot
	}
	i, j := s.geom.TileAt(t)
	s.put(step{kind: stepKernel, op: &product, phase: 3, tile: t, c: []int{slot}, a: p.col[i], b: p.row[j], done: p.k1})
	s.updated(t, p.k1)
	return slot
}

// release unpins the round's panels.
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

// order lists the tiles that phase three of a round still has to visit. It starts with tiles that are on the device;
// those are the last ones of the previous round, as alternating directions would give. The rest is mixed in
// proportion with tiles from the host cache and from disk, so that copies overlap with kernels throughout the round.
func (s *schedule) order(p *panels) []int {
	var where [3][]int
	for x := range s.side {
		i := x
		if p.k0/s.width%2 == 1 {
			i = s.side - 1 - x
		}
		for y := range s.side {
			j := y
			if x%2 == 1 {
				j = s.side - 1 - y
			}
			if p.has(i) || p.has(j) || !s.geom.Holds(i, j) {
				continue
			}
			t := s.geom.Index(i, j)
			st := &s.tiles[t]
			if int(st.done) >= p.k1 || !s.part.owns(i, j) {
				continue
			}
			level := 2
			if st.slot != noFrame {
				level = 0
			} else if st.page != noFrame {
				level = 1
			}
			where[level] = append(where[level], t)
		}
	}
	lead := min(2*s.streams, len(where[0]))
	return append(where[0][:lead:lead], mix(where[0][lead:], where[1], where[2])...)
}

// mix merges lists so that each is spread evenly over the result, in order.
func mix(lists ...[]int) (out []int) {
	left := slices.Clone(lists)
	for {
		best, bestAt := -1, 1.0
		for x, l := range left {
			taken := float64(len(lists[x])-len(l)) + 0.5
			if at := taken / float64(len(lists[x])); len(l) > 0 && at < bestAt {
				best, bestAt = x, at
			}
		}
		if best < 0 {
			return out
		}
		out, left[best] = append(out, left[best][0]), left[best][1:]
	}
}
