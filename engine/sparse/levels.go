package sparse

// Levels sorts the eliminated vertices by how far below the core they are in the elimination tree: arcs up
// lead from a level to lower ones only, so that a device may take the ranks of a level at once, level by
// level: down from the first in a sweep, up from the last in a climb. Level i is
// ranks[bounds[i]:bounds[i+1]], ascending; there are len(bounds)-1 of them.
func (e *Elimination) Levels() (ranks, bounds []int32) {
	core, n := e.Core(), len(e.Vertices)
	level := make([]int32, n)
	bounds = []int32{0}
	for r := core; r < n; r++ {
		if p := e.Parent[r]; p >= 0 {
			level[r] = level[p] + 1
		}
		if int(level[r])+1 == len(bounds) {
			bounds = append(bounds, 0)
		}
		bounds[level[r]+1]++
	}
	for i := 1; i < len(bounds); i++ {
		bounds[i] += bounds[i-1]
	}
	ranks = make([]int32, n-core)
	next := append([]int32(nil), bounds...)
	for r := core; r < n; r++ {
		ranks[next[level[r]]] = int32(r)
		next[level[r]]++
	}
	return ranks, bounds
}
