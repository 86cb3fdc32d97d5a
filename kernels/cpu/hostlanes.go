package cpu

import (
	"bytes"
	"fmt"
	"unsafe"

	"ooc/kernels"
	"ooc/kernels/entry"
	"ooc/kernels/internal/ledger"
)

const (
	lineBytes  = 64 // of a cache line
	fourLines  = 4 * lineBytes
	crossWidth = 4         // rows of the source in one crossing
	crossBytes = 256 << 10 // of rows that a crossing leads to at a time
	sweepRows  = 512       // of one call: short against Go's preemption
)

// at returns the address of element i.
func at[E any](s []E, i int) *byte { return (*byte)(unsafe.Pointer(&s[i])) }

// Climb implements kernels.HostLaneOps.
func (d *Device) Climb(v entry.Variant, m kernels.Lanes, a *kernels.Arcs, rows []int32) {
	stride := rowBytes(m, v.Bytes())
	p, weight := d.path, v.WeightBytes()/4
	for _, r := range rows {
		lo, hi := int(a.Offsets[r]), int(a.Offsets[r+1])
		if lo == hi {
			continue
		}
		row, ends, weights := m.Row(int(r)), at(a.Ends[:hi], lo), at(a.Weights[:hi*weight], lo*weight)
		for b := 0; b < stride; {
			climb, bytes := p.climb[v], lineBytes
			if stride-b >= fourLines {
				climb, bytes = p.climbFour[v], fourLines
			}
			climb(at(row, b), at(m.Data, b), ends, weights, hi-lo, stride)
			b += bytes
		}
	}
}

// none keeps no row.
var none [sweepRows]bool

// Sweep implements kernels.HostLaneOps.
func (d *Device) Sweep(v entry.Variant, m kernels.Lanes, a *kernels.Arcs, lo, hi int, keep []bool) {
	stride := rowBytes(m, v.Bytes())
	p := d.path
	if len(a.Ends) == 0 { // an address is needed, and not read
		a = &kernels.Arcs{Offsets: a.Offsets, Ends: make([]int32, 1), Weights: make([]uint32, v.WeightBytes()/4)}
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
			if stride-b >= fourLines {
				sweep, bytes = p.sweepFour[v], fourLines
			}
			sweep(at(rows, b), at(m.Data, b), offsets, ends, weights, kept, count, stride)
			b += bytes
		}
	}
}

// Cross implements kernels.HostLaneOps.
func (d *Device) Cross(v entry.Variant, dst, src kernels.Lanes, weights [][]uint32) {
	stride := rowBytes(dst, v.Bytes())
	if src.Width != dst.Width {
		panic(fmt.Sprintf("cpu: crossing from %d lanes to %d", src.Width, dst.Width))
	}
	p, count := d.path, len(dst.Data)/stride
	if len(weights) == 0 {
		d.Sweep(v, dst, &kernels.Arcs{Offsets: make([]int32, count+1)}, 0, count, nil)
	}
	if count == 0 || len(weights) == 0 {
		return
	}
	// All rows of the source are taken to some rows of dst before the next of dst, which so stay in the processor's
	// second cache. Most sources reach few rows, and neighbours the same ones. So each line of lanes has rows of its
	// own.
	rows, words := max(1, crossBytes/stride), v.WeightBytes()/4
	lines := liveRows(v, src, len(weights))
	for first := 0; first < count; first += rows {
		last := min(first+rows, count)
		for l, live := range lines {
			for i := 0; i < len(live); i += crossWidth {
				var s, w [crossWidth]*byte
				for k := range s {
					x := live[min(i+k, len(live)-1)] // a row twice does no harm
					s[k], w[k] = at(src.Row(int(x)), l*lineBytes), at(weights[x][:last*words], first*words)
				}
				p.cross[v](at(dst.Data, first*stride+l*lineBytes), s[0], s[1], s[2], s[3], w[0], w[1], w[2], w[3],
					last-first, stride, ledger.OneIf[int](i > 0))
			}
		}
	}
}

// liveRows returns, for each line of lanes, the rows in which a lane of it is reachable; the first row where there
// are none.
func liveRows(v entry.Variant, m kernels.Lanes, rows int) [][]int32 {
	var dead [lineBytes]byte
	v.Kind().Fill(dead[:], v.Unreachable())
	lines := make([][]int32, m.Width*m.Entry/lineBytes)
	for l := range lines {
		var live []int32
		for r := range rows {
			if !bytes.Equal(m.Row(r)[l*lineBytes:][:lineBytes], dead[:]) {
				live = append(live, int32(r))
			}
		}
		if len(live) == 0 {
			live = append(live, 0)
		}
		lines[l] = live
	}
	return lines
}

// Transpose implements kernels.HostLaneOps.
func (d *Device) Transpose(dst []byte, places []int64, m kernels.Lanes, columns []int32, past bool) {
	stride := rowBytes(m, m.Entry)
	if len(places) != m.Width || len(columns)%m.Unit() != 0 {
		panic(fmt.Sprintf("cpu: transposing %d columns of %d lanes to %d rows", len(columns), m.Width, len(places)))
	}
	if len(columns) == 0 {
		return
	}
	misaligned := uintptr(unsafe.Pointer(&dst[0]))
	for _, place := range places {
		_ = dst[place : place+int64(len(columns)*m.Entry)] // panics beyond dst
		misaligned |= uintptr(place)
	}
	transpose := d.path.transpose.of(m.Entry)
	if past && misaligned%lineBytes == 0 {
		transpose = d.path.transposePast.of(m.Entry)
	}
	for b := 0; b < stride; b += lineBytes {
		transpose(at(dst, 0), at(places, b/m.Entry), at(m.Data, b), at(columns, 0), len(columns)/m.Unit(), stride)
	}
}

// rowBytes returns the bytes of a row of m, which is to have entries of so many bytes.
func rowBytes(m kernels.Lanes, entryBytes int) int {
	if m.Entry != entryBytes || m.Entry == 0 {
		panic(fmt.Sprintf("cpu: lanes of %d bytes: want %d", m.Entry, entryBytes))
	}
	if m.Width <= 0 || m.Width%m.Unit() != 0 {
		panic(fmt.Sprintf("cpu: %d lanes: want a multiple of %d", m.Width, m.Unit()))
	}
	return m.Width * m.Entry
}
