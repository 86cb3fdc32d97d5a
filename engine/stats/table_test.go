package stats

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"ooc/engine/graph"
	"ooc/engine/internal/enginetest"
	"ooc/engine/internal/seeds"
)

// TestLineInTable adds a statistic as docs/add-a-statistic.md says, and wants it wherever statistics are shown.
func TestLineInTable(t *testing.T) {
	was := statistics
	defer func() { statistics = was }()
	statistics = append(slices.Clip(statistics), perVertex("mean_distance_out", func(r *Result) []float64 {
		means := make([]float64, r.N)
		for v, sum := range r.DistanceSum {
			means[v] = sum / float64(max(r.Descendants[v], 1))
		}
		return means
	}))
	g, err := graph.New(3).Add(0, 1, 4).Add(1, 2, 3).Build()
	if err != nil {
		t.Fatal(err)
	}
	s := mustStats(t, enginetest.Solved(t, seeds.New(t), g), Options{})
	if got := s.More["mean_distance_out"]; !slices.Equal(got, []float64{5.5, 3, 0}) {
		t.Errorf("%v", got)
	}
	var table, object bytes.Buffer
	if err := errors.Join(s.WriteCSV(&table, graph.IDs{}), s.WriteJSON(&object, graph.IDs{})); err != nil {
		t.Fatal(err)
	}
	if lines := strings.Split(table.String(), "\n"); !strings.HasSuffix(lines[0], ",mean_distance_out") ||
		!strings.HasSuffix(lines[1], ",5.5") {
		t.Errorf("%s", table.String())
	}
	if !strings.Contains(object.String(), `"mean_distance_out":[5.5,3,0]`) {
		t.Errorf("%s", object.String())
	}
}

// TestNames wants no two columns, and no two keys, of one name.
func TestNames(t *testing.T) {
	seen := map[string]bool{}
	s := &Result{Within: []withinDistance{{Distance: 1}}, Nearest: [][]neighbor{{{Row: 0}}}}
	for _, c := range s.Columns() {
		if seen[c.Name] || (c.Number == nil) == (c.Vertex == nil) {
			t.Errorf("column %s", c.Name)
		}
		seen[c.Name] = true
	}
	clear(seen)
	for _, v := range s.summary() {
		if seen[v.name] {
			t.Errorf("key %s", v.name)
		}
		seen[v.name] = true
	}
}
