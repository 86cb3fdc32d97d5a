package export

import (
	"context"
	"fmt"
	"io"

	"ooc/engine/text"
	"ooc/kernels/entry"
)

// mtxFormat writes a dense Matrix Market array, which is column after column, an entry a line:
// https://math.nist.gov/MatrixMarket/formats.html. It is not a sparse one (coordinate): readers take
// what is missing there for zero, and hardly any pair is missing.
var mtxFormat = format{
	Name:  "mtx",
	Title: "dense Matrix Market array",
	write: func(ctx context.Context, x *extract, w io.Writer) error {
		kind, number := x.numbers()
		field := "real"
		if kind == entry.KindI32 {
			field = "integer"
		}
		none := text.Numbers{}.Append(nil, number)
		head := fmt.Appendf(nil, "%%%%MatrixMarket matrix array %s general\n"+
			"%% shortest-path distances, %s where there is no path\n%d %d\n", field, none, x.rows.n, x.cols.n)
		return x.writeText(ctx, w, head, layout{columns: true, none: none, between: '\n', end: "\n"})
	},
}
