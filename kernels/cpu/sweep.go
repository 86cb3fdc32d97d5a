package cpu

import (
	"fmt"
	"unsafe"

	"ooc/kernels"
)

//go:generate go run ./gen -set sweep -path avx512 -pkg cpu -out sweep_avx512_amd64.s -stubs sweep_avx512_amd64.go
//go:generate go run ./gen -set sweep -path avx2 -pkg cpu -out sweep_avx2_amd64.s -stubs sweep_avx2_amd64.go

const (
	lineBytes  = 64            // of a block of lanes
	wideBytes  = 4 * lineBytes // of a block of the wide forms
	crossWidth = 4             // rows of the source in one crossing
	sweepRows  = 512           // of one call: short against Go's preemption
)

// sweepFunc sets count rows from dst on to the least over their arcs, whose offsets begin at offsets, and
// of themselves where the row's byte at keep is not 0.
type sweepFunc = func(dst, rows, offsets, ends, weights, keep *byte, count, stride int)

// climbFunc lowers the rows at the ends of count arcs, one at least, to src plus weight.
type climbFunc = func(src, rows, ends, weights *byte, count, stride int)

// crossFunc sets count rows from dst on, one at least, to the least of four rows plus their weights, and of
// themselves where keep is not 0.
type crossFunc = func(dst, s0, s1, s2, s3, w0, w1, w2, w3 *byte, count, stride, keep int)

// transposeFunc moves blocks of 16 columns, one at least, of 16 lanes to the given places from dst on.
type transposeFunc = func(dst, places, rows, columns *byte, blocks, stride int)

// sweepPath is one implementation of the operations of kernels.Sweeper on a block of lanes, by variant: a
// line, or four in the wide forms. stride is always the bytes of a whole row.
type sweepPath struct {
	sweep, sweepWide [4]sweepFunc
	climb, climbWide [4]climbFunc
	cross            [4]crossFunc
	transpose        transposeFunc
	transposePast    transposeFunc // past the caches; wants all aligned to lines
}

var _ kernels.Sweeper = (*Device)(nil)

// at returns the address of element i.
func at[E any](s []E, i int) *byte { return (*byte)(unsafe.Pointer(&s[i])) }

// Climb implements kernels.Sweeper.
func (d *Device) Climb(v kernels.Variant, m kernels.Lanes, a *kernels.Arcs, rows []int32) {
	stride := rowBytes(m)
	p := d.sweeps()
	for _, r := range rows {
		lo, hi := int(a.Offsets[r]), int(a.Offsets[r+1])
		if lo == hi {
			continue
		}
		row, ends, weights := m.Row(int(r)), at(a.Ends[:hi], lo), at(a.Weights[:hi], lo)
		for b := 0; b < stride; {
			climb, bytes := p.climb[v], lineBytes
			if stride-b >= wideBytes {
				climb, bytes = p.climbWide[v], wideBytes
			}
			climb(at(row, b), at(m.Data, b), ends, weights, hi-lo, stride)
			b += bytes
		}
	}
}

// none keeps no row.
var none [sweepRows]bool

// Sweep implements kernels.Sweeper.
func (d *Device) Sweep(v kernels.Variant, m kernels.Lanes, a *kernels.Arcs, lo, hi int, keep []bool) {
	stride := rowBytes(m)
	p := d.sweeps()
	if len(a.Ends) == 0 { // an address is needed, and not read
		a = &kernels.Arcs{Offsets: a.Offsets, Ends: make([]int32, 1), Weights: make([]uint32, 1)}
	}
	ends, weights := at(a.Ends, 0), at(a.Weights, 0)
	for ; lo < hi; lo += sweepRows {
		count := min(sweepRows, hi-lo)
		offsets := at(a.Offsets[:lo+count+1], lo)
		rows := m.Data[lo*stride : (lo+count)*stride]
		kept := at(none[:], 0)
		if keep != nil {
			kept = at(keep[:lo+count], lo)
		}
		for b := 0; b < stride; {
			sweep, bytes := p.sweep[v], lineBytes
			if stride-b >= wideBytes {
				sweep, bytes = p.sweepWide[v], wideBytes
			}
			sweep(at(rows, b), at(m.Data, b), offsets, ends, weights, kept, count, stride)
			b += bytes
		}
	}
}

// Cross implements kernels.Sweeper.
func (d *Device) Cross(v kernels.Variant, dst, src kernels.Lanes, weights [][]uint32) {
	stride := rowBytes(dst)
	if src.Width != dst.Width {
		panic(fmt.Sprintf("cpu: crossing from %d lanes to %d", src.Width, dst.Width))
	}
	p, count := d.sweeps(), len(dst.Data)/stride
	if len(weights) == 0 {
		d.Sweep(v, dst, &kernels.Arcs{Offsets: make([]int32, count+1)}, 0, count, nil)
	}
	if count == 0 {
		return
	}
	for i := 0; i < len(weights); i += crossWidth {
		var s, w [crossWidth]*byte
		for k := range s {
			x := min(i+k, len(weights)-1) // a row twice does no harm
			s[k], w[k] = at(src.Row(x), 0), at(weights[x][:count], 0)
		}
		for b := 0; b < stride; b += lineBytes {
			p.cross[v](at(dst.Data, b), addr(s[0], b), addr(s[1], b), addr(s[2], b), addr(s[3], b),
				w[0], w[1], w[2], w[3], count, stride, flag(i > 0))
		}
	}
}

// Transpose implements kernels.Sweeper.
func (d *Device) Transpose(dst []byte, places []int64, m kernels.Lanes, columns []int32, past bool) {
	stride := rowBytes(m)
	if len(places) != m.Width || len(columns)%kernels.LaneUnit != 0 {
		panic(fmt.Sprintf("cpu: transposing %d columns of %d lanes to %d rows", len(columns), m.Width, len(places)))
	}
	if len(columns) == 0 {
		return
	}
	misaligned := uintptr(unsafe.Pointer(&dst[0]))
	for _, place := range places {
		_ = dst[place : place+int64(len(columns)*kernels.EntryBytes)] // panics beyond dst
		misaligned |= uintptr(place)
	}
	transpose := d.sweeps().transpose
	if past && misaligned%lineBytes == 0 {
		transpose = d.sweeps().transposePast
	}
	for b := 0; b < stride; b += lineBytes {
		transpose(at(dst, 0), at(places, b/kernels.EntryBytes), at(m.Data, b), at(columns, 0),
			len(columns)/kernels.LaneUnit, stride)
	}
}

// rowBytes returns the bytes of a row of m.
func rowBytes(m kernels.Lanes) int {
	if m.Width <= 0 || m.Width%kernels.LaneUnit != 0 {
		panic(fmt.Sprintf("cpu: %d lanes: want a multiple of %d", m.Width, kernels.LaneUnit))
	}
	return m.Width * kernels.EntryBytes
}

func flag(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (d *Device) sweeps() *sweepPath { return sweepPaths[d.path.name] }
