package cpu

// bitLine is a cache line of bits.
type bitLine = [8]uint64

// PullBits searches by bits. left are places whose line in seen may not be full. For each of them it looks at the lines
// in last of the places that its arcs lead to: those of place v are ends[start[v]:start[v+1]]. Bits that these have and
// seen has not it puts into front, and adds to seen, and the place to list, which has room for all. It returns those of
// left that were not full, in the memory of left, and list.
type PullBits func(left, list []int32, start []int64, ends []int32, last, front, seen []bitLine) (kept, found []int32)

// EndsAhead is how many numbers of places, of any, have to be in memory behind the ends of arcs.
const EndsAhead = 12

// pullAtOnce is how many places are pulled to in one call: Go does not interrupt it.
const pullAtOnce = 512

// NewPullBits returns PullBits on the best path, or the one that EnvPath names.
func NewPullBits() (PullBits, error) {
	p, err := choosePath("")
	if err != nil {
		return nil, err
	}
	return p.pullBits, nil
}

// pullBitsFunc is PullBits on addresses, of count places, at least one.
type pullBitsFunc = func(left, at, start, ends, last, front, seen *byte, count int) (kept, found int)

// pulls makes PullBits of a function for few places.
func pulls(do pullBitsFunc) PullBits {
	return func(left, list []int32, start []int64, ends []int32, last, front, seen []bitLine) (kept, found []int32) {
		if len(ends) == 0 {
			return left[:0], list
		}
		all := list[:len(list)+len(left)]
		next, stays := len(list), 0
		for lo := 0; lo < len(left); lo += pullAtOnce {
			count := min(pullAtOnce, len(left)-lo)
			k, f := do(at(left, lo), at(all, next), at(start, 0), at(ends, 0),
				at(last, 0), at(front, 0), at(seen, 0), count)
			stays += copy(left[stays:], left[lo:lo+k])
			next += f
		}
		return left[:stays], all[:next]
	}
}

// pullBitsPortable is PullBits in plain Go.
func pullBitsPortable(left, list []int32, start []int64, ends []int32, last, front, seen []bitLine) (
	kept, found []int32) {
	kept, found = left[:0], list
	for _, v := range left {
		s := &seen[v]
		if s[0]&s[1]&s[2]&s[3]&s[4]&s[5]&s[6]&s[7] == ^uint64(0) {
			continue
		}
		kept = append(kept, v)
		var b0, b1, b2, b3, b4, b5, b6, b7 uint64 // in registers, as an array would not be
		for _, u := range ends[start[v]:start[v+1]] {
			b := &last[u]
			b0 |= b[0]
			b1 |= b[1]
			b2 |= b[2]
			b3 |= b[3]
			b4 |= b[4]
			b5 |= b[5]
			b6 |= b[6]
			b7 |= b[7]
		}
		b := bitLine{b0 &^ s[0], b1 &^ s[1], b2 &^ s[2], b3 &^ s[3], b4 &^ s[4], b5 &^ s[5], b6 &^ s[6], b7 &^ s[7]}
		if b[0]|b[1]|b[2]|b[3]|b[4]|b[5]|b[6]|b[7] == 0 {
			continue
		}
		front[v] = b
		for i := range s {
			s[i] |= b[i]
		}
		found = append(found, v)
	}
	return kept, found
}
