package graph_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"ooc/engine/graph"
	"ooc/engine/graph/internal/graphtest"
	"ooc/engine/internal/seeds"
	"ooc/kernels/entry"
)

func TestBuilder(t *testing.T) {
	g, err := graph.New(3, graph.Directed).Add(0, 1, 2.5).Add(1, 2, 1).Add(2, 1, math.Inf(1)).Add(1, 2, 0.5).Add(1, 1,
		3).Build()
	if err != nil {
		t.Fatal(err)
	}
	if graphtest.ArcsOf(g) != "0>1=2.5 1>2=0.5" || g.Kind != entry.KindF32 || g.Parallel != 1 || g.SelfLoops != 1 ||
		g.NoArcs != 1 {
		t.Errorf("%s, %+v", graphtest.ArcsOf(g), g)
	}
	named, err := graph.New(2, graph.Undirected, graph.Scaled(10), graph.Named(graph.TextIDs([]string{"Rome", "Ulm"}))).
		Add(0, 1, 0.1).Add(1, 0, 0.3).Build()
	if err != nil {
		t.Fatal(err)
	}
	if graphtest.ArcsOf(named) != "Rome>Ulm=1 Ulm>Rome=1" || named.Kind != entry.KindI32 || named.Scale != 10 {
		t.Errorf("%s, %+v", graphtest.ArcsOf(named), named)
	}
	looped, err := graph.New(2, graph.AsKind(entry.KindI32)).Add(0, 0, 3e9).Add(1, 1, 0.5).Add(0, 1, 2).Build()
	if err != nil {
		t.Fatal(err)
	}
	if graphtest.ArcsOf(looped) != "0>1=2" || looped.SelfLoops != 2 {
		t.Errorf("%s, %+v", graphtest.ArcsOf(looped), looped)
	}
	empty, err := graph.New(5).Build()
	if err != nil || empty.I32 == nil || empty.Arcs() != 0 {
		t.Errorf("%+v, %v", empty, err)
	}
}

func TestBuilderErrors(t *testing.T) {
	for what, c := range map[string]struct {
		b        *graph.Builder
		sentinel error
		reason   string
	}{
		"no vertices":     {graph.New(0), graph.ErrBadInput, "not 0"},
		"negative":        {graph.New(-1), graph.ErrBadInput, "not -1"},
		"too many":        {graph.New(math.MaxInt32 + 1), graph.ErrBadInput, "2147483647"},
		"from":            {graph.New(2).Add(0, 1, 1).Add(2, 0, 1), graph.ErrBadInput, "arc 2, from 2 to 0"},
		"to":              {graph.New(2).Add(0, -1, 1), graph.ErrBadInput, "arc 1, from 0 to -1"},
		"NaN":             {graph.New(2).Add(0, 1, math.NaN()), graph.ErrBadInput, "arc 1"},
		"-Inf":            {graph.New(2).Add(0, 1, math.Inf(-1)), graph.ErrBadInput, "arc 1"},
		"fraction":        {graph.New(2, graph.AsKind(entry.KindI32)).Add(0, 1, 0.5), graph.ErrBadInput, "--kind f32"},
		"scaled fraction": {graph.New(2, graph.Scaled(10)).Add(0, 1, 0.25), graph.ErrBadInput, "scale 10"},
		"huge":            {graph.New(2).Add(0, 1, 1e10), graph.ErrBadInput, "--kind f64"},
		"overflow":        {graph.New(2, graph.AsKind(entry.KindF32)).Add(0, 1, 1e300), graph.ErrBadInput, "too large"},
		"self-loop":       {graph.New(2).Add(1, 1, -3), graph.ErrNegativeCycle, "length -3: 1 → 1"},
		"kind":            {graph.New(2, graph.AsKind("i8")), graph.ErrOptions, "i8"},
		"scale":           {graph.New(2, graph.Scaled(-3)), graph.ErrOptions, "-3"},
		"ids":             {graph.New(2, graph.Named(graph.TextIDs([]string{"a"}))), graph.ErrOptions, "1 ids"},
		"hidden id": {graph.New(2, graph.Named(graph.TextIDs([]string{"a", "b\x1b"}))), graph.ErrOptions,
			"row 1"},
		"no id": {graph.New(2, graph.Named(graph.TextIDs([]string{"", "b"}))), graph.ErrOptions, "row 0"},
		"an id twice": {graph.New(3, graph.Named(graph.TextIDs([]string{"a", "b", "a"}))), graph.ErrOptions,
			"rows 0 and 2"},
		"numeric ids": {graph.New(2, graph.Named(graph.IDs{Numeric: []int64{5, 5}})), graph.ErrOptions, "ascend"},
	} {
		g, err := c.b.Build()
		if g != nil {
			t.Errorf("%s: built", what)
		}
		t.Run(what, func(t *testing.T) { graphtest.WantError(t, err, c.sentinel, c.reason) })
	}
}

