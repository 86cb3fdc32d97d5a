package gen

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"ooc/engine/graph"
	"ooc/engine/graph/internal/graphtest"
	"ooc/engine/graph/packed"
	"ooc/engine/graph/read"
	"ooc/engine/internal/seeds"
	"ooc/tiles/crashtest"
)

// TestGenerateIsFixed pins the text of a seed: stores and benchmarks name graphs by it.
func TestGenerateIsFixed(t *testing.T) {
	for _, c := range []struct {
		kind       string
		undirected bool
		name, sum  string
	}{
		{"random", false, "x.gr", "e3eaba3d0b9182d4213f0ee988c00dc7e1a9aa768372772b5c93792cfbf3548a"},
		{"random", false, "x.csv", "8766f7eebb4141e6383e522ac38aba2eefc2e0b525f8af6b8af96a46be948914"},
		{"random", true, "x.mtx", "341e221614f53f1ddd7de4adc1cb538ff1e72bed2cb342c025a24578e33eb21c"},
		{"rmat", false, "x.gr", "7a3b218323167612d441e02110f856fe7292165901107af48eb3ca31e8d63484"},
		{"rmat", true, "x.mtx", "dc1bb29394481fd901b253055679847b83bc0f3125314c163b51176779d289f9"},
		{"grid", false, "x.gr", "162ee73fab2fc2ccbc8674282cd3e6b27e8d2dfa446f6209641fcf8b51857c0f"},
		{"grid", true, "x.mtx", "6cde6fb7a88b15a403b7c014c1d5ca1853eb5b68203ecadfc3ceb016d3689307"},
		{"road", false, "x.gr", "9c452a757e7554091dacdaefff633f794f5c9cf566a00e7608c381550c0bdf70"},
		{"road", true, "x.mtx", "62a867452da19228d97ca7ab198c3e412f6271888cd3d7f9496dd9b71346b483"},
		{"ring", false, "x.gr", "561b39362e0f6fb446b7e34df961b44fb25b130bbf61d40277712f24a92d8072"},
		{"ring", true, "x.mtx", "b594531c5384721ef1ad9bbe6631c6e144b7769c5a5e2f843fcd0a58c3207922"},
		{"star", false, "x.gr", "3f69151de26d67f04d99522d1318c511a19ec5383e89512d02294a54047f66c5"},
		{"star", true, "x.mtx", "27ff7f9cd4b4868d8f6799b58090a7c04f59381dd08461f05e184dfd174f1e1f"},
		{"tree", false, "x.gr", "c2bf9119b64d1640cdd555c0717fcfb1f8d99f5fae0233d16b5e54e8bc7edb4a"},
		{"tree", true, "x.mtx", "92a018b36ad837b8fe31c6ff4d11fbf8ddf68b004221e28bf79c62a82ec1997a"},
		{"complete", false, "x.gr", "34ef1b118e3ee8ff59424aced006e6f42d2ee76982c1d68e701048f6ea5f8616"},
		{"complete", true, "x.mtx", "316335ef73cf91395409aec90d36c4edeb26dc5347ec668118a05dc3c9164e4e"},
		{"powerlaw", false, "x.gr", "2a779d3fbb0b859911c01bd3029ac96dbb914eff60c4855383c9ae247ed164a3"},
		{"powerlaw", true, "x.mtx", "798f80096f73a0b1c11f321d5775c6f3aafc78a3ff0a48ea82278383f1945bbe"},
		{"smallworld", false, "x.gr", "6f3213bfb778b9ac29bdb026f2e7f73f647cfb35d55b8dd38ea0596b59118b8c"},
		{"smallworld", true, "x.mtx", "7d47197783e98fdd1289301b62e5dbaabe9faf972b9c8684322f48b0058f3edd"},
		{"neighbours", false, "x.gr", "34ea59e65c5fe1ef16f8546504c7a9b2382508377b5be886e90b133f3cd243a9"},
		{"neighbours", true, "x.mtx", "9035a26dc234ebe807175b9f13e0feefb6beaef99537091aca8ae49d04562d1e"},
		{"grid", true, "x.tsv", "7374c32143838d3c9476581214889917c09fd971054e428271b6d0a711b4ac7b"},
	} {
		o := Options{N: 1000, Seed: 42, Undirected: c.undirected}
		if draws(t, c.kind) {
			o.M = 5000
		}
		text := generate(t, c.kind, c.name, o)
		sum := sha256.Sum256(text)
		if got := hex.EncodeToString(sum[:]); got != c.sum {
			t.Errorf("{%q, %v, %q, %q} is not pinned; it starts\n%s", c.kind, c.undirected, c.name, got, text[:100])
		}
	}
}

