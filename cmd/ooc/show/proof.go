package show

import (
	"fmt"

	"github.com/dustin/go-humanize"

	"ooc/cmd/ooc/terminal"
	"ooc/engine/prove"
	"ooc/kernels/entry"
)

// Proof prints what was proved of a matrix of so many bytes.
func Proof(name string, proof prove.Proof, kind entry.Kind, bytes int64) {
	fmt.Fprintf(terminal.Out, "%s: all %s distances are proved", name, humanize.Comma(proof.Entries))
	if kind.Float() {
		fmt.Fprintf(terminal.Out, ", within the rounding of %s", kind)
	}
	if proof.Trees > 0 {
		fmt.Fprint(terminal.Out, ", and the predecessors of each row lead back along arcs that make them")
	}
	if proof.Searched > 0 {
		fmt.Fprintf(terminal.Out, "; for that %d of %s compared with a search", proof.Searched, terminal.Count(proof.Rows, "row was", "rows were"))
	}
	fmt.Fprintf(terminal.Out, "; %s in %s, %s\n", humanize.IBytes(uint64(bytes)), terminal.Time(proof.Seconds), terminal.PerSecond(float64(bytes)/proof.Seconds))
}
