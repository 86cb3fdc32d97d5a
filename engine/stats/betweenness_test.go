package stats

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"ooc/engine"
	"ooc/engine/between"
	"ooc/engine/device"
	"ooc/engine/graph"
	"ooc/engine/internal/enginetest"
	"ooc/engine/internal/seeds"
	"ooc/engine/live"
	"ooc/engine/rows"
	"ooc/engine/task"
	"ooc/kernels"
	"ooc/kernels/entry"
	"ooc/tiles"
	"ooc/tiles/crashtest"
)

// betweenGraph makes a random graph with weights above 0, all equal or not.
func betweenGraph(t *testing.T, r *rand.Rand, n int, equal bool) *graph.Graph {
	t.Helper()
	direction := []graph.BuildOption{graph.Directed, graph.Undirected}[r.IntN(2)]
	kind := []entry.Kind{entry.KindI32, entry.KindF32, entry.KindF64}[r.IntN(3)]
	b := graph.New(n, direction, graph.AsKind(kind))
	for range 3 * n {
		w := 0.5 + r.Float64()
		if equal {
			w = 2
		} else if kind == entry.KindI32 {
			w = float64(1 + r.IntN(9))
		}
		b.Add(r.IntN(n), r.IntN(n), w)
	}
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestBetweennessThreads demands the same bits of any number of processors, whatever they may take.
func TestBetweennessThreads(t *testing.T) {
	r := seeds.New(t)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, equal := range []bool{true, false} {
		g := betweenGraph(t, r, 400, equal)
		o := GraphOptions{Betweenness: between.Question{Vertices: true, Edges: true, Endpoints: r.IntN(2) == 0}}
		if r.IntN(2) == 0 {
			o.Sources = someRows(r, g.N)
		}
		var want []byte
		for _, threads := range []int{1, 2, 8} {
			runtime.GOMAXPROCS(threads)
			got := asJSON(t, ofGraph(t, g, o))
			if want == nil {
				want = got
			} else if !bytes.Equal(got, want) {
				t.Fatalf("equal weights: %v, kind %s: %d threads give another result", equal, g.Kind, threads)
			}
		}
	}
}

// TestBetweennessResumes stops a call again and again, among rows and among sources, and at the first source, which the
// next call does not add up again.
func TestBetweennessResumes(t *testing.T) {
	r := seeds.New(t)
	for _, equal := range []bool{true, false} {
		g := betweenGraph(t, r, 500, equal)
		for _, least := range []int{1, 0} { // sources that are done when it is interrupted; without any, rows are kept
			ctx, stop := context.WithCancel(t.Context())
			o := GraphOptions{Betweenness: between.Question{Vertices: true}, File: filepath.Join(t.TempDir(), "g.stats")}
			o.Progress, o.Interval, o.Checkpoint = func(st live.Status) {
				if st.Stage == live.StageBetween && st.RowsDone >= least {
					stop()
				}
			}, time.Nanosecond, time.Nanosecond
			if least == 0 {
				o.Checkpoint = time.Hour
			}
			o.each = func() { time.Sleep(time.Millisecond) }
			_, _, err := OfGraph(ctx, g, o)
			if !errors.Is(err, task.ErrInterrupted) {
				t.Fatal(err)
			}
			_, sum, err := OfGraph(t.Context(), g, o)
			if err != nil || sum.Rows != 0 || sum.BetweenResumed < least || sum.BetweenResumed >= g.N {
				t.Errorf("%+v, %v", sum, err)
			}
		}
		resumes(t, r, g, GraphOptions{Options: randomStats(r),
			Betweenness: between.Question{Vertices: true, Edges: r.IntN(2) == 0}})
	}
}

// TestBetweennessLacksMemory refuses where there is less memory than one goroutine needs: at once or, if that needs
// more to compute distances, before any row. What the error says is enough.
func TestBetweennessLacksMemory(t *testing.T) {
	r := seeds.New(t)
	for _, equal := range []bool{true, false} {
		for _, least := range []int64{1, 0} { // byte, or all that the graph tells
			g := betweenGraph(t, r, 1500, equal)
			o := GraphOptions{Betweenness: between.Question{Vertices: true}, Memory: least,
				File: filepath.Join(t.TempDir(), "g.stats"), each: func() { t.Error("rows were gathered") }}
			if least == 0 {
				o.Memory, _ = between.MemoryOf(g)
				if equal {
					o.Memory--
				}
			}
			began := false
			o.offer = func(ctx context.Context, g *graph.Graph, q rows.Question) (rows.Offer, error) {
				began = true
				return engine.OfferRows(ctx, g, q)
			}
			_, _, err := OfGraph(t.Context(), g, o)
			if !errors.Is(err, device.ErrMemory) || began != (least == 0 && !equal) {
				t.Fatalf("equal weights: %v, %d bytes: began %v, %v", equal, o.Memory, began, err)
			}
			_, enough, _ := strings.Cut(err.Error(), "betweenness takes ")
			_, enough, _ = strings.Cut(enough, "give --host-memory ")
			if o.Memory, err = strconv.ParseInt(enough, 10, 64); err != nil {
				t.Fatal(err)
			}
			o.each = nil
			ofGraph(t, g, o) // and no file is left
		}
	}
}

// TestBetweennessScales has a path of four vertices, and what networkx makes of it: all sources, or the first alone.
func TestBetweennessScales(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		direction           graph.BuildOption
		endpoints           bool
		sources             tiles.RowSet
		plain, share, edges []float64 // of the first two vertices, and of the first two edges
	}{
		{graph.Undirected, false, nil, []float64{0, 2}, []float64{0, 2. / 3}, []float64{3, 4}},
		{graph.Undirected, true, nil, []float64{3, 5}, []float64{0.5, 5. / 6}, []float64{3, 4}},
		{graph.Directed, false, nil, []float64{0, 2}, []float64{0, 1. / 3}, []float64{3, 4}},
		{graph.Undirected, false, tiles.RowSet{0}, []float64{nan, 3}, []float64{nan, 1}, []float64{6, 4}},
		{graph.Undirected, true, tiles.RowSet{0}, []float64{6, 6}, []float64{1, 1}, []float64{6, 4}},
		{graph.Directed, true, tiles.RowSet{0, 3}, []float64{6, 6}, []float64{0.5, 0.5}, []float64{6, 4}},
	} {
		g, err := graph.New(4, c.direction).Add(0, 1, 1).Add(1, 2, 1).Add(2, 3, 1).Build()
		if err != nil {
			t.Fatal(err)
		}
		b := ofGraph(t, g, GraphOptions{Sources: c.sources,
			Betweenness: between.Question{Vertices: true, Edges: true, Endpoints: c.endpoints}}).Between
		same := func(a, b float64) bool { return math.Abs(a-b) < 1e-12 || a != a && b != b }
		edges := []float64{}
		for e := range b.Edges() {
			edges = append(edges, e.Plain)
		}
		for i := range 2 {
			if !same(b.Vertex(i, false), c.plain[i]) || !same(b.Vertex(i, true), c.share[i]) ||
				!same(edges[i], c.edges[i]) {
				t.Errorf("%+v: vertex %d has %v and %v, edge %v", c, i, b.Vertex(i, false), b.Vertex(i, true), edges[i])
			}
		}
	}
}