// draws reports whether a kind has as many arcs as it is asked for.
func draws(t *testing.T, kind string) bool {
	for _, g := range Kinds {
		if g.Name == kind {
			return g.Arcs == nil
		}
	}
	t.Fatalf("no kind %s", kind)
	return false
}

// each passes the arcs of a kind, an edge as it was drawn, to arc.
func each(t *testing.T, kind string, o Options, arc func(from, to, weight int64)) {
	t.Helper()
	g, err := kindOf(kind, &o)
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	to, err := packed.NewWriter(&text, "plain")
	if err != nil {
		t.Fatal(err)
	}
	out := &output{format: &format{sep: ' '}, ctx: t.Context(), to: to}
	g.run(o, out)
	if err := out.close(); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(text.String()) {
		var a [3]int64
		if _, err := fmt.Sscan(line, &a[0], &a[1], &a[2]); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		arc(a[0], a[1], a[2])
	}
}

func generate(t *testing.T, kind, name string, o Options) []byte {
	t.Helper()
	var text bytes.Buffer
	if err := To(context.Background(), kind, o, name, &text); err != nil {
		t.Fatalf("%s %+v: %v", kind, o, err)
	}
	return text.Bytes()
}

// link is an arc of a generated graph.
type link struct{ from, to int }

// links reads a generated graph back as a DIMACS file, whose reader insists on the counts in its head.
func links(t *testing.T, kind string, o Options) (*graph.Graph, map[link]float64) {
	t.Helper()
	g, err := read.From(bytes.NewReader(generate(t, kind, "x.gr", o)), kind+".gr", read.Options{})
	if err != nil {
		t.Fatalf("%s %+v: %v", kind, o, err)
	}
	all := map[link]float64{}
	for u := range g.N {
		for k := g.Offsets[u]; k < g.Offsets[u+1]; k++ {
			all[link{u, int(g.Targets[k])}] = g.Weight(k)
		}
	}
	if int64(g.N) != o.N || g.SelfLoops != 0 {
		t.Errorf("%s %+v: %d vertices, %d self-loops", kind, o, g.N, g.SelfLoops)
	}
	for l, w := range all {
		if w < 1 || w != math.Trunc(w) || o.Undirected && all[link{l.to, l.from}] != w {
			t.Errorf("%s %+v: arc %v has weight %v, its reverse %v", kind, o, l, w, all[link{l.to, l.from}])
		}
	}
	return g, all
}

// shapes says by its definition which arcs a kind has; of trees only the number is fixed.
var shapes = map[string]func(n, u, v int) bool{
	"ring":     func(n, u, v int) bool { return v == (u+1)%n },
	"star":     func(_, u, _ int) bool { return u == 0 },
	"complete": func(_, _, _ int) bool { return true },
	"grid": func(n, u, v int) bool {
		width := int(math.Ceil(math.Sqrt(float64(n)))) // of such small n it is exact
		apart := func(a, b int) int { return max(a-b, b-a) }
		return apart(u/width, v/width)+apart(u%width, v%width) == 1
	},
}

