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
	_, x, err := prepare(p, Options{Format: csvFormat.Name, Rows: o.Rows, Cols: o.Cols})
	if err == nil {
		write := tabs
		if o.JSON {
			write = objects
		}
		err = x.write(ctx, &format{write: write}, w)
	}
	if err != nil {
		return fmt.Errorf("table: %w", err)
	}
	return nil
}

func tabs(ctx context.Context, x *extract, w io.Writer) error {
	return x.writeTable(ctx, w, '\t', []byte("unreachable"))
}

// objects writes the table in JSON, as docs/json.md describes it.
func objects(ctx context.Context, x *extract, w io.Writer) error {
	to := make([]string, x.cols.n)
	for c := range to {
		to[c] = x.colName(c)
	}
	start := func(out []byte, i int) []byte {
		return fmt.Appendf(out, `{"type":"row","from":%s,"distances":[`, inJSON(x.rowName(i)))
	}
	head := fmt.Appendf(nil, `{"type":"columns","to":%s}`+"\n", inJSON(to))
	return x.writeText(ctx, w, head, layout{none: []byte("null"), start: start, between: ',', end: "]}\n"})
}

// inJSON is for ids, which it never fails for.
func inJSON[T string | []string](ids T) []byte {
	text, _ := json.Marshal(ids)
	return text
}
