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
	scale := g.Scale
	switch {
	case scale == 1 && r.Places > mostPlaces:
		return []string{example + "; " + number.MoreDigits}
	case scale == 1:
		scale = int64(math.Pow10(r.Places))
	}
	flags := ""
	if o.Kind == entry.KindF32 {
		flags = " --kind i32"
	}
	if scale != g.Scale {
		flags += fmt.Sprintf(" --scale %d", scale)
	}
	switch fits, sure := g.FitsScaled(scale); {
	case flags == "":
		return []string{example + "; " + number.MoreDigits}
	case fits:
		return []string{fmt.Sprintf("%s;%s is exact", example, flags)}
	case !sure:
		return []string{fmt.Sprintf("%s;%s is exact, or refused if distances do not fit i32", example, flags)}
	}
	return []string{example + "; distances are too large to be exact in i32, and " + number.MoreDigits}
}