func TestGeneratedShapes(t *testing.T) {
	r := seeds.New(t)
	sizes := []int{1, 2, 3, 4, 5, 8, 9, 10, 50 + r.IntN(100)}
	for kind, has := range shapes {
		for _, n := range sizes {
			for _, undirected := range []bool{false, true} {
				o := Options{N: int64(n), Seed: r.Uint64(), Undirected: undirected}
				g, got := links(t, kind, o)
				want := 0
				for u := range n {
					for v := range n {
						if u != v && (has(n, u, v) || undirected && has(n, v, u)) {
							want++
							if got[link{u, v}] == 0 {
								t.Errorf("%s %+v lacks the arc %d → %d", kind, o, u, v)
							}
						}
					}
				}
				if len(got) != want || g.Parallel != 0 {
					t.Errorf("%s %+v has %d arcs, %d more than once, not %d", kind, o, len(got), g.Parallel, want)
				}
			}
		}
	}
}

func TestGeneratedTrees(t *testing.T) {
	r := seeds.New(t)
	for _, n := range []int{1, 2, 3, 200 + r.IntN(100)} {
		o := Options{N: int64(n), Seed: r.Uint64()}
		_, got := links(t, "tree", o)
		parents := map[int]int{}
		for l := range got {
			parents[l.to]++
			if l.from >= l.to {
				t.Errorf("%+v: the parent %d of %d comes later", o, l.from, l.to)
			}
		}
		if len(got) != n-1 || len(parents) != n-1 || parents[0] != 0 {
			t.Errorf("%+v: %d arcs to %d children", o, len(got), len(parents))
		}
		o.Undirected = true
		if _, both := links(t, "tree", o); len(both) != 2*(n-1) {
			t.Errorf("%+v: %d arcs", o, len(both))
		}
	}
}

func TestGeneratedRoads(t *testing.T) {
	r := seeds.New(t)
	longest := math.Sqrt(2000*2000 + 1000*1000)
	for _, n := range []int{1, 2, 3, 7, 1000 + r.IntN(1000)} {
		for _, undirected := range []bool{false, true} {
			o := Options{N: int64(n), Seed: r.Uint64(), Undirected: undirected}
			grid, joined := links(t, "grid", o)
			g, roads := links(t, "road", o)
			all := int(grid.Arcs())
			want := all - all/3
			if undirected {
				want = 2 * (all/2 - all/2/3)
			}
			if len(roads) != want || g.Parallel != 0 {
				t.Errorf("%+v: %d roads of %d, %d twice", o, len(roads), all, g.Parallel)
			}
			lengths := map[float64]bool{}
			for l, w := range roads {
				back, twoWay := roads[link{l.to, l.from}]
				if joined[l] == 0 || w > longest || twoWay && back != w {
					t.Errorf("%+v: road %v of length %v, back %v", o, l, w, back)
				}
				lengths[w] = true
			}
			if n > 1000 && len(lengths) < 300 {
				t.Errorf("%+v: only %d lengths", o, len(lengths))
			}
		}
	}
}

// TestGeneratedRMAT compares the quarters of the matrix, and those of its first quarter, with the model.
// The seed is fixed; the margins are some five standard deviations.
func TestGeneratedRMAT(t *testing.T) {
	const n, m = 1 << 12, 40000
	var counts, first [4]float64
	each(t, "rmat", Options{N: n, M: m, Seed: 3}, func(u, v, w int64) {
		quarter := func(half int64) int64 { return u/half%2*2 + v/half%2 }
		counts[quarter(n/2)]++
		if quarter(n/2) == 0 {
			first[quarter(n/4)]++
		}
	})
	for i, p := range []float64{0.57, 0.19, 0.19, 0.05} {
		if got := counts[i] / m; math.Abs(got-p) > 0.015 {
			t.Errorf("quarter %d has %v of the arcs", i, got)
		}
		if got := first[i] / counts[0]; math.Abs(got-p) > 0.02 {
			t.Errorf("quarter %d of the first has %v of its arcs", i, got)
		}
	}
}

