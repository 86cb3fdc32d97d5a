package kernels

import (
	"ooc/kernels/entry"
)

// HostLaneOps are the operations of a device on a matrix of lanes in host memory: they relax sparse arcs for many
// sources at once, one source in each lane. The expansion of an elimination needs them (D. Delling, A. V. Goldberg,
// A. Nowatzyk and R. F. Werneck, PHAST: hardware-accelerated shortest path trees, 2011). The methods run on the
// calling goroutine, and may be called concurrently on different rows.
type HostLaneOps interface {
	// Climb takes the given rows in turn. For each arc of a row it lowers, lane by lane, the row at the arc's end to
	// the row itself plus the arc's weight.
	Climb(v entry.Variant, m Lanes, a *Arcs, rows []int32)
	// Cross sets every row j of dst to the minimum over i of src's row i plus weights[i][j], or to unreachable if src
	// has no rows. Each element of weights has a weight, as those of Arcs, for each row of dst.
	Cross(v entry.Variant, dst, src Lanes, weights [][]uint32)
	// Sweep sets row r, for r from lo to hi-1 in turn, to the minimum over r's arcs of the row at the arc's end plus
	// its weight. If keep[r] is set, the old content of row r takes part in the minimum. A nil keep keeps no row.
	Sweep(v entry.Variant, m Lanes, a *Arcs, lo, hi int, keep []bool)
	// Transpose copies rows of m to columns of dst. The output row of lane l begins at byte places[l] of dst; its
	// entry k is lane l of row columns[k]. The number of columns is a multiple of m.Unit(). past says that dst is not
	// read again soon: if it is aligned, it is then written past the caches.
	Transpose(dst []byte, places []int64, m Lanes, columns []int32, past bool)

	// What follows is on rows of weights, as those of Arcs. Sums of the variant's limit or more are what they are:
	// none is set back.

	// LowerRow lowers the entries of dst to those of src plus by, which is one weight.
	LowerRow(v entry.Variant, dst, src, by []uint32)
	// LowerLines lowers line k of dst, LaneLine bytes, to line places[k] of src plus by.
	LowerLines(v entry.Variant, dst, src, by []uint32, places []int32)
	// LeastSum lowers least, which is one weight, to the least sum of an entry of x and that of y.
	LeastSum(v entry.Variant, least, x, y []uint32)
}

// HostLaneUnit is Lanes.Unit of entries of 4 bytes.
const HostLaneUnit = LaneLine / 4

// LaneLine is the bytes of a cache line, and of Lanes.Unit entries.
const LaneLine = 64

// Arcs are weighted arcs between the rows of a Lanes, in compressed rows: the arcs of row r are those from
// Offsets[r] to Offsets[r+1]-1.
type Arcs struct {
	Offsets []int32
	Ends    []int32 // the row at the arc's other end
	// Weights: entries of the operation's variant in entry.Variant.WeightBytes each; unreachable only for HostLaneOps.
	Weights []uint32
}

// Lanes is a matrix of entries whose rows are vertices and whose columns, the lanes, are sources.
// Row r begins at byte Entry·Width·r.
type Lanes struct {
	Data  []byte // aligned to 64 bytes, or slower
	Width int    // lanes of a row, a multiple of Unit
	Entry int    // bytes of an entry
}

// Unit divides the number of lanes: so many entries fill a cache line.
func (l Lanes) Unit() int { return LaneLine / l.Entry }

// Row returns the memory of row r.
func (l Lanes) Row(r int) []byte {
	bytes := l.Entry * l.Width
	return l.Data[r*bytes : (r+1)*bytes : (r+1)*bytes]
}
