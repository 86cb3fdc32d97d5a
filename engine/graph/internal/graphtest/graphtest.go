// Package graphtest has what tests of several packages compare graphs with.
package graphtest

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"ooc/engine/graph"
	"ooc/kernels/entry"
)

// SameGraph fails the test if two graphs differ.
func SameGraph(t *testing.T, a, b *graph.Graph) {
	t.Helper()
	x, y := a.Facts(), b.Facts()
	for _, ids := range []*graph.IDs{&x.IDs, &y.IDs} {
		*ids = graph.IDs{Base: ids.Base, Numeric: ids.Numeric, Text: ids.Text} // without their index
	}
	if a.Digest() != b.Digest() || !reflect.DeepEqual(x, y) {
		t.Fatalf("graphs differ:\n%+v\n%+v", a, b)
	}
}

// Entries returns the graph's arcs as a matrix of stored weights by row, +Inf where there is none and 0
// on the diagonal.
func Entries(g *graph.Graph) [][]float64 {
	m := make([][]float64, g.N)
	for u := range m {
		m[u] = make([]float64, g.N)
		for v := range m[u] {
			m[u][v] = math.Inf(1)
		}
		m[u][u] = 0
		for k := g.Offsets[u]; k < g.Offsets[u+1]; k++ {
			m[u][g.Targets[k]] = g.Weight(k)
		}
	}
	return m
}

// FloydWarshall replaces m by the distances.
func FloydWarshall(m [][]float64) [][]float64 {
	for k := range m {
		for i := range m {
			for j := range m {
				m[i][j] = min(m[i][j], m[i][k]+m[k][j])
			}
		}
	}
	return m
}

// Build returns the graph of some arcs, which must be valid.
func Build(t *testing.T, n int, arcs []graph.Arc, options ...graph.BuildOption) *graph.Graph {
	t.Helper()
	b := graph.New(n, options...)
	for _, a := range arcs {
		b.Add(int(a.From), int(a.To), a.Weight)
	}
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Validate(); err != nil {
		t.Fatal(err)
	}
	return g
}

// WantError fails the test unless err wraps sentinel and its text holds all parts.
func WantError(t *testing.T, err error, sentinel error, parts ...string) {
	t.Helper()
	if !errors.Is(err, sentinel) {
		t.Fatalf("error %v does not match %v", err, sentinel)
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error %q lacks %q", err, part)
		}
	}
}

// ArcsOf prints a graph as its author would: "from>to=weight" with outside ids, by row.
func ArcsOf(g *graph.Graph) string {
	var b strings.Builder
	for u := range g.N {
		for k := g.Offsets[u]; k < g.Offsets[u+1]; k++ {
			fmt.Fprintf(&b, "%s>%s=%v ", g.Name(u), g.Name(int(g.Targets[k])), g.Weight(k))
		}
	}
	return strings.TrimSuffix(b.String(), " ")
}

// Kinds returns how many of the sentinel errors of package graph err wraps.
func Kinds(err error) (n int) {
	for _, sentinel := range []error{graph.ErrBadInput, graph.ErrNegativeCycle, graph.ErrOptions} {
		if errors.Is(err, sentinel) {
			n++
		}
	}
	return n
}

// FuzzGraph checks what holds of every graph, and of small ones that their distances are right.
func FuzzGraph(t *testing.T, g *graph.Graph) {
	low, high, negative := g.MinWeight, g.MaxWeight, g.Negative
	if err := g.Validate(); err != nil {
		t.Fatal(err)
	}
	if low != g.MinWeight || high != g.MaxWeight || negative != g.Negative {
		t.Fatalf("weights %v…%v, negative %v; not %v…%v, %v", low, high, negative, g.MinWeight, g.MaxWeight, g.Negative)
	}
	for _, row := range []int{0, g.N / 2, g.N - 1} {
		if back, ok := g.Row(g.Name(row)); !ok || back != row {
			t.Fatalf("row %d is called %q, which is row %d, %v", row, g.Name(row), back, ok)
		}
	}
	if g.N > 40 {
		return
	}
	err := g.Check(t.Context())
	m := FloydWarshall(Entries(g))
	cycle := false
	for v := range m {
		cycle = cycle || m[v][v] < 0
	}
	if !g.Kind.Float() && cycle != errors.Is(err, graph.ErrNegativeCycle) { // in floats rounding may differ
		t.Fatalf("negative cycle %v, but Check says %v", cycle, err)
	}
	if g.Kind == entry.KindU16 && g.Negative { // no solve takes it
		return
	}
	CheckTiles(t, g, 16)
	if err != nil || g.Kind.Float() {
		return
	}
	for src, row := range m {
		if got := graph.NewSearch(g).From(src); !slices.Equal(got, row) {
			t.Fatalf("distances from %d are %v, not %v", src, got, row)
		}
	}
}

// CheckTiles compares the tiles of a graph with its arcs.
func CheckTiles(t *testing.T, g *graph.Graph, edge int) {
	t.Helper()
	m, side := Entries(g), entry.CeilDiv(g.N, edge)
	for at := range side * side {
		dst := bytes.Repeat([]byte{0xAB}, g.Kind.Bytes()*edge*edge) // poison
		if err := g.FillTile(dst, edge, at/side, at%side); err != nil {
			t.Fatal(err)
		}
		var want []byte
		for u := at / side * edge; u < (at/side+1)*edge; u++ {
			row := slices.Repeat([]float64{math.Inf(1)}, side*edge)
			if row[u] = 0; u < g.N {
				copy(row, m[u])
			}
			want = g.Kind.Append(want, row[at%side*edge:][:edge])
		}
		if !bytes.Equal(dst, want) {
			t.Fatalf("tile (%d,%d) is %x, not %x", at/side, at%side, dst, want)
		}
	}
}

// WriteFile writes a file in a temporary folder and returns its path.
func WriteFile(t testing.TB, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