// TestBetweennessWritten reads what is written of a path, and of a graph without edges.
func TestBetweennessWritten(t *testing.T) {
	for arcs, want := range map[int]string{
		0: `"betweenness":[0,0,0],"betweenness_centrality":[0,0,0]},` +
			`"edges":{"source":[],"target":[],"betweenness":[],"betweenness_centrality":[]}}`,
		2: `"betweenness":[0,1,0],"betweenness_centrality":[0,1,0]},"edges":{"source":["0","1"],"target":["1","2"],` +
			`"betweenness":[2,2],"betweenness_centrality":[0.6666666666666666,0.6666666666666666]}}`,
	} {
		b := graph.New(3, graph.Undirected)
		for i := range arcs {
			b.Add(i, i+1, 1)
		}
		g, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		r := ofGraph(t, g, GraphOptions{Betweenness: between.Question{Vertices: true, Edges: true}})
		if got := string(asJSON(t, r)); !strings.Contains(got, want) ||
			!strings.Contains(got, `"path_counts_rounded":false`) {
			t.Errorf("%s\nlacks %s", got, want)
		}
		var csv, edges bytes.Buffer
		if err := r.WriteCSV(&csv, graph.IDs{}); err != nil {
			t.Fatal(err)
		}
		if err := r.WriteEdgesCSV(&edges, graph.IDs{}); err != nil {
			t.Fatal(err)
		}
		line := "source,target,betweenness,betweenness_centrality\n"
		for i := range arcs {
			line += fmt.Sprintf("%d,%d,2,0.6666666666666666\n", i, i+1)
		}
		if edges.String() != line || strings.Count(csv.String(), "betweenness") != 2 {
			t.Errorf("%s\n%s", csv.String(), edges.String())
		}
	}
}

// adding is a device that adds up betweenness, as often as it does not fail.
type adding struct {
	kernels.Device
	left int64 // searches before it fails; -1: it never does
}

func (d *adding) ops() kernels.PathOps {
	ops, _ := kernels.As[kernels.PathOps](d.Device)
	return ops
}

func (d *adding) PathRoom(p kernels.PathSearch) int64 { return d.ops().PathRoom(p) }

func (d *adding) PathSums(s kernels.Stream, p kernels.PathSearch) error {
	if left := atomic.AddInt64(&d.left, -1); left == -1 {
		atomic.StoreInt64(&d.left, 0)
		return errBroken
	}
	return d.ops().PathSums(s, p)
}

// TestBetweennessOnDevices wants of a device the bytes of the processor, which also goes on where that has failed, and
// the other way round.
func TestBetweennessOnDevices(t *testing.T) {
	r := seeds.New(t)
	devices := []kernels.Device{newCounting(t).Device}
	if d := enginetest.GPU(t, 0); d != nil {
		devices = append(devices, d)
	}
	for i := range crashtest.Repeats(4, 8) {
		g := betweenGraph(t, r, 500, true)
		q := between.Question{Vertices: true, Edges: r.IntN(2) == 0, Endpoints: r.IntN(2) == 0}
		o := GraphOptions{Betweenness: q}
		if r.IntN(2) == 0 {
			o.Sources = someRows(r, g.N)
		}
		if !q.Endpoints {
			o.Betweenness.Targets = someRows(r, g.N)
		}
		want := asJSON(t, ofGraph(t, g, o))
		d := &adding{devices[i%len(devices)], int64(i / len(devices) % 3)}
		o.File, o.Open, o.onDevice, o.Checkpoint = filepath.Join(t.TempDir(), "g.stats"), opened(d), true, time.Nanosecond
		_, sum, err := OfGraph(t.Context(), g, o)
		if err == nil && (sum.BetweenAlone != "" || o.Sources == nil) || err != nil && !errors.Is(err, errBroken) {
			t.Fatalf("%+v, %v", sum, err)
		}
		if d.left = -1; i%2 == 0 {
			o.onDevice, o.Open = false, nil
		}
		if got := asJSON(t, ofGraph(t, g, o)); !bytes.Equal(got, want) {
			t.Errorf("%s, then another: other bytes than the processor's", d.Info().Name)
		}
	}
}
