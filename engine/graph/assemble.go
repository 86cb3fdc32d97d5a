package graph

import (
	"math"
	"slices"
	"unsafe"
)

// checkArcs returns what the arcs of a complete input are refused for.
func (s *sink) checkArcs() error {
	if s.weigh.huge != nil && !s.weigh.fraction {
		return s.weigh.huge
	}
	return nil
}

// open fixes the vertices and allocates the offsets, N+1 zeros.
func (s *sink) open() (*Graph, error) {
	if err := s.checkArcs(); err != nil {
		return nil, err
	}
	g := &Graph{N: s.fixed, IDs: s.ids, Kind: KindI32, Directed: !s.undirected, Scale: s.weigh.scale, file: s.file}
	if s.weigh.float {
		g.Kind = KindF32
	}
	if s.fixed == 0 {
		g.N, g.IDs = s.table.freeze()
	}
	switch {
	case g.N == 0:
		return nil, s.failAll("no vertices")
	case g.N > MaxVertices || !plausible(int64(g.N), s.arcs+s.selfLoops+s.noArcs):
		return nil, s.failAll("%d vertices are not believed with only %d arc(s)", g.N, s.arcs)
	}
	if s.loop != nil {
		return nil, s.loopError(g)
	}
	return g, nil
}

// loopError reports a negative self-loop, which is a negative cycle.
func (s *sink) loopError(g *Graph) error {
	row := s.row(s.loop.vertex)
	return &NegativeCycleError{File: s.file, Line: s.loop.line, Cycle: []string{g.Name(int(row))},
		Length: s.loop.weight / float64(g.Scale)}
}

// row returns the row of a provisional vertex, once all vertices are known.
func (s *sink) row(p int32) int32 {
	if s.fixed > 0 {
		return p
	}
	return s.table.row(p)
}

// fromChunks builds the graph from the collected arcs, letting go of them as they are placed.
func (s *sink) fromChunks() (*Graph, error) {
	g, err := s.open()
	if err != nil {
		return nil, err
	}
	g.Offsets = make([]int64, g.N+1)
	for _, chunk := range s.chunks {
		for i, r := range chunk {
			u, v := s.row(r.from), s.row(r.to)
			chunk[i].from, chunk[i].to = u, v
			g.Offsets[u]++
			if s.undirected {
				g.Offsets[v]++
			}
		}
	}
	s.startPlacing(g)
	for i, chunk := range s.chunks {
		s.placeAll(chunk)
		s.chunks[i] = nil
	}
	return s.close(), nil
}

// fromDegrees prepares the second pass over an input.
func (s *sink) fromDegrees() error {
	g, err := s.open()
	if err != nil {
		return err
	}
	d := s.degrees
	s.degrees = degrees{}
	if s.fixed > 0 { // the rows are the provisional numbers: the counts become the offsets in place
		g.Offsets = d.dense
		if len(d.dense) <= g.N {
			g.Offsets = make([]int64, g.N+1)
			copy(g.Offsets, d.dense)
		}
		g.Offsets = g.Offsets[:g.N+1]
	} else {
		g.Offsets = make([]int64, g.N+1)
		for p, n := range d.dense {
			if n > 0 {
				g.Offsets[s.row(int32(p))] += n
			}
		}
		for k, n := range d.extra {
			if n > 0 {
				g.Offsets[s.row(^int32(k))] += n
			}
		}
	}
	d = degrees{}
	s.release()
	s.startPlacing(g)
	return nil
}

// startPlacing turns the counts in the offsets into the first place of each row.
func (s *sink) startPlacing(g *Graph) {
	sum := int64(0)
	for i, n := range g.Offsets {
		g.Offsets[i] = sum
		sum += n
	}
	s.csr, s.pass = g, placing
	g.Targets = make([]int32, sum)
	s.words = make([]uint32, sum)
}

// close turns the cursors back into offsets, sorts the rows and merges parallel arcs.
func (s *sink) close() *Graph {
	g := s.csr
	copy(g.Offsets[1:], g.Offsets[:g.N])
	g.Offsets[0] = 0
	var n int
	if g.Kind == KindI32 {
		g.I32 = cast[int32](s.words)
		n = tidy(g, g.I32)
		g.I32 = shrink(g.I32, n)
	} else {
		g.F32 = cast[float32](s.words)
		n = tidy(g, g.F32)
		g.F32 = shrink(g.F32, n)
	}
	g.Parallel = int64(len(g.Targets) - n)
	if s.undirected {
		g.Parallel /= 2 // each edge was there twice
	}
	g.Targets = shrink(g.Targets, n)
	g.SelfLoops, g.NoArcs = s.selfLoops, s.noArcs
	g.summarize()
	return g
}

// cast views words, which are not used as such any more, as weights.
func cast[W int32 | float32](words []uint32) []W {
	if len(words) == 0 {
		return []W{}
	}
	return unsafe.Slice((*W)(unsafe.Pointer(&words[0])), len(words))
}

// shrink cuts a to n elements, and copies it where merging left much of it unused.
func shrink[T any](a []T, n int) []T {
	if n < len(a)-len(a)/8 {
		return append(make([]T, 0, n), a[:n]...)
	}
	return a[:n]
}

// tidy sorts each row by target, keeps the least of parallel arcs and closes the gaps. It returns the
// number of arcs left.
func tidy[W int32 | float32](g *Graph, weights []W) int {
	var scratch []uint64
	end, lo := int64(0), int64(0)
	for u := range g.N {
		hi := g.Offsets[u+1]
		targets, w := g.Targets[lo:hi], weights[lo:hi]
		if !slices.IsSorted(targets) {
			scratch = sortRow(targets, w, scratch)
		}
		start := end
		for k, v := range targets {
			if end > start && g.Targets[end-1] == v {
				weights[end-1] = min(weights[end-1], w[k])
				continue
			}
			g.Targets[end], weights[end] = v, w[k]
			end++
		}
		g.Offsets[u+1] = end
		lo = hi
	}
	return int(end)
}

// insertionMax is the longest row that is sorted by insertion, faster for short ones.
const insertionMax = 24

func sortRow[W int32 | float32](targets []int32, weights []W, scratch []uint64) []uint64 {
	if len(targets) <= insertionMax {
		for i := 1; i < len(targets); i++ {
			v, w := targets[i], weights[i]
			k := i
			for ; k > 0 && targets[k-1] > v; k-- {
				targets[k], weights[k] = targets[k-1], weights[k-1]
			}
			targets[k], weights[k] = v, w
		}
		return scratch
	}
	scratch = scratch[:0]
	for i, v := range targets {
		scratch = append(scratch, uint64(v)<<32|uint64(bitsOf(weights[i])))
	}
	slices.Sort(scratch)
	for i, key := range scratch {
		targets[i], weights[i] = int32(key>>32), fromBits[W](uint32(key))
	}
	return scratch
}

func bitsOf[W int32 | float32](w W) uint32 {
	if f, ok := any(w).(float32); ok {
		return math.Float32bits(f)
	}
	return uint32(int32(w))
}

func fromBits[W int32 | float32](b uint32) W {
	var w W
	if _, ok := any(w).(float32); ok {
		return W(math.Float32frombits(b))
	}
	return W(int32(b))
}
