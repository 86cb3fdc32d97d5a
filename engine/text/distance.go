package text

import (
	"fmt"
	"math"
	"strconv"
)

// Distance writes a distance for people: integers whole, others with the digits that a float32 has at most.
func Distance(d float64) string {
	switch {
	case math.IsInf(d, 1):
		return "unreachable"
	case d == math.Trunc(d) && math.Abs(d) < 1e15:
		return fmt.Sprintf("%.0f", d)
	}
	return fmt.Sprintf("%.9g", d)
}

// ExactDistance writes the distance of a store whose distances are exact, with every digit it has.
func ExactDistance(d float64) string {
	if math.IsInf(d, 1) {
		return "unreachable"
	}
	return strconv.FormatFloat(d, 'f', -1, 64)
}
