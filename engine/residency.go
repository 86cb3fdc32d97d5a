package engine

import "errors"

// errFrames says that a schedule was given fewer slots or pages than planning allows.
var errFrames = errors.New("schedule has no frame left to evict")

// frame is one slot or page of a level.
type frame struct {
	tile  int // noFrame: free, or superseded and waiting for its last unpin
	pins  int
	stamp int // of its newest entry in a queue
}

// level is one level of memory: device slots or host pages. Frames of tiles that were not visited yet
// this round wait in old, those visited wait in recent; both oldest first. Victims come from recent
// while it has more than depth: with the visiting order of schedule.order those are needed again last. The newest
// are left alone because their copies may still be under way, and who takes their frame would wait for that.
type level struct {
	frames      []frame
	free        []int // first in, first out: reuse as late as possible
	old, recent []entry
	depth       int
	clock       int
}

type entry struct{ frame, stamp int }

func newLevel(n, depth int) *level {
	l := &level{frames: make([]frame, n), depth: depth}
	for i := range n {
		l.frames[i].tile = noFrame
		l.free = append(l.free, i)
	}
	return l
}

// touch makes an unpinned frame evictable, last.
func (l *level) touch(f int) {
	l.clock++
	l.frames[f].stamp = l.clock
	l.recent = append(l.recent, entry{f, l.clock})
}

func (l *level) nextRound() {
	l.old = append(l.old, l.recent...)
	l.recent = nil
}

func (l *level) release(f int) {
	l.frames[f] = frame{tile: noFrame}
	l.free = append(l.free, f)
}

// take removes a free frame, or returns noFrame.
func (l *level) take() int {
	if len(l.free) == 0 {
		return noFrame
	}
	f := l.free[0]
	l.free = l.free[1:]
	return f
}

// victim removes the frame to evict from its queue, or returns noFrame.
func (l *level) victim() int {
	for _, from := range []struct {
		q     *[]entry
		least int // entries that stay
	}{{&l.recent, l.depth}, {&l.old, 0}, {&l.recent, 0}} {
		for q := from.q; len(*q) > from.least; {
			e := (*q)[0]
			*q = (*q)[1:]
			if f := &l.frames[e.frame]; f.stamp == e.stamp && f.pins == 0 && f.tile != noFrame {
				return e.frame
			}
		}
	}
	return noFrame
}

// load brings a tile into a slot and pins it.
func (s *schedule) load(t int) int {
	st := &s.tiles[t]
	if st.slot != noFrame {
		s.slots.frames[st.slot].pins++
		return int(st.slot)
	}
	page := int(st.page)
	if page != noFrame {
		s.pages.frames[page].pins++ // the slot's victim must not push it out
	}
	slot := s.takeSlot()
	if page == noFrame {
		page = s.takePage()
		s.put(step{kind: stepRead, tile: t, page: page, fromGraph: !st.onDisk})
		st.dirty = st.dirty || !st.onDisk
	}
	if s.err != nil {
		return noFrame
	}
	s.put(step{kind: stepIn, tile: t, page: page, slot: slot})
	s.pages.release(page)
	st.page, st.slot = noFrame, int32(slot)
	s.slots.frames[slot] = frame{tile: t, pins: 1}
	return slot
}

// fail keeps the first error; after it, frames are no longer given back and steps no longer emitted.
func (s *schedule) fail(err error) {
	if s.err == nil {
		s.err = err
	}
}

func (s *schedule) unpin(slot int) {
	if s.err != nil || slot == noFrame {
		return
	}
	f := &s.slots.frames[slot]
	f.pins--
	switch {
	case f.pins > 0:
	case f.tile == noFrame:
		s.slots.release(slot)
	default:
		s.slots.touch(slot)
	}
}

// takeSlot returns a slot without a tile, evicting one where it must.
func (s *schedule) takeSlot() int {
	if f := s.slots.take(); f != noFrame {
		return f
	}
	f := s.slots.victim()
	if f == noFrame {
		s.fail(errFrames)
		return noFrame
	}
	t := s.slots.frames[f].tile
	st := &s.tiles[t]
	if st.dirty || len(s.pages.free) > 0 {
		page := s.takePage()
		s.put(step{kind: stepOut, tile: t, slot: f, page: page})
		if page != noFrame {
			st.page = int32(page)
			s.pages.frames[page].tile = t
			s.pages.touch(page)
		}
	}
	st.slot = noFrame
	s.slots.frames[f] = frame{tile: noFrame}
	return f
}

// takePage returns a page without a tile, writing one to disk where it must.
func (s *schedule) takePage() int {
	if f := s.pages.take(); f != noFrame {
		return f
	}
	f := s.pages.victim()
	if f == noFrame {
		s.fail(errFrames)
		return noFrame
	}
	t := s.pages.frames[f].tile
	st := &s.tiles[t]
	if st.dirty {
		s.put(step{kind: stepWrite, tile: t, page: f, done: int(st.done)})
		st.dirty, st.onDisk = false, true
	}
	st.page = noFrame
	s.pages.frames[f] = frame{tile: noFrame}
	return f
}

// order lists the tiles that phase three of a round still has to visit. Each round starts with tiles
// that are on the device (for a cold cache: with the last tiles of the round before, as alternating
// directions would) and then mixes those with tiles from the host cache and from disk in proportion, so
// that copies have kernels to hide behind from the first tile to the last.
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
			t := i*s.side + j
			st := &s.tiles[t]
			if p.has(i) || p.has(j) || int(st.done) >= p.k1 {
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
