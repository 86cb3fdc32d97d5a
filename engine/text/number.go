package text

import (
	"math"
	"strconv"
	"strings"
)

// AppendNumber writes integers whole, others with the fewest digits that tell them from their neighbours
// among numbers of so many bits. Python, NumPy, R and C read what it writes.
func AppendNumber(out []byte, v float64, bits int) []byte {
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

// AppendCell quotes an id that a reader might split or trim otherwise.
func AppendCell(out []byte, id string) []byte {
	if !strings.ContainsAny(id, "\",;\t\r\n") && strings.TrimSpace(id) == id && id != "" {
		return append(out, id...)
	}
	out = append(out, '"')
	out = append(out, strings.ReplaceAll(id, `"`, `""`)...)
	return append(out, '"')
}
