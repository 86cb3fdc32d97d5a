package sparse

import (
	"cmp"

	"ooc/kernels"
	"ooc/kernels/entry"
)

// batchLanes is the best number of sources to expand at once. A row of lanes is then four cache lines, so that
// finding an arc costs little compared with relaxing it.
const batchLanes = 64

// crossLanes is how many lanes reach vertices of the core of their own: a cache line of them.
const crossLanes = kernels.LaneLine / entry.WordBytes

// Work counts the relaxations that each stage of a solve by elimination takes. A planner weighs them with the rates
// that it measured. The counts treat each arc as if its reverse existed too; a directed graph may have fewer arcs,
// but never more.
type Work struct {
	Vertices   int // of the graph
	Sources    int // rows that are wanted
	Eliminated int // vertices eliminated; the others are the core
	Core       int

	Fill int64 // arcs up from eliminated vertices, those of both directions counted once; see ArcBytes

	Eliminate float64 // by numeric elimination, both directions
	Rounds    float64 // by closing the core densely: Core³, and half of that where the graph is symmetric
	Climb     float64 // up from the sources, in batches of batchLanes that are close together
	Cross     float64 // products with the core's matrix, in the same batches
	Sweep     float64 // down: Sources × Fill
}

// ArcBytes is about the memory in bytes that an elimination takes for each arc of Fill while it is made; half of it
// stays.
const ArcBytes = 40

// ledger adds up Work while vertices are eliminated one by one. A line of lanes costs the same for one source as for as
// many as it has lanes, and sources share most of the work if they are in one subtree. So a subtree is counted with its
// vertices, but with no fewer than the lines have lanes that they are in.
type ledger struct {
	Work
	times int     // how often some sources are sorted into lines, until all are done
	share float64 // of Core³ that closing the core takes
	climb float64 // of all vertices as sources
	rows  float64 // of the core's matrix, for all vertices of the forest as sources
}

// newLedger returns one in which nothing is eliminated. together is how many sources are sorted at a time; 0: all.
func newLedger(vertices, sources, together int, symmetric bool) ledger {
	together = min(cmp.Or(together, sources), sources)
	l := ledger{Work: Work{Vertices: vertices, Sources: sources, Core: vertices}, share: 1,
		times: entry.CeilDiv(vertices, max(1, together))}
	if symmetric {
		l.share = 0.5
	}
	return l
}

// relaxed is the cost of relaxing the given number of arcs with the vertices of a subtree as sources, in lines of some
// lanes.
func (l *ledger) relaxed(lanes, vertices, arcs int) float64 {
	return float64(max(vertices, lanes*min(vertices, l.times))) * float64(arcs)
}

// rowsOf is that cost for rows of the core's matrix.
func (l *ledger) rowsOf(vertices, arcs int) float64 { return l.relaxed(crossLanes, vertices, arcs) }

// eliminate counts one more vertex. degree is its number of arcs up, subtree the number of vertices in its subtree of
// the elimination tree, and children the sum of rowsOf over its children's subtrees, which from now on reach the core
// through it. From a tree, only those core vertices can be reached that its root has arcs up to.
func (l *ledger) eliminate(degree, subtree int, children float64) {
	d := float64(degree)
	l.Eliminated++
	l.Core--
	l.Fill += int64(degree)
	l.Eliminate += d * d
	l.climb += l.relaxed(batchLanes, subtree, degree)
	l.rows += l.rowsOf(subtree, degree) - children
}

// total derives the other counts. A source in the core takes one row of the core's matrix.
func (l *ledger) total() Work {
	c, share := float64(l.Core), float64(l.Sources)/float64(l.Vertices)
	l.Rounds = l.share * c * c * c
	l.Climb = share * min(l.climb, float64(l.Vertices)*float64(l.Fill))
	l.Cross = share * c * (min(l.rows, c*float64(l.Eliminated)) + c*min(c, batchLanes))
	if l.Eliminated == 0 {
		l.Cross = 0 // the core's rows are the answer
	}
	l.Sweep = float64(l.Sources) * float64(l.Fill)
	return l.Work
}