func TestBuilderIsSpent(t *testing.T) {
	b := graph.New(2).Add(0, 1, 5)
	if _, err := b.Build(); err != nil {
		t.Fatal(err)
	}
	_, err := b.Build()
	graphtest.WantError(t, err, graph.ErrOptions)
}

// TestLongRows covers rows beyond the length up to which they are sorted by insertion.
func TestLongRows(t *testing.T) {
	r := seeds.New(t)
	const n = 3000
	for _, unit := range []float64{1, 0.5} {
		want := map[[2]int32]float64{}
		var arcs []graph.Arc
		for range 20000 {
			a := graph.Arc{int32(r.IntN(3)), 3 + int32(r.IntN(n-3)), float64(r.IntN(2000)-1000) * unit}
			arcs = append(arcs, a)
			key := [2]int32{a.From, a.To}
			if old, ok := want[key]; !ok || a.Weight < old {
				want[key] = a.Weight
			}
		}
		g := graphtest.Build(t, n, arcs)
		if int(g.Arcs()) != len(want) || g.Parallel != int64(len(arcs)-len(want)) {
			t.Fatalf("%d arcs, %d merged; want %d of %d", g.Arcs(), g.Parallel, len(want), len(arcs))
		}
		for key, w := range want {
			if k := g.Find(int(key[0]), int(key[1])); k < 0 || g.Weight(k) != w {
				t.Fatalf("arc %v is at %d, not of weight %v", key, k, w)
			}
		}
	}
}

func TestValidate(t *testing.T) {
	sound := func() *graph.Graph {
		return graphtest.Build(t, 3, []graph.Arc{{0, 1, 5}, {0, 2, 6}, {1, 2, -7}}, graph.AsKind(entry.KindF32))
	}
	for what, break_ := range map[string]func(g *graph.Graph){
		"no vertices":      func(g *graph.Graph) { g.N = 0 },
		"offsets":          func(g *graph.Graph) { g.Offsets[1], g.Offsets[2] = 3, 2 },
		"offset too large": func(g *graph.Graph) { g.Offsets[1], g.Offsets[2] = 9, 9 },
		"offset below 0":   func(g *graph.Graph) { g.Offsets[1] = -1 },
		"first offset":     func(g *graph.Graph) { g.Offsets[0] = 1 },
		"last offset":      func(g *graph.Graph) { g.Offsets[3] = 2 },
		"too few offsets":  func(g *graph.Graph) { g.Offsets = g.Offsets[:3] },
		"order":            func(g *graph.Graph) { g.Targets[0], g.Targets[1] = 2, 1 },
		"parallel":         func(g *graph.Graph) { g.Targets[0] = 2 },
		"target":           func(g *graph.Graph) { g.Targets[2] = 3 },
		"negative target":  func(g *graph.Graph) { g.Targets[2] = -1 },
		"self-loop":        func(g *graph.Graph) { g.Targets[2] = 1 },
		"NaN":              func(g *graph.Graph) { g.F32[0] = float32(math.NaN()) },
		"infinite":         func(g *graph.Graph) { g.F32[0] = float32(math.Inf(1)) },
		"minus zero":       func(g *graph.Graph) { g.F32[0] = float32(math.Copysign(0, -1)) },
		"no weights":       func(g *graph.Graph) { g.F32 = nil },
		"two weights":      func(g *graph.Graph) { g.I32 = []int32{1, 2, 3} },
		"too few weights":  func(g *graph.Graph) { g.F32 = g.F32[:2] },
		"kind":             func(g *graph.Graph) { g.Kind = "f16" },
		"scale":            func(g *graph.Graph) { g.Scale = 0 },
		"not symmetric":    func(g *graph.Graph) { g.Directed = false },
	} {
		g := sound()
		if err := g.Validate(); err != nil || !g.Negative || g.MinWeight != -7 || g.MaxWeight != 6 {
			t.Fatalf("%v, weights %v…%v", err, g.MinWeight, g.MaxWeight)
		}
		break_(g)
		if err := g.Validate(); !errors.Is(err, graph.ErrBadInput) {
			t.Errorf("%s: error %v", what, err)
		}
	}
	g := graphtest.Build(t, 3, []graph.Arc{{0, 1, 5}, {1, 2, 6}}, graph.Undirected)
	g.I32[0]++
	graphtest.WantError(t, g.Validate(), graph.ErrBadInput, "without its reverse")
}

