package stats

import (
	"math"
	"math/bits"

	"ooc/kernels/entry"
)

// evenBins finds the bins of entries that are integers by a multiplication, in a third of the time. For that, all
// bins have to hold as many integers.
type evenBins struct {
	scale       float64 // entries a unit
	first, last int32   // entries from first to last-1 are in bins; none if bins are not even
	multiplier  uint64  // of an entry less first, for its bin
	shift       int     // of that product
}

// spanBits is how many bits the difference of an entry and the first has.
const spanBits = 31

// set makes the bins those between the edges.
func (e *evenBins) set(edges []float64) {
	e.first, e.last = 0, 0
	bins := len(edges) - 1
	low, high := edges[0]*e.scale, edges[bins]*e.scale
	first, width := int64(math.Round(max(low, -float64(entry.Limit32)))),
		int64(math.Round(min((high-low)/float64(bins), math.MaxInt32)))
	for i, edge := range edges {
		least := first + int64(i)*width // the first integer of bin i
		if width < 1 || float64(least)/e.scale < edge || float64(least-1)/e.scale >= edge {
			return
		}
	}
	// floor(u/width) for u of spanBits (T. Granlund and P. L. Montgomery, Division by invariant integers using
	// multiplication, 1994).
	e.shift = spanBits + bits.Len64(uint64(width-1))
	e.multiplier = 1<<e.shift/uint64(width) + 1
	e.first, e.last = int32(first), int32(min(first+int64(bins)*width, int64(entry.Inf32)))
}

// addIntegers is addLine for entries that are integers.
func (b *binner) addIntegers(line []uint32, x *gathering) {
	for len(line) > 0 {
		if b.even.first == b.even.last {
			addLine(b, line, x)
			return
		}
		line = line[b.addEven(line):]
		if len(line) == 0 {
			return
		}
		if uint64(line[0]) != x.none {
			b.addOutside(float64(int32(line[0]))/b.even.scale, 1)
		}
		line = line[1:]
	}
}

// addEven adds entries up to the first that is in no bin, and returns its index.
func (b *binner) addEven(line []uint32) int {
	counts, first, last, multiplier, shift := b.counts, b.even.first, b.even.last, b.even.multiplier, b.even.shift&63
	for i, bits := range line {
		d := int32(bits)
		if d < first || d >= last {
			return i
		}
		counts[uint64(uint32(d-first))*multiplier>>shift]++
	}
	return len(line)
}
