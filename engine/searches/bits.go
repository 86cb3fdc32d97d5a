package searches

import (
	"math/bits"

	"ooc/engine/rows"
)

// pushCost is how many times as long it takes to push along an arc as to pull along one.
const pushCost = 6

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
}

// levelBytes is what levels take for each vertex.
const levelBytes = 3*rows.Lanes/8 + 3*4

func newLevels(g *numbered) *levels {
	n := len(g.order)
	return &levels{numbered: g, seen: make([]rows.Bits, n), front: make([]rows.Bits, n), last: make([]rows.Bits, n)}
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
	s.left, s.leftArcs = s.left[:0], 0
	for v := range s.seen {
		s.seen[v] = others
		if arcs := s.in.start[v+1] - s.in.start[v]; arcs > 0 {
			s.left, s.leftArcs = append(s.left, int32(v)), s.leftArcs+arcs
		}
	}
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
		s.pull()
	}
	return len(s.at) > 0
}

// pull looks at the arcs into all vertices that are left: what is new is what any of their ends has.
func (s *levels) pull() {
	kept := s.left[:0]
	start, ends, last := s.in.start, s.in.ends, s.last
	for _, v := range s.left {
		seen := &s.seen[v]
		if seen[0]&seen[1]&seen[2]&seen[3]&seen[4]&seen[5]&seen[6]&seen[7] == ^uint64(0) {
			s.leftArcs -= start[v+1] - start[v]
			continue
		}
		kept = append(kept, v)
		var b0, b1, b2, b3, b4, b5, b6, b7 uint64 // in registers, as an array would not be
		for _, u := range ends[start[v]:start[v+1]] {
			b := &last[u]
			b0 |= b[0]
			b1 |= b[1]
			b2 |= b[2]
			b3 |= b[3]
			b4 |= b[4]
			b5 |= b[5]
			b6 |= b[6]
			b7 |= b[7]
		}
		b := rows.Bits{b0 &^ seen[0], b1 &^ seen[1], b2 &^ seen[2], b3 &^ seen[3], b4 &^ seen[4], b5 &^ seen[5], b6 &^ seen[6], b7 &^ seen[7]}
		if b[0]|b[1]|b[2]|b[3]|b[4]|b[5]|b[6]|b[7] != 0 {
			s.front[v] = b
			join(seen, &b)
			s.at = append(s.at, v)
		}
	}
	s.left = kept
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

// share is the share of all distances that are known.
func (s *levels) share(lanes int) float64 {
	count := 0
	for v := range s.seen {
		for _, b := range s.seen[v] {
			count += bits.OnesCount64(b)
		}
	}
	n := len(s.seen)
	return float64(count-n*(rows.Lanes-lanes)) / (float64(n) * float64(lanes))
}
