package near

import "math/bits"

// set is a set of columns that gives them back in order: a bit for each, and a bit for each 64 of those.
type set struct{ bits, words []uint64 }

func newSet(n int) set { return set{make([]uint64, n/64+1), make([]uint64, n/4096+1)} }

func (s *set) add(c int32) {
	s.bits[c>>6] |= 1 << (c & 63)
	s.words[c>>12] |= 1 << (c >> 6 & 63)
}

// take appends the columns and leaves the set empty.
func (s *set) take(to []int32) []int32 {
	for i, words := range s.words {
		for ; words != 0; words &= words - 1 {
			at := i<<6 + bits.TrailingZeros64(words)
			for b := s.bits[at]; b != 0; b &= b - 1 {
				to = append(to, int32(at<<6+bits.TrailingZeros64(b)))
			}
			s.bits[at] = 0
		}
		s.words[i] = 0
	}
	return to
}

func (s *set) has(c int32) bool { return s.bits[c>>6]>>(c&63)&1 != 0 }
