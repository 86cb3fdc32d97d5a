package graph

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"ooc/engine/internal/seeds"
)

var fresh = seeds.New

// readBoth reads text as a file and as a stream, and line by line where the others may read ahead. All must
// agree, to the line of an error.
func readBoth(t *testing.T, name, text string, o Options) (*Graph, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	file, _, err := ReadFile(path, o)
	stream, errStream := Read(strings.NewReader(text), path, o)
	lines, errLines := readCarefully(path, text, o)
	if fmt.Sprint(err) != fmt.Sprint(errStream) || fmt.Sprint(err) != fmt.Sprint(errLines) {
		t.Fatalf("file: %v; stream: %v; line by line: %v", err, errStream, errLines)
	}
	if err != nil {
		return nil, err
	}
	sameGraph(t, file, stream)
	sameGraph(t, file, lines)
	if err := file.Validate(); err != nil {
		t.Fatal(err)
	}
	return file, nil
}

// readCarefully takes the slow way for every line.
func readCarefully(name, text string, o Options) (*Graph, error) {
	if detectNPY([]byte(text)) == Yes || o.Format == npy.Name { // which has no lines
		return Read(strings.NewReader(text), name, o)
	}
	return (&input{name: name, options: o, stored: strings.NewReader(text), careful: true}).collect()
}

func sameGraph(t *testing.T, a, b *Graph) {
	t.Helper()
	x, y := *a, *b
	x.file, y.file = "", ""
	x.IDs.index, y.IDs.index = nil, nil
	same := slices.Equal(x.Offsets, y.Offsets) && slices.Equal(x.Targets, y.Targets)
	x.Offsets, x.Targets, y.Offsets, y.Targets = nil, nil, nil, nil
	if !same || !reflect.DeepEqual(x, y) {
		t.Fatalf("graphs differ:\n%+v\n%+v", x, y)
	}
}

// entries returns the graph's arcs as a matrix of stored weights by row, +Inf where there is none and 0
// on the diagonal.
func entries(g *Graph) [][]float64 {
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

// floydWarshall replaces m by the distances.
func floydWarshall(m [][]float64) [][]float64 {
	for k := range m {
		for i := range m {
			for j := range m {
				m[i][j] = min(m[i][j], m[i][k]+m[k][j])
			}
		}
	}
	return m
}

// randomArcs draws arcs that may be parallel or self-loops.
func randomArcs(r *rand.Rand, n, m int, weight func() float64) []Arc {
	arcs := make([]Arc, m)
	for i := range arcs {
		arcs[i] = Arc{int32(r.IntN(n)), int32(r.IntN(n)), weight()}
	}
	return arcs
}

func build(t *testing.T, n int, arcs []Arc, options ...BuildOption) *Graph {
	t.Helper()
	b := New(n, options...)
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

func wantError(t *testing.T, err error, sentinel error, parts ...string) {
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

func ptr[T any](x T) *T { return &x }
