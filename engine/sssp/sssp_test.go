package sssp

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/graph/path"
	"gonum.org/v1/gonum/graph/simple"

	"ooc/engine/device"
	"ooc/engine/feed"
	"ooc/engine/graph"
	"ooc/engine/graph/dense"
	"ooc/engine/graph/read"
	"ooc/engine/internal/enginetest"
	"ooc/engine/internal/seeds"
	"ooc/kernels"
	"ooc/kernels/cpu"
	"ooc/kernels/entry"
	"ooc/tiles/crashtest"
)

var seeded = seeds.New

func openCPU(t testing.TB, o cpu.Options) *cpu.Device {
	t.Helper()
	d, err := cpu.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// randomGraph makes a graph without negative cycles, in which many paths are equally long. Negative arcs come from
// potentials, which change no cycle's length.
func randomGraph(t testing.TB, r *rand.Rand, n int, kind entry.Kind, negative bool) *graph.Graph {
	t.Helper()
	b := graph.New(n, graph.AsKind(kind))
	potential := make([]int, n)
	for v := range potential {
		if negative {
			potential[v] = r.IntN(50)
		}
	}
	for range r.IntN(6*n + 1) {
		u, v, w := r.IntN(n), r.IntN(n), float64(r.IntN(8))
		if kind == entry.KindF32 && !negative {
			w += r.Float64() * float64(r.IntN(2))
		}
		if u != v {
			b.Add(u, v, w+float64(potential[u]-potential[v]))
		}
	}
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// asMatrix writes a graph as .npy and opens it as what a matrix on disk is.
func asMatrix(t testing.TB, g *graph.Graph, fortran bool) *dense.Matrix {
	t.Helper()
	file := filepath.Join(t.TempDir(), "m.npy")
	order := "False"
	if fortran {
		order = "True"
	}
	head := fmt.Sprintf("{'descr': '<f8', 'fortran_order': %s, 'shape': (%d, %d), }", order, g.N, g.N)
	for (10+len(head)+1)%64 != 0 {
		head += " "
	}
	out := append([]byte("\x93NUMPY\x01\x00"), byte(len(head)+1), byte((len(head)+1)>>8))
	out = append(out, head+"\n"...)
	for i := range g.N {
		for j := range g.N {
			u, v := i, j
			if fortran {
				u, v = j, i
			}
			w := math.Inf(1)
			if k := g.Find(u, v); k >= 0 {
				w = g.Weight(k)
			}
			bits := math.Float64bits(w)
			for range 8 {
				out = append(out, byte(bits))
				bits >>= 8
			}
		}
	}
	if err := os.WriteFile(file, out, 0o644); err != nil {
		t.Fatal(err)
	}
	_, d, _, err := read.Open(file, read.Options{Kind: g.Kind, NoArc: "inf"}) // arcs of length 0 may be many
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

var kinds = []struct {
	kind     entry.Kind
	negative bool
}{{entry.KindI32, false}, {entry.KindI32, true}, {entry.KindF32, false}, {entry.KindF32, true}}

func value(g *graph.Graph, bits uint32) float64 {
	switch {
	case g.Kind == entry.KindF32:
		return float64(math.Float32frombits(bits))
	case int32(bits) == entry.Inf32:
		return math.Inf(1)
	}
	return float64(int32(bits))
}

// TestEqualsGonum compares with gonum's Bellman–Ford.
func TestEqualsGonum(t *testing.T) {
	r := seeded(t)
	d := openCPU(t, cpu.Options{})
	for range 20 {
		g := randomGraph(t, r, 2+r.IntN(150), entry.KindI32, r.IntN(2) == 0)
		theirs := simple.NewWeightedDirectedGraph(0, math.Inf(1))
		for u := range g.N {
			if theirs.Node(int64(u)) == nil {
				theirs.AddNode(simple.Node(u))
			}
			for k := g.Offsets[u]; k < g.Offsets[u+1]; k++ {
				theirs.SetWeightedEdge(theirs.NewWeightedEdge(simple.Node(u), simple.Node(g.Targets[k]), g.Weight(k)))
			}
		}
		source := r.IntN(g.N)
		want, ok := path.BellmanFordFrom(simple.Node(source), theirs)
		if !ok {
			t.Fatal("gonum finds a negative cycle")
		}
		res, err := Run(context.Background(), g, Options{Device: d, Sources: []int{source}})
		if err != nil {
			t.Fatal(err)
		}
		for v := range g.N {
			if got := value(g, res.Dist[0][v]); got != want.WeightTo(int64(v)) {
				t.Fatalf("distance from %d to %d is %v, and by gonum %v", source, v, got, want.WeightTo(int64(v)))
			}
		}
	}
}

// check compares distances with a search, and walks every path back to its source.
func check(t testing.TB, g *graph.Graph, r *Result) {
	t.Helper()
	search := graph.NewSearch(g)
	for i, s := range r.Sources {
		want := search.From(s)
		for v := range g.N {
			got := value(g, r.Dist[i][v])
			if slack := math.Abs(want[v]) * float64(g.N) / (1 << 23); got != want[v] &&
				!(g.Kind == entry.KindF32 && math.Abs(got-want[v]) <= slack) {
				t.Fatalf("distance from %d to %d is %v, want %v", s, v, got, want[v])
			}
			pred := r.Pred[i][v]
			if reached := v != s && !math.IsInf(got, 1); (pred >= 0) != reached {
				t.Fatalf("predecessor of %d from %d is %d, at distance %v", v, s, pred, got)
			}
			for at, steps := int32(v), 0; at != int32(s) && pred >= 0; steps++ {
				if steps > g.N || g.Find(int(r.Pred[i][at]), int(at)) < 0 {
					t.Fatalf("no path back from %d to %d", v, s)
				}
				at = r.Pred[i][at]
			}
			if pred >= 0 {
				w := g.Weight(g.Find(int(pred), v))
				if sum := value(g, r.Dist[i][pred]) + w; sum != got &&
					(g.Kind == entry.KindI32 || float32(sum) != float32(got)) {
					t.Fatalf("the arc %d → %d of %v does not make %v of %v", pred, v, w, got, value(g, r.Dist[i][pred]))
				}
			}
		}
	}
}

// apart is a device that sweeps in no host memory, and is not the host's cores: what a GPU looks like from here.
type apart struct {
	kernels.Device
	kernels.VectorOps
}

func (d apart) Info() kernels.Info {
	info := d.Device.Info()
	info.SharedCores = false
	return info
}

// TestMethodsAgree runs every method over graphs of every kind, as graphs and as matrices, in memory that holds them
// and in memory that does not, and wants the same distances and predecessors of all.
func TestMethodsAgree(t *testing.T) {
	crashtest.Slow(t)
	r := seeded(t)
	large := openCPU(t, cpu.Options{Threads: 3})
	for _, k := range kinds {
		t.Run(fmt.Sprint(k.kind, k.negative), func(t *testing.T) {
			for range crashtest.Repeats(2, 6) {
				n := 1 + r.IntN(400)
				g := randomGraph(t, r, n, k.kind, k.negative)
				vectors := int64(64 * (n + 64) * 16)
				small := openCPU(t, cpu.Options{Threads: 2,
					Memory: large.Info().Scratch + vectors + int64(r.IntN(1<<18)+1<<17)})
				devices := []kernels.Device{large, small, apart{large, large}, apart{small, small}}
				for _, room := range []int64{vectors + 1<<18, 1 << 28} {
					if gpu := enginetest.GPU(t, kernels.GPUScratch+room+room/4+1<<20); gpu != nil {
						devices = append(devices, gpu, gpu) // the more often
					}
				}
				inputs := []Arcs{g, asMatrix(t, g, r.IntN(2) == 0)}
				sources := make([]int, 1+r.IntN(20))
				for i := range sources {
					sources[i] = r.IntN(n)
				}
				var first *Result
				for _, m := range Methods {
					for _, arcs := range inputs {
						o := Options{Sources: sources, Method: m.Name, Device: devices[r.IntN(len(devices))],
							Matrix: r.IntN(2) == 0}
						if r.IntN(2) == 0 {
							o.Group = 1 << r.IntN(11)
						}
						res, err := Run(context.Background(), arcs, o)
						if err != nil {
							t.Fatalf("%s: %v", m.Name, err)
						}
						check(t, g, res)
						if first == nil {
							first = res
						}
						for i := range sources {
							if !slices.Equal(res.Dist[i], first.Dist[i]) || !slices.Equal(res.Pred[i], first.Pred[i]) {
								t.Fatalf("%s and %s differ", m.Name, first.Summary.Method)
							}
						}
					}
				}
			}
		})
	}
}

// TestStreams wants a graph that does not fit the device to be streamed, and to give the same.
func TestStreams(t *testing.T) {
	r := seeded(t)
	const n = 1200
	b := graph.New(n, graph.AsKind(entry.KindI32))
	for range 20 * n {
		b.Add(r.IntN(n), r.IntN(n), float64(r.IntN(100)))
	}
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	big := openCPU(t, cpu.Options{Threads: 2})
	small := openCPU(t, cpu.Options{Threads: 2, Memory: big.Info().Scratch + 110<<10})
	for _, matrix := range []bool{false, true} {
		var results []*Result
		for _, d := range []kernels.Device{big, small} {
			res, err := Run(context.Background(), g,
				Options{Device: d, Sources: []int{r.IntN(n), 7}, Method: "reduce", Matrix: matrix})
			if err != nil {
				t.Fatal(err)
			}
			if res.Summary.Resident != (d == kernels.Device(big)) {
				t.Errorf("matrix %v: resident %v", matrix, res.Summary.Resident)
			}
			check(t, g, res)
			results = append(results, res)
		}
		if !slices.Equal(results[0].Pred[1], results[1].Pred[1]) {
			t.Error("streamed and resident arcs give other predecessors")
		}
	}
	tiny := openCPU(t, cpu.Options{Threads: 2, Memory: big.Info().Scratch + 10<<10})
	if _, err := Run(context.Background(), g, Options{Device: tiny, Sources: []int{0}}); !errors.Is(err,
		device.ErrMemory) {
		t.Errorf("no memory for vectors: %v", err)
	}
}

// TestNegativeCycles plants a negative cycle where a source reaches it, and where none does.
func TestNegativeCycles(t *testing.T) {
	r := seeded(t)
	d := openCPU(t, cpu.Options{Threads: 2})
	for range 10 {
		for _, kind := range []entry.Kind{entry.KindI32, entry.KindF32} {
			base := randomGraph(t, r, 10+r.IntN(200), kind, true)
			n, long := base.N, 2+r.IntN(5)
			b := graph.New(n+long, graph.AsKind(kind))
			for u := range n {
				for k := base.Offsets[u]; k < base.Offsets[u+1]; k++ {
					b.Add(u, int(base.Targets[k]), base.Weight(k))
				}
			}
			for i := range long {
				b.Add(n+i, n+(i+1)%long, []float64{-float64(long), 1}[min(i, 1)])
			}
			b.Add(n+1, r.IntN(n), 1)
			source, linked := r.IntN(n), r.IntN(2) == 0
			if linked {
				b.Add(source, n+r.IntN(long), float64(r.IntN(100)))
			}
			g, err := b.Build()
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range Methods {
				for _, arcs := range []Arcs{g, asMatrix(t, g, r.IntN(2) == 0)} {
					res, err := Run(context.Background(), arcs,
						Options{Device: d, Sources: []int{source}, Method: m.Name})
					var cycle *graph.NegativeCycleError
					if !linked {
						if err != nil {
							t.Fatalf("%s: %v", m.Name, err)
						}
						check(t, g, res)
					} else if !errors.As(err, &cycle) || cycle.Length >= 0 ||
						cycleLength(t, g, cycle.Cycle) != cycle.Length {
						// The cycle may be another one, with the arcs that link it.
						t.Fatalf("%s: a cycle of %d from %d on: %v", m.Name, long, n, err)
					}
				}
			}
		}
	}
}

// cycleLength adds up the arcs of a cycle of vertices without names.
func cycleLength(t *testing.T, g *graph.Graph, cycle []string) (sum float64) {
	t.Helper()
	for i := range cycle {
		u, err := strconv.Atoi(cycle[i])
		v, verr := strconv.Atoi(cycle[(i+1)%len(cycle)])
		k := int64(-1)
		if err == nil && verr == nil {
			k = g.Find(u, v)
		}
		if k < 0 {
			t.Fatalf("%v: no arc from %s", cycle, cycle[i])
		}
		sum += g.Weight(k)
	}
	return sum
}

// TestHugeNegativeWeights has a cycle whose length leaves an int32 after few sweeps.
func TestHugeNegativeWeights(t *testing.T) {
	g, err := graph.New(4, graph.AsKind(entry.KindI32)).Add(0, 1, 0).Add(1, 2, -500e6).Add(2, 1, 1).Add(2, 3, 5).Build()
	if err != nil {
		t.Fatal(err)
	}
	d := openCPU(t, cpu.Options{})
	for _, m := range Methods {
		if _, err := Run(context.Background(), g,
			Options{Device: d, Sources: []int{0}, Method: m.Name}); !errors.Is(err, graph.ErrNegativeCycle) {
			t.Errorf("%s: %v", m.Name, err)
		}
	}
}

func TestBadOptions(t *testing.T) {
	g := randomGraph(t, seeded(t), 9, entry.KindI32, false)
	d := openCPU(t, cpu.Options{})
	for _, c := range []struct {
		o    Options
		want error
	}{
		{Options{Device: d, Sources: []int{9}}, graph.ErrNoVertex},
		{Options{Device: d}, graph.ErrNoVertex},
		{Options{Device: d, Sources: []int{0}, Method: "magic"}, feed.ErrMethod},
	} {
		if _, err := Run(context.Background(), g, c.o); !errors.Is(err, c.want) {
			t.Errorf("%+v: %v", c.o, err)
		}
	}
	empty, err := graph.New(2_000_000).Build()
	if err != nil {
		t.Fatal(err)
	}
	if device.FreeMemory() > 0 {
		_, err := Run(context.Background(), empty, Options{Device: d, Sources: make([]int, 2_000_000)})
		if !errors.Is(err, device.ErrMemory) {
			t.Errorf("32 TB of results: %v", err)
		}
	}
	stopped, stop := context.WithCancel(context.Background())
	stop()
	if _, err := Run(stopped, g, Options{Device: d, Sources: []int{0}}); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that ended: %v", err)
	}
}
