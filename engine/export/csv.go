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
		if x.Unreachable != nil {
			none = *x.Unreachable
		}
		return x.writeTable(ctx, w, ',', text.Numbers{}.Append(nil, none))
	},
}

// writeTable writes a table whose cells a byte separates.
func (x *extract) writeTable(ctx context.Context, w io.Writer, separator byte, none []byte) error {
	var head []byte
	for i := range x.cols.n {
		head = append(head, separator)
		head = text.AppendCell(head, x.colName(i))
	}
	start := func(out []byte, i int) []byte { return append(text.AppendCell(out, x.rowName(i)), separator) }
	return x.writeText(ctx, w, append(head, '\n'), layout{none: none, start: start, between: separator, end: "\n"})
}
