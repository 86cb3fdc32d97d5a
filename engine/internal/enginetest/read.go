package enginetest

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"ooc/engine/graph"
)

// Table is an export that was read back.
type Table struct {
	Element    string // of .npy and .mtx: "<i4", "integer", …
	Rows, Cols []string
	Values     [][]float64
}

// ParseNPY reads a 2-D NumPy array of i4, f4 or f8.
func ParseNPY(t *testing.T, data []byte) Table {
	t.Helper()
	head := int(binary.LittleEndian.Uint16(data[8:])) + 10
	if head%64 != 0 || string(data[:8]) != "\x93NUMPY\x01\x00" || data[head-1] != '\n' {
		t.Fatalf("header %q", data[:head])
	}
	var rows, cols int
	out := Table{Element: string(data[21:24])}
	if _, err := fmt.Sscanf(strings.ReplaceAll(string(data[10:head]), "'", ""), "{descr: "+out.Element+
		", fortran_order: False, shape: (%d, %d), }", &rows, &cols); err != nil {
		t.Fatalf("header %q: %v", data[:head], err)
	}
	size := int(out.Element[2] - '0')
	data = data[head:]
	if len(data) != rows*cols*size {
		t.Fatalf("%d bytes for %d×%d elements %s", len(data), rows, cols, out.Element)
	}
	for range rows {
		var line []float64
		for range cols {
			switch out.Element {
			case "<i4":
				line = append(line, float64(int32(binary.LittleEndian.Uint32(data))))
			case "<f4":
				line = append(line, float64(math.Float32frombits(binary.LittleEndian.Uint32(data))))
			case "<f8":
				line = append(line, math.Float64frombits(binary.LittleEndian.Uint64(data)))
			}
			data = data[size:]
		}
		out.Values = append(out.Values, line)
	}
	return out
}

// CheckTree follows every predecessor of a row back to its source.
func CheckTree(t *testing.T, g *graph.Graph, source int, pred, dist []float64, none float64) {
	t.Helper()
	for v := range pred {
		if (v == source || math.IsInf(dist[v], 1)) != (pred[v] == none) {
			t.Fatalf("from %d: predecessor of %d is %v, distance %v", source, v, pred[v], dist[v])
		}
		if pred[v] == none {
			continue
		}
		length, magnitude, arcs := 0.0, 0.0, 0
		for x := v; x != source; arcs++ {
			if arcs > g.N || pred[x] == none {
				t.Fatalf("from %d: the predecessors of %d do not lead back", source, v)
			}
			k := g.Find(int(pred[x]), x)
			if k < 0 {
				t.Fatalf("from %d: no arc from %v to %d", source, pred[x], x)
			}
			length += g.Weight(k)
			magnitude += math.Abs(g.Weight(k))
			x = int(pred[x])
		}
		if allowed := g.Kind.AllowedRounding(arcs, magnitude); math.Abs(length-dist[v]) > allowed {
			t.Fatalf("from %d to %d: length %v, distance %v", source, v, length, dist[v])
		}
	}
}
