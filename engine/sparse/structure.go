package sparse

import (
	"context"
	"runtime"
	"slices"
	"sync/atomic"

	"ooc/engine/internal/cancel"
	"ooc/engine/internal/pages"
	"ooc/engine/internal/parallel"
	"ooc/engine/sparse/ordering"
	"ooc/kernels/entry"
)

// structure finds the arcs up that elimination leaves. It lowers Limit if there would be more than most.
func (r *Order) structure(ctx context.Context, p *ordering.Pattern, most int64) error {
	r.findParents(p)
	x := &structuring{Order: r, pattern: p, most: most, rows: make([][]int32, r.Limit),
		child: make([]int32, r.Limit), sibling: make([]int32, r.Limit)}
	for v, parent := range r.parent {
		if parent >= 0 && int(parent) < r.Limit {
			x.sibling[v], x.child[parent] = x.child[parent], int32(v)+1
		}
	}
	err := x.findRows(ctx, groupsOf*runtime.GOMAXPROCS(0))
	if err == nil && x.arcs.Load() > most { // then in turn, to where there are too many
		x.arcs.Store(0)
		err = x.findRows(ctx, 1)
	}
	if err != nil {
		return err
	}
	r.parent, r.start = r.parent[:r.Limit], make([]int64, r.Limit+1)
	for v := range r.Limit {
		r.start[v+1] = r.start[v] + int64(len(x.rows[v]))
	}
	r.up = pages.Make[int32](int(r.start[r.Limit]))
	parallel.Ranges(r.Limit, func(first, end int) {
		for v := first; v < end; v++ {
			copy(r.up[r.start[v]:], x.rows[v])
		}
	})
	return nil
}

// findParents finds the elimination tree (J. W. H. Liu, The role of elimination trees in sparse factorization, 1990).
func (r *Order) findParents(p *ordering.Pattern) {
	r.parent = slices.Repeat([]int32{-1}, r.Limit)
	if r.Limit == 0 {
		return
	}
	n, count := len(r.Vertices), 16*runtime.GOMAXPROCS(0)
	lower, ends := make([][]int32, count), make([]int32, n) // by part: neighbours below; by position: where they end
	together(count, func(i int) {
		for v := n * i / count; v < n*(i+1)/count; v++ {
			for _, u := range p.Row(r.Vertices[v]) {
				if x := r.position[u]; int(x) < min(v, r.Limit) {
					lower[i] = append(lower[i], x)
				}
			}
			ends[v] = int32(len(lower[i]))
		}
	})
	above := slices.Clone(r.parent) // an ancestor, or -1
	for i, list := range lower {
		first := int32(0)
		for v := n * i / count; v < n*(i+1)/count; v++ {
			for _, x := range list[first:ends[v]] {
				for int(x) < min(v, r.Limit) {
					next := above[x]
					if above[x] = int32(v); next < 0 {
						r.parent[x] = int32(v)
						break
					}
					x = next
				}
			}
			first = ends[v]
		}
	}
}

const (
	// groupsOf is into how many groups the positions are cut for each processor, and groupSize how many are in one at
	// least.
	groupsOf, groupSize = 16, 1 << 10
	// rowsTogether is for how many arcs up memory is taken at a time.
	rowsTogether = 1 << 16
)

// structuring is the work of finding the arcs up of an order.
type structuring struct {
	*Order
	pattern        *ordering.Pattern
	most           int64
	child, sibling []int32   // the first child, and the next of the same parent: positions plus one; 0: none
	rows           [][]int32 // of each position: those above that have an arc from it
	arcs           atomic.Int64
}

// findRows finds all rows, or gives up where they have more than most arcs; then one group lowers Limit to there.
// Groups do not depend on each other, so goroutines share them, and after them the positions above.
func (x *structuring) findRows(ctx context.Context, groups int) error {
	group, list, start, waits := x.groups(max(groupSize, entry.CeilDiv(x.Limit, groups)))
	return parallel.Do(ctx, len(start)-1, func() func(i int) error {
		poll, seen := &cancel.Poll{Ctx: ctx}, make([]int32, len(x.Vertices))
		var row, room []int32
		return func(i int) error {
			for _, v := range list[start[i]:start[i+1]] {
				for next := v; next >= 0; {
					v = next
					row = x.appendRow(row[:0], v, seen)
					if x.arcs.Add(int64(len(row))) > x.most {
						if groups == 1 {
							x.Limit = int(v)
						}
						return nil
					}
					if cap(room)-len(room) < len(row) {
						room = make([]int32, 0, max(rowsTogether, len(row)))
					}
					first := len(room)
					room = append(room, row...)
					x.rows[v] = room[first:]
					if err := poll.After(4 * int64(len(row))); err != nil { // what is gathered is more than what is left
						return err
					}
					next = x.parent[v]
					if int(next) >= x.Limit || next >= 0 && (group[next] >= 0 || atomic.AddInt32(&waits[next], -1) > 0) {
						next = -1
					}
				}
			}
			return nil
		}
	}, func() {})
}

// groups cuts the elimination forest: subtrees of at most so many positions are joined to groups of about as many. It
// returns the group of each position, -1 for those above, lists the positions of each, ascending, and counts the
// children of those above.
func (x *structuring) groups(most int) (group, list []int32, start []int, waits []int32) {
	size, waits := make([]int, x.Limit), make([]int32, x.Limit)
	group, list = make([]int32, x.Limit), make([]int32, x.Limit)
	inside := func(v int32) bool { return v >= 0 && int(v) < x.Limit }
	for v := range size {
		if size[v]++; inside(x.parent[v]) {
			size[x.parent[v]] += size[v]
		}
	}
	count, filled := int32(0), 0
	for v := x.Limit - 1; v >= 0; v-- {
		parent := x.parent[v]
		switch {
		case inside(parent) && group[parent] >= 0:
			group[v] = group[parent]
			continue
		case size[v] > most:
			group[v] = -1
		default:
			if filled+size[v] > most {
				count, filled = count+1, 0
			}
			group[v], filled = count, filled+size[v]
		}
		if inside(parent) {
			waits[parent]++
		}
	}
	start = make([]int, count+2)
	for _, g := range group {
		if g >= 0 {
			start[g+1]++
		}
	}
	for i := range count + 1 {
		start[i+1] += start[i]
	}
	next := slices.Clone(start)
	for v, g := range group {
		if g >= 0 {
			list[next[g]] = int32(v)
			next[g]++
		}
	}
	return group, list, start, waits
}

// appendRow appends the arcs up of position v. They lead to its neighbours, and to the ends of its children's arcs up,
// as far as these are above v. seen has, for each position, the last to count it, plus one.
func (x *structuring) appendRow(up []int32, v int32, seen []int32) []int32 {
	for _, u := range x.pattern.Row(x.Vertices[v]) {
		if y := x.position[u]; y > v && seen[y] != v+1 {
			seen[y], up = v+1, append(up, y)
		}
	}
	for c := x.child[v] - 1; c >= 0; c = x.sibling[c] - 1 {
		for _, y := range x.rows[c] {
			if y > v && seen[y] != v+1 {
				seen[y], up = v+1, append(up, y)
			}
		}
	}
	return up
}