// TestGeneratedPowerLaw compares the degrees with the model, in which a share of 2m(m+1)/(d(d+1)(d+2)) of the vertices
// has d links, if each comes with m. The seed is fixed; the margins are some five standard deviations.
func TestGeneratedPowerLaw(t *testing.T) {
	const n, m = 20_000, 5
	degrees := make([]int, n)
	each(t, "powerlaw", Options{N: n, M: m * (n - 1), Seed: 3, Undirected: true}, func(u, v, w int64) {
		if v >= u {
			t.Errorf("%d came with a link to %d", u, v)
		}
		degrees[u]++
		degrees[v]++
	})
	counts, most := map[int]float64{}, 0
	for _, d := range degrees[1:] {
		counts[d]++
		most = max(most, d)
	}
	for _, d := range []int{5, 6, 8, 10} {
		want := 2. * m * (m + 1) / float64(d*(d+1)*(d+2))
		if got := counts[d] / n; math.Abs(got-want) > 5*math.Sqrt(want/n) {
			t.Errorf("%v of the vertices have degree %d, not %v", got, d, want)
		}
	}
	if most < 300 || most > 3000 { // some m·√n
		t.Errorf("the largest degree is %d", most)
	}
}

// TestGeneratedSmallWorld counts the links that leave the ring. The seed is fixed; the margin is some five standard
// deviations.
func TestGeneratedSmallWorld(t *testing.T) {
	const n, m = 10_000, 5
	far := 0
	each(t, "smallworld", Options{N: n, M: m * n, Seed: 3}, func(u, v, w int64) {
		if step := (v - u + n) % n; step > m {
			far++
		} else if step == 0 {
			t.Errorf("%d is joined to itself", u)
		}
	})
	if math.Abs(float64(far)/(m*n)-0.1) > 0.007 {
		t.Errorf("%d of %d links leave the ring", far, m*n)
	}
}

// TestGeneratedNeighbours looks for the nearest points by looking at all.
func TestGeneratedNeighbours(t *testing.T) {
	r := seeds.New(t)
	for range 20 {
		n := 2 + r.Int64N(200)
		o := Options{N: n, M: r.Int64N(12 * n), Seed: r.Uint64()}
		p := newPoints(o, newDice(o.Seed, 0))
		got := make([][]int64, n)
		each(t, "neighbours", o, func(u, v, w int64) {
			if d := squared(p.at[u], p.at[v]); w != max(1, floorRoot(d)) || u == v {
				t.Errorf("%+v: from %d to %d, at %d², the weight is %d", o, u, v, d, w)
			}
			got[u] = append(got[u], squared(p.at[u], p.at[v]))
		})
		for u := range got {
			var all []int64
			for v := range p.at {
				if v != u {
					all = append(all, squared(p.at[u], p.at[v]))
				}
			}
			slices.Sort(all)
			if k := min(len(all), len(got[u])); !slices.Equal(got[u][:k], all[:k]) {
				t.Errorf("%+v: vertex %d has neighbours at squares %v, not %v", o, u, got[u][:k], all[:k])
			}
		}
	}
}

// TestGenerateUnweighted demands the same arcs, of weight 1.
func TestGenerateUnweighted(t *testing.T) {
	for _, generator := range Kinds {
		o := Options{N: 50, Seed: 7}
		if generator.Arcs == nil {
			o.M = 200
		}
		_, with := links(t, generator.Name, o)
		o.Unweighted = true
		_, without := links(t, generator.Name, o)
		for l, w := range without {
			if w != 1 || with[l] == 0 || len(with) != len(without) {
				t.Fatalf("%s: arc %v has weight %v; %d and %d arcs", generator.Name, l, w, len(with), len(without))
			}
		}
	}
}

