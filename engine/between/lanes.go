package between

import (
	"math"
	"math/bits"

	"ooc/engine/graph"
	"ooc/engine/internal/cancel"
	"ooc/kernels/cpu"
)

// arcs are those of a graph whose vertices have places, so that those near each other are near in memory.
type arcs struct {
	order   []int32   // the vertex of each place
	place   []int32   // of each vertex
	start   []int64   // of each place's arcs in ends, and where all end
	ends    []int32   // places
	offsets []int64   // of each vertex's arcs in the graph, in the same order
	into    []int32   // by place: how many arcs lead there
	ending  []float64 // by place: 1 where paths end that count, else 0

	// Where weights are not all equal, of each arc:
	from, to []int32 // vertices
	weights  []byte  // entries
}

func newArcs(g *graph.Graph, order []int32) *arcs {
	a := &arcs{order: order, place: make([]int32, g.N), start: make([]int64, 1, g.N+1),
		ends: make([]int32, 0, g.Arcs()+cpu.EndsAhead), offsets: g.Offsets, into: make([]int32, g.N)}
	for i, v := range order {
		a.place[v] = int32(i)
	}
	for _, v := range order {
		for _, u := range g.Targets[g.Offsets[v]:g.Offsets[v+1]] {
			a.ends = append(a.ends, a.place[u])
			a.into[a.place[u]]++
		}
		a.start = append(a.start, int64(len(a.ends)))
	}
	return a
}

// aim says that paths count which end at some vertices; none: at all.
func (a *arcs) aim(targets []int32) {
	a.ending = make([]float64, len(a.order))
	for i := range a.ending {
		if len(targets) == 0 {
			a.ending[i] = 1
		}
	}
	for _, v := range targets {
		a.ending[a.place[v]] = 1
	}
}

// weigh makes what mark takes.
func (a *arcs) weigh(g *graph.Graph) {
	size := int64(g.Kind.Wide().Bytes())
	a.from, a.to = make([]int32, 0, g.Arcs()), make([]int32, 0, g.Arcs())
	a.weights = g.Kind.Wide().Make(int(g.Arcs()))[:0]
	for _, v := range a.order {
		lo, hi := g.Offsets[v], g.Offsets[v+1]
		a.weights = append(a.weights, g.WeightBytes()[lo*size:hi*size]...)
		a.to = append(a.to, g.Targets[lo:hi]...)
		for range hi - lo {
			a.from = append(a.from, v)
		}
	}
}

const (
	mostLanes  = 64      // bits of a word
	laneMemory = 8 << 20 // bytes: the counts of all lanes stay in a cache
	leastLanes = 8       // that share the search
)

// lanesOf is how many sources are searched from at once. Files of statistics count in these: another number needs
// another version of them.
func lanesOf(n int) int {
	lanes := mostLanes
	for lanes > leastLanes && lanes*n*8 > laneMemory {
		lanes /= 2
	}
	return lanes
}

// lanes count paths from many sources at once. A vertex has a bit for each source, and a float: the count of shortest
// paths from there. On the way back it becomes (ending + the dependency on it) / that count.
type lanes struct {
	*arcs
	width  int
	paths  cpu.PathCounts
	counts []float64 // by place and lane
	// all is the sources, and then others in an order in which shortest paths lead from earlier to later ones: at most
	// one for each place and lane.
	all []reached
	sum [mostLanes]float64

	// Where all weights are equal:
	seen   []uint64 // by place: the lanes that have reached it
	found  []int32  // the places of which next has bits
	starts []int    // of each level in all

	// Where they are not:
	tight *tight

	next []uint64 // by place: the lanes that reach it at a level, or are ready
}

// reached are lanes that reach a place: all of its shortest paths in these are counted.
type reached struct {
	lanes uint64
	place int32
}

func newLanes(a *arcs, width int, tight *tight) (*lanes, error) {
	n := len(a.order)
	paths, err := cpu.NewPathCounts()
	return &lanes{arcs: a, width: width, paths: paths, counts: make([]float64, n*width), next: make([]uint64, n),
		seen: make([]uint64, n), found: make([]int32, 0, n+1), tight: tight, all: make([]reached, 0, n*width)}, err
}

func (s *lanes) row(place int32) []float64 { return s.counts[int(place)*s.width:][:s.width] }

