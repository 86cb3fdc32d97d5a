package stats

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"ooc/engine/between"
	"ooc/engine/graph"
	"ooc/engine/internal/enginetest"
	"ooc/engine/internal/seeds"
)

// randomValues picks what to add up, of n vertices. No distance is as far as a limit, but for rounding.
func randomValues(r *rand.Rand, n int) Options {
	o := Options{Values: make([]float64, n)}
	for i := range o.Values {
		o.Values[i] = float64(r.IntN(1000) - 100)
	}
	for range r.IntN(4) {
		o.Within = append(o.Within, []float64{float64(r.IntN(300)), 900, -1, math.Inf(1)}[r.IntN(4)]+0.0123)
	}
	if form := r.IntN(len(decays) + 1); form < len(decays) || len(o.Within) == 0 {
		d := decays[form%len(decays)]
		o.Decay = decay{d.name, map[string]float64{"exp": 0.01, "linear": 250.5, "gaussian": 70}[d.name]}
	}
	return o
}

// plainSums adds up by the definition, in the order of the vertices.
func plainSums(d [][]float64, o Options, within float64) []float64 {
	sums := make([]float64, len(d))
	for v := range d {
		for u, x := range d[v] {
			if math.IsInf(x, 1) || x > within {
				continue
			}
			counts := o.Values[u]
			switch o.Decay.Form {
			case "exp":
				counts *= math.Exp(-o.Decay.By * x)
			case "linear":
				counts *= max(0, 1-x/o.Decay.By)
			case "gaussian":
				counts *= math.Exp(-(x / o.Decay.By) * (x / o.Decay.By) / 2)
			}
			sums[v] += counts
		}
	}
	return sums
}

// TestSumsOfValues compares sums of a graph and of its store with plain loops. Where distances are exact, and come in
// the order of the vertices, so are sums.
func TestSumsOfValues(t *testing.T) {
	r := seeds.New(t)
	for round := range 3 {
		for _, c := range statsCases {
			n := 1 + r.IntN([]int{3, 60, 300}[r.IntN(3)])
			t.Run(fmt.Sprintf("%d/%+v/n=%d", round, c, n), func(t *testing.T) {
				g, o := c.build(t, r, n), GraphOptions{Options: randomValues(r, n)}
				p := enginetest.Create(t, g, 64)
				enginetest.Solve(t, p, enginetest.RandomShape(r, n, 64).Of(c.kind).Options(t))
				d := matrixOf(t, p)
				if r.IntN(2) == 0 {
					o.Sources = someRows(r, n)
				}
				ofStore, ofGraph := mustStats(t, p, o.Options), ofGraph(t, g, o)
				if len(ofGraph.Sums) != max(1, len(o.Within)) || len(ofGraph.Within) != len(o.Within) {
					t.Fatalf("%d sums and %d counts for %v", len(ofGraph.Sums), len(ofGraph.Within), o.Within)
				}
				for i, sum := range ofGraph.Sums {
					want := plainSums(d, o.Options, sum.Distance)
					for v := range n {
						// Unless searches find what is near, columns are in the order of an engine.
						exact := map[*Result]bool{ofStore: true, ofGraph: !c.kind.Float() && o.bounded()}
						for of, exact := range exact {
							w := want[v]
							if !of.has(v) {
								w = 0
							}
							if got := of.Sums[i].Sum[v]; exact && got != w || math.Abs(got-w) > 1e-3*(1+math.Abs(w)) {
								t.Fatalf("%+v: sum %d of vertex %d is %v, want %v", o.Decay, i, v, got, w)
							}
						}
					}
				}
				for i, w := range ofGraph.Within {
					for v := range ofGraph.Rows() {
						if w.Count[v] != ofStore.Within[i].Count[v] {
							t.Fatalf("%d others within %v of %d, of the store %d", w.Count[v], w.Distance, v,
								ofStore.Within[i].Count[v])
						}
					}
				}
			})
		}
	}
}

