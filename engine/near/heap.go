package near

import "math/bits"

// item is a vertex in a heap.
type item[D number] struct {
	key    D
	vertex int32
}

// heap has the least key at its root; the children of i are 4i+1…4i+4. A vertex whose key falls is pushed again: to
// find its place and move it there would cost more than to skip it later.
type heap[D number] []item[D]

func (h *heap[D]) push(key D, vertex int32) {
	*h = append(*h, item[D]{})
	all := *h
	i := len(all) - 1
	for i > 0 {
		up := (i - 1) / 4
		if all[up].key <= key {
			break
		}
		all[i] = all[up]
		i = up
	}
	all[i] = item[D]{key, vertex}
}

func (h *heap[D]) pop() item[D] {
	all := *h
	top, last := all[0], all[len(all)-1]
	all = all[:len(all)-1]
	*h = all
	if len(all) == 0 {
		return top
	}
	i := 0
	for {
		c := 4*i + 1
		if c+3 >= len(all) {
			break
		}
		least, key := c, all[c].key
		if k := all[c+1].key; k < key {
			least, key = c+1, k
		}
		if k := all[c+2].key; k < key {
			least, key = c+2, k
		}
		if k := all[c+3].key; k < key {
			least, key = c+3, k
		}
		if key >= last.key {
			all[i] = last
			return top
		}
		all[i] = all[least]
		i = least
	}
	least := i
	for c := 4*i + 1; c < len(all); c++ {
		if all[c].key < last.key && (least == i || all[c].key < all[least].key) {
			least = c
		}
	}
	all[i] = all[least]
	all[least] = last
	return top
}

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
