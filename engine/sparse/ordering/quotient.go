package ordering

import (
	"slices"
	"sync/atomic"

	"ooc/engine/internal/pages"
	"ooc/engine/internal/parallel"
)

// quotient is the quotient graph of an elimination in progress. An eliminated vertex is an *element*: it stands for
// the clique that its elimination made of its neighbours, and the arcs of that clique are not stored. Vertices with
// the same neighbours form one *variable*, whose weight is their number. A variable lists the elements that it
// belongs to and the variables that it is adjacent to outside of them; the list takes the place of its row of the
// input. An element lists its variables. Elements are absorbed by elements that cover them, so the lists never hold
// more than the input did (A. George and J. W. H. Liu, The evolution of the minimum degree ordering algorithm, 1989).
//
// Degrees are the upper bounds of AMD (P. R. Amestoy, T. A. Davis and I. S. Duff, An approximate minimum degree
// ordering algorithm, 1996), which cost no more than reading the lists of a pivot's variables. Mass elimination,
// aggressive absorption and indistinguishable variables are as there.
type quotient struct {
	node  []node
	lists []int32 // elements, then variables

	arena []int32 // members of elements
	order []int32 // live elements in the order of arena; absorbed ones are left out by compact

	head  []int32 // the first variable of each degree; -1: none
	least int     // no variable has a smaller degree

	stamp int64                            // marks below this are old
	hash  [1 << 12]int32                   // by the last bits of a key: the first of these variables, plus one; 0: none
	cost  func(vertices, arcs int) float64 // see MinimumDegree; nil: nothing

	pivot []int32 // the vertices of the last step
	above []int32 // its Pivot.Above; nil: some vertices are set apart
	left  int     // vertices not eliminated
	steps int64   // list entries looked at since the beginning: the work of the ordering
}

// node is what there is of a vertex, a variable or an element, in one line of a cache.
type node struct {
	mark       int64 // see stamp; dead: an absorbed element
	place      int64 // where a variable's list begins in lists, or an element's members in arena
	elems      int32 // of a variable's list; of an element: its members
	vars       int32 // of a variable's list
	weight     int32 // vertices of a variable; 0: absorbed, eliminated or set apart
	degree     int32 // of a variable: bound of the vertices adjacent to it; of an element: its vertices
	next, prev int32 // in the list of variables of the same degree; -1: none
	key        int32 // a variable's hash
	member     int32 // the next vertex of the same variable, -1 at the end
	last       int32 // the last vertex of a variable
	// Of the elimination trees below a variable, or with an element as their root: the number of their vertices,
	// those of the variable itself included, and the sum of their costs.
	below int32
	part  float64
}

const dead = -1

// newQuotient takes over p's memory. Vertices of more than limit neighbours are set apart: they are eliminated last or
// never, and the others are ordered as if these did not exist.
func newQuotient(p *Pattern, limit int, cost func(vertices, arcs int) float64) *quotient {
	n := p.n()
	q := &quotient{node: pages.Make[node](n), lists: p.Adj,
		arena: pages.Make[int32](len(p.Adj) + len(p.Adj)/2 + 2*n)[:0],
		head:  slices.Repeat([]int32{-1}, n), stamp: 1, cost: cost}
	var apart atomic.Int64
	parallel.Ranges(n, func(first, end int) {
		for v := first; v < end; v++ {
			x := &q.node[v]
			x.member, x.last, x.place, x.vars = -1, int32(v), p.Start[v], int32(p.Start[v+1]-p.Start[v])
			if x.degree = x.vars; int(x.vars) <= limit {
				x.weight, x.below = 1, 1
			} else {
				apart.Add(1)
			}
		}
	})
	q.left = n - int(apart.Load())
	if q.left == n {
		q.above = []int32{}
	}
	for v := range int32(n) {
		if q.node[v].weight > 0 {
			if q.left < n {
				q.dropDense(v)
			}
			q.enter(v)
		}
	}
	return q
}

// dropDense drops the vertices that were set apart from v's list.
func (q *quotient) dropDense(v int32) {
	list := q.lists[q.node[v].place:][:q.node[v].vars]
	kept := list[:0]
	for _, j := range list {
		if q.node[j].weight > 0 {
			kept = append(kept, j)
		}
	}
	q.node[v].vars, q.node[v].degree = int32(len(kept)), int32(len(kept))
}

// enter puts a variable into the list of its degree.
func (q *quotient) enter(i int32) {
	x := &q.node[i]
	first := &q.head[x.degree]
	if x.next, x.prev = *first, -1; x.next >= 0 {
		q.node[x.next].prev = i
	}
	*first = i
	q.least = min(q.least, int(x.degree))
}

// leave takes a variable out of the list of its degree.
func (q *quotient) leave(x *node) {
	if x.next >= 0 {
		q.node[x.next].prev = x.prev
	}
	if x.prev >= 0 {
		q.node[x.prev].next = x.next
	} else {
		q.head[x.degree] = x.next
	}
}

