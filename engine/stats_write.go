package engine

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math"

	"ooc/engine/graph"
)

// VertexColumn is one number, or vertex, of each vertex in the tables of WriteCSV and WriteJSON.
type VertexColumn struct {
	Name   string
	Number func(v int) float64 // +Inf: infinite; nil in columns of vertices
	Vertex func(v int) int     // a row, −1: none
	Stored bool                // numbers are entries of the matrix: float32 in stores of that kind
}

// Columns are what there is of each vertex. A new one is a line here.
func (s *Stats) Columns() []VertexColumn {
	number := func(f []float64) func(int) float64 { return func(v int) float64 { return f[v] } }
	count := func(f []int32) func(int) float64 { return func(v int) float64 { return float64(f[v]) } }
	columns := []VertexColumn{
		{Name: "eccentricity", Number: number(s.Eccentricity), Stored: true},
		{Name: "longest_distance", Number: number(s.Longest), Stored: true},
		{Name: "farthest", Vertex: func(v int) int { return int(s.Farthest[v]) }},
		{Name: "descendants", Number: count(s.Descendants)},
		{Name: "ancestors", Number: count(s.Ancestors)},
		{Name: "distance_sum", Number: number(s.DistanceSum)},
		{Name: "distance_sum_in", Number: number(s.DistanceSumIn)},
		{Name: "closeness_centrality", Number: number(s.Closeness)},
		{Name: "closeness_centrality_out", Number: number(s.ClosenessOut)},
		{Name: "harmonic_centrality", Number: number(s.Harmonic)},
		{Name: "harmonic_centrality_out", Number: number(s.HarmonicOut)},
	}
	for _, w := range s.Within {
		columns = append(columns, VertexColumn{Name: "within_" + string(appendNumber(nil, w.Distance, 64)), Number: count(w.Count)})
	}
	return append(columns, s.nearestColumns()...)
}

// nearestColumns are two for each of the K nearest: the vertex and its distance.
func (s *Stats) nearestColumns() []VertexColumn {
	most := 0
	for _, list := range s.Nearest {
		most = max(most, len(list))
	}
	var columns []VertexColumn
	for k := range most {
		get := func(v int) Neighbor {
			if k < len(s.Nearest[v]) {
				return s.Nearest[v][k]
			}
			return Neighbor{-1, math.Inf(1)}
		}
		columns = append(columns,
			VertexColumn{Name: fmt.Sprintf("nearest_%d", k+1), Vertex: func(v int) int { return get(v).Row }},
			VertexColumn{Name: fmt.Sprintf("nearest_%d_distance", k+1), Number: func(v int) float64 { return get(v).Distance }, Stored: true})
	}
	return columns
}

// bits is the precision of a column's numbers.
func (s *Stats) bits(stored bool) int {
	if stored && s.Kind == "f32" {
		return 32
	}
	return 64
}

