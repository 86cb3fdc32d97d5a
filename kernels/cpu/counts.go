package cpu

import "math/bits"

// PathCounts adds numbers of shortest paths up in lanes, one of each source: a place has a row of lanes, floats in
// counts, and a bit for each lane in every word.
type PathCounts struct {
	push func(counts, from []float64, seen, next []uint64, ends, found []int32, lanes uint64) []int32
	pull func(sum, counts []float64, next []uint64, ends []int32, lanes uint64)
}

// NewPathCounts returns PathCounts on the best path, or the one that EnvPath names.
func NewPathCounts() (PathCounts, error) {
	p, err := choosePath("")
	if err != nil {
		return PathCounts{}, err
	}
	return p.counts, nil
}

// Push adds the row from, a multiple of 8 lanes, to the rows of ends, in those of the lanes that an end has not seen,
// and these bits to next. Ends of which next had no bit come to found, which has room for all and one more. EndsAhead
// more numbers of places, of any, have to be in memory behind ends, here and in Pull.
func (c PathCounts) Push(counts, from []float64, seen, next []uint64, ends, found []int32, lanes uint64) []int32 {
	if len(ends) == 0 {
		return found
	}
	return c.push(counts, from, seen, next, ends, found, lanes)
}

// Pull adds the rows of ends to the row sum, in those of the lanes that next has of an end, one end after the other.
func (c PathCounts) Pull(sum, counts []float64, next []uint64, ends []int32, lanes uint64) {
	if len(ends) > 0 {
		c.pull(sum, counts, next, ends, lanes)
	}
}

var portableCounts = PathCounts{
	push: func(counts, from []float64, seen, next []uint64, ends, found []int32, lanes uint64) []int32 {
		for _, v := range ends {
			some := lanes &^ seen[v]
			if some == 0 {
				continue
			}
			if next[v] == 0 {
				found = append(found, v)
			}
			next[v] |= some
			addLanes(counts[int(v)*len(from):][:len(from)], from, some)
		}
		return found
	},
	pull: func(sum, counts []float64, next []uint64, ends []int32, lanes uint64) {
		for _, v := range ends {
			addLanes(sum, counts[int(v)*len(sum):][:len(sum)], lanes&next[v])
		}
	},
}

// addLanes adds some lanes of a row to another.
func addLanes(to, from []float64, some uint64) {
	for ; some != 0; some &= some - 1 {
		i := bits.TrailingZeros64(some)
		to[i] += from[i]
	}
}

// countsBy makes PathCounts of functions for addresses.
func countsBy(push func(counts, from, seen, next, ends, found *byte, lanes uint64, count, stride int) (more int),
	pull func(sum, counts, next, ends *byte, lanes uint64, count, stride int)) PathCounts {
	return PathCounts{
		push: func(counts, from []float64, seen, next []uint64, ends, found []int32, lanes uint64) []int32 {
			all := found[:cap(found)]
			for len(ends) > 0 {
				some := ends[:min(len(ends), pullAtOnce)]
				more := push(at(counts, 0), at(from, 0), at(seen, 0), at(next, 0), at(some, 0),
					at(all, len(found)), lanes, len(some), 8*len(from))
				found, ends = all[:len(found)+more], ends[len(some):]
			}
			return found
		},
		pull: func(sum, counts []float64, next []uint64, ends []int32, lanes uint64) {
			for len(ends) > 0 {
				some := ends[:min(len(ends), pullAtOnce)]
				pull(at(sum, 0), at(counts, 0), at(next, 0), at(some, 0), lanes, len(some), 8*len(sum))
				ends = ends[len(some):]
			}
		},
	}
}
