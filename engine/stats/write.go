package stats

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"

	"ooc/engine/graph"
	"ooc/engine/internal/parallel"
	"ooc/engine/text"
	"ooc/kernels/entry"
)

// column is one number, or vertex, of each vertex in the tables of WriteCSV and WriteJSON.
type column struct {
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
	return text.Numbers{}
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
	if _, err := out.Write(append(line, '\n')); err != nil {
		return err
	}
	err := r.each(out, func(line []byte, v int) []byte {
		line = text.AppendCell(line, ids.Name(v))
		for _, c := range columns {
			line = append(line, ',')
			if c.Rows && !r.has(v) {
				continue
			}
			if c.Number != nil {
				if math.IsNaN(c.Number(v)) {
					continue
				}
				line = r.format(c.Stored).Append(line, c.Number(v))
			} else if at := c.Vertex(v); at >= 0 {
				line = text.AppendCell(line, ids.Name(at))
			}
		}
		return append(line, '\n')
	})
	return cmp.Or(err, out.Flush())
}

// pieceVertices is how many vertices a goroutine makes text of at a time.
const pieceVertices = 1 << 12

// each writes what is appended for each vertex.
func (r *Result) each(out *bufio.Writer, appendTo func(text []byte, v int) []byte) error {
	pieces := entry.CeilDiv(r.N, pieceVertices)
	return parallel.Ordered(context.Background(), pieces, pieces, func(i int) (text []byte, err error) {
		for v := i * pieceVertices; v < min(r.N, (i+1)*pieceVertices); v++ {
			text = appendTo(text, v)
		}
		return text, nil
	}, func(text []byte) error {
		_, err := out.Write(text)
		return err
	})
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

// WriteJSON writes one object on one line: "type": "summary", what there is of the whole graph, in "vertices" an array
// for each column, "id" the first, and "edges", arrays of the betweenness of edges, or null. Numbers that are infinite
// or undefined are null, ids are strings.
func (r *Result) WriteJSON(w io.Writer, ids graph.IDs) error {
	out := bufio.NewWriterSize(w, 1<<16)
	text := []byte(`{"type":"summary"`)
	for _, f := range r.summary() {
		text = append(append(append(text, `,"`...), f.name...), `":`...)
		text = r.appendJSON(text, f.value, ids)
	}
	text = append(text, `,"vertices":{"id":[`...)
	id := column{Vertex: func(v int) int { return v }}
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
	_, err := out.WriteString("]}")
	if err == nil && r.Sums == nil { // sums of values come alone
		err = r.Between.writeEdges(out, ids)
	}
	if err == nil {
		_, err = out.WriteString("}\n")
	}
	if err != nil {
		return err
	}
	return out.Flush()
}

// writeArray writes what precedes an array, and its elements.
func (r *Result) writeArray(out *bufio.Writer, head []byte, c column, ids graph.IDs) error {
	if _, err := out.Write(head); err != nil {
		return err
	}
	return r.each(out, func(text []byte, v int) []byte {
		if v > 0 {
			text = append(text, ',')
		}
		switch {
		case c.Rows && !r.has(v):
			return append(text, "null"...)
		case c.Number != nil:
			return append(text, r.format(c.Stored).JSON(c.Number(v))...)
		}
		return appendJSONVertex(text, c.Vertex(v), ids)
	})
}

func (r *Result) appendJSON(out []byte, value any, ids graph.IDs) []byte {
	switch v := value.(type) {
	case entryNumber:
		return append(out, r.numbers.JSON(float64(v))...)
	case float64:
		return append(out, text.Numbers{}.JSON(v)...)
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
