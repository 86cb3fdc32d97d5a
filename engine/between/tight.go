package between

import (
	"fmt"
	"math/bits"

	"ooc/engine/graph"
	"ooc/engine/internal/cancel"
	"ooc/kernels/entry"
)

// distance is the type of entries.
type distance interface{ uint32 | float64 }

// tight are the arcs that end a shortest path from a source, by their distances. Such arcs make no cycle: a place is
// ready in a lane when all that lead there have been counted (A. B. Kahn, Topological sorting of large networks, 1962).
type tight struct {
	g     *graph.Graph
	lanes []uint64 // of each arc: those in which it is tight
	left  []uint64 // by place: how many that lead there are not counted yet, as binary numbers, a bit in each word
	at    []int64  // of each place's words in left, and where all end
	queue []int32  // places that are ready in the lanes of next
}

func newTight(g *graph.Graph, a *arcs) *tight {
	t := &tight{g: g, lanes: make([]uint64, len(a.ends)), at: make([]int64, 1, g.N+1),
		queue: make([]int32, 0, g.N*lanesOf(g.N))}
	for p, into := range a.into {
		t.at = append(t.at, t.at[p]+int64(bits.Len32(uint32(into))))
	}
	t.left = make([]uint64, t.at[g.N])
	return t
}

// mark finds the arcs that are tight in a lane, by its row of distances. What is unreachable is more than all entries
// and weight added to it no entry, or it is not a number.
func mark[D distance](s *lanes, lane int, row []D) {
	lanes, from, to := s.tight.lanes, s.from[:len(s.ends)], s.to[:len(s.ends)]
	weights := entry.View[D](s.weights)[:len(s.ends)]
	for k := range lanes {
		is := uint64(0)
		if row[from[k]]+weights[k] == row[to[k]] {
			is = 1
		}
		lanes[k] |= is << (lane & 63)
	}
}

// byTight counts paths of tight arcs.
func (s *lanes) byTight(poll *cancel.Poll, sources []int32) error {
	t := s.tight
	clear(t.left)
	for k, v := range s.ends {
		carry := t.lanes[k]
		for i := t.at[v]; carry != 0; i++ {
			t.left[i], carry = t.left[i]^carry, t.left[i]&carry
		}
	}
	t.queue = t.queue[:0]
	for i := 0; i < len(s.all) || i-len(sources) < len(t.queue); i++ {
		if i >= len(sources) {
			p := t.queue[i-len(sources)]
			s.all = append(s.all, reached{s.next[p], p})
			s.next[p] = 0
		}
		r := s.all[i]
		from := s.row(r.place)
		lo, hi := s.start[r.place], s.start[r.place+1]
		for k, v := range s.ends[lo:hi] {
			m := r.lanes & t.lanes[lo+int64(k)]
			if m == 0 {
				continue
			}
			push(s.row(v), from, m)
			borrow, more := m, uint64(0)
			left := t.left[t.at[v]:t.at[v+1]]
			for i, b := range left {
				left[i] = b ^ borrow
				borrow &^= b
				more |= left[i]
			}
			if m &^= more; m != 0 {
				if s.next[v] == 0 {
					t.queue = append(t.queue, v)
				}
				s.next[v] |= m
			}
		}
		if err := poll.After((hi - lo) * int64(s.width)); err != nil {
			return err
		}
	}
	for _, b := range t.left {
		if b != 0 {
			return tooLong(t.g, int(sources[bits.TrailingZeros64(b)]))
		}
	}
	return nil
}

// tooLong is the error of distances whose floats cannot tell paths apart.
func tooLong(g *graph.Graph, source int) error {
	return &graph.InputError{File: g.File, Reason: fmt.Sprintf("distances from %s are so long that adding a weight to "+
		"one changes nothing, and such paths cannot be counted: leave out the longest arcs, or count arcs with "+
		"--unweighted", g.Name(source))}
}
