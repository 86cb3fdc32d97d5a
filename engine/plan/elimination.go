package plan

import (
	"ooc/engine/sparse"
	"ooc/tiles"
)

// Measured on two cores with AVX-512 (docs/benchmarks.md). Shares are of the rate of products; eliminateRate is in
// relaxations/s of one thread.
const (
	eliminateRate = 250e6
	// Threads that numeric elimination keeps busy: most of its work is at the top of the tree. On 16 cores it took
	// 0.27 s where two would have taken 0.26 s.
	eliminateThreads = 2
	sweepShare       = 0.35
	crossShare       = 0.7
	stageSeconds     = 1e-3 // to begin
	cutRate          = 5e9  // bytes/s of one thread, of rows that are cut into tiles

	// writeRate: bytes/s of one thread into a new file: 1.0 on Zen 4 and 1.4 GB/s on the H100's host. A file that is
	// measured before there are others is written twice as fast as one that the system brings to disk meanwhile.
	writeRate = 1e9
	// fileRate: bytes/s of all threads on the H100's host: writes to one file take turns, and go on to its disk. ramRate:
	// those to a file in memory.
	fileRate = 2e9
	ramRate  = 4.5e9
)

// RowBytes is the size of so many rows of distances as they are stored in tiles of an edge.
func (q *Basis) RowBytes(tile, rows int) float64 {
	if q.Upper() {
		g := tiles.Geometry{N: q.Graph.N, T: tile, EntryBytes: q.Graph.Kind.Bytes(), Upper: true}
		return float64(g.MatrixBytes())
	}
	return float64(rows) * float64(q.Graph.N) * float64(q.Graph.Kind.Bytes())
}

// RowSeconds predicts the seconds in which the processor cuts rows of distances that are computed, and writes them. What
// the system does not let wait in memory is on the disk by then.
func (q *Basis) RowSeconds(tile, rows int) float64 {
	bytes, threads := q.RowBytes(tile, rows), float64(q.Rates.Threads())
	file := fileRate
	if q.InMemory {
		file = ramRate
	}
	seconds := bytes/(cutRate*threads) + bytes/min(writeRate*threads, file)
	if r := q.Rates; r.Disk > 0 {
		seconds = max(seconds, (bytes-r.Dirty)/r.Disk)
	}
	return seconds
}

// EliminateSeconds predicts the seconds of a numeric elimination that stops at w.
func (r Rates) EliminateSeconds(w sparse.Work) float64 {
	return w.Eliminate/(eliminateRate*float64(min(r.Threads(), eliminateThreads))) + stageSeconds
}

// Products is relaxations/s of a thread, where eliminateRate was measured.
const Products = 25e9

// Weigh returns how many relaxations of products take about as long on a processor as eliminating, closing and
// expanding what w counts. It compares points to stop at, and is the same on every machine.
func Weigh(w sparse.Work) float64 {
	return w.Eliminate*Products/eliminateRate + w.Rounds + (w.Climb+w.Sweep)/sweepShare + w.Cross/crossShare
}

// ExpandSeconds predicts the seconds in which the processor computes the rows that w counts, which nothing writes.
func (r Rates) ExpandSeconds(w sparse.Work) float64 {
	host := r.Kernel
	if r.Host > 0 {
		host = r.Host
	}
	return (w.Climb+w.Sweep)/(sweepShare*host) + w.Cross/(crossShare*host) + stageSeconds
}