func TestIDs(t *testing.T) {
	for what, c := range map[string]struct {
		ids     graph.IDs
		names   []string
		unknown []string
	}{
		"zero":       {graph.IDs{}, []string{"0", "1", "2"}, []string{"3", "-1", "x", ""}},
		"base":       {graph.IDs{Base: 1}, []string{"1", "2", "3"}, []string{"0", "4", "-9223372036854775808"}},
		"base below": {graph.IDs{Base: -1}, []string{"-1", "0", "1"}, []string{"2", "9223372036854775807"}},
		"numeric": {graph.IDs{Numeric: []int64{-5, 7, 1 << 40}}, []string{"-5", "7", "1099511627776"},
			[]string{"0", "8", "x"}},
		"text":        {graph.TextIDs([]string{"b", "a", "7"}), []string{"b", "a", "7"}, []string{"c", "0", ""}},
		"bare text":   {graph.IDs{Text: []string{"b", "a", "7"}}, []string{"b", "a", "7"}, []string{"c", "0", ""}},
		"only spaces": {graph.TextIDs([]string{"a b", "é", " "}), []string{"a b", "é", " "}, []string{"  "}},
	} {
		for row, name := range c.names {
			if got := c.ids.Name(row); got != name {
				t.Errorf("%s: row %d is called %q, not %q", what, row, got, name)
			}
			if got, ok := c.ids.Row(name, 3); !ok || got != row {
				t.Errorf("%s: %q is row %d, %v", what, name, got, ok)
			}
		}
		for _, name := range c.unknown {
			if row, ok := c.ids.Row(name, 3); ok {
				t.Errorf("%s: %q is row %d", what, name, row)
			}
		}
	}
	forms := graph.TextIDs([]string{"caf\u00e9", "cafe\u0301", "na\u00efve", "Jose\u0301"})
	for name, want := range map[string]int{"caf\u00e9": 0, "cafe\u0301": 1, "nai\u0308ve": 2, "Jos\u00e9": 3} {
		if got, ok := forms.Row(name, 4); !ok || got != want {
			t.Errorf("%+q is row %d, %v", name, got, ok)
		}
	}
	if strings.Join(graph.TextIDs([]string{"x"}).Text, "") != "x" {
		t.Error("TextIDs lost a name")
	}
}

// randomArcs draws arcs that may be parallel or self-loops.
func randomArcs(r *rand.Rand, n, m int, weight func() float64) []graph.Arc {
	arcs := make([]graph.Arc, m)
	for i := range arcs {
		arcs[i] = graph.Arc{From: int32(r.IntN(n)), To: int32(r.IntN(n)), Weight: weight()}
	}
	return arcs
}

// TestSymmetric spoils one arc of a graph that has each arc both ways, or none.
func TestSymmetric(t *testing.T) {
	r := seeds.New(t)
	for range 60 {
		n := 2 + r.IntN(5000)
		weights := map[[2]int]float64{}
		for range r.IntN(10 * n) {
			if u, v := r.IntN(n), r.IntN(n); u != v {
				weights[[2]int{u, v}] = float64(r.IntN(9))
				weights[[2]int{v, u}] = weights[[2]int{u, v}]
			}
		}
		spoil := r.IntN(3)
		for ends := range weights {
			if spoil == 1 {
				delete(weights, ends)
			} else if spoil == 2 {
				weights[ends]++
			}
			spoil = 0
		}
		b := graph.New(n, graph.Directed)
		want := true
		for ends, w := range weights {
			b.Add(ends[0], ends[1], w)
			back, found := weights[[2]int{ends[1], ends[0]}]
			want = want && found && back == w
		}
		g, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		u, v, oneWay := g.OneWay()
		if back, found := weights[[2]int{v, u}]; g.Symmetric != want || oneWay == want ||
			oneWay && found && back == weights[[2]int{u, v}] {
			t.Fatalf("%t and not %t; %d→%d, %t", g.Symmetric, want, u, v, oneWay)
		}
	}
}
