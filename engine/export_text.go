package engine

import (
	"math"
	"strconv"

	"ooc/tiles"
)

// textForm writes stored entries as text.
type textForm struct {
	x      *extract
	noPath uint32
	none   []byte // in its place
	bytes  int    // an element takes about so many, with what separates it
}

func (x *extract) text(none float64) textForm {
	f := textForm{x: x, noPath: x.p.noPath(), none: appendNumber(nil, none, 64), bytes: 16}
	if x.p.meta.Scale == 1 && x.p.meta.Kind == tiles.I32 {
		f.bytes = 8
	}
	return f
}

func (f *textForm) append(out []byte, bits uint32) []byte {
	switch m := &f.x.p.meta; {
	case bits == f.noPath:
		return append(out, f.none...)
	case m.Scale > 1:
		return appendNumber(out, f.x.p.distance(bits), 64)
	case m.Kind == tiles.I32:
		return strconv.AppendInt(out, int64(int32(bits)), 10)
	}
	return appendNumber(out, float64(math.Float32frombits(bits)), 32)
}

// appendNumber writes integers whole, others with the fewest digits that tell them from their neighbours
// among numbers of so many bits. Python, NumPy, R and C read what it writes.
func appendNumber(out []byte, v float64, bits int) []byte {
	size := math.Abs(v)
	switch {
	case v != v:
		return append(out, "nan"...)
	case math.IsInf(v, 1):
		return append(out, "inf"...)
	case math.IsInf(v, -1):
		return append(out, "-inf"...)
	case size < 1<<53 && v == math.Trunc(v):
		return strconv.AppendInt(out, int64(v), 10)
	case 1e-6 <= size && size < 1e15:
		return strconv.AppendFloat(out, v, 'f', -1, bits)
	}
	return strconv.AppendFloat(out, v, 'e', -1, bits)
}
