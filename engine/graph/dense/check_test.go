package dense

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"ooc/engine/graph"
	"ooc/engine/graph/internal/graphtest"
	"ooc/engine/internal/seeds"
	"ooc/kernels/entry"
)

// checkMatrix opens a matrix and checks it.
func checkMatrix(path string, o Options) error {
	if o.NoArc == "" {
		o.NoArc = "inf"
	}
	d, err := openDense(path, o)
	if err != nil {
		return err
	}
	return errors.Join(d.Check(context.Background()), d.Close())
}

// TestDenseNegative compares what is said of matrices with negative entries with Floyd and Warshall's answer.
func TestDenseNegative(t *testing.T) {
	r := seeds.New(t)
	cycles := 0
	for range 120 {
		n := 1 + r.IntN(60)
		a := &array{n: n, code: []string{"f8", "i4", "f4", "i8"}[r.IntN(4)], version: 1, fortran: r.IntN(2) == 0,
			values: make([]float64, n*n)}
		potential := make([]int, n)
		for v := range potential {
			potential[v] = r.IntN(100)
		}
		slack, density := r.IntN(30)-2, r.Float64()
		for k := range a.values {
			a.values[k] = 1e6
			if u, v := k/n, k%n; u != v && r.Float64() < density {
				a.values[k] = float64(max(slack, 0) + r.IntN(20) + potential[u] - potential[v])
				if slack < 0 && r.IntN(n*n) < 3 {
					a.values[k] -= 25
				}
			}
		}
		if a.code == "f4" { // fractions, some of which float32 rounds
			for k := range a.values {
				if a.values[k] != 1e6 {
					a.values[k] = float64(float32(a.values[k] + 0.375))
				}
			}
		}
		o := Options{NoArc: "1000000"}
		err := checkMatrix(a.write(t), o)
		g := a.built(t, 1e6)
		m := graphtest.FloydWarshall(graphtest.Entries(g))
		cycle := false
		for v := range m {
			cycle = cycle || m[v][v] < 0
		}
		if cycle != errors.Is(err, graph.ErrNegativeCycle) || !cycle && err != nil {
			t.Fatalf("n=%d %+v: negative cycle %v, but Check says %v", n, a, cycle, err)
		}
		if cycle {
			cycles++
			realCycle(t, g, err)
		}
	}
	if cycles == 0 || cycles == 120 {
		t.Errorf("%d of 120 have a negative cycle: the test shows nothing", cycles)
	}
}

// TestDenseCycleOfF64 has a cycle so long that sums reach -Inf before there are as many gains as vertices.
func TestDenseCycleOfF64(t *testing.T) {
	const n = 50
	for _, w := range []float64{-4e307, -8e307} {
		a := &array{n: n, code: "f8", version: 1, values: make([]float64, n*n)}
		for k := range a.values {
			a.values[k] = 1
		}
		a.values[1], a.values[n] = w, w // from 0 to 1, and back
		err := checkMatrix(a.write(t), Options{NoArc: "1", Kind: entry.KindF64})
		graphtest.WantError(t, err, graph.ErrNegativeCycle, "0 → 1 → 0")
	}
}

// realCycle follows the cycle of an error in the graph.
func realCycle(t *testing.T, g *graph.Graph, err error) {
	t.Helper()
	var e *graph.NegativeCycleError
	errors.As(err, &e)
	sum := 0.0
	for i, name := range e.Cycle {
		u, _ := g.Row(name)
		v, _ := g.Row(e.Cycle[(i+1)%len(e.Cycle)])
		k := g.Find(u, v)
		if k < 0 {
			t.Fatalf("%v: there is no arc from %d to %d", err, u, v)
		}
		sum += g.Weight(k)
	}
	if math.Abs(sum-e.Length) > 1e-9 || sum >= 0 {
		t.Fatalf("%v: the cycle's length is %v", err, sum)
	}
}

// TestDenseRange has weights so large that only the search from and to roots shows that distances fit.
func TestDenseRange(t *testing.T) {
	r := seeds.New(t)
	const large = 300_000_000 // three of them still fit
	for range 20 {
		n := 10 + r.IntN(40)
		a := &array{n: n, code: "i4", version: 1, fortran: r.IntN(2) == 0, values: make([]float64, n*n)}
		for k := range a.values {
			a.values[k] = float64(large - r.IntN(1000))
		}
		path := a.write(t)
		if err := checkMatrix(path, Options{}); err != nil {
			t.Fatal(err)
		}

		// Two parts, and a vertex alone.
		half := n / 2
		for k := range a.values {
			if u, v := k/n, k%n; u < half != (v < half) || u == n-1 || v == n-1 {
				a.values[k] = -1
			}
		}
		if err := checkMatrix(a.write(t), Options{NoArc: "-1"}); err != nil {
			t.Fatal(err)
		}

		// A ring is too long; i32 says so, f32 takes it.
		for k := range a.values {
			a.values[k] = -1
			if k%n == (k/n+1)%n {
				a.values[k] = large
			}
		}
		path = a.write(t)
		graphtest.WantError(t, checkMatrix(path, Options{NoArc: "-1"}), graph.ErrBadInput, "--kind f64")
		if err := checkMatrix(path, Options{NoArc: "-1", Kind: entry.KindF32}); err != nil {
			t.Fatal(err)
		}
	}
}

