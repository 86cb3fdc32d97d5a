package ordering

import "ooc/engine/internal/pages"

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

	last []int32 // the last vertex of a variable

	head  []int32 // the first variable of each degree; -1: none
	least int     // no variable has a smaller degree

	stamp int64   // marks below this are old
	hash  []int32 // the first of the variables with a hash; -1: none

	// Of the elimination trees below a variable, or with an element as their root: the number of their vertices,
	// those of the variable itself included, and the sum of their costs.
	below []int32
	part  []float64
	cost  func(vertices, arcs int) float64 // see MinimumDegree; nil: nothing

	pivot []int32 // the vertices of the last step
	above []int32 // its Pivot.Above; nil: some vertices are set apart
	left  int     // vertices not eliminated
	steps int64   // list entries looked at since the beginning: the work of the ordering
}

// node is what there is of a vertex, a variable or an element, in one line of a cache.
type node struct {
	rows       int64 // where a variable's list begins in lists
	mark       int64 // see stamp; dead: an absorbed element
	place      int64 // where an element's members begin in arena
	elems      int32 // of a variable's list
	vars       int32 // of a variable's list
	weight     int32 // vertices of a variable; 0: absorbed, eliminated or set apart
	degree     int32 // of a variable: bound of the vertices adjacent to it; of an element: its vertices
	size       int32 // of an element: its members
	next, prev int32 // in the list of variables of the same degree; -1: none
	key        int32 // a variable's hash
	twin       int32 // the next variable with the same hash
	member     int32 // the next vertex of the same variable, -1 at the end
}

const dead = -1

// newQuotient takes over p's memory. Vertices of more than limit neighbours are set apart: they are eliminated last or
// never, and the others are ordered as if these did not exist.
func newQuotient(p *Pattern, limit int, cost func(vertices, arcs int) float64) *quotient {
	n := p.n()
	many := func() []int32 { return pages.Make[int32](n) }
	q := &quotient{node: pages.Make[node](n), lists: p.Adj,
		arena: pages.Make[int32](len(p.Adj) + len(p.Adj)/2 + 2*n)[:0],
		last:  many(), head: many(), stamp: 1, hash: many(), below: many(), part: make([]float64, n),
		cost: cost, left: n}
	for v := range n {
		q.head[v], q.hash[v], q.node[v].member, q.last[v] = -1, -1, -1, int32(v)
		q.node[v].rows, q.node[v].vars = p.Start[v], int32(p.Start[v+1]-p.Start[v])
		if int(q.node[v].vars) <= limit {
			q.node[v].weight, q.below[v] = 1, 1
		} else {
			q.left--
		}
	}
	apart := q.left < n
	if !apart {
		q.above = []int32{}
	}
	for v := range int32(n) {
		if q.node[v].weight > 0 {
			if apart {
				q.dropDense(v)
			}
			q.node[v].degree = q.node[v].vars
			q.enter(v)
		}
	}
	return q
}

// dropDense drops the vertices that were set apart from v's list.
func (q *quotient) dropDense(v int32) {
	list := q.lists[q.node[v].rows:][:q.node[v].vars]
	kept := list[:0]
	for _, j := range list {
		if q.node[j].weight > 0 {
			kept = append(kept, j)
		}
	}
	q.node[v].vars = int32(len(kept))
}

// enter puts a variable into the list of its degree.
func (q *quotient) enter(i int32) {
	d := q.node[i].degree
	first := q.head[d]
	q.node[i].next, q.node[i].prev, q.head[d] = first, -1, i
	if first >= 0 {
		q.node[first].prev = i
	}
	q.least = min(q.least, int(d))
}

// leave takes a variable out of the list of its degree.
func (q *quotient) leave(i int32) {
	if q.node[i].next >= 0 {
		q.node[q.node[i].next].prev = q.node[i].prev
	}
	if q.node[i].prev >= 0 {
		q.node[q.node[i].prev].next = q.node[i].next
	} else {
		q.head[q.node[i].degree] = q.node[i].next
	}
}