// WriteCSV writes the columns as a table (RFC 4180, but for line ends of one character) with a line of names,
// and after it one for each vertex: its id, numbers, of which infinity is inf, and ids of vertices, of which
// none is empty.
func (s *Stats) WriteCSV(w io.Writer, ids graph.IDs) error {
	out := bufio.NewWriterSize(w, 1<<16)
	columns := s.Columns()
	line := []byte("vertex")
	for _, c := range columns {
		line = append(append(line, ','), c.Name...)
	}
	for v := range s.N {
		if _, err := out.Write(append(line, '\n')); err != nil {
			return err
		}
		line = appendCell(line[:0], ids.Name(v))
		for _, c := range columns {
			line = append(line, ',')
			if c.Number != nil {
				line = appendNumber(line, c.Number(v), s.bits(c.Stored))
			} else if at := c.Vertex(v); at >= 0 {
				line = appendCell(line, ids.Name(at))
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

// entryNumber is a number that is an entry of the matrix; a rowList is one of vertices.
type (
	entryNumber float64
	rowList     []int
)

// summary is what there is of the whole graph. A new number is a line here.
func (s *Stats) summary() []summaryValue {
	return []summaryValue{
		{"n", s.N},
		{"kind", s.Kind},
		{"directed", s.Directed},
		{"connected", s.Connected},
		{"reachable_pairs", s.ReachablePairs},
		{"diameter", entryNumber(s.Diameter)},
		{"diameter_pair", rowList(s.DiameterPair[:])},
		{"radius", entryNumber(s.Radius)},
		{"radius_pair", rowList(s.RadiusPair[:])},
		{"longest_distance", entryNumber(s.LongestDistance)},
		{"longest_pair", rowList(s.LongestPair[:])},
		{"center", rowList(s.Center)},
		{"periphery", rowList(s.Periphery)},
		{"barycenter", rowList(s.Barycenter)},
		{"total_distance", s.TotalDistance},
		{"mean_distance", s.MeanDistance},
		{"average_shortest_path_length", s.AverageShortestPathLength},
		{"wiener_index", s.WienerIndex},
		{"global_efficiency", s.GlobalEfficiency},
		{"distance_histogram", s.DistanceHistogram},
		{"eccentricity_histogram", s.EccentricityHistogram},
	}
}

// WriteJSON writes one object on one line: "type": "summary", what there is of the whole graph, and in
// "vertices" an array for each column, "id" the first. Numbers that are infinite or undefined are null, ids
// are strings.
func (s *Stats) WriteJSON(w io.Writer, ids graph.IDs) error {
	out := bufio.NewWriterSize(w, 1<<16)
	text := []byte(`{"type":"summary"`)
	for _, f := range s.summary() {
		text = append(append(append(text, `,"`...), f.name...), `":`...)
		text = s.appendJSON(text, f.value, ids)
	}
	text = append(text, `,"vertices":{"id":[`...)
	id := VertexColumn{Vertex: func(v int) int { return v }}
	if err := s.writeArray(out, text, id, ids); err != nil {
		return err
	}
	for _, c := range s.Columns() {
		name, _ := json.Marshal(c.Name) // strings do not fail
		head := append(append([]byte("],"), name...), ":["...)
		if err := s.writeArray(out, head, c, ids); err != nil {
			return err
		}
	}
	if _, err := out.WriteString("]}}\n"); err != nil {
		return err
	}
	return out.Flush()
}

// writeArray writes what precedes an array, and its elements.
func (s *Stats) writeArray(out *bufio.Writer, head []byte, c VertexColumn, ids graph.IDs) error {
	text := head
	for v := range s.N {
		if v > 0 {
			text = append(text, ',')
		}
		if c.Number != nil {
			text = appendJSONNumber(text, c.Number(v), s.bits(c.Stored))
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

func (s *Stats) appendJSON(out []byte, value any, ids graph.IDs) []byte {
	switch v := value.(type) {
	case entryNumber:
		return appendJSONNumber(out, float64(v), s.bits(true))
	case float64:
		return appendJSONNumber(out, v, 64)
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
		return v.appendJSON(out)
	}
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // numbers, texts and truth values do not fail
	}
	return append(out, text...)
}

func (h *Histogram) appendJSON(out []byte) []byte {
	if h == nil {
		return append(out, "null"...)
	}
	out = append(out, `{"edges":[`...)
	for i, e := range h.Edges {
		if i > 0 {
			out = append(out, ',')
		}
		out = appendJSONNumber(out, e, 64)
	}
	counts, _ := json.Marshal(h.Counts) // integers do not fail
	return fmt.Appendf(out, `],"counts":%s,"below":%d,"above":%d}`, counts, h.Below, h.Above)
}

func appendJSONNumber(out []byte, x float64, bits int) []byte {
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return append(out, "null"...)
	}
	return appendNumber(out, x, bits)
}

func appendJSONVertex(out []byte, row int, ids graph.IDs) []byte {
	if row < 0 {
		return append(out, "null"...)
	}
	name, _ := json.Marshal(ids.Name(row)) // strings do not fail
	return append(out, name...)
}
