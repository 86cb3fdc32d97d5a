package sparse

import (
	"context"
	"sort"

	"ooc/engine/internal/pages"
	"ooc/engine/internal/parallel"
	"ooc/engine/sparse/ordering"
)

// pivots keep what minimum degrees tell of the structure that elimination leaves, from which it is made in less time
// than from the graph.
type pivots struct {
	chunks []chunk
	after  func(v int32) int32 // see ordering.Pivot; nil: the pivots do not tell
}

// chunk is pivots that follow one another. It does not depend on the others, so goroutines share them.
type chunk struct {
	first int   // position
	arcs  int64 // up from those before
	// list has for each pivot the number of its vertices, its degree, the length of its ordering.Pivot.Above, and that.
	list []int32
}

// firstEntries are those of the list of the first chunk. The next ones have twice as many each, up to mostEntries, or
// more if one pivot has.
const firstEntries, mostEntries = 1 << 12, 1 << 16

// add keeps a pivot whose vertices have positions from first on, before which there are so many arcs up.
func (s *pivots) add(p ordering.Pivot, first int, arcs int64) {
	if p.Above == nil {
		return
	}
	last, need := len(s.chunks)-1, 3+len(p.Above)
	if last < 0 || len(s.chunks[last].list)+need > cap(s.chunks[last].list) {
		list := make([]int32, 0, max(min(firstEntries<<min(last+1, 16), mostEntries), need))
		last, s.chunks, s.after = last+1, append(s.chunks, chunk{first, arcs, list}), p.After
	}
	list := &s.chunks[last].list
	*list = append(append(*list, int32(len(p.Vertices)), int32(p.Degree), int32(len(p.Above))), p.Above...)
}

// each calls do with the first positions and the lists of pivots, up to a limit of the positions.
func (c chunk) each(limit int, do func(first, vertices, degree int, above []int32)) {
	for first, list := c.first, c.list; len(list) > 0 && first < limit; {
		vertices, above := int(list[0]), list[3:][:list[2]]
		do(first, vertices, int(list[1]), above)
		first, list = first+vertices, list[3+len(above):]
	}
}

// structure is Order.structure for the order that the pivots are of, or its beginning.
func (s *pivots) structure(ctx context.Context, r *Order, most int64) error {
	r.start = make([]int64, r.Limit+1)
	err := s.share(ctx, func(c chunk) {
		arcs := c.arcs
		c.each(r.Limit, func(first, vertices, degree int, _ []int32) {
			for k := first; k < min(first+vertices, r.Limit); k++ {
				arcs += int64(degree + first + vertices - 1 - k)
				r.start[k+1] = arcs
			}
		})
	})
	if err != nil {
		return err
	}
	r.Limit = min(r.Limit, sort.Search(r.Limit, func(v int) bool { return r.start[v+1] > most }))
	r.start = r.start[:r.Limit+1]
	r.up, r.parent = pages.Make[int32](int(r.start[r.Limit])), make([]int32, r.Limit)
	return s.share(ctx, func(c chunk) {
		var all []int32
		c.each(r.Limit, func(first, vertices, _ int, above []int32) {
			all = s.appendPositions(all[:0], r, []int32{r.Vertices[first], int32(-vertices)})
			all = s.appendPositions(all, r, above)
			parent := int32(-1)
			for k := len(all) - 1; k >= 0; k-- {
				if v := first + k; k < vertices && v < r.Limit {
					r.parent[v] = parent
					copy(r.up[r.start[v]:], all[k+1:])
				}
				if parent < 0 || all[k] < parent {
					parent = all[k]
				}
			}
		})
	})
}

// appendPositions appends the positions of some variables' vertices. They follow one another as far as the order goes.
func (s *pivots) appendPositions(list []int32, r *Order, variables []int32) []int32 {
	for i, v := range variables {
		if v < 0 {
			continue
		}
		count := int32(1)
		if i+1 < len(variables) && variables[i+1] < 0 {
			count = -variables[i+1]
		}
		if x := r.position[v]; int(x+count) <= r.Limit {
			for k := range count {
				list = append(list, x+k)
			}
			continue
		}
		for ; count > 0; count-- {
			list, v = append(list, r.position[v]), s.after(v)
		}
	}
	return list
}

// share runs do for all chunks.
func (s *pivots) share(ctx context.Context, do func(c chunk)) error {
	return parallel.Do(ctx, len(s.chunks), func() func(i int) error {
		return func(i int) error { do(s.chunks[i]); return nil }
	}, func() {})
}