// eliminate makes an element of the variable of least degree. There is one: left is not 0.
func (q *quotient) eliminate() Pivot {
	for q.head[q.least] < 0 {
		q.least++
	}
	p := q.head[q.least]
	q.leave(p)
	q.left -= int(q.node[p].weight)
	q.form(p)
	members := q.members(p)
	if len(members) != 1 {
		q.overlaps(members)
		for _, i := range members {
			if q.update(p, i) {
				q.left -= int(q.node[i].weight)
				q.node[p].degree -= q.node[i].weight
				q.join(p, i)
			}
		}
		q.merge(members)
		q.reinsert(p, members)
	}
	if q.above != nil {
		q.list(q.members(p))
	}
	q.pivot = q.pivot[:0]
	for v := p; v >= 0; v = q.node[v].member {
		q.pivot = append(q.pivot, v)
	}
	step := Pivot{q.pivot, int(q.node[p].degree), int(q.below[p]), q.part[p], q.steps, q.above, q.node}
	if q.cost != nil {
		q.part[p] = q.cost(step.Below, step.Degree)
	}
	if len(members) == 1 {
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

func (q *quotient) members(e int32) []int32 { return q.arena[q.node[e].place:][:q.node[e].size] }

// prune ends the elimination of a variable p whose neighbours are one variable i. There is no clique to stand for, so
// p is no element. i's list, which may be long, stays as it is apart from dead entries.
func (q *quotient) prune(p, i int32) {
	q.node[p].mark = dead
	q.node[p].size = 0
	q.arena = q.arena[:q.node[p].place]
	q.node[i].degree -= int32(len(q.pivot))
	q.below[i] += q.below[p]
	q.part[i] += q.part[p]
	q.enter(i)
}

// join moves i's vertices to p.
func (q *quotient) join(p, i int32) {
	q.node[i].weight = 0
	q.below[p] += q.below[i]
	q.part[p] += q.part[i]
	q.node[q.last[p]].member = i
	q.last[p] = q.last[i]
}

// stampStep is the distance between two stamps: a mark exceeds its stamp by at most the vertices of an element.
func (q *quotient) stampStep() int64 { return int64(len(q.node)) + 1 }

// nextStamp makes every mark old.
func (q *quotient) nextStamp() { q.stamp += q.stampStep() }

// form lists the members of element p: the variables in p's own list and in its elements, which p absorbs. Each is
// marked with stamp and taken out of the list of its degree.
func (q *quotient) form(p int32) {
	row := q.lists[q.node[p].rows:]
	elements, variables := row[:q.node[p].elems], row[q.node[p].elems:][:q.node[p].vars]
	q.reserve(elements, len(variables))
	q.nextStamp()
	q.node[p].weight = 0
	q.node[p].place = int64(len(q.arena))
	q.order = append(q.order, p)
	degree := int32(0)
	collect := func(list []int32) {
		q.steps += int64(len(list))
		for _, i := range list {
			if w := q.node[i].weight; w > 0 && q.node[i].mark != q.stamp {
				q.node[i].mark = q.stamp
				degree += w
				q.leave(i)
				q.arena = append(q.arena, i)
			}
		}
	}
	collect(variables)
	for _, e := range elements {
		if q.node[e].mark != dead {
			collect(q.members(e))
			q.absorb(p, e)
		}
	}
	q.node[p].size, q.node[p].degree = int32(int64(len(q.arena))-q.node[p].place), degree
}

// absorb ends element e, which p covers.
func (q *quotient) absorb(p, e int32) {
	q.node[e].mark = dead
	q.below[p] += q.below[e]
	q.part[p] += q.part[e]
}

// reserve makes room in arena for the members of the given elements and some variables.
func (q *quotient) reserve(elements []int32, variables int) {
	need := variables
	for _, e := range elements {
		if q.node[e].mark != dead {
			need += int(q.node[e].size)
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
		if q.node[e].mark == dead {
			continue
		}
		members := q.members(e)
		q.node[e].place = int64(len(arena))
		for _, i := range members {
			if q.node[i].weight > 0 {
				arena = append(arena, i)
			}
		}
		q.node[e].size = int32(int64(len(arena)) - q.node[e].place)
		order = append(order, e)
	}
	q.arena, q.order = arena, order
}

// overlaps sets, for every other element e of the pivot's members, mark[e] = stamp + (vertices of e that
// are not the pivot's).
func (q *quotient) overlaps(members []int32) {
	q.nextStamp() // the members' marks are the stamp before
	for _, i := range members {
		elements := q.lists[q.node[i].rows:][:q.node[i].elems]
		q.steps += int64(len(elements))
		for _, e := range elements {
			switch m := q.node[e].mark; {
			case m >= q.stamp:
				q.node[e].mark = m - int64(q.node[i].weight)
			case m != dead:
				q.node[e].mark = q.stamp + int64(q.node[e].degree-q.node[i].weight)
			}
		}
	}
}

// update rewrites the list of i, a member of the new element p, and bounds its degree outside p. It reports whether i
// has no neighbours outside p: then it can be eliminated with p at no cost.
func (q *quotient) update(p, i int32) (alone bool) {
	inside := q.stamp - q.stampStep() // the mark of members
	row := q.lists[q.node[i].rows:][:q.node[i].elems+q.node[i].vars]
	q.steps += int64(len(row))
	degree, key := 0, uint32(p)
	kept := row[:0]
	for _, e := range row[:q.node[i].elems] {
		switch outside := q.node[e].mark - q.stamp; {
		case q.node[e].mark == dead:
		case outside == 0:
			q.absorb(p, e)
		default:
			degree += int(outside)
			key += uint32(e)
			kept = append(kept, e)
		}
	}
	elems := len(kept)
	for _, j := range row[q.node[i].elems:] {
		if w := q.node[j].weight; w > 0 && q.node[j].mark != inside {
			degree += int(w)
			key += uint32(j)
			kept = append(kept, j)
		}
	}
	if len(kept) == 0 {
		return true
	}
	// p follows the other elements. There is room: i's list had p, or an element that p absorbed.
	kept = append(kept, p)
	kept[elems], kept[len(kept)-1] = p, kept[elems]
	q.node[i].elems, q.node[i].vars = int32(elems+1), int32(len(kept)-elems-1)
	q.node[i].degree = int32(min(int(q.node[i].degree), degree))
	q.node[i].key = int32(key % uint32(len(q.hash)))
	return false
}

// merge makes one variable of members that have the same neighbours. Only lists of the same hash are
// compared.
func (q *quotient) merge(members []int32) {
	q.nextStamp()
	for _, i := range members {
		if q.node[i].weight > 0 {
			q.node[i].twin, q.hash[q.node[i].key] = q.hash[q.node[i].key], i
		}
	}
	for _, i := range members {
		if q.node[i].weight == 0 {
			continue
		}
		j := q.hash[q.node[i].key]
		q.hash[q.node[i].key] = -1
		for ; j >= 0 && q.node[j].twin >= 0; j = q.node[j].twin {
			q.absorbTwins(j)
		}
	}
}

// absorbTwins lets i absorb the variables after it in its list of twins that have the same neighbours.
func (q *quotient) absorbTwins(i int32) {
	elems, vars := q.node[i].elems, q.node[i].vars
	list := q.lists[q.node[i].rows:][:elems+vars]
	q.stamp++
	for _, x := range list {
		if q.node[x].mark != dead {
			q.node[x].mark = q.stamp
		}
	}
	q.steps += int64(len(list))
	before := i
	for j := q.node[i].twin; j >= 0; j = q.node[j].twin {
		if q.node[j].elems != elems || q.node[j].vars != vars || !q.marked(j) {
			before = j
			continue
		}
		q.node[i].weight += q.node[j].weight
		q.join(i, j)
		q.node[before].twin = q.node[j].twin
	}
}

// marked reports whether every entry of j's list carries the stamp.
func (q *quotient) marked(j int32) bool {
	for k, x := range q.lists[q.node[j].rows:][:q.node[j].elems+q.node[j].vars] {
		if q.node[x].mark != q.stamp {
			q.steps += int64(k)
			return false
		}
	}
	return true
}

// reinsert drops from p's members the variables that were absorbed or eliminated, and puts the others back into the
// lists of their degrees.
func (q *quotient) reinsert(p int32, members []int32) {
	kept := members[:0]
	for _, i := range members {
		w := int(q.node[i].weight)
		if w == 0 {
			continue
		}
		q.node[i].degree = int32(min(int(q.node[i].degree)+int(q.node[p].degree)-w, q.left-w))
		q.enter(i)
		kept = append(kept, i)
	}
	q.node[p].size = int32(len(kept))
	if len(kept) == 0 {
		q.node[p].mark = dead
	}
	q.arena = q.arena[:q.node[p].place+int64(len(kept))]
}
