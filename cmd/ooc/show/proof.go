package show

import (
	"github.com/dustin/go-humanize"

	"ooc/engine/prove"
	"ooc/engine/text"
	"ooc/kernels/entry"
)

// Proof prints what was proved of a matrix of so many bytes.
func Proof(name string, proof prove.Proof, kind entry.Kind, bytes int64) {
	printf("%s: all %s distances are proved", name, humanize.Comma(proof.Entries))
	if kind.Float() {
		printf(", within the rounding of %s", kind)
	}
	if proof.Trees > 0 {
		printf(", and the predecessors of each row lead back along arcs that make them")
	}
	if proof.Searched > 0 {
		printf("; for that %d of %s compared with a search", proof.Searched,
			text.Count(proof.Rows, "row was", "rows were"))
	}
	printf("; %s in %s, %s\n", humanize.IBytes(uint64(bytes)), text.Time(proof.Seconds),
		text.PerSecond(float64(bytes)/proof.Seconds))
}