// TestSumsOfValuesGoOn demands the same bits of stopped runs, and of any number of processors; and other values begin
// another file.
func TestSumsOfValuesGoOn(t *testing.T) {
	r := seeds.New(t)
	for _, c := range statsCases[:5] {
		g := c.build(t, r, 700)
		o := GraphOptions{Options: randomValues(r, g.N)}
		o.Within = []float64{90, 250}
		resumes(t, r, g, o)
		var want []byte
		for _, threads := range []int{1, 3} {
			was := runtime.GOMAXPROCS(threads)
			got := asJSON(t, ofGraph(t, g, o))
			runtime.GOMAXPROCS(was)
			if want == nil {
				want = got
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%d threads give another result", threads)
			}
		}
		o.File = t.TempDir() + "/g.stats"
		interruptedFile(t, g, o)
		for flag, change := range map[string]func(o *GraphOptions){
			"--values": func(o *GraphOptions) { o.Values = append([]float64{o.Values[0] + 1}, o.Values[1:]...) },
			"--decay":  func(o *GraphOptions) { o.Decay = decay{"exp", 5} },
		} {
			other := o
			change(&other)
			_, _, err := OfGraph(t.Context(), g, other)
			if err == nil || !strings.Contains(err.Error(), "other "+flag) {
				t.Errorf("%v, want other %s", err, flag)
			}
		}
		ofGraph(t, g, o)
	}
}

// TestDecays reads what it writes, and refuses all else.
func TestDecays(t *testing.T) {
	for _, word := range []string{"", "exp:0.001", "linear:3600", "gaussian:1e+30"} {
		if d, err := ParseDecay(word); err != nil || d.String() != word {
			t.Errorf("%q: %v, %v", word, d, err)
		}
	}
	for _, word := range []string{"exp", "exp:", "exp:0", "exp:-1", "exp:nan", "linear:inf", "square:2", ":1",
		"exp:1:2"} {
		if d, err := ParseDecay(word); err == nil {
			t.Errorf("%q: %v", word, d)
		}
	}
}

// TestSumsOfValuesAlone wants no other statistic beside them, in text, CSV and JSON.
func TestSumsOfValuesAlone(t *testing.T) {
	g, err := graph.New(3).Add(0, 1, 4).Add(1, 2, 3).Build()
	if err != nil {
		t.Fatal(err)
	}
	s := ofGraph(t, g, GraphOptions{Options: Options{Values: []float64{1, 10, 100}, Within: []float64{4, math.Inf(1)}}})
	var text, csv bytes.Buffer
	if err := s.WriteText(&text, "g", g.IDs); err != nil {
		t.Fatal(err)
	}
	if err := s.WriteCSV(&csv, g.IDs); err != nil {
		t.Fatal(err)
	}
	const table = "vertex,within_4,within_inf,sum_within_4,sum\n0,1,2,11,111\n1,1,1,110,110\n2,0,0,100,100\n"
	if csv.String() != table {
		t.Error(csv.String())
	}
	if got := text.String(); strings.Count(got, "\n") != 5 || !strings.Contains(got,
		"sum in 4     73.6667 on average, at most 110 at 1\n") {
		t.Error(got)
	}
	object := string(asJSON(t, s))
	if want := `{"type":"summary","n":3,"rows":3,"kind":"i32","directed":true,"vertices":{"id":["0","1","2"],` +
		`"within_4":[1,1,0],"within_inf":[2,1,0],"sum_within_4":[11,110,100],"sum":[111,110,100]}}` +
		"\n"; object != want {
		t.Error(object)
	}
	if o := (Options{Values: []float64{1}, Bins: 3}); o.Check(1) == nil {
		t.Error("bins beside values are taken")
	}
	o := GraphOptions{Options: Options{Values: []float64{1, 2, 3}}, Betweenness: between.Question{Edges: true},
		File: filepath.Join(t.TempDir(), "g.stats")}
	if _, _, err := OfGraph(t.Context(), g, o); !errors.Is(err, errOptions) {
		t.Error("betweenness beside values is taken:", err)
	}
}
