package ordering

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
	rows   []int64 // where a variable's list begins in lists
	lists  []int32 // elements, then variables
	elems  []int32 // of a variable's list
	vars   []int32 // of a variable's list
	weight []int32 // vertices of a variable; 0: absorbed, eliminated or set apart
	degree []int32 // of a variable: bound of the vertices adjacent to it; of an element: its vertices

	arena []int32 // members of elements
	place []int64 // where an element's members begin in arena
	size  []int32 // of an element
	order []int32 // live elements in the order of arena; absorbed ones are left out by compact

	member []int32 // the next vertex of the same variable, -1 at the end
	last   []int32 // the last vertex of a variable

	head, next, prev []int32 // lists of variables by degree; -1: none
	least            int     // no variable has a smaller degree

	mark  []int64 // see stamp; dead: an absorbed element
	stamp int64   // marks below this are old
	hash  []int32 // the first of the variables with a hash; -1: none
	key   []int32 // a variable's hash
	twin  []int32 // the next variable with the same hash

	// Of the elimination trees below a variable, or with an element as their root: the number of their vertices,
	// those of the variable itself included, and the sum of their costs.
	below []int32
	part  []float64
	cost  func(vertices, arcs int) float64 // see MinimumDegree; nil: nothing

	pivot []int32 // the vertices of the last step
	left  int     // vertices not eliminated
	steps int64   // list entries looked at since the beginning: the work of the ordering
}

const dead = -1

// newQuotient takes over p's memory. Vertices of more than limit neighbours are set apart: they are eliminated last or
// never, and the others are ordered as if these did not exist.
func newQuotient(p *Pattern, limit int, cost func(vertices, arcs int) float64) *quotient {
	n := p.n()
	many := func() []int32 { return make([]int32, n) }
	q := &quotient{rows: p.Start, lists: p.Adj, elems: many(), vars: many(), weight: many(), degree: many(),
		arena: make([]int32, 0, len(p.Adj)+len(p.Adj)/2+2*n), place: make([]int64, n), size: many(),
		member: many(), last: many(), head: many(), next: many(), prev: many(),
		mark: make([]int64, n), stamp: 1, hash: many(), key: many(), twin: many(),
		below: many(), part: make([]float64, n), cost: cost, left: n}
	for v := range n {
		q.head[v], q.hash[v], q.member[v], q.last[v] = -1, -1, -1, int32(v)
		q.vars[v] = int32(p.Start[v+1] - p.Start[v])
		if int(q.vars[v]) <= limit {
			q.weight[v], q.below[v] = 1, 1
		} else {
			q.left--
		}
	}
	for v := range int32(n) {
		if q.weight[v] > 0 {
			q.degree[v] = q.dropDense(v)
			q.enter(v)
		}
	}
	return q
}

// dropDense drops the vertices that were set apart from v's list, and returns its length.
func (q *quotient) dropDense(v int32) int32 {
	list := q.lists[q.rows[v]:][:q.vars[v]]
	kept := list[:0]
	for _, j := range list {
		if q.weight[j] > 0 {
			kept = append(kept, j)
		}
	}
	q.vars[v] = int32(len(kept))
	return q.vars[v]
}

// enter puts a variable into the list of its degree.
func (q *quotient) enter(i int32) {
	d := q.degree[i]
	first := q.head[d]
	q.next[i], q.prev[i], q.head[d] = first, -1, i
	if first >= 0 {
		q.prev[first] = i
	}
	q.least = min(q.least, int(d))
}

// leave takes a variable out of the list of its degree.
func (q *quotient) leave(i int32) {
	if q.next[i] >= 0 {
		q.prev[q.next[i]] = q.prev[i]
	}
	if q.prev[i] >= 0 {
		q.next[q.prev[i]] = q.next[i]
	} else {
		q.head[q.degree[i]] = q.next[i]
	}
}

