package text

import (
	"encoding/json"
	"math"
	"strconv"

	"ooc/kernels/entry"
)

// Numbers writes the distances and weights of one graph, in the same way wherever they are shown: integers whole,
// others as the shortest decimal that reads back as what is stored. The zero value writes sums and means, which are
// computed in double precision.
type Numbers struct {
	single bool // what is stored is a float32
}

// NumbersOf returns what writes the distances and weights of a kind, whose weights were multiplied by scale.
func NumbersOf(kind entry.Kind, scale int64) Numbers {
	return Numbers{single: kind == entry.KindF32 && scale == 1} // else they are integers, which the scale may divide
}

// Append writes a number so that Python, NumPy, R and C read it. Infinity is inf.
func (n Numbers) Append(out []byte, v float64) []byte {
	bits := 64
	if n.single {
		v, bits = float64(float32(v)), 32
	}
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

// Text is Append for people: infinity is "unreachable".
func (n Numbers) Text(v float64) string {
	if math.IsInf(v, 1) {
		return "unreachable"
	}
	return string(n.Append(nil, v))
}

// JSON is Append for JSON, where what is infinite or undefined is null.
func (n Numbers) JSON(v float64) json.RawMessage {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return json.RawMessage("null")
	}
	return n.Append(nil, v)
}
