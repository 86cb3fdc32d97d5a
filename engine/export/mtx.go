package export

import (
	"context"
	"fmt"
	"io"
)

// mtxFormat writes a dense Matrix Market array, which is column after column, an entry a line:
// https://math.nist.gov/MatrixMarket/formats.html. It is not a sparse one (coordinate): readers take
// what is missing there for zero, and hardly any pair is missing.
var mtxFormat = format{
	Name:  "mtx",
	Title: "dense Matrix Market array",
	write: func(ctx context.Context, x *extract, w io.Writer) error {
		kind, none := x.numbers()
		field := "real"
		if kind == asInt32 {
			field = "integer"
		}
		text := x.text(none)
		_, err := fmt.Fprintf(w, "%%%%MatrixMarket matrix array %s general\n%% shortest-path distances, %s where there is no path\n%d %d\n",
			field, text.none, x.rows.n, x.cols.n)
		if err != nil {
			return err
		}
		return x.stream(ctx, w, lines{columns: true, bytes: text.bytes, encode: func(b *block) []byte {
			out, width := b.out[:0], b.hi-b.lo
			for c := range width {
				for r := range x.rows.n {
					out = append(text.append(out, b.bits(r*width+c)), '\n')
				}
			}
			return out
		}})
	},
}