// add adds to sums what sources give.
func (s *lanes) add(poll *cancel.Poll, sources []int32, q Question, to *Sums) error {
	clear(s.counts)
	s.all = s.all[:0]
	for lane, v := range sources {
		s.all = append(s.all, reached{1 << lane, s.place[v]})
		s.row(s.place[v])[lane] = 1
	}
	count := s.byLevel
	if s.tight != nil {
		count = s.byTight
	}
	if err := count(poll, sources); err != nil {
		return err
	}
	left := uint64(0)
	for i, count := range s.counts {
		if count > exactly {
			to.Rounded[0] = 1
			if count > most {
				left |= 1 << (i % s.width)
			}
		}
	}
	s.addWide(left, q, to)
	for i := range s.all {
		s.all[i].lanes &^= left
	}
	return s.back(poll, len(sources), q, to)
}

// of is what a vertex has of the paths from some sources, on which d pairs depend. It is another vertex than these, or
// the only one.
func (q Question) of(d float64, other bool, sources int) float64 {
	switch {
	case other && q.Endpoints:
		return d + float64(sources)
	case other:
		return d
	case q.Endpoints:
		return math.Round(d) // the vertices that the source reaches
	}
	return 0
}

// push adds the counts of a place to those of another.
func push(to, from []float64, lanes uint64) {
	for ; lanes != 0; lanes &= lanes - 1 {
		i := bits.TrailingZeros64(lanes) & 63
		to[i] += from[i]
	}
}

// byLevel counts paths of arcs of one weight.
func (s *lanes) byLevel(poll *cancel.Poll, _ []int32) error {
	clear(s.seen)
	for _, r := range s.all {
		s.seen[r.place] |= r.lanes
	}
	s.starts = append(s.starts[:0], 0)
	for lo := 0; lo < len(s.all); {
		hi := len(s.all)
		s.starts = append(s.starts, hi)
		for _, r := range s.all[lo:hi] {
			ends := s.ends[s.start[r.place]:s.start[r.place+1]]
			s.found = s.paths.Push(s.counts, s.row(r.place), s.seen, s.next, ends, s.found, r.lanes)
			if err := poll.After(int64(len(ends)) * int64(s.width)); err != nil {
				return err
			}
		}
		for _, v := range s.found {
			s.all = append(s.all, reached{s.next[v], v})
			s.seen[v] |= s.next[v]
			s.next[v] = 0
		}
		s.found, lo = s.found[:0], hi
	}
	return nil
}

// back adds up dependencies, from what was reached last to what was reached first: the sources.
func (s *lanes) back(poll *cancel.Poll, sources int, q Question, to *Sums) error {
	level := len(s.starts) - 2
	for i := len(s.all) - 1; i >= 0; i-- {
		r := s.all[i]
		lo, hi, arc := s.start[r.place], s.start[r.place+1], s.offsets[s.order[r.place]]
		row, sum := s.row(r.place), s.sum[:s.width]
		clear(sum)
		ends := s.ends[lo:hi]
		if s.tight == nil {
			s.paths.Pull(sum, s.counts, s.next, ends, r.lanes)
			if !q.Edges {
				ends = nil
			}
		}
		for k, v := range ends {
			m := r.lanes
			if s.tight != nil {
				m &= s.tight.lanes[lo+int64(k)]
			} else {
				m &= s.next[v]
			}
			if m == 0 {
				continue
			}
			from := s.row(v)
			if q.Edges {
				through := 0.0
				for m := m; m != 0; m &= m - 1 {
					i := bits.TrailingZeros64(m) & 63
					through += float64(row[i] * from[i])
				}
				to.Arcs[arc+int64(k)] += through
			}
			if s.tight != nil {
				push(sum, from, m)
			}
		}
		total, ending := 0.0, s.ending[r.place]
		for m := r.lanes; m != 0; m &= m - 1 {
			i := bits.TrailingZeros64(m) & 63
			d := float64(row[i] * sum[i])
			total += d
			row[i] = (ending + d) / row[i]
		}
		if q.Vertices {
			to.Vertices[s.order[r.place]] += q.of(total, i >= sources, bits.OnesCount64(r.lanes))
		}
		if err := poll.After((hi - lo) * int64(s.width)); err != nil {
			return err
		}
		if s.tight == nil && i == s.starts[level] {
			s.enter(level)
			level--
		}
	}
	return nil
}

// enter sets next to a level, of which all has been added up.
func (s *lanes) enter(level int) {
	if level+2 < len(s.starts) {
		for _, r := range s.all[s.starts[level+1]:s.starts[level+2]] {
			s.next[r.place] = 0
		}
	}
	for _, r := range s.all[s.starts[level]:s.starts[level+1]] {
		s.next[r.place] |= r.lanes
	}
	if level == 0 {
		for _, r := range s.all[:s.starts[1]] {
			s.next[r.place] = 0
		}
	}
}
