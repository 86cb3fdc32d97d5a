package searches

import (
	"math/bits"
	"slices"

	"ooc/engine/rows"
	"ooc/kernels/cpu"
)

// pushCost is how many times as long it takes to push along an arc as to pull along one.
const pushCost = 16

// levels searches from up to rows.Lanes sources at once, along arcs of one weight. A vertex's state is a cache line
// with a bit for each source (M. Then et al., The more the merrier: efficient multi-source graph traversal, 2014).
// Vertices are places.
type levels struct {
	*numbered
	seen        []rows.Bits // the sources from which the distance is known
	front, last []rows.Bits // those that are as far as the level at hand, and as the one before; zeros elsewhere
	at, lastAt  []int32     // the vertices that front and last have bits of
	left        []int32     // those with arcs in that some source may not have reached
	leftArcs    int64       // arcs into left
	work        int64       // arcs that were looked at; those that were pushed along count pushCost times
	pull        cpu.PullBits
}

// levelBytes is what levels take for each vertex.
const levelBytes = 3*rows.Lanes/8 + 3*4

func newLevels(g *numbered) (*levels, error) {
	n := len(g.order)
	pull, err := cpu.NewPullBits()
	line := func() []rows.Bits { return make([]rows.Bits, n) }
	return &levels{numbered: g, seen: line(), front: line(), last: line(), pull: pull}, err
}

// all are the bits of all lanes.
var all = func() (b rows.Bits) {
	for i := range b {
		b[i] = ^uint64(0)
	}
	return b
}()

// start begins a search. The level at hand is that of the sources themselves.
func (s *levels) start(sources []int32) {
	s.forget()
	s.front, s.last, s.at, s.lastAt = s.last, s.front, s.lastAt, s.at
	s.forget()
	others := all // lanes without a source have reached everything
	for lane := range sources {
		others[lane/64] &^= 1 << (lane % 64)
	}
	s.left = s.left[:0]
	for v := range s.seen {
		s.seen[v] = others
		if s.in.start[v+1] > s.in.start[v] {
			s.left = append(s.left, int32(v))
		}
	}
	s.countLeft()
	for lane, vertex := range sources {
		v := s.place[vertex]
		if s.front[v] == (rows.Bits{}) {
			s.at = append(s.at, v)
		}
		s.front[v][lane/64] |= 1 << (lane % 64)
		s.seen[v][lane/64] |= 1 << (lane % 64)
	}
}

// forget empties the level before.
func (s *levels) forget() {
	for _, v := range s.lastAt {
		s.last[v] = rows.Bits{}
	}
	s.lastAt = s.lastAt[:0]
}

// next goes to the next level, and reports whether there is any vertex in it.
func (s *levels) next() bool {
	s.forget()
	s.front, s.last, s.at, s.lastAt = s.last, s.front, s.lastAt, s.at
	out := int64(0)
	for _, v := range s.lastAt {
		out += s.out.start[v+1] - s.out.start[v]
	}
	if out*pushCost < s.leftArcs {
		s.work += out * pushCost
		s.push()
	} else {
		s.work += s.leftArcs
		was := len(s.left)
		s.left, s.at = s.pull(s.left, slices.Grow(s.at, was), s.in.start, s.in.ends, s.last, s.front, s.seen)
		if len(s.left) < was {
			s.countLeft()
		}
	}
	return len(s.at) > 0
}

// countLeft counts the arcs into the vertices that are left.
func (s *levels) countLeft() {
	s.leftArcs = 0
	for _, v := range s.left {
		s.leftArcs += s.in.start[v+1] - s.in.start[v]
	}
}

// push goes along the arcs from all vertices of the level before.
func (s *levels) push() {
	for _, u := range s.lastAt {
		from := s.last[u]
		for _, v := range s.out.ends[s.out.start[u]:s.out.start[u+1]] {
			seen, to := &s.seen[v], &s.front[v]
			was, more := uint64(0), uint64(0)
			for i := range from {
				b := from[i] &^ seen[i]
				was |= to[i]
				more |= b
				to[i] |= b
			}
			if was == 0 && more != 0 {
				s.at = append(s.at, v)
			}
		}
	}
	for _, v := range s.at {
		join(&s.seen[v], &s.front[v])
	}
}

// join adds bits to others.
func join(to, b *rows.Bits) {
	for i := range to {
		to[i] |= b[i]
	}
}

// countOf is how many bits are set.
func countOf(level []rows.Bits) (count float64) {
	for v := range level {
		for _, b := range level[v] {
			count += float64(bits.OnesCount64(b))
		}
	}
	return count
}

// share is which share of all distances is known, and which the level at hand has.
func (s *levels) share(lanes int) (known, level float64) {
	n := float64(len(s.seen))
	all := n * float64(lanes)
	return (countOf(s.seen) - n*float64(rows.Lanes-lanes)) / all, countOf(s.front) / all
}
