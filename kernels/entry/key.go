package entry

import "math"

// Key makes of an entry's bits a number that ascends with the distance: those of negative floats are mirrored. The kind
// is one that is Wide.
func (k Kind) Key(bits uint64) int64 {
	key := int64(bits)
	if k.Bytes() == WordBytes {
		key = int64(int32(bits))
	}
	if key < 0 && k.Float() {
		key ^= math.MaxInt64 >> (64 - 8*k.Bytes())
	}
	return key
}

// OfKey returns the bits of the entry that has a key.
func (k Kind) OfKey(key int64) uint64 {
	bits := uint64(k.Key(uint64(key))) // which undoes itself
	if k.Bytes() == WordBytes {
		return uint64(uint32(bits))
	}
	return bits
}

// LeastKey returns the least key of a finite distance, in stored units, for which is holds, as it does for all greater
// ones; that of unreachable if there is none.
func (k Kind) LeastKey(is func(distance float64) bool) int64 {
	most := k.Key(k.Unreachable())
	least := -most
	for least < most {
		if middle := least&most + (least^most)>>1; is(k.Value(k.OfKey(middle))) {
			most = middle
		} else {
			least = middle + 1
		}
	}
	return least
}