// eliminate makes an element of the variable of least degree. There is one: left is not 0.
func (q *quotient) eliminate() Pivot {
	for q.head[q.least] < 0 {
		q.least++
	}
	p := q.head[q.least]
	q.leave(p)
	q.left -= int(q.weight[p])
	q.form(p)
	members := q.members(p)
	if len(members) != 1 {
		q.overlaps(members)
		for _, i := range members {
			if q.update(p, i) {
				q.left -= int(q.weight[i])
				q.degree[p] -= q.weight[i]
				q.join(p, i)
			}
		}
		q.merge(members)
		q.reinsert(p, members)
	}
	q.pivot = q.pivot[:0]
	for v := p; v >= 0; v = q.member[v] {
		q.pivot = append(q.pivot, v)
	}
	step := Pivot{q.pivot, int(q.degree[p]), int(q.below[p]), q.part[p], q.steps}
	if q.cost != nil {
		q.part[p] = q.cost(step.Below, step.Degree)
	}
	if len(members) == 1 {
		q.prune(p, members[0])
	}
	return step
}

func (q *quotient) members(e int32) []int32 { return q.arena[q.place[e]:][:q.size[e]] }

// prune ends the elimination of a variable p whose neighbours are one variable i. There is no clique to stand for, so
// p is no element. i's list, which may be long, stays as it is apart from dead entries.
func (q *quotient) prune(p, i int32) {
	q.mark[p] = dead
	q.size[p] = 0
	q.arena = q.arena[:q.place[p]]
	q.degree[i] -= int32(len(q.pivot))
	q.below[i] += q.below[p]
	q.part[i] += q.part[p]
	q.enter(i)
}

// join moves i's vertices to p.
func (q *quotient) join(p, i int32) {
	q.weight[i] = 0
	q.below[p] += q.below[i]
	q.part[p] += q.part[i]
	q.member[q.last[p]] = i
	q.last[p] = q.last[i]
}

// stampStep is the distance between two stamps: a mark exceeds its stamp by at most the vertices of an element.
func (q *quotient) stampStep() int64 { return int64(len(q.mark)) + 1 }

// nextStamp makes every mark old.
func (q *quotient) nextStamp() { q.stamp += q.stampStep() }

// form lists the members of element p: the variables in p's own list and in its elements, which p absorbs. Each is
// marked with stamp and taken out of the list of its degree.
func (q *quotient) form(p int32) {
	row := q.lists[q.rows[p]:]
	elements, variables := row[:q.elems[p]], row[q.elems[p]:][:q.vars[p]]
	q.reserve(elements, len(variables))
	q.nextStamp()
	q.weight[p] = 0
	q.place[p] = int64(len(q.arena))
	q.order = append(q.order, p)
	degree := int32(0)
	collect := func(list []int32) {
		q.steps += int64(len(list))
		for _, i := range list {
			if w := q.weight[i]; w > 0 && q.mark[i] != q.stamp {
				q.mark[i] = q.stamp
				degree += w
				q.leave(i)
				q.arena = append(q.arena, i)
			}
		}
	}
	collect(variables)
	for _, e := range elements {
		if q.mark[e] != dead {
			collect(q.members(e))
			q.absorb(p, e)
		}
	}
	q.size[p], q.degree[p] = int32(int64(len(q.arena))-q.place[p]), degree
}

// absorb ends element e, which p covers.
func (q *quotient) absorb(p, e int32) {
	q.mark[e] = dead
	q.below[p] += q.below[e]
	q.part[p] += q.part[e]
}

// reserve makes room in arena for the members of the given elements and some variables.
func (q *quotient) reserve(elements []int32, variables int) {
	need := variables
	for _, e := range elements {
		if q.mark[e] != dead {
			need += int(q.size[e])
		}
	}
	if len(q.arena)+min(need, len(q.mark)) > cap(q.arena) {
		q.compact()
	}
}

// compact moves the live elements together and drops entries that are no variables any more. The elements then hold
// no more than the input did, so there is room for one more.
func (q *quotient) compact() {
	arena, order := q.arena[:0], q.order[:0]
	for _, e := range q.order {
		if q.mark[e] == dead {
			continue
		}
		members := q.members(e)
		q.place[e] = int64(len(arena))
		for _, i := range members {
			if q.weight[i] > 0 {
				arena = append(arena, i)
			}
		}
		q.size[e] = int32(int64(len(arena)) - q.place[e])
		order = append(order, e)
	}
	q.arena, q.order = arena, order
}

