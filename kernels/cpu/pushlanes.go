package cpu

import "ooc/kernels/entry"

// PushBytes are the lanes of a vertex that PushLanes takes: entries of the distances from as many sources as there fit.
const PushBytes = 128

// PushLanes relaxes arcs. It lowers the lanes of the vertices at ends to those of another plus the arcs' weights. For
// each arc that lowered any, it notes the end in changed, and in keys the upper 32 bits of the least of the lanes that
// fell: all of them for entries that have no more. It returns how many it noted; both have room for all. No weight is
// more than the entry for unreachable. weights have a word an arc, or two where entries have 8 bytes. next are the ends
// of the next call, if that is known, or others. Behind the last of all ends are EndsAhead numbers more.
type PushLanes func(lines []byte, from int, ends []int32, weights []uint32, changed []int32, keys []uint32,
	next []int32) int

// NewPushLanes returns PushLanes for entries of a variant that is not signed, on the best path, or the one that EnvPath
// names.
func NewPushLanes(v entry.Variant) (PushLanes, error) {
	p, err := choosePath("")
	if err != nil {
		return nil, err
	}
	words, do := v.WeightBytes()/4, p.pushLanes[v]
	return func(lines []byte, from int, ends []int32, weights []uint32, changed []int32, keys []uint32,
		next []int32) int {
		if len(ends) == 0 {
			return 0
		}
		weights, changed, keys = weights[:words*len(ends)], changed[:len(ends)], keys[:len(ends)]
		return do(at(lines, 0), at(lines[:(from+1)*PushBytes], from*PushBytes), at(ends, 0), at(weights, 0),
			at(changed, 0), at(keys, 0), at(next[:EndsAhead], 0), len(ends))
	}, nil
}

// pushLanesFunc is PushLanes on addresses, of count arcs, at least one.
type pushLanesFunc = func(lines, from, ends, weights, changed, keys, next *byte, count int) (found int)

// pushLanesForm makes a pushLanesFunc in plain Go.
func pushLanesForm[E number](inf, _ E) pushLanesFunc {
	lanes := PushBytes / sizeOf[E]()
	return func(lines, from, ends, weights, changed, keys, _ *byte, count int) (found int) {
		each := max(entry.WordBytes, sizeOf[E]())
		source := entries[E](from, lanes)
		for k, end := range entries[int32](ends, count) {
			w, least := entries[E](addr(weights, k*each), 1)[0], inf
			for l, d := range entries[E](addr(lines, int(end)*PushBytes), lanes) {
				if sum := source[l] + w; sum < d {
					entries[E](addr(lines, int(end)*PushBytes), lanes)[l] = sum
					least = min(least, sum)
				}
			}
			if least < inf {
				entries[int32](changed, count)[found] = end
				entries[uint32](keys, count)[found] = upperBits(least)
				found++
			}
		}
		return found
	}
}

// upperBits returns the upper 32 bits of an entry that is not negative, all of one that has no more.
func upperBits[E number](x E) uint32 {
	b := entry.Bytes([]E{x})
	switch len(b) {
	case 2:
		return uint32(entry.View[uint16](b)[0])
	case 4:
		return entry.View[uint32](b)[0]
	}
	return entry.View[uint32](b)[1]
}
