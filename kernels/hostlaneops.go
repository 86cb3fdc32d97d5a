package kernels

import (
	"ooc/kernels/entry"
)

// HostLaneOps is what a device can do with a matrix of lanes in host memory: it relaxes sparse arcs for many sources
// at once, one a lane. The expansion of an elimination needs it (D. Delling, A. V. Goldberg, A. Nowatzyk and
// R. F. Werneck, PHAST: hardware-accelerated shortest path trees, 2011). Its methods run on the calling goroutine,
// and may be called concurrently on different rows.
type HostLaneOps interface {
	// Climb takes the given rows in turn, and lowers for each of a row's arcs the row at its end to the
	// row plus the arc's weight, lane by lane.
	Climb(v entry.Variant, m Lanes, a *Arcs, rows []int32)
	// Cross sets row j of dst, for all of its rows, to the least of src's row i plus weights[i][j]; without
	// any row of src it is unreachable. Each of weights has an entry a row of dst.
	Cross(v entry.Variant, dst, src Lanes, weights [][]uint32)
	// Sweep sets row r, for r from lo to hi-1 in turn, to the least over r's arcs of the row at the arc's
	// end plus its weight, and of what row r held before if keep[r] is set. A nil keep keeps none.
	Sweep(v entry.Variant, m Lanes, a *Arcs, lo, hi int, keep []bool)
	// Transpose copies rows of m to columns of dst: entry k of the output row of lane l, which begins at
	// byte places[l] of dst, is lane l of row columns[k]. The number of columns is a multiple of HostLaneUnit.
	// past says that dst is not read again soon: it is then written past the caches if it is aligned.
	Transpose(dst []byte, places []int64, m Lanes, columns []int32, past bool)
}

// HostLaneUnit is what the lanes of HostLaneOps are a multiple of: 16 entries fill a cache line.
const HostLaneUnit = 16

// Arcs are weighted arcs between the rows of a Lanes, in compressed rows: the arcs of row r are those from
// Offsets[r] to Offsets[r+1]-1.
type Arcs struct {
	Offsets []int32
	Ends    []int32  // the row at the arc's other end
	Weights []uint32 // the bits of an entry of the operation's variant; never unreachable
}

// Lanes is a matrix of 4-byte entries whose rows are vertices and whose columns, the lanes, are sources.
// Row r begins at byte 4·Width·r.
type Lanes struct {
	Data  []byte // aligned to 64 bytes, or slower
	Width int    // lanes of a row, a multiple of HostLaneUnit
}

// Row returns the memory of row r.
func (l Lanes) Row(r int) []byte {
	bytes := entry.EntryBytes * l.Width
	return l.Data[r*bytes : (r+1)*bytes : (r+1)*bytes]
}