// TestGeneratedCounts draws any number of arcs between any number of vertices.
func TestGeneratedCounts(t *testing.T) {
	r := seeds.New(t)
	for _, kind := range []string{"random", "rmat", "powerlaw", "smallworld", "neighbours"} {
		for range 20 {
			o := Options{N: 2 + r.Int64N(50), M: r.Int64N(500), Seed: r.Uint64(), Undirected: r.IntN(2) == 0}
			g, _ := links(t, kind, o)
			want := o.M
			if o.Undirected {
				want *= 2
			}
			if g.Arcs()+g.Parallel != want {
				t.Errorf("%s %+v: %d arcs and %d parallel ones", kind, o, g.Arcs(), g.Parallel)
			}
		}
	}
}

// TestGenerateIsRead reads every kind in every format and compression, and demands one graph.
func TestGenerateIsRead(t *testing.T) {
	r := seeds.New(t)
	for _, generator := range Kinds {
		o := Options{N: 2 + r.Int64N(60), Seed: r.Uint64(), Undirected: r.IntN(2) == 0}
		if generator.Arcs == nil {
			o.M = 1000
		}
		first, _ := links(t, generator.Name, o)
		for _, w := range Formats {
			sameAsWritten(t, r, generator.Name, o, w, first)
		}
	}
}