// eliminate makes an element of the variable of least degree. There is one: left is not 0.
func (q *quotient) eliminate() Pivot {
	for q.head[q.least] < 0 {
		q.least++
	}
	p := q.head[q.least]
	x := &q.node[p]
	q.leave(x)
	q.left -= int(x.weight)
	q.form(p)
	members := q.members(x)
	clique := len(members) != 1
	if clique {
		q.overlaps(members)
		for _, i := range members {
			if q.update(p, i) {
				q.left -= int(q.node[i].weight)
				x.degree -= q.node[i].weight
				q.join(p, i)
			}
		}
		q.merge(members)
		members = q.reinsert(x, members)
	}
	if q.above != nil {
		q.list(members)
	}
	q.pivot = q.pivot[:0]
	for v := p; v >= 0; v = q.node[v].member {
		q.pivot = append(q.pivot, v)
	}
	step := Pivot{q.pivot, int(x.degree), int(x.below), x.part, q.steps, q.above, q.node}
	if q.cost != nil {
		x.part = q.cost(step.Below, step.Degree)
	}
	if !clique {
		q.prune(p, members[0])
	}
	return step
}

// list makes Pivot.Above of an element's members.
func (q *quotient) list(members []int32) {
	q.above = q.above[:0]
	for _, i := range members {
		q.above = append(q.above, i)
		if w := q.node[i].weight; w > 1 {
			q.above = append(q.above, -w)
		}
	}
}

func (q *quotient) members(e *node) []int32 { return q.arena[e.place:][:e.elems] }

// prune ends the elimination of a variable p whose neighbours are one variable i. There is no clique to stand for, so
// p is no element. i's list, which may be long, stays as it is apart from dead entries.
func (q *quotient) prune(p, i int32) {
	from, to := &q.node[p], &q.node[i]
	from.mark, from.elems = dead, 0
	q.arena = q.arena[:from.place]
	to.degree -= int32(len(q.pivot))
	to.below += from.below
	to.part += from.part
	q.enter(i)
}

// join moves i's vertices to p.
func (q *quotient) join(p, i int32) {
	to, from := &q.node[p], &q.node[i]
	from.weight = 0
	to.below += from.below
	to.part += from.part
	q.node[to.last].member = i
	to.last = from.last
}

// stampStep is the distance between two stamps: a mark exceeds its stamp by at most the vertices of an element.
func (q *quotient) stampStep() int64 { return int64(len(q.node)) + 1 }

// nextStamp makes every mark old.
func (q *quotient) nextStamp() { q.stamp += q.stampStep() }

// form lists the members of element p: the variables in p's own list and in its elements, which p absorbs. Each is
// marked with stamp and taken out of the list of its degree.
func (q *quotient) form(p int32) {
	x := &q.node[p]
	row := q.lists[x.place:]
	elements, variables := row[:x.elems], row[x.elems:][:x.vars]
	q.reserve(elements, len(variables))
	q.nextStamp()
	x.weight, x.degree, x.place = 0, 0, int64(len(q.arena))
	q.order = append(q.order, p)
	q.collect(x, variables)
	for _, e := range elements {
		if e := &q.node[e]; e.mark != dead {
			q.collect(x, q.members(e))
			absorb(x, e)
		}
	}
	x.elems = int32(int64(len(q.arena)) - x.place)
}

// collect adds variables to the members of an element.
func (q *quotient) collect(p *node, variables []int32) {
	q.steps += int64(len(variables))
	stamp, nodes, arena, degree := q.stamp, q.node, q.arena, int32(0)
	for _, i := range variables {
		if x := &nodes[i]; x.weight > 0 && x.mark != stamp {
			x.mark = stamp
			degree += x.weight
			q.leave(x)
			arena = append(arena, i)
		}
	}
	q.arena = arena
	p.degree += degree
}

// absorb ends element e, which p covers.
func absorb(p, e *node) {
	e.mark = dead
	p.below += e.below
	p.part += e.part
}

// reserve makes room in arena for the members of the given elements and some variables.
func (q *quotient) reserve(elements []int32, variables int) {
	if len(q.arena)+len(q.node) <= cap(q.arena) {
		return
	}
	need := variables
	for _, e := range elements {
		if q.node[e].mark != dead {
			need += int(q.node[e].elems)
		}
	}
	if len(q.arena)+min(need, len(q.node)) > cap(q.arena) {
		q.compact()
	}
}

// compact moves the live elements together and drops entries that are no variables any more. The elements then hold
// no more than the input did, so there is room for one more.
func (q *quotient) compact() {
	arena, order := q.arena[:0], q.order[:0]
	for _, e := range q.order {
		x := &q.node[e]
		if x.mark == dead {
			continue
		}
		members := q.members(x)
		x.place = int64(len(arena))
		for _, i := range members {
			if q.node[i].weight > 0 {
				arena = append(arena, i)
			}
		}
		x.elems = int32(int64(len(arena)) - x.place)
		order = append(order, e)
	}
	q.arena, q.order = arena, order
}