// TestDenseFewLargeRows passes by the sum of the largest weights of rows.
func TestDenseFewLargeRows(t *testing.T) {
	a := &array{n: 50, code: "i4", version: 1, values: make([]float64, 50*50)}
	a.values[3] = 1e9 // no search either: there are no other arcs back
	if err := checkMatrix(a.write(t), Options{}); err != nil {
		t.Fatal(err)
	}
	a.values[2], a.values[3] = -1, 6e8 // with negative arcs less is allowed
	graphtest.WantError(t, checkMatrix(a.write(t), Options{}), graph.ErrNegativeCycle)
	a.values[2*50] = 1
	graphtest.WantError(t, checkMatrix(a.write(t), Options{}), graph.ErrNegativeCycle)
	for u := range 50 {
		for v := range 50 {
			a.values[u*50+v] = 7 // no arc
		}
	}
	a.values[2], a.values[3] = -1, 6e8
	graphtest.WantError(t, checkMatrix(a.write(t), Options{NoArc: "7"}), graph.ErrBadInput, "600000000", "530554783")
}

// TestDenseUndirected takes symmetric matrices only.
func TestDenseUndirected(t *testing.T) {
	r := seeds.New(t)
	no := false
	for range 20 {
		n := 2 + r.IntN(150)
		a := &array{n: n, code: "f4", version: 1, fortran: r.IntN(2) == 0, values: make([]float64, n*n)}
		for u := range n {
			for v := range u + 1 {
				a.values[u*n+v] = float64(r.IntN(9))
				a.values[v*n+u] = a.values[u*n+v]
			}
		}
		d := openMatrix(t, a.write(t), Options{Directed: &no})
		g, err := d.Graph()
		if err != nil {
			t.Fatal(err)
		}
		if err := g.Validate(); err != nil || g.Directed {
			t.Fatalf("%v, directed %v", err, g.Directed)
		}
		u, v := r.IntN(n), r.IntN(n-1)
		if v >= u {
			v++
		}
		a.values[u*n+v] = 20.5
		graphtest.WantError(t, checkMatrix(a.write(t), Options{Directed: &no}), graph.ErrBadInput, "not symmetric",
			"has 20.5")
		a.values[u*n+v] = -3
		a.values[v*n+u] = -3
		err = checkMatrix(a.write(t), Options{Directed: &no})
		var e *graph.NegativeCycleError
		if !errors.As(err, &e) || len(e.Cycle) != 2 || e.Length != -6 {
			t.Fatalf("%v", err)
		}
	}
}

// TestDenseSearch compares searches along lines with Floyd and Warshall's distances.
func TestDenseSearch(t *testing.T) {
	r := seeds.New(t)
	for range 30 {
		n := 1 + r.IntN(60)
		a := searchable(r, n)
		g := a.built(t, math.Inf(1))
		want := graphtest.FloydWarshall(graphtest.Entries(g))
		d := openMatrix(t, a.write(t), Options{})
		var potential []float64
		if d.Facts().Negative {
			var err error
			if potential, err = d.Potentials(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		s := d.NewSearch(potential)
		for u := range n {
			got, err := s.From(u)
			if err != nil {
				t.Fatal(err)
			}
			for v := range n {
				ref := want[u][v]
				if d.ByColumn() {
					ref = want[v][u]
				}
				if got[v] != ref {
					t.Fatalf("%+v: from %d to %d it is %v, not %v", a, u, v, got[v], ref)
				}
				if arcs, magnitude := s.Path(v); !math.IsInf(ref, 1) &&
					(magnitude < math.Abs(ref) || arcs >= n || arcs == 0 && u != v) {
					t.Fatalf("a path of %d arcs and magnitude %v for the distance %v", arcs, magnitude, ref)
				}
			}
		}
	}
}

// searchable draws a matrix without negative cycles, often with negative entries.
func searchable(r *rand.Rand, n int) *array {
	a := &array{n: n, code: "f8", version: 1, fortran: r.IntN(2) == 0, values: make([]float64, n*n)}
	lift, density := r.IntN(2)*50, r.Float64()
	potential := make([]int, n)
	for v := range potential {
		potential[v] = r.IntN(lift + 1)
	}
	for k := range a.values {
		a.values[k] = math.Inf(1)
		if r.Float64() < density && k/n != k%n {
			a.values[k] = float64(r.IntN(50) + potential[k/n] - potential[k%n])
		}
	}
	return a
}
