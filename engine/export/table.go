package export

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"ooc/engine"
)

// TableOptions say what Table writes.
type TableOptions struct {
	Rows, Cols []int // vertices, by their rows, in the order they are wanted; nil: all there are
	JSON       bool  // objects, one a line: the columns, and then each row
}

// Table writes the distances from some vertices to others to a stream, as a table whose cells tabs separate: the ids
// of the columns on the first line, and the id of each row before its distances. A pair without a path is
// "unreachable", in JSON null. Errors are those of Write.
func Table(ctx context.Context, p *engine.Problem, w io.Writer, o TableOptions) error {
	write := (*extract).tabs
	if o.JSON {
		write = (*extract).objects
	}
	_, x, err := prepare(p, Options{Format: csvFormat.Name, Rows: o.Rows, Cols: o.Cols})
	if err == nil {
		err = x.write(ctx, &format{write: func(ctx context.Context, x *extract, w io.Writer) error { return write(x, ctx, w) }}, w)
	}
	if err != nil {
		return fmt.Errorf("table: %w", err)
	}
	return nil
}

func (x *extract) tabs(ctx context.Context, w io.Writer) error {
	form := x.text(0)
	form.none = []byte("unreachable")
	return x.writeTable(ctx, w, '\t', form)
}

// objects writes the table in JSON, as docs/json.md describes it.
func (x *extract) objects(ctx context.Context, w io.Writer) error {
	head := struct {
		Type string   `json:"type"`
		To   []string `json:"to"`
	}{Type: "columns", To: make([]string, x.cols.n)}
	for c := range head.To {
		head.To[c] = x.colName(c)
	}
	if err := json.NewEncoder(w).Encode(head); err != nil {
		return err
	}
	form := x.text(0)
	form.none = []byte("null")
	return x.stream(ctx, w, lines{bytes: form.bytes, encode: func(b *block) []byte {
		out := b.out[:0]
		for i := b.lo; i < b.hi; i++ {
			name, err := json.Marshal(x.rowName(i))
			if err != nil {
				b.err = err
				return nil
			}
			out = append(append(append(out, `{"type":"row","from":`...), name...), `,"distances":[`...)
			for c := range x.cols.n {
				if c > 0 {
					out = append(out, ',')
				}
				out = form.append(out, b.bits((i-b.lo)*x.cols.n+c))
			}
			out = append(out, "]}\n"...)
		}
		return out
	}})
}
