package rounds

// panels are the finished row and column strips of one round, pinned in slots. Of a symmetric matrix one of the two strips
// of each x is stored, and the other is its transpose.
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
	for _, t := range s.block(p) {
		if t != noTile {
			s.visit(cur, t)
		}
	}
	pivot := s.closePivot(p)
	held := map[int]int{}
	for x := range s.side {
		if p.has(x) || cur.has(x) {
			continue
		}
		for k := p.k0; k < p.k1; k++ {
			for _, at := range [][2]int{{k, x}, {x, k}} {
				if s.geom.Holds(at[0], at[1]) {
					t := s.geom.Index(at[0], at[1])
					held[t] = s.visitPinned(cur, t)
				}
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

// closePivot pins the pivot block's tiles and emits phase one. The slots are row-major. Tiles that are not stored are
// transposed first; the closure of a symmetric block is symmetric.
func (s *schedule) closePivot(p *panels) []int {
	block, m := s.block(p), p.k1-p.k0
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
	return pivot
}

// transpose emits a transposition of a tile from its slot into another, which it returns pinned. That one holds no tile:
// its last unpin frees it.
func (s *schedule) transpose(t, from, done int) int {
	slot := s.takeSlot()
	if s.err != nil {
		return slot
	}
	s.put(step{kind: stepKernel, op: &transposition, tile: t, c: []int{slot}, a: []int{from}, done: done})
	s.slots.frames[slot] = frame{tile: noFrame, pins: 1}
	return slot
}

// makePanels emits phase two, and unpins the pivot block: phase three does not read it. pin returns the
// pinned slot of a tile.
func (s *schedule) makePanels(p *panels, pivot []int, pin func(t int) int) {
	m := p.k1 - p.k0
	for x := range s.side {
		if p.has(x) || !s.mayGoOn() {
			continue
		}
		row, col := s.geom.Holds(p.k0, x), s.geom.Holds(x, p.k0)
		if row {
			p.row[x] = s.strip(p, pin, func(k int) int { return s.geom.Index(k, x) }, func(k int, raw []int) (a, b []int) {
				return pivot[k*m : (k+1)*m], raw
			})
		}
		if col {
			p.col[x] = s.strip(p, pin, func(k int) int { return s.geom.Index(x, k) }, func(k int, raw []int) (a, b []int) {
				column := make([]int, m)
				for i := range column {
					column[i] = pivot[i*m+k]
				}
				return raw, column
			})
		}
		switch {
		case !row:
			p.row[x] = s.transposed(p, p.col[x], func(k int) int { return s.geom.Index(x, k) })
		case !col:
			p.col[x] = s.transposed(p, p.row[x], func(k int) int { return s.geom.Index(k, x) })
		}
	}
	for _, slot := range pivot {
		s.unpin(slot)
	}
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

// order lists the tiles that phase three of a round still has to visit. It starts with tiles that are on the device; those
// are the last ones of the previous round, as alternating directions would give. The rest is mixed in proportion with
// tiles from the host cache and from disk, so that copies overlap with kernels throughout the round.
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
			if int(st.done) >= p.k1 {
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
	lead := min(2*s.lanes, len(where[0]))
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