// overlaps sets, for every other element e of the pivot's members, mark[e] = stamp + (vertices of e that
// are not the pivot's).
func (q *quotient) overlaps(members []int32) {
	q.nextStamp() // the members' marks are the stamp before
	for _, i := range members {
		elements := q.lists[q.rows[i]:][:q.elems[i]]
		q.steps += int64(len(elements))
		for _, e := range elements {
			switch m := q.mark[e]; {
			case m >= q.stamp:
				q.mark[e] = m - int64(q.weight[i])
			case m != dead:
				q.mark[e] = q.stamp + int64(q.degree[e]-q.weight[i])
			}
		}
	}
}

// update rewrites the list of i, a member of the new element p, and bounds its degree outside p. It reports whether i
// has no neighbours outside p: then it can be eliminated with p at no cost.
func (q *quotient) update(p, i int32) (alone bool) {
	inside := q.stamp - q.stampStep() // the mark of members
	row := q.lists[q.rows[i]:][:q.elems[i]+q.vars[i]]
	q.steps += int64(len(row))
	degree, key := 0, uint32(p)
	kept := row[:0]
	for _, e := range row[:q.elems[i]] {
		switch outside := q.mark[e] - q.stamp; {
		case q.mark[e] == dead:
		case outside == 0:
			q.absorb(p, e)
		default:
			degree += int(outside)
			key += uint32(e)
			kept = append(kept, e)
		}
	}
	elems := len(kept)
	for _, j := range row[q.elems[i]:] {
		if w := q.weight[j]; w > 0 && q.mark[j] != inside {
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
	q.elems[i], q.vars[i] = int32(elems+1), int32(len(kept)-elems-1)
	q.degree[i] = int32(min(int(q.degree[i]), degree))
	q.key[i] = int32(key % uint32(len(q.hash)))
	return false
}

// merge makes one variable of members that have the same neighbours. Only lists of the same hash are
// compared.
func (q *quotient) merge(members []int32) {
	q.nextStamp()
	for _, i := range members {
		if q.weight[i] > 0 {
			q.twin[i], q.hash[q.key[i]] = q.hash[q.key[i]], i
		}
	}
	for _, i := range members {
		if q.weight[i] == 0 {
			continue
		}
		j := q.hash[q.key[i]]
		q.hash[q.key[i]] = -1
		for ; j >= 0 && q.twin[j] >= 0; j = q.twin[j] {
			q.absorbTwins(j)
		}
	}
}

// absorbTwins lets i absorb the variables after it in its list of twins that have the same neighbours.
func (q *quotient) absorbTwins(i int32) {
	elems, vars := q.elems[i], q.vars[i]
	list := q.lists[q.rows[i]:][:elems+vars]
	q.stamp++
	for _, x := range list {
		if q.mark[x] != dead {
			q.mark[x] = q.stamp
		}
	}
	q.steps += int64(len(list))
	before := i
	for j := q.twin[i]; j >= 0; j = q.twin[j] {
		if q.elems[j] != elems || q.vars[j] != vars || !q.marked(j) {
			before = j
			continue
		}
		q.weight[i] += q.weight[j]
		q.join(i, j)
		q.twin[before] = q.twin[j]
	}
}

// marked reports whether every entry of j's list carries the stamp.
func (q *quotient) marked(j int32) bool {
	for k, x := range q.lists[q.rows[j]:][:q.elems[j]+q.vars[j]] {
		if q.mark[x] != q.stamp {
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
		w := int(q.weight[i])
		if w == 0 {
			continue
		}
		q.degree[i] = int32(min(int(q.degree[i])+int(q.degree[p])-w, q.left-w))
		q.enter(i)
		kept = append(kept, i)
	}
	q.size[p] = int32(len(kept))
	if len(kept) == 0 {
		q.mark[p] = dead
	}
	q.arena = q.arena[:q.place[p]+int64(len(kept))]
}
