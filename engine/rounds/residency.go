package rounds

import (
	"cmp"
	"errors"
)

// errFrames says that a schedule was given fewer slots or pages than planning allows.
var errFrames = errors.New("schedule has no frame left to evict")

// frame is one slot or page of a level.
type frame struct {
	tile  int // noFrame: free, or superseded and waiting for its last unpin
	pins  int
	stamp int // of its newest entry in a queue
}

// level is one level of memory: device slots or host pages. Unpinned frames wait in one of two queues, oldest first:
// old has the tiles that this round has not visited yet, recent those that it has. Victims come from recent while it
// has more than depth entries, because schedule.order visits those tiles last in the next round. The newest depth
// entries are spared: their copies may still be in flight, and taking their frame would mean waiting for them.
type level struct {
	frames      []frame
	free        []int // first in, first out: reuse as late as possible
	old, recent []queued
	depth       int
	clock       int
}

type queued struct{ frame, stamp int }

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
	l.recent = append(l.recent, queued{f, l.clock})
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
		q     *[]queued
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
		s.pages.frames[page].pins++ // or the slot's victim could evict it
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
		s.err = cmp.Or(s.err, errFrames)
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
		s.err = cmp.Or(s.err, errFrames)
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
