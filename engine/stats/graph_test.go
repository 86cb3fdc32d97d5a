package stats

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"ooc/engine"
	"ooc/engine/between"
	"ooc/engine/device"
	"ooc/engine/graph"
	"ooc/engine/internal/enginetest"
	"ooc/engine/internal/seeds"
	"ooc/engine/live"
	"ooc/engine/task"
	"ooc/tiles"
	"ooc/tiles/crashtest"
	"ooc/tiles/disk"
	"ooc/tiles/lock"
)

// ofGraph gathers without a store, and makes sure that no file is left.
func ofGraph(t *testing.T, g *graph.Graph, o GraphOptions) *Result {
	t.Helper()
	if o.File == "" {
		o.File = filepath.Join(t.TempDir(), "g.stats")
	}
	r, _, err := OfGraph(t.Context(), g, o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(o.File); err == nil {
		t.Error("the file is left")
	}
	return r
}

// TestOfGraph compares statistics of a graph with those of its store.
func TestOfGraph(t *testing.T) {
	r := seeds.New(t)
	for round := range crashtest.Repeats(1, 2) {
		for _, c := range statsCases {
			n := 1 + r.IntN([]int{3, 60, 400}[r.IntN(3)])
			t.Run(fmt.Sprintf("%d/%+v/n=%d", round, c, n), func(t *testing.T) {
				s := enginetest.RandomShape(r, n, 64*(1+r.IntN(2))).Of(c.kind)
				g := c.build(t, r, n)
				p := enginetest.Create(t, g, s.Tile)
				enginetest.Solve(t, p, s.Options(t))
				o := GraphOptions{Options: randomStats(r), Memory: int64(16*n*n + r.IntN(1<<20))} // the core has room
				f, err := engine.Create(t.Context(), filepath.Join(t.TempDir(), "f.ooc"), g,
					engine.CreateOptions{Layout: tiles.Factors})
				if err != nil {
					t.Fatal(err)
				}
				defer f.Close()
				enginetest.Solve(t, f, engine.Options{})
				want := mustStats(t, p, o.Options)
				for _, got := range []*Result{ofGraph(t, g, o), mustStats(t, f, o.Options)} {
					if c.kind.Float() {
						closeStats(t, got, want)
						continue
					}
					sameStats(t, got, want)
					if !reflect.DeepEqual(got.DistanceHistogram, want.DistanceHistogram) ||
						!reflect.DeepEqual(got.EccentricityHistogram, want.EccentricityHistogram) {
						t.Errorf("%+v, want %+v", got.DistanceHistogram, want.DistanceHistogram)
					}
				}
			})
		}
	}
}

// closeStats compares numbers that two ways to add up arcs round differently.
func closeStats(t *testing.T, got, want *Result) {
	t.Helper()
	theirs := want.Columns()
	for i, c := range got.Columns() {
		for v := range got.N {
			// Which may be on the other side of a limit.
			if c.Number == nil || len(c.Name) > 6 && c.Name[:6] == "within" {
				continue
			}
			a, b := c.Number(v), theirs[i].Number(v)
			if a != b && !(math.Abs(a-b) <= 1e-4*max(math.Abs(a), math.Abs(b), 1)) {
				t.Fatalf("%s of %d is %v, want %v", c.Name, v, a, b)
			}
		}
	}
	if got.ReachablePairs != want.ReachablePairs {
		t.Errorf("%d reachable pairs, want %d", got.ReachablePairs, want.ReachablePairs)
	}
}

// someRows picks rows of n vertices.
func someRows(r *rand.Rand, n int) tiles.RowSet {
	rows := make(tiles.RowSet, 0, n)
	for v := range n {
		if r.IntN(3) == 0 {
			rows = append(rows, int32(v))
		}
	}
	if len(rows) == 0 {
		rows = append(rows, int32(r.IntN(n)))
	}
	return rows
}

// TestOfSources compares with plain loops over the rows of a store.
func TestOfSources(t *testing.T) {
	r := seeds.New(t)
	for _, c := range statsCases {
		if c.kind.Float() {
			continue
		}
		n := 2 + r.IntN(150)
		g := c.build(t, r, n)
		p := enginetest.Create(t, g, 64)
		enginetest.Solve(t, p, enginetest.RandomShape(r, n, 64).Options(t))
		d, rows := matrixOf(t, p), someRows(r, n)
		o := Options{Nearest: 2, Within: []float64{50}, Bins: 10}
		got := ofGraph(t, g, GraphOptions{Options: o, Sources: rows})
		some, err := engine.Create(t.Context(), filepath.Join(t.TempDir(), "some.ooc"), g,
			engine.CreateOptions{Sources: rows, Tile: 64})
		if err != nil {
			t.Fatal(err)
		}
		defer some.Close()
		enginetest.Solve(t, some, engine.Options{})
		sameStats(t, got, mustStats(t, some, o))
		var pairs, longestOf []float64
		reach, longest := int64(0), 0.0
		columns := make([]side, n)
		for v := range n {
			if !slices.Contains(rows, int32(v)) {
				continue
			}
			one := plainVertex(d, v, float64(g.Scale))
			reach += int64(one.out.count)
			longest = max(longest, one.longest)
			longestOf = append(longestOf, one.longest)
			if got.Eccentricity[v] != one.eccentricity || got.DistanceSum[v] != one.out.sum ||
				int(got.Descendants[v]) != one.out.count ||
				!alike(got.HarmonicOut[v], one.out.harmonic) || !alike(got.ClosenessOut[v], one.out.closeness(n)) ||
				int(got.Farthest[v]) != one.farthest {
				t.Fatalf("row %d differs", v)
			}
			if want := plainNear(d, v, 2, math.Inf(1)); !slices.Equal(got.Nearest[v], want) {
				t.Fatalf("nearest of %d: %v, want %v", v, got.Nearest[v], want)
			}
			if want := len(plainNear(d, v, n, 50)); int(got.Within[0].Count[v]) != want {
				t.Fatalf("within of %d: %v, want %v", v, got.Within[0].Count[v], want)
			}
			for u := range n {
				if u != v {
					columns[u].add(d[v][u], float64(g.Scale))
					if !math.IsInf(d[v][u], 1) {
						pairs = append(pairs, d[v][u])
					}
				}
			}
		}
		for u, in := range columns {
			if int(got.Ancestors[u]) != in.count || got.DistanceSumIn[u] != in.sum ||
				!alike(got.Harmonic[u], in.harmonic) {
				t.Fatalf("column %d differs: %d, %v, %v, want %+v", u, got.Ancestors[u], got.DistanceSumIn[u],
					got.Harmonic[u], in)
			}
		}
		if got.ReachablePairs != reach || got.LongestDistance != longest ||
			got.Connected != (reach == int64(len(rows))*int64(n-1)) {
			t.Errorf("%d reachable pairs, longest %v; want %d, %v", got.ReachablePairs, got.LongestDistance, reach,
				longest)
		}
		checkHistogram(t, p.Meta(), got.DistanceHistogram, pairs, Options{Bins: 10})
		checkHistogram(t, p.Meta(), got.EccentricityHistogram, longestOf, Options{Bins: 10})
		for v := range n {
			for _, col := range got.Columns() {
				if col.Rows && got.has(v) != slices.Contains(rows, int32(v)) {
					t.Fatalf("%s of %d", col.Name, v)
				}
			}
		}
	}
}

// TestTextOfSources has chosen sources that reach nothing: no other vertex is the best of them.
func TestTextOfSources(t *testing.T) {
	for _, direction := range []graph.BuildOption{graph.Directed, graph.Undirected} {
		g, err := graph.New(4, direction).Add(0, 1, 4).Build()
		if err != nil {
			t.Fatal(err)
		}
		r := ofGraph(t, g, GraphOptions{Options: Options{Within: []float64{5}, Nearest: 5},
			Sources: tiles.RowSet{2, 3}})
		var text bytes.Buffer
		if err := r.WriteText(&text, "g", graph.IDs{}); err != nil {
			t.Fatal(err)
		}
		if got := strings.Count(text.String(), "0 at 2"); got != 3 {
			t.Errorf("%d times the first source, in\n%s", got, text.String())
		}
	}
}

// TestNearestColumns has as many columns as were asked for, where no vertex has so many neighbors, and no more than any
// could have.
func TestNearestColumns(t *testing.T) {
	for n, want := range map[int]int{1: 0, 2: 1, 3: 2, 9: 3} {
		g, err := graph.New(n).Build()
		if err != nil {
			t.Fatal(err)
		}
		got := ofGraph(t, g, GraphOptions{Options: Options{Nearest: 3}})
		if more := len(got.Columns()) - len(ofGraph(t, g, GraphOptions{}).Columns()); more != 2*want {
			t.Errorf("%d vertices have %d columns of the nearest, want two for each of %d", n, more, want)
		}
	}
}

// asJSON is everything that is known of a result.
func asJSON(t *testing.T, r *Result) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := r.WriteJSON(&b, graph.IDs{}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestOfGraphThreads demands the same bits of any number of processors, and whatever is free.
func TestOfGraphThreads(t *testing.T) {
	r := seeds.New(t)
	c := statsCases[r.IntN(len(statsCases))]
	g := c.build(t, r, 500)
	o := GraphOptions{Options: Options{Bins: 40, Nearest: 2, Within: []float64{10}}}
	if r.IntN(2) == 0 {
		o.Sources = someRows(r, g.N)
	}
	var want []byte
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, threads := range []int{1, 2, 3, 8} {
		runtime.GOMAXPROCS(threads)
		got := asJSON(t, ofGraph(t, g, o))
		if want == nil {
			want = got
		} else if !bytes.Equal(got, want) {
			t.Fatalf("%+v, %d threads give another result", c, threads)
		}
	}
}

func TestOfGraphResumes(t *testing.T) {
	r := seeds.New(t)
	c := statsCases[r.IntN(len(statsCases))]
	resumes(t, r, c.build(t, r, 700), GraphOptions{Options: randomStats(r)})
}

// resumes stops a call again and again, and demands the bits of one that was never stopped.
func resumes(t *testing.T, r *rand.Rand, g *graph.Graph, o GraphOptions) {
	t.Helper()
	o.File, o.Checkpoint = filepath.Join(t.TempDir(), "g.stats"), time.Nanosecond
	stops := 0
	for {
		ctx, stop := context.WithCancel(t.Context())
		o.Interval, o.Control = time.Nanosecond, new(live.Control)
		bands := 0
		o.each = func() {
			if bands++; bands > r.IntN(4) {
				stop()
			}
		}
		got, sum, err := OfGraph(ctx, g, o)
		stop()
		if errors.Is(err, task.ErrInterrupted) {
			stops++
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		o.each = nil
		if !bytes.Equal(asJSON(t, got), asJSON(t, ofGraph(t, g, o))) {
			t.Errorf("%d vertices of %s: stopped %d times, the result is another", g.N, g.Kind, stops)
		}
		if stops > 0 && sum.Resumed == 0 {
			t.Errorf("stopped %d times, and nothing was kept", stops)
		}
		return
	}
}

// interruptedFile returns a file with some bands of a graph.
func interruptedFile(t *testing.T, g *graph.Graph, o GraphOptions) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	o.Checkpoint, o.each = time.Nanosecond, stop
	if _, _, err := OfGraph(ctx, g, o); !errors.Is(err, task.ErrInterrupted) {
		t.Fatal(err)
	}
}

// TestOfGraphStopsEarly ends the context in stages before there are rows.
func TestOfGraphStopsEarly(t *testing.T) {
	g := statsCases[0].mesh(t, seeds.New(t), 20)
	for _, stage := range []live.Stage{live.StageEliminate, live.StageCore} {
		ctx, stop := context.WithCancel(t.Context())
		o := GraphOptions{File: filepath.Join(t.TempDir(), "g.stats"), Progress: func(st live.Status) {
			if st.Stage == stage {
				stop()
			}
		}}
		if _, _, err := OfGraph(ctx, g, o); !errors.Is(err, task.ErrInterrupted) {
			t.Errorf("%s: %v", stage, err)
		}
		if _, err := os.Lstat(o.File); err == nil {
			t.Errorf("%s: a file of nothing is left", stage)
		}
		stop()
	}
}

// TestOfGraphLacksMemory refuses to go on with less memory than the call that began needed, keeps what was gathered,
// and goes on where there is more.
func TestOfGraphLacksMemory(t *testing.T) {
	r := seeds.New(t)
	c := statsCases[r.IntN(len(statsCases))]
	g := c.build(t, r, 700)
	for g.Arcs() < 700 { // else there may be nothing that takes memory
		g = c.build(t, r, 700)
	}
	o := GraphOptions{Options: randomStats(r), File: filepath.Join(t.TempDir(), "g.stats")}
	want := asJSON(t, ofGraph(t, g, o))
	interruptedFile(t, g, o)
	o.Memory = 1
	_, _, err := OfGraph(t.Context(), g, o)
	if !errors.Is(err, device.ErrMemory) || !strings.Contains(err.Error(), "--host-memory") ||
		!strings.Contains(err.Error(), o.File) {
		t.Fatalf("%+v: %v", c, err)
	}
	o.Memory = 1 << 30
	if !bytes.Equal(asJSON(t, ofGraph(t, g, o)), want) {
		t.Errorf("%+v: the result is another", c)
	}
}

// TestOfGraphFile has files that are damaged, of another graph or of other options, foreign, or in use.
func TestOfGraphFile(t *testing.T) {
	r := seeds.New(t)
	c := statsCases[0]
	g, other := c.build(t, r, 700), c.build(t, r, 700)
	path := filepath.Join(t.TempDir(), "g.stats")
	o := GraphOptions{File: path, Options: Options{Bins: 10}}
	interruptedFile(t, g, o)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	fails := func(g *graph.Graph, o GraphOptions, want error, text string) {
		t.Helper()
		before, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := OfGraph(t.Context(), g, o); !errors.Is(err, want) ||
			!bytes.Contains([]byte(err.Error()), []byte(text)) {
			t.Errorf("%v, want %v with %q", err, want, text)
		}
		if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
			t.Errorf("the file was changed, %v", err)
		}
	}
	fails(other, o, errOther, "another graph")
	fails(g, GraphOptions{File: path}, errOther, "--bins")
	fails(g, GraphOptions{File: path, Options: Options{Bins: 10, Within: []float64{1}}}, errOther, "--within")
	fails(g, GraphOptions{File: path, Options: Options{Bins: 10, Nearest: 1}}, errOther, "--k-nearest")
	fails(g, GraphOptions{File: path, Options: o.Options, Sources: tiles.RowSet{1, 2}}, errOther, "--sources")
	positive := between.Question{Edges: true}
	if between.Check(g) == nil {
		fails(g, GraphOptions{File: path, Options: o.Options, Betweenness: positive}, errOther, "--betweenness")
	}
	aimed := GraphOptions{Betweenness: between.Question{Edges: true, Targets: []int32{1}}}
	was := aimed.head(g)
	aimed.Betweenness.Targets = nil
	if says := was.differs(aimed.head(g)); says != "with other --targets" {
		t.Error(says)
	}
	older := o.head(g)
	older.Version--
	if err := os.WriteFile(path, append(older.encode(), whole[headBytes:]...), 0o666); err != nil {
		t.Fatal(err)
	}
	fails(g, o, errOther, "version 4")
	if err := os.WriteFile(path, whole, 0o666); err != nil {
		t.Fatal(err)
	}
	held, _, err := lock.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	fails(g, o, lock.ErrLocked, "locked")
	held.Close()
	line := bytes.IndexByte(whole, '\n') + 1
	for bit := range 8 * headBytes { // none of which makes it a file of something else
		if at := bit / 8; at >= line && at < headBytes-4 && bit%8 != at%8 {
			continue // of the zeros in between, one each
		}
		b := slices.Clone(whole[:headBytes])
		b[bit/8] ^= 1 << (bit % 8)
		if err := os.WriteFile(path, b, 0o666); err != nil {
			t.Fatal(err)
		}
		s, err := openSaved(path, func() savedHead { return o.head(g) })
		if !errors.Is(err, disk.ErrCorrupt) || errors.Is(err, errOther) || !strings.Contains(err.Error(), path) {
			t.Fatalf("bit %d of the head differs: %v, %v", bit, s, err)
		}
	}
	if err := os.WriteFile(path, append([]byte{whole[0] ^ 1}, whole[1:]...), 0o666); err != nil {
		t.Fatal(err)
	}
	fails(g, o, disk.ErrCorrupt, "remove it, and the same command begins again")
	for _, b := range [][]byte{[]byte("a,b,1\n"), bytes.Repeat([]byte("x"), 9000), make([]byte, 100)} {
		if err := os.WriteFile(path, b, 0o666); err != nil {
			t.Fatal(err)
		}
		fails(g, o, errOther, "no file that ooc stats has begun")
	}
	// What may be left of a slot that was being written.
	for range 10 {
		b := slices.Clone(whole)
		for range 1 + r.IntN(3) {
			b[headBytes+r.IntN(len(b)-headBytes)] ^= 1 << r.IntN(8)
		}
		if err := os.WriteFile(path, b[:headBytes+r.IntN(len(b)-headBytes+1)], 0o666); err != nil {
			t.Fatal(err)
		}
		got, _, err := OfGraph(t.Context(), g, o)
		switch {
		case errors.Is(err, disk.ErrCorrupt):
			if _, err := os.Lstat(path); err != nil {
				t.Errorf("a damaged file was removed: %v", err)
			}
		case err != nil:
			t.Error(err)
		default:
			sameStats(t, got, ofGraph(t, g, GraphOptions{Options: o.Options}))
		}
	}
}
