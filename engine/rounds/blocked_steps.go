package rounds

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
			if cur = s.openRound(k0); cur == nil {
				break
			}
		}
		next = nil
		later := func() {}
		if s.lookahead && cur.k1 < s.side {
			next, later = s.lookAhead(cur)
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

func (s *schedule) newPanels(k0 int) *panels {
	return &panels{k0: k0, k1: min(k0+s.width, s.side), col: make([][]int, s.side), row: make([][]int, s.side)}
}

// opens reports whether the next round is to be opened.
func (s *schedule) opens(k0 int) bool {
	if s.err == nil && !s.stopped && !s.driver.opens(k0) {
		s.stopped = true
	}
	return s.err == nil && !s.stopped
}

// openRound brings the pivot block in, closes it and makes the panels (phases one and two). It returns nil where the
// schedule is to stop.
func (s *schedule) openRound(k0 int) *panels {
	if !s.opens(k0) {
		return nil
	}
	p := s.newPanels(k0)
	closing, making := s.opening(p, nil)
	closing()
	making()
	return p
}

// lookAhead finishes this round for the next round's pivot block and panels before anything else, and then runs the
// next round's phases one and two, so that they overlap the rest of this round. What waits for tiles of other parts
// is left for later: visits between the two give the device work, and time to the part that makes these tiles.
func (s *schedule) lookAhead(cur *panels) (p *panels, later func()) {
	later = func() {}
	if !s.opens(cur.k1) {
		return nil, later
	}
	p = s.newPanels(cur.k1)
	closing, making := s.opening(p, cur)
	closing()
	if !s.part.alone() {
		return p, making
	}
	making()
	return p, later
}

// opening returns the two steps that open a round. In the first one the owner of the pivot block closes it. Where
// sends do not hold it up, it also makes and sends its strips, for which it needs nothing of others. In the second
// one the others make theirs. cur is the round that goes on meanwhile, nil if there is none.
func (s *schedule) opening(p, cur *panels) (closing, making func()) {
	var pivot []int
	held := map[int]int{} // slots of tiles of the panels
	pin := func(t int) int {
		if slot, ok := held[t]; ok {
			return slot
		}
		return s.load(t) // a panel of cur
	}
	first := s.early && s.part.owns(p.k0, p.k0)
	closing = func() {
		s.awaited = !s.part.alone()
		if s.part.owns(p.k0, p.k0) {
			pivot = s.closePivot(p, cur)
		}
		if cur != nil {
			s.hold(p, cur, held)
		}
		if first {
			s.makeStrips(p, pivot, pin, true)
		}
		s.awaited = false
	}
	making = func() {
		s.awaited = !s.part.alone()
		if s.part.uses(s.part.pivotUsers(p.k0)) {
			pivot = s.receivePivot(p)
		}
		if !first {
			s.makeStrips(p, pivot, pin, true)
		}
		s.makeStrips(p, pivot, pin, false)
		for _, slot := range pivot { // phase three does not read it
			s.unpin(slot)
		}
		s.awaited = false
	}
	return closing, making
}

// hold finishes round cur for the tiles of panels p, and keeps them pinned.
func (s *schedule) hold(p, cur *panels, held map[int]int) {
	for x := range s.side {
		if p.has(x) || cur.has(x) {
			continue
		}
		for k := p.k0; k < p.k1; k++ {
			for _, at := range [][2]int{{k, x}, {x, k}} {
				if !s.geom.Holds(at[0], at[1]) {
					continue
				}
				if t := s.geom.Index(at[0], at[1]); s.owns(t) {
					held[t] = s.visitPinned(cur, t)
				}
			}
		}
	}
}

func (s *schedule) owns(t int) bool { return s.part.owns(s.geom.TileAt(t)) }

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

// closePivot pins the pivot block's tiles, once round cur is done for them, and emits phase one. The slots are
// row-major. Tiles that are not stored are transposed first; the closure of a symmetric block is symmetric.
func (s *schedule) closePivot(p, cur *panels) []int {
	block, m := s.block(p), p.k1-p.k0
	for _, t := range block {
		if t != noTile && cur != nil {
			s.visit(cur, t)
		}
	}
	pivot := make([]int, len(block))
	for at, t := range block {
		if t == noTile {
			pivot[at] = s.transpose(block[at%m*m+at/m], pivot[at%m*m+at/m], p.k1)
			continue
		}
		if !s.mayGoOn() {
			return nil
		}
		pivot[at] = s.load(t)
	}
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

// receivePivot is closePivot for a part that does not own the block.
func (s *schedule) receivePivot(p *panels) []int {
	block, m := s.block(p), p.k1-p.k0
	pivot := make([]int, len(block))
	for at, t := range block {
		if t == noTile {
			pivot[at] = s.transpose(block[at%m*m+at/m], pivot[at%m*m+at/m], p.k1)
		} else {
			pivot[at] = s.receive(t, p.k1)
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

// makeStrips makes the strips of the panels that the owner of the pivot block has, or those of other owners. Phase
// two is emitted for the strips that this part owns. All parts send and receive in one order, first the owner's
// strips and then the others; else two of them, short of pages, could wait for each other. pin returns the pinned
// slot of a tile.
func (s *schedule) makeStrips(p *panels, pivot []int, pin func(t int) int, ofPivotOwner bool) {
	m := p.k1 - p.k0
	has := func(i, j int) bool {
		return s.geom.Holds(i, j) && (s.part.owner(i, j) == s.part.owner(p.k0, p.k0)) == ofPivotOwner
	}
	for x := range s.side {
		if p.has(x) || !s.mayGoOn() {
			continue
		}
		if has(p.k0, x) {
			p.row[x] = s.share(p, p.k0, x, func(k int) int { return s.geom.Index(k, x) }, pin, func(k int, raw []int) (a, b []int) {
				return pivot[k*m : (k+1)*m], raw
			})
			if !s.geom.Holds(x, p.k0) && p.row[x] != nil && s.part.usesCol(x) {
				p.col[x] = s.transposed(p, p.row[x], func(k int) int { return s.geom.Index(k, x) })
			}
		}
		if has(x, p.k0) {
			p.col[x] = s.share(p, x, p.k0, func(k int) int { return s.geom.Index(x, k) }, pin, func(k int, raw []int) (a, b []int) {
				column := make([]int, m)
				for i := range column {
					column[i] = pivot[i*m+k]
				}
				return raw, column
			})
			if !s.geom.Holds(p.k0, x) && p.col[x] != nil && s.part.usesRow(x) {
				p.row[x] = s.transposed(p, p.col[x], func(k int) int { return s.geom.Index(x, k) })
			}
		}
	}
}

// share returns the slots of the finished strip that begins with tile (i, j). Its owner makes it, and sends it to the
// parts that need it; the others have none.
func (s *schedule) share(p *panels, i, j int, tile, pin func(int) int, operands func(k int, raw []int) (a, b []int)) (strip []int) {
	users := s.part.stripUsers(i, j, i == p.k0)
	switch {
	case s.part.owns(i, j):
		strip = s.strip(p, pin, tile, operands)
		for k, slot := range strip {
			s.send(tile(p.k0+k), slot, p.k1, users)
		}
	case s.part.uses(users):
		for k := p.k0; k < p.k1; k++ {
			strip = append(strip, s.receive(tile(k), p.k1))
		}
	}
	return strip
}

// transposed returns the transposes of a finished strip of a panel.
func (s *schedule) transposed(p *panels, strip []int, tile func(int) int) []int {
	out := make([]int, len(strip))
	for k, from := range strip {
		out[k] = s.transpose(tile(p.k0+k), from, p.k1)
	}
	return out
}

// strip emits phase two for the m tiles of one strip of a panel. It works out of place, since a product may not write
// what it reads and the old copies may still be panels of the previous round. It returns the new, pinned slots.
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
		s.put(step{kind: stepKernel, op: &product, phase: 2, tile: tile(p.k0 + k), c: out[k : k+1], a: a, b: b, fresh: true, before: raw[k], done: p.k1})
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
func mix(lists ...[]int) []int {
	total := 0
	for _, l := range lists {
		total += len(l)
	}
	out := make([]int, 0, total)
	taken := make([]int, len(lists))
	for len(out) < total {
		best, bestAt := -1, 0.0
		for x, l := range lists {
			if taken[x] == len(l) {
				continue
			}
			if at := (float64(taken[x]) + 0.5) / float64(len(l)); best < 0 || at < bestAt {
				best, bestAt = x, at
			}
		}
		out = append(out, lists[best][taken[best]])
		taken[best]++
	}
	return out
}