func sameAsWritten(t *testing.T, r *rand.Rand, kind string, o Options, w format, want *graph.Graph) {
	t.Helper()
	path := filepath.Join(t.TempDir(),
		"x"+w.Extensions[r.IntN(len(w.Extensions))]+[]string{"", ".gz", ".zst", ".GZ"}[r.IntN(4)])
	if err := File(context.Background(), kind, o, path); err != nil {
		t.Fatalf("%s %+v: %v", kind, o, err)
	}
	options := read.Options{}
	if w.Name == "edgelist" { // the others have ids from 1
		options.Base = new(int) // so that vertices without arcs before the last are there
	}
	g, _, source, err := read.Open(path, options)
	if err != nil {
		t.Fatalf("%s %+v: %v", kind, o, err)
	}
	if source.Format != w.Name {
		t.Errorf("%s is of format %s", path, source.Format)
	}
	a, b := graphtest.Entries(g), graphtest.Entries(want)
	for u := range b {
		for v := range b {
			inf := u >= len(a) || v >= len(a) // a list ends with its last arc
			if inf && u != v && !math.IsInf(b[u][v], 1) || !inf && a[u][v] != b[u][v] {
				t.Fatalf("%s %+v: %s: arc %d → %d differs from .gr", kind, o, path, u, v)
			}
		}
	}
	left, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(left) != 1 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestGenerateSeedsDiffer(t *testing.T) {
	for _, generator := range Kinds {
		o := Options{N: 40}
		if generator.Arcs == nil {
			o.M = 40
		}
		a := generate(t, generator.Name, "x.csv", o)
		o.Seed++
		if bytes.Equal(a, generate(t, generator.Name, "x.csv", o)) {
			t.Errorf("%s: two seeds gave one graph", generator.Name)
		}
	}
}

// TestGenerateHoldsNoArcs demands that memory does not grow with arcs.
func TestGenerateHoldsNoArcs(t *testing.T) {
	crashtest.Slow(t)
	allocated := func(kind string, o Options) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if err := To(context.Background(), kind, o, "x.gr", io.Discard); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	for _, generator := range Kinds {
		small, large := Options{N: 100}, Options{N: 1 << 20}
		switch {
		case generator.Name == "neighbours": // holds the points
			small, large = Options{N: 1 << 12, M: 100}, Options{N: 1 << 12, M: 1 << 16}
		case generator.Arcs == nil:
			small.M, large.M = 100, 1<<20
		case generator.Name == "complete":
			large.N = 1 << 10
		}
		a, b := allocated(generator.Name, small), allocated(generator.Name, large)
		if b > a+1<<18 {
			t.Errorf("%s: %d bytes for few arcs, %d for many", generator.Name, a, b)
		}
	}
}

func TestGenerateErrors(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.gr")
	for what, c := range map[string]struct {
		kind, path string
		o          Options
	}{
		"kind":             {"lattice", path, Options{N: 2}},
		"no vertices":      {"random", path, Options{}},
		"too many":         {"random", path, Options{N: graph.MaxVertices + 1}},
		"negative":         {"random", path, Options{N: 2, M: -1}},
		"one with arcs":    {"random", path, Options{N: 1, M: 1}},
		"one of R-MAT":     {"rmat", path, Options{N: 1, M: 1}},
		"count of a ring":  {"ring", path, Options{N: 10, M: 11}},
		"format":           {"random", path + ".xyz", Options{N: 2}},
		"compression only": {"random", filepath.Dir(path) + "/x.gz", Options{N: 2}},
	} {
		if err := File(context.Background(), c.kind, c.o, c.path); !errors.Is(err, graph.ErrOptions) {
			t.Errorf("%s: error %v", what, err)
		}
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) != 0 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

func TestGenerateKeepsFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.gr")
	if err := os.WriteFile(path, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	o := Options{N: 2, M: 1}
	if err := File(context.Background(), "random", o, path); !errors.Is(err, fs.ErrExist) {
		t.Errorf("error %v", err)
	}
	why := errors.New("stopped")
	stopped, stop := context.WithCancelCause(context.Background())
	stop(why)
	o.Overwrite, o.M = true, 1<<20
	if err := File(stopped, "random", o, path); !errors.Is(err, why) {
		t.Errorf("error %v", err)
	}
	text, err := os.ReadFile(path)
	if err != nil || string(text) != "precious" {
		t.Errorf("the file holds %.20q, %v", text, err)
	}
	if names, _ := os.ReadDir(filepath.Dir(path)); len(names) != 1 {
		t.Errorf("left behind: %v", names)
	}
	if err := File(context.Background(), "random", o, path); err != nil {
		t.Error(err)
	}
}

// failing accepts some bytes and then is full.
type failing struct{ room int }

var errFull = errors.New("full")

func (f *failing) Write(p []byte) (int, error) {
	f.room -= len(p)
	if f.room < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestGenerateToAFullDisk(t *testing.T) {
	crashtest.Slow(t)
	for _, name := range []string{"x.gr", "x.mtx", "x.gr.gz", "x.gr.zst"} {
		for _, generator := range Kinds {
			o := Options{N: 1 << 19}
			if generator.Arcs == nil {
				o.M = 1 << 19
			}
			if err := To(context.Background(), generator.Name, o, name, &failing{room: 1 << 20}); !errors.Is(err,
				errFull) {
				t.Errorf("%s %s: error %v", generator.Name, name, err)
			}
		}
	}
}

func TestFloorRoot(t *testing.T) {
	r := seeds.New(t)
	for _, root := range []int64{0, 1, 2, 3, 46340, 46341, 1<<31 - 1, r.Int64N(1 << 31)} {
		for _, x := range []int64{root * root, root*root + r.Int64N(2*root+1), root*root + 2*root} {
			if got := floorRoot(x); got != root {
				t.Errorf("floorRoot(%d) = %d, want %d", x, got, root)
			}
		}
	}
}

func TestDice(t *testing.T) {
	d := newDice(1, 0)
	const n, draws = 7, 70000
	var counts [n]int
	for range draws {
		counts[d.below(n)]++
	}
	for x, count := range counts {
		if count < draws/n*9/10 || count > draws/n*11/10 { // 11 standard deviations; the seed is fixed
			t.Errorf("%d was drawn %d times of %d", x, count, draws)
		}
	}
	if d.below(1) != 0 {
		t.Error("the only number was not drawn")
	}
}

func ExampleTo() {
	err := To(context.Background(), "ring", Options{N: 3, Seed: 1}, ".gr", os.Stdout)
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// c ring graph, seed 1
	// p sp 3 3
	// a 1 2 931
	// a 2 3 730
	// a 3 1 902
}
