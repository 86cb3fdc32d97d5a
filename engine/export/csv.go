package export

import (
	"context"
	"io"
	"math"

	"ooc/engine/text"
)

// csvFormat writes a table (RFC 4180, but for line ends of one character): the ids of the columns on the
// first line after an empty cell, and the id of each row before its distances. pandas.read_csv(FILE,
// index_col=0) reads it back.
var csvFormat = format{
	Name:  "csv",
	Title: "table with ids as the first line and the first column",
	write: func(ctx context.Context, x *extract, w io.Writer) error {
		none := math.Inf(1)
		if x.unreachable != nil {
			none = *x.unreachable
		}
		return x.writeTable(ctx, w, ',', x.text(none))
	},
}

// writeTable writes a table whose cells a byte separates.
func (x *extract) writeTable(ctx context.Context, w io.Writer, separator byte, form textForm) error {
	var head []byte
	for i := range x.cols.n {
		head = append(head, separator)
		head = text.AppendCell(head, x.colName(i))
	}
	if _, err := w.Write(append(head, '\n')); err != nil {
		return err
	}
	return x.stream(ctx, w, lines{bytes: form.bytes, encode: func(b *block) []byte {
		out := b.out[:0]
		for i := b.lo; i < b.hi; i++ {
			out = text.AppendCell(out, x.rowName(i))
			for c := range x.cols.n {
				out = form.append(append(out, separator), b.bits((i-b.lo)*x.cols.n+c))
			}
			out = append(out, '\n')
		}
		return out
	}})
}
