package stats

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"testing"

	"ooc/engine"
	"ooc/engine/graph"
	"ooc/engine/internal/enginetest"
	"ooc/engine/internal/seeds"
	"ooc/kernels/entry"
	"ooc/tiles"
	"ooc/tiles/crashtest"
)

// matrixOf reads every row.
func matrixOf(t *testing.T, p *engine.Problem) [][]float64 {
	t.Helper()
	d := make([][]float64, p.Geometry().N)
	for u := range d {
		d[u] = make([]float64, p.Geometry().N)
		if err := p.Row(d[u], u); err != nil {
			t.Fatal(err)
		}
	}
	return d
}

func mustStats(t *testing.T, p *engine.Problem, o Options) *Result {
	t.Helper()
	s, err := Of(context.Background(), p, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// alike compares numbers; sums in f32 may differ by their order.
func alike(a, b float64) bool {
	return a == b || math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) <= 1e-12*max(math.Abs(a), math.Abs(b))
}

// sameStats compares everything that is written, name by name. What is in More has tests of its own.
func sameStats(t *testing.T, got, want *Result) {
	t.Helper()
	want.More = got.More
	theirs := want.summary()
	for i, g := range got.summary() {
		w := theirs[i]
		a, number := toNumber(g.value)
		b, _ := toNumber(w.value)
		if _, isHistogram := g.value.(*Histogram); isHistogram {
			continue
		}
		if g.name == "barycenter" && entry.Kind(got.Kind).Float() && len(got.Barycenter) > 0 &&
			len(want.Barycenter) > 0 {
			// Of equal sums, rounding makes one the least.
			for _, v := range slices.Concat(got.Barycenter, want.Barycenter) {
				if !alike(want.DistanceSum[v], want.DistanceSum[want.Barycenter[0]]) {
					t.Errorf("%s is %v, want %v", g.name, got.Barycenter, want.Barycenter)
				}
			}
			continue
		}
		if number && !alike(a, b) || !number && !reflect.DeepEqual(g.value, w.value) {
			t.Errorf("%s is %v, want %v", g.name, g.value, w.value)
		}
	}
	columns := want.Columns()
	if len(columns) != len(got.Columns()) {
		t.Fatalf("%d columns, want %d", len(got.Columns()), len(columns))
	}
	for i, c := range got.Columns() {
		w := columns[i]
		for v := range got.N {
			switch {
			case c.Name != w.Name:
				t.Fatalf("column %s, want %s", c.Name, w.Name)
			case c.Number != nil && (got.Kind == "i32" && c.Name[:3] == "dis" && c.Number(v) != w.Number(v) ||
				!alike(c.Number(v), w.Number(v))):
				t.Fatalf("%s of %d is %v, want %v", c.Name, v, c.Number(v), w.Number(v))
			case c.Vertex != nil && c.Vertex(v) != w.Vertex(v):
				t.Fatalf("%s of %d is %v, want %v", c.Name, v, c.Vertex(v), w.Vertex(v))
			}
		}
	}
}

func toNumber(v any) (float64, bool) {
	switch v := v.(type) {
	case float64:
		return v, true
	case entryNumber:
		return float64(v), true
	}
	return 0, false
}

// statsCase is a sort of graph.
type statsCase struct {
	kind       entry.Kind
	negative   bool
	undirected bool
	scale      int64
}

var statsCases = []statsCase{
	{entry.KindI32, false, false, 1}, {entry.KindI32, true, false, 1}, {entry.KindF32, false, false, 1},
	{entry.KindF32, true, false, 1},
	{entry.KindU16, false, false, 1}, {entry.KindF64, true, false, 1}, {entry.KindU16, false, true, 10},
	{entry.KindF64, false, true, 1},
	{entry.KindI32, false, true, 1}, {entry.KindF32, false, true, 1}, {entry.KindI32, false, false, 1000},
	{entry.KindI32, true, false, 12},
}

// build makes a random graph, connected or not, with zero weights and parallel arcs.
func (c statsCase) build(t *testing.T, r *rand.Rand, n int) *graph.Graph {
	t.Helper()
	direction := graph.Directed
	if c.undirected {
		direction = graph.Undirected
	}
	options := []graph.BuildOption{direction, graph.AsKind(c.kind)}
	if c.scale > 1 {
		options = append(options, graph.Scaled(c.scale))
	}
	b := graph.New(n, options...)
	potential := make([]int, n)
	for i := range potential {
		if c.negative {
			potential[i] = r.IntN(100)
		}
	}
	weights := 300
	if c.kind == entry.KindU16 { // so that no distance passes it
		weights = min(weights, int(entry.Inf16)/(n*int(c.scale)))
	}
	for range r.IntN(5*n + 1) {
		u, v := r.IntN(n), r.IntN(n)
		w := float64(r.IntN(weights) + potential[u] - potential[v])
		switch {
		case c.scale > 1:
			w = math.Round(w*float64(c.scale)) / float64(c.scale)
		case c.kind.Float() && !c.negative:
			w += r.Float64()
		}
		if u != v {
			b.Add(u, v, w)
		}
	}
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// randomStats picks options that fit a matrix.
func randomStats(r *rand.Rand) Options {
	o := Options{Nearest: r.IntN(2) * (1 + r.IntN(12))}
	if r.IntN(2) == 0 {
		o.Bins = 2 + r.IntN(60)
	} else {
		e := -10 + 20*r.Float64()
		for range 2 + r.IntN(20) {
			o.Edges = append(o.Edges, e)
			e += 1 + math.Floor(200*r.Float64())*r.Float64()
		}
	}
	for range r.IntN(3) {
		o.Within = append(o.Within,
			[]float64{0, 100, float64(r.IntN(500)), 500 * r.Float64(), -1, math.Inf(1), math.Inf(-1)}[r.IntN(7)])
	}
	return o
}

// TestStats compares with the plain definitions on graphs of every sort.
func TestStats(t *testing.T) {
	r := seeds.New(t)
	for round := range crashtest.Repeats(2, 6) {
		for _, c := range statsCases {
			n := 1 + r.IntN([]int{3, 60, 400}[r.IntN(3)])
			t.Run(fmt.Sprintf("%d/%+v/n=%d", round, c, n), func(t *testing.T) {
				s := enginetest.RandomShape(r, n, 64*(1+r.IntN(2)))
				s.Kind = c.kind
				p := enginetest.Create(t, c.build(t, r, n), s.Tile)
				enginetest.Solve(t, p, s.Options(t))
				o, d := randomStats(r), matrixOf(t, p)
				got := mustStats(t, p, o)
				sameStats(t, got, plainStats(p, d, o))
				checkHistograms(t, p, got, d, o)
			})
		}
	}
}

// TestStatsBands goes through tiles that are cut into several bands, or into many.
func TestStatsBands(t *testing.T) {
	crashtest.Slow(t)
	r := seeds.New(t)
	for _, tile := range []int{576, 1024, 1088} {
		c := statsCases[r.IntN(len(statsCases))]
		n := 600 + r.IntN(600)
		p, _ := enginetest.Filled(t, r, n, tile, c.kind, c.scale, graph.IDs{})
		zeroDiagonal(t, p)
		o := Options{Nearest: 3, Within: []float64{100}, Bins: 20}
		sameStats(t, mustStats(t, p, o), plainStats(p, matrixOf(t, p), o))
	}
}

// zeroDiagonal makes a matrix of random entries one whose vertices are at distance 0 from themselves, and
// none at a distance so large that the rounding of its sum hides others.
func zeroDiagonal(t *testing.T, p *engine.Problem) {
	t.Helper()
	edge, kind := p.Geometry().T, p.Meta().Kind
	tile := kind.Make(edge * edge)
	for i := range p.Geometry().Side() {
		for j := range p.Geometry().Side() {
			if err := p.Store().ReadTile(tile, i, j); err != nil {
				t.Fatal(err)
			}
			for k := 0; k < edge*edge && kind.Float(); k++ {
				if d := kind.Value(kind.At(tile, k)); d > 1e6 && !math.IsInf(d, 1) || d < 0 || d > 0 && d < 1e-6 {
					kind.Put(tile, k, kind.Bits(1))
				}
			}
			for k := 0; k < edge && i == j; k++ {
				kind.Put(tile, k*edge+k, 0)
			}
			if err := p.Store().WriteTile(i, j, tile); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestStatsThreads demands the same bytes from one processor and from many, of floats whose sums depend on
// their order.
func TestStatsThreads(t *testing.T) {
	p, _ := enginetest.Filled(t, seeds.New(t), 700, 64, entry.KindF32, 1, graph.IDs{})
	o := Options{Bins: 40, Nearest: 2, Within: []float64{10}}
	var want []byte
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, threads := range []int{1, 2, 3, 8, 8, 8} {
		runtime.GOMAXPROCS(threads)
		var got bytes.Buffer
		if err := mustStats(t, p, o).WriteJSON(&got, graph.IDs{}); err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = got.Bytes()
		} else if !bytes.Equal(got.Bytes(), want) {
			t.Fatalf("%d threads give another result", threads)
		}
	}
}

// TestStatsExactTotal adds up more than 64 bits hold.
func TestStatsExactTotal(t *testing.T) {
	x := newGathering(&tiles.Meta{N: 4, Kind: entry.KindI32, Scale: 3}, Options{})
	g, err := newSums[int64, uint32](x, func(int64) float64 { return 0 })
	if err != nil {
		t.Fatal(err)
	}
	for v := range 4 {
		g.(*distanceSums[int64, uint32]).sum[v] = 1<<62 + 3
	}
	g.finish()
	if want := float64(1<<62+3) / 3 * 4; x.r.TotalDistance != want {
		t.Errorf("%v, want %v", x.r.TotalDistance, want)
	}
}

func TestStatsErrors(t *testing.T) {
	unsolved := enginetest.Create(t, enginetest.RandomGraph(t, seeds.New(t), 100, entry.KindI32, false), 64)
	if _, err := Of(context.Background(), unsolved, Options{}); !errors.Is(err, engine.ErrUnsolved) {
		t.Error(err)
	}
	if _, err := (Near{K: 1, Within: math.Inf(1)}).Of(unsolved, unsolved.Meta(), 0); !errors.Is(err, engine.ErrUnsolved) {
		t.Error(err)
	}
	p, _ := enginetest.Filled(t, seeds.New(t), 200, 64, entry.KindI32, 1, graph.IDs{})
	for _, o := range []Options{
		{Bins: -1}, {Bins: 1}, {Bins: MaxBins + 1}, {Bins: 2, Edges: []float64{0, 1}}, {Edges: []float64{}},
		{Edges: []float64{1}},
		{Edges: []float64{0, 0}}, {Edges: []float64{0, math.Inf(1)}}, {Edges: []float64{math.NaN(), 1}}, {Nearest: -1},
		{Within: []float64{math.NaN()}},
	} {
		if _, err := Of(context.Background(), p, o); !errors.Is(err, errOptions) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	if err := (&Options{Nearest: 1 << 20}).Check(1 << 20); !errors.Is(err, errOptions) {
		t.Error(err)
	}
	why := errors.New("stopped")
	ctx, stop := context.WithCancelCause(context.Background())
	stop(why)
	if _, err := Of(ctx, p, Options{}); !errors.Is(err, why) {
		t.Error(err)
	}
	if err := os.Truncate(filepath.Join(p.Dir(), "dist.npy"), 1<<15); err != nil {
		t.Fatal(err)
	}
	var fault *tiles.FaultError
	if _, err := Of(context.Background(), p, Options{}); !errors.As(err, &fault) {
		t.Errorf("of a store that was cut: %v", err)
	}
}

// TestStatsWrite reads back both tables of vertices whose ids are text, some of which reach nothing.
func TestStatsWrite(t *testing.T) {
	ids := graph.TextIDs([]string{"plain", "a,b", `say "x"`, " padded ", "ünïcode", "-"})
	g, err := graph.New(6, graph.Named(ids)).Add(0, 1, 4).Add(1, 2, 3).Add(2, 0, 1).Add(3, 0, 2).Build()
	if err != nil {
		t.Fatal(err)
	}
	p := enginetest.Create(t, g, 64)
	enginetest.Solve(t, p, enginetest.RandomShape(seeds.New(t), 6, 64).Options(t))
	s := mustStats(t, p, Options{Nearest: 2, Within: []float64{4}, Bins: 5})
	var table, object bytes.Buffer
	if err := errors.Join(s.WriteCSV(&table, ids), s.WriteJSON(&object, ids)); err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(&table).ReadAll()
	if err != nil || len(lines) != 7 {
		t.Fatalf("%d lines, %v", len(lines), err)
	}
	var whole struct {
		Diameter, Radius *float64
		Longest          []string `json:"longest_pair"`
		Vertices         map[string][]any
		Histogram        *Histogram `json:"distance_histogram"`
	}
	if err := json.Unmarshal(object.Bytes(), &whole); err != nil {
		t.Fatalf("%v in %s", err, object.String())
	}
	if whole.Diameter != nil || whole.Radius != nil || !slices.Equal(whole.Longest, []string{" padded ", `say "x"`}) {
		t.Errorf("%s", object.String())
	}
	if !reflect.DeepEqual(whole.Histogram, s.DistanceHistogram) {
		t.Errorf("%v, want %v", whole.Histogram, s.DistanceHistogram)
	}
	whole.Vertices["vertex"] = whole.Vertices["id"]
	for c, name := range lines[0] {
		for v := range 6 {
			want := lines[1+v][c]
			if got := cellOf(whole.Vertices[name][v]); got != want && !(got == "" && want == "inf") {
				t.Errorf("%s of %d: %q in JSON, %q in CSV", name, v, got, want)
			}
		}
	}
	if got := lines[4]; !slices.Equal(got[:6], []string{" padded ", "inf", "9", `say "x"`, "3", "0"}) {
		t.Errorf("%q", got)
	}
}

// cellOf is what CSV says of a JSON value.
func cellOf(v any) string {
	switch v := v.(type) {
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case string:
		return v
	}
	return ""
}

// TestNearest compares both directions with a sort of the whole row.
func TestNearest(t *testing.T) {
	r := seeds.New(t)
	for _, c := range statsCases {
		p, d := enginetest.Filled(t, r, 2+r.IntN(200), 64, c.kind, c.scale, graph.IDs{})
		for range 20 {
			v := r.IntN(len(d))
			near := Near{K: 1 + r.IntN(2*len(d)), Within: d[r.IntN(len(d))][r.IntN(len(d))], Incoming: r.IntN(2) == 0}
			want := d
			if near.Incoming {
				want = make([][]float64, len(d))
				for u := range d {
					want[v] = append(want[v], d[u][v])
				}
			}
			got, err := near.Of(p, p.Meta(), v)
			if err != nil {
				t.Fatal(err)
			}
			if expect := plainNear(want, v, near.K, near.Within); !slices.Equal(got, expect) {
				t.Fatalf("%+v of %d: %v, want %v", near, v, got, expect)
			}
		}
		if list, err := (Near{}).Of(p, p.Meta(), 0); err != nil || len(list) != 0 {
			t.Errorf("none: %v, %v", list, err)
		}
		if _, err := (Near{K: 1}).Of(p, p.Meta(), len(d)); err == nil {
			t.Error("a row that there is not was read")
		}
	}
}
