package arcs

import (
	"math"
	"math/bits"
)

// tidy sorts neighbouring rows by target, keeps the least of parallel arcs and moves what is left together.
// The rows lie in targets and words from first on, or where there are pairs, will: they come from these. ends
// says where each ends, before and after. It returns the number of arcs left.
func (s *rowSorter) tidy(ends []int64, first int64, targets []int32, words []uint32, pairs []pair) int64 {
	lo, out := first, first
	for r, hi := range ends {
		row := targets[lo:hi]
		if pairs == nil {
			s.sort(row, words[lo:hi])
		} else {
			sortPairs(pairs[lo-first:hi-first], row, words[lo:hi])
		}
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

// pair is an arc of a row: its target, and below that its word.
type pair uint64

// sortPairs writes the arcs of a row, sorted, which they nearly are.
func sortPairs(pairs []pair, targets []int32, words []uint32) {
	moves := mostMoves(len(pairs))
	for i := 1; i < len(pairs) && moves >= 0; i++ {
		p := pairs[i]
		k := i
		for ; k > 0 && pairs[k-1]>>32 > p>>32; k-- {
			pairs[k] = pairs[k-1]
		}
		pairs[k] = p
		moves -= i - k
	}
	for i, p := range pairs {
		targets[i], words[i] = int32(p>>32), uint32(p)
	}
	if moves < 0 {
		byDigit(targets, words)
	}
}

// mostMoves is how many moves of insertion sort are still fast for n arcs.
func mostMoves(n int) int { return 8*n + 64 }

// rowSorter sorts the arcs of a row by target.
type rowSorter struct {
	float bool // words are the bits of a float32; else of an int32
}

func (s *rowSorter) least(a, b uint32) uint32 {
	if s.float {
		return math.Float32bits(min(math.Float32frombits(a), math.Float32frombits(b)))
	}
	return uint32(min(int32(a), int32(b)))
}

func (s *rowSorter) sort(targets []int32, words []uint32) {
	if !byInsertion(targets, words) {
		byDigit(targets, words)
	}
}

// byInsertion is fast for short rows and for those that are nearly sorted. It gives up, and returns false,
// where it would be slow.
func byInsertion(targets []int32, words []uint32) bool {
	moves := mostMoves(len(targets))
	for i := 1; i < len(targets); i++ {
		v, w := targets[i], words[i]
		k := i
		for ; k > 0 && targets[k-1] > v; k-- {
			targets[k], words[k] = targets[k-1], words[k-1]
		}
		targets[k], words[k] = v, w
		if moves -= i - k; moves < 0 {
			return false
		}
	}
	return true
}

// byDigit sorts by the leading bits in which the targets differ, and then what lies together by the next. It
// needs no memory, however long a row is (an American flag sort: P. McIlroy, K. Bostic, M. D. McIlroy,
// Engineering radix sort, 1993).
func byDigit(targets []int32, words []uint32) {
	least, most := targets[0], targets[0]
	for _, v := range targets {
		least, most = min(least, v), max(most, v)
	}
	shift := max(0, bits.Len32(uint32(most-least))-8)
	var next, end [1 << 8]int
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
	lo := 0
	for _, hi := range end {
		if shift > 0 && !byInsertion(targets[lo:hi], words[lo:hi]) {
			byDigit(targets[lo:hi], words[lo:hi])
		}
		lo = hi
	}
}
