package read

import (
	"fmt"
	"math"
	"strings"

	"ooc/engine/graph"
	"ooc/engine/graph/internal/number"
	"ooc/kernels/entry"
)

// mostPlaces is how many digits behind the point some --scale may remove: ten to a larger power passes i32.
const mostPlaces = 9

// rounded says that weights are not what the input says they are, and what keeps them exact.
func rounded(g *graph.Graph, r number.Rounding, o Options) []string {
	if g.Kind != entry.KindF32 || r.First == "" {
		return nil
	}
	example := "weights are rounded to float32, such as " + strings.ReplaceAll(number.Quoted([]byte(r.First)), `"`, "")
	if r.Line > 0 {
		example += fmt.Sprintf(" in line %d", r.Line)
	}
	scale, flags := g.Scale, ""
	if o.Kind == entry.KindF32 {
		flags = "--kind i32 "
	}
	if scale == 1 && r.Places > 0 {
		scale = int64(math.Pow10(min(r.Places, mostPlaces)))
		flags += fmt.Sprintf("--scale %d ", scale)
	}
	remedy := number.MoreDigits
	if flags != "" && (g.Scale > 1 || r.Places <= mostPlaces) {
		switch fits, sure := g.FitsScaled(scale); {
		case fits:
			remedy = flags + "is exact"
		case !sure:
			remedy = flags + "is exact, or refused if distances do not fit i32"
		default:
			remedy = "distances are too large to be exact in i32, and " + remedy
		}
	}
	return []string{example + "; " + remedy}
}
