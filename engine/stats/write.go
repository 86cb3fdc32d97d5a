package stats

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"

	"ooc/engine/graph"
	"ooc/engine/text"
)

// Column is one number, or vertex, of each vertex in the tables of WriteCSV and WriteJSON.
type Column struct {
	Name   string
	Number func(v int) float64 // +Inf: infinite; nil in columns of vertices
	Vertex func(v int) int     // a row, −1: none
	Rows   bool                // it is of rows: empty, in JSON null, for vertices without one
	Stored bool                // numbers are entries of the matrix: float32 in stores of that kind
}

// format is how a column's numbers are written.
func (r *Result) format(stored bool) text.Numbers {
	if stored {
		return r.numbers
	}
	return text.Float64
}

// WriteCSV writes the columns as a table (RFC 4180, but for line ends of one character) with a line of names,
// and after it one for each vertex: its id, numbers, of which infinity is inf, and ids of vertices, of which
// none is empty.
func (r *Result) WriteCSV(w io.Writer, ids graph.IDs) error {
	out := bufio.NewWriterSize(w, 1<<16)
	columns := r.Columns()
	line := []byte("vertex")
	for _, c := range columns {
		line = append(append(line, ','), c.Name...)
	}
	for v := range r.N {
		if _, err := out.Write(append(line, '\n')); err != nil {
			return err
		}
		line = text.AppendCell(line[:0], ids.Name(v))
		for _, c := range columns {
			line = append(line, ',')
			if c.Rows && !r.has(v) {
				continue
			}
			if c.Number != nil {
				line = r.format(c.Stored).Append(line, c.Number(v))
			} else if at := c.Vertex(v); at >= 0 {
				line = text.AppendCell(line, ids.Name(at))
			}
		}
	}
	if _, err := out.Write(append(line, '\n')); err != nil {
		return err
	}
	return out.Flush()
}

// summaryValue is one number, or more, of the whole graph in WriteJSON.
type summaryValue struct {
	name  string
	value any // what appendJSON knows
}

type (
	// entryNumber is a number that is an entry of the matrix.
	entryNumber float64
	// rowList is a list of vertices.
	rowList []int
)

// WriteJSON writes one object on one line: "type": "summary", what there is of the whole graph, and in
// "vertices" an array for each column, "id" the first. Numbers that are infinite or undefined are null, ids
// are strings.
func (r *Result) WriteJSON(w io.Writer, ids graph.IDs) error {
	out := bufio.NewWriterSize(w, 1<<16)
	text := []byte(`{"type":"summary"`)
	for _, f := range r.summary() {
		text = append(append(append(text, `,"`...), f.name...), `":`...)
		text = r.appendJSON(text, f.value, ids)
	}
	text = append(text, `,"vertices":{"id":[`...)
	id := Column{Vertex: func(v int) int { return v }}
	if err := r.writeArray(out, text, id, ids); err != nil {
		return err
	}
	for _, c := range r.Columns() {
		name, _ := json.Marshal(c.Name) // strings do not fail
		head := append(append([]byte("],"), name...), ":["...)
		if err := r.writeArray(out, head, c, ids); err != nil {
			return err
		}
	}
	if _, err := out.WriteString("]}}\n"); err != nil {
		return err
	}
	return out.Flush()
}

// writeArray writes what precedes an array, and its elements.
func (r *Result) writeArray(out *bufio.Writer, head []byte, c Column, ids graph.IDs) error {
	text := head
	for v := range r.N {
		if v > 0 {
			text = append(text, ',')
		}
		if c.Rows && !r.has(v) {
			text = append(text, "null"...)
		} else if c.Number != nil {
			text = append(text, r.format(c.Stored).JSON(c.Number(v))...)
		} else {
			text = appendJSONVertex(text, c.Vertex(v), ids)
		}
		if _, err := out.Write(text); err != nil {
			return err
		}
		text = text[:0]
	}
	return nil
}

func (r *Result) appendJSON(out []byte, value any, ids graph.IDs) []byte {
	switch v := value.(type) {
	case entryNumber:
		return append(out, r.numbers.JSON(float64(v))...)
	case float64:
		return append(out, text.Float64.JSON(v)...)
	case rowList:
		out = append(out, '[')
		for i, at := range v {
			if i > 0 {
				out = append(out, ',')
			}
			out = appendJSONVertex(out, at, ids)
		}
		return append(out, ']')
	case *Histogram:
		return v.appendJSON(out, r.numbers)
	}
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // numbers, texts and truth values do not fail
	}
	return append(out, text...)
}

func (h *Histogram) appendJSON(out []byte, number text.Numbers) []byte {
	if h == nil {
		return append(out, "null"...)
	}
	edges := make([]json.RawMessage, len(h.Edges))
	for i, e := range h.Edges {
		edges[i] = number.JSON(e)
	}
	lists, _ := json.Marshal(edges) // numbers do not fail
	counts, _ := json.Marshal(h.Counts)
	return fmt.Appendf(out, `{"edges":%s,"counts":%s,"below":%d,"above":%d}`, lists, counts, h.Below, h.Above)
}

func appendJSONVertex(out []byte, row int, ids graph.IDs) []byte {
	if row < 0 {
		return append(out, "null"...)
	}
	name, _ := json.Marshal(ids.Name(row)) // strings do not fail
	return append(out, name...)
}