// overlaps sets, for every other element e of the pivot's members, mark[e] = stamp + (vertices of e that
// are not the pivot's).
func (q *quotient) overlaps(members []int32) {
	q.nextStamp() // the members' marks are the stamp before
	stamp, nodes := q.stamp, q.node
	for _, i := range members {
		x := &nodes[i]
		elements, weight := q.lists[x.place:][:x.elems], x.weight
		q.steps += int64(len(elements))
		for _, e := range elements {
			// No branches: none of them could be predicted.
			e := &nodes[e]
			mark := e.mark
			if outside := stamp + int64(e.degree); mark < stamp {
				mark = outside
			}
			if mark -= int64(weight); e.mark == dead {
				mark = dead
			}
			e.mark = mark
		}
	}
}

// update rewrites the list of i, a member of the new element p, and bounds its degree outside p. It reports whether i
// has no neighbours outside p: then it can be eliminated with p at no cost.
func (q *quotient) update(p, i int32) (alone bool) {
	stamp, inside := q.stamp, q.stamp-q.stampStep() // the latter is the mark of members
	nodes, x := q.node, &q.node[i]
	row := q.lists[x.place:][:x.elems+x.vars]
	q.steps += int64(len(row))
	degree, key := 0, uint32(p)
	kept := 0
	for _, e := range row[:x.elems] {
		of := &nodes[e]
		if of.mark == stamp {
			absorb(&nodes[p], of)
		}
		row[kept] = e
		outside, one := int(of.mark-stamp), 1
		if of.mark == dead {
			outside, one = 0, 0
		}
		degree += outside
		key += uint32(e) & uint32(-one)
		kept += one
	}
	elems := kept
	for _, j := range row[x.elems:] {
		of := &nodes[j]
		row[kept] = j
		weight, one := of.weight, 1
		if of.mark == inside {
			weight = 0
		}
		if weight == 0 {
			one = 0
		}
		degree += int(weight)
		key += uint32(j) & uint32(-one)
		kept += one
	}
	if kept == 0 {
		return true
	}
	// p follows the other elements. There is room: i's list had p, or an element that p absorbed.
	row[kept] = row[elems]
	row[elems] = p
	x.elems, x.vars = int32(elems+1), int32(kept-elems)
	x.degree = int32(min(int(x.degree), degree))
	x.key = int32(key % uint32(len(nodes)))
	return false
}

// merge makes one variable of members that have the same neighbours. Only lists of the same hash are
// compared.
func (q *quotient) merge(members []int32) {
	q.nextStamp()
	for _, i := range members {
		if x := &q.node[i]; x.weight > 0 {
			first := q.first(x)
			x.next, *first = *first-1, i+1
		}
	}
	for _, i := range members {
		x := &q.node[i]
		if x.weight == 0 {
			continue
		}
		first := q.first(x)
		j := *first - 1
		*first = 0
		for ; j >= 0 && q.node[j].next >= 0; j = q.node[j].next {
			q.absorbTwins(j)
		}
	}
}

// first is where hash has a variable's key.
func (q *quotient) first(x *node) *int32 { return &q.hash[int(x.key)%len(q.hash)] }

// absorbTwins lets i absorb the variables after it in its list of hash that have the same neighbours.
func (q *quotient) absorbTwins(i int32) {
	x := &q.node[i]
	list := []int32(nil)
	before := x
	for j := x.next; j >= 0; j = q.node[j].next {
		y := &q.node[j]
		if y.key != x.key {
			before = y
			continue
		}
		if list == nil {
			list = q.lists[x.place:][:x.elems+x.vars]
			q.mark(list)
		}
		if y.elems != x.elems || y.vars != x.vars || !q.marked(y) {
			before = y
			continue
		}
		x.weight += y.weight
		q.join(i, j)
		before.next = y.next
	}
}

// mark gives the entries of a list a stamp of their own.
func (q *quotient) mark(list []int32) {
	q.stamp++
	for _, x := range list {
		if q.node[x].mark != dead {
			q.node[x].mark = q.stamp
		}
	}
	q.steps += int64(len(list))
}

// marked reports whether every entry of a variable's list carries the stamp.
func (q *quotient) marked(y *node) bool {
	for k, x := range q.lists[y.place:][:y.elems+y.vars] {
		if q.node[x].mark != q.stamp {
			q.steps += int64(k)
			return false
		}
	}
	return true
}

// reinsert drops from p's members the variables that were absorbed or eliminated, and puts the others back into the
// lists of their degrees. It returns them.
func (q *quotient) reinsert(p *node, members []int32) []int32 {
	kept := members[:0]
	for _, i := range members {
		x := &q.node[i]
		w := int(x.weight)
		if w == 0 {
			continue
		}
		x.degree = int32(min(int(x.degree)+int(p.degree)-w, q.left-w))
		q.enter(i)
		kept = append(kept, i)
	}
	p.elems = int32(len(kept))
	if len(kept) == 0 {
		p.mark = dead
	}
	q.arena = q.arena[:p.place+int64(len(kept))]
	return kept
}
