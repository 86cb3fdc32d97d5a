package sparse

// BatchLanes is the number of sources that are best expanded at once: rows of four cache lines, so that
// looking up an arc costs little against relaxing it.
const BatchLanes = 64

// Work counts what a solve by elimination costs, in relaxations of each stage, for a planner to weigh with
// the rates that it measured. Counts are of the symmetrised pattern: in a directed graph fewer arcs may
// exist, in none more.
type Work struct {
	Vertices   int // of the graph
	Sources    int // rows that are wanted
	Eliminated int // vertices eliminated; the others are the core
	Core       int

	Fill int64 // arcs up from eliminated vertices, those of both directions counted once; see ArcBytes

	Eliminate float64 // by numeric elimination, both directions
	Rounds    float64 // by closing the core densely: Core³
	Climb     float64 // up from the sources, in batches of BatchLanes that are close together
	Cross     float64 // products with the core's matrix, in the same batches
	Sweep     float64 // down: Sources × Fill
}

// ArcBytes is about the memory that an elimination takes for each arc of Fill while it is made; half of it
// stays.
const ArcBytes = 40

// ledger adds up Work while vertices are eliminated one by one. A row of lanes costs the same for one
// source as for a batch of them, and sources of a batch share most when they are of one subtree: so a
// subtree costs what its vertices do, but no less than a batch.
type ledger struct {
	Work
	climb float64 // of all vertices as sources
	rows  float64 // of the core's matrix, for all vertices of the forest as sources
}

func newLedger(vertices, sources int) ledger {
	return ledger{Work: Work{Vertices: vertices, Sources: sources, Core: vertices}}
}

// rowsOf is what going over some arcs costs for the vertices of a subtree.
func rowsOf(vertices, arcs int) float64 { return float64(max(vertices, BatchLanes)) * float64(arcs) }

// eliminate counts one more vertex: its up-degree, the vertices of its subtree in the elimination tree, and
// the sum of rowsOf over its children's subtrees, which now reach the core through it. Only the core
// vertices that the root of a tree has arcs up to can be reached from the tree.
func (l *ledger) eliminate(degree, subtree int, children float64) {
	d := float64(degree)
	l.Eliminated++
	l.Core--
	l.Fill += int64(degree)
	l.Eliminate += d * d
	l.climb += rowsOf(subtree, degree)
	l.rows += rowsOf(subtree, degree) - children
}

// total derives the other counts. A source in the core crosses by one row.
func (l *ledger) total() Work {
	c, share := float64(l.Core), float64(l.Sources)/float64(l.Vertices)
	l.Rounds = c * c * c
	l.Climb = share * min(l.climb, float64(l.Vertices)*float64(l.Fill))
	l.Cross = share * c * (min(l.rows, c*float64(l.Eliminated)) + c*min(c, BatchLanes))
	if l.Eliminated == 0 {
		l.Cross = 0 // the core's rows are the answer
	}
	l.Sweep = float64(l.Sources) * float64(l.Fill)
	return l.Work
}
