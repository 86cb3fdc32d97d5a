package graph

import (
	"math"
	"math/bits"
)

// tidy sorts neighbouring rows by target, keeps the least of parallel arcs and moves what is left together.
// The rows lie in targets and words from first on; ends says where each ends, before and after. It returns
// the number of arcs left.
func (s *rowSorter) tidy(ends []int64, first int64, targets []int32, words []uint32) int64 {
	lo, out := first, first
	for r, hi := range ends {
		row := targets[lo:hi]
		s.sort(row, words[lo:hi])
		if out == lo && distinct(row) { // nothing moves
			out, lo = hi, hi
			continue
		}
		start := out
		for k := lo; k < hi; k++ {
			v, w := targets[k], words[k]
			if out > start && targets[out-1] == v {
				words[out-1] = s.least(words[out-1], w)
				continue
			}
			targets[out], words[out] = v, w
			out++
		}
		ends[r] = out
		lo = hi
	}
	return out - first
}

// distinct reports whether sorted targets are.
func distinct(row []int32) bool {
	for i := 1; i < len(row); i++ {
		if row[i-1] == row[i] {
			return false
		}
	}
	return true
}

// rowSorter sorts the arcs of a row by target. It is for one goroutine.
type rowSorter struct {
	float bool // words are the bits of a float32; else of an int32
	rank  [rankMax]uint8
	v     [spreadMax]int32
	w     [spreadMax]uint32
}

func (s *rowSorter) least(a, b uint32) uint32 {
	if s.float {
		return math.Float32bits(min(math.Float32frombits(a), math.Float32frombits(b)))
	}
	return uint32(min(int32(a), int32(b)))
}

// The longest rows that the ways to sort are for.
const (
	insertMax = 4
	rankMax   = 16
	spreadMax = 1024
)

func (s *rowSorter) sort(targets []int32, words []uint32) {
	switch n := len(targets); {
	case n <= insertMax:
		byInsertion(targets, words)
	case n <= rankMax:
		s.byRank(targets, words)
	default:
		s.byDigit(targets, words)
	}
}

func byInsertion(targets []int32, words []uint32) {
	for i := 1; i < len(targets); i++ {
		v, w := targets[i], words[i]
		k := i
		for ; k > 0 && targets[k-1] > v; k-- {
			targets[k], words[k] = targets[k-1], words[k-1]
		}
		targets[k], words[k] = v, w
	}
}

// byRank compares every pair, without a branch that the processor could mispredict.
func (s *rowSorter) byRank(targets []int32, words []uint32) {
	n := copy(s.v[:rankMax], targets)
	copy(s.w[:rankMax], words)
	s.rank[0] = 0
	for i := 1; i < n; i++ {
		x, below := s.v[i], uint8(0)
		for k := range s.v[:i] {
			var less uint8 // x before v[k]
			if x < s.v[k] {
				less = 1
			}
			s.rank[k] += less
			below += 1 - less
		}
		s.rank[i] = below
	}
	for i := range s.v[:n] {
		targets[s.rank[i]], words[s.rank[i]] = s.v[i], s.w[i]
	}
}

// byDigit sorts by the leading bits in which the targets differ, and then what lies together by the next.
func (s *rowSorter) byDigit(targets []int32, words []uint32) {
	least, most, sorted := targets[0], targets[0], true
	for i, v := range targets[1:] {
		sorted = sorted && targets[i] <= v
		least, most = min(least, v), max(most, v)
	}
	if sorted {
		return
	}
	size := 6 // bits of a digit: some targets each, but for rows with gaps
	if len(targets) > spreadMax {
		size = 8
	}
	shift := max(0, bits.Len32(uint32(most-least))-size)
	var end [1 << 8]int
	if len(targets) <= spreadMax {
		s.spread(targets, words, least, shift, end[:1<<size])
	} else {
		permute(targets, words, least, shift, end[:1<<size])
	}
	if shift == 0 {
		return
	}
	lo := 0
	for _, hi := range end[:1<<size] {
		if hi-lo > 1 {
			s.sort(targets[lo:hi], words[lo:hi])
		}
		lo = hi
	}
}

// spread sorts up to spreadMax arcs by a digit. It sets where each digit's end.
func (s *rowSorter) spread(targets []int32, words []uint32, least int32, shift int, end []int) {
	n := copy(s.v[:], targets)
	copy(s.w[:], words)
	for _, v := range s.v[:n] {
		end[uint32(v-least)>>shift]++
	}
	sum := 0
	for d, count := range end {
		end[d] = sum
		sum += count
	}
	for i, v := range s.v[:n] {
		at := &end[uint32(v-least)>>shift]
		targets[*at], words[*at] = v, s.w[i]
		*at++
	}
}

// permute is spread for any number of arcs, in place (an American flag sort: P. McIlroy, K. Bostic,
// M. D. McIlroy, Engineering radix sort, 1993).
func permute(targets []int32, words []uint32, least int32, shift int, end []int) {
	var next [1 << 8]int
	for _, v := range targets {
		end[uint32(v-least)>>shift]++
	}
	sum := 0
	for d, count := range end {
		next[d] = sum
		sum += count
		end[d] = sum
	}
	for d := range end { // every step of the inner loop puts one arc where it belongs
		for ; next[d] < end[d]; next[d]++ {
			i := next[d]
			for {
				to := uint32(targets[i]-least) >> shift
				if int(to) == d {
					break
				}
				k := next[to]
				next[to]++
				targets[i], targets[k] = targets[k], targets[i]
				words[i], words[k] = words[k], words[i]
			}
		}
	}
}
