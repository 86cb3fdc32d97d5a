package cpu

import "ooc/kernels/entry"

// TightRows is how many rows Tight takes at once, one in each lane of a line.
const TightRows = lineBytes / 4

// tightLine has an entry of each row.
type tightLine = [TightRows]int32

// tightAtOnce is for how many vertices one call is: Go does not interrupt it. Their results stay in the first cache.
const tightAtOnce = 16 * TightRows

// Tight finds the tight arcs of rows of distances: those that add up to the distance where they end. It is for one
// goroutine.
type Tight struct {
	path *path
	dist []tightLine // by vertex
	pred [tightAtOnce]tightLine
}

// NewTight returns a Tight for a graph of n vertices on the best path, or the one that EnvPath names.
func NewTight(n int) (*Tight, error) {
	p, err := choosePath("")
	return &Tight{path: p, dist: make([]tightLine, n)}, err
}

// Find takes up to TightRows rows of distances, row after row, entries of entry.KindI32. Arcs, at least one, lead from
// ends, with weights above 0; those into vertex v are start[v]…start[v+1]-1. For each vertex of each row, Find sets
// pred to where a tight arc into it comes from, or to entry.NoVertex where there is none or the vertex is unreachable;
// rows of pred are n rounded up to TightRows apart. Bit r of others[v] becomes 1 where vertex v is reachable in row r
// and does not have one tight arc; bits of rows that are not there become anything.
func (t *Tight) Find(pred, rows []int32, others []uint16, start []int64, ends, weights []int32) {
	n := len(t.dist)
	count, apart := len(rows)/n, entry.RoundUp(n, TightRows)
	pred, others, start = pred[:count*apart], others[:n], start[:n+1]
	var from, line [TightRows]int32
	var lines, to [TightRows]int64
	for l := range line {
		r := min(l, count-1) // lanes without a row repeat the last one
		from[l], to[l] = int32(r), int64(4*r*apart)
		line[l], lines[l] = int32(l), int64(l*lineBytes)
	}
	turn := t.path.transpose.four
	for v := 0; v < n; v += TightRows {
		if v+TightRows <= n {
			turn(at(t.dist, v), at(lines[:], 0), at(rows, v), at(from[:], 0), 1, 4*n)
			continue
		}
		for i := v; i < n; i++ {
			for l, r := range from {
				t.dist[i][l] = rows[int(r)*n+i]
			}
		}
	}
	for v := 0; v < n; v += tightAtOnce {
		count := min(tightAtOnce, n-v)
		t.path.tight(at(t.pred[:], 0), at(others, v), at(t.dist, v), at(t.dist, 0),
			at(start, v), at(ends, 0), at(weights, 0), count)
		for i := 0; i < count; i += TightRows {
			turn(at(pred, v+i), at(to[:], 0), at(t.pred[:], i), at(line[:], 0), 1, lineBytes)
		}
	}
}

// tightPortable is tightFunc in plain Go.
func tightPortable(pred, others, own, dist, start, ends, weights *byte, count int) {
	starts := entries[int64](start, count+1)
	for v := range count {
		goal, before := entries[tightLine](own, count)[v], &entries[tightLine](pred, count)[v]
		var tights tightLine
		for l := range before {
			before[l] = entry.NoVertex
		}
		for k := starts[v]; k < starts[v+1]; k++ {
			x, w := entries[int32](ends, int(k)+1)[k], entries[int32](weights, int(k)+1)[k]
			for l, d := range entries[tightLine](dist, int(x)+1)[x] {
				is := d+w == goal[l]
				if is {
					before[l] = x
				}
				if is { // apart, so that each is a conditional move
					tights[l]++
				}
			}
		}
		odd := uint16(0)
		for l, d := range goal {
			if d == entry.Inf32 {
				before[l] = entry.NoVertex
			} else if tights[l] != 1 {
				odd |= 1 << l
			}
		}
		entries[uint16](others, count)[v] = odd
	}
}
