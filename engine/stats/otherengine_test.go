package stats

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ooc/engine/factors"
	"ooc/engine/graph"
	"ooc/engine/internal/seeds"
	"ooc/engine/live"
	"ooc/engine/rows"
	"ooc/engine/task"
	"ooc/kernels/entry"
	"ooc/tiles"
)

// eachByItself is an engine of rows that searches from each source by itself. It has no lanes.
type eachByItself struct{ seconds float64 } // more than -1, which no other engine promises

func (eachByItself) Name() string { return "searches" }

func (e eachByItself) Offer(_ context.Context, g *graph.Graph, _ rows.Question) (rows.Offer, error) {
	return rows.Offer{Engine: e.Name(), Seconds: e.seconds - 1, Prepare: func(context.Context) (rows.Ready, error) {
		order := make([]int32, g.N)
		for i, v := range rand.New(rand.NewPCG(1, 2)).Perm(g.N) {
			order[i] = int32(v)
		}
		return searched{g, order}, nil
	}}, nil
}

type searched struct {
	g     *graph.Graph
	order []int32
}

func (s searched) Order() []int32                     { return s.order }
func (s searched) NewWorker(int) (rows.Worker, error) { return searcher{s, graph.NewSearch(s.g)}, nil }
func (s searched) WorkerBytes(int) int64              { return int64(20 * s.g.N) }
func (s searched) Reversed() (rows.Ready, error)      { return nil, errors.New("not asked for") }
func (s searched) Close() error                       { return nil }
func (s searched) none() uint64                       { return s.wide().Unreachable() }
func (s searched) wide() entry.Kind                   { return s.g.Kind.Wide() }

type searcher struct {
	searched
	search *graph.Search
}

func (s searcher) ReadRows(dst []byte, sources []int) error {
	row := s.g.N * s.wide().Bytes()
	if len(dst) != row*len(sources) {
		return errors.New("the rows do not fit")
	}
	for i, u := range sources {
		for v, d := range s.search.From(u) {
			bits := s.none()
			if !math.IsInf(d, 1) {
				bits = s.wide().Bits(d)
			}
			s.wide().Put(dst[i*row:], v, bits)
		}
	}
	return nil
}

// offering returns what has the engine of these that takes least time, or the one that is named.
func offering(engines ...rows.Engine) func(context.Context, *graph.Graph, rows.Question) (rows.Offer, error) {
	return func(ctx context.Context, g *graph.Graph, q rows.Question) (rows.Offer, error) {
		return rows.Choose(ctx, engines, g, q)
	}
}

// TestOfGraphByOtherEngine takes rows of an engine without lanes and without an elimination, also where there are
// devices.
func TestOfGraphByOtherEngine(t *testing.T) {
	r := seeds.New(t)
	for _, c := range statsCases {
		g := c.build(t, r, 1+r.IntN(300))
		o := GraphOptions{Options: randomStats(r)}
		if r.IntN(2) == 0 {
			o.Sources = someRows(r, g.N)
		}
		want := ofGraph(t, g, o)
		o.offer, o.Memory = offering(factors.Engine{}, eachByItself{}), int64(r.IntN(1<<20))
		if r.IntN(2) == 0 {
			o.Open = opened(newSumming(t))
		}
		o.File = filepath.Join(t.TempDir(), "g.stats")
		got, sum, err := OfGraph(t.Context(), g, o)
		if err != nil || sum.Engine != "searches" || sum.Eliminated != 0 {
			t.Fatalf("%+v, %v", sum, err)
		}
		if c.kind.Float() {
			closeStats(t, got, want)
		} else {
			sameStats(t, got, want)
		}
	}
}

// TestOfGraphInBlocks reads rows of many vertices, in parts, and in blocks that are smaller than bands.
func TestOfGraphInBlocks(t *testing.T) {
	r := seeds.New(t)
	c := statsCases[r.IntN(len(statsCases))]
	g := c.build(t, r, 2500) // more columns than a part of a band has
	o := Options{Nearest: 2, Edges: []float64{0, 50, 100}, Within: []float64{60}}
	all := GraphOptions{Options: o, Sources: make(tiles.RowSet, 150), offer: offering(eachByItself{})}
	for i := range all.Sources {
		all.Sources[i] = int32(i * 16)
	}
	want := asJSON(t, ofGraph(t, g, all))
	offer, _ := all.offer(t.Context(), g, rows.Question{})
	ready, err := offer.Prepare(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	from, err := newComputed(ready, g.Kind, all.Sources, false, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer from.close()
	whole := from.reader
	from.reader = func(i int) (reader, error) {
		one, err := whole(i)
		b := one.(*rowReader)
		b.block = 1 + r.IntN(20)
		return b, err
	}
	from.hands = 1
	meta := &tiles.Meta{N: g.N, Kind: g.Kind, Scale: g.Scale, Directed: g.Directed, Negative: g.Negative}
	meta.Sources = all.Sources
	x := newGathering(meta, o)
	x.reads(from)
	if err := errors.Join(x.makeGatherers(), x.pass(t.Context())); err != nil {
		t.Fatal(err)
	}
	got, err := x.result()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(asJSON(t, got), want) {
		t.Errorf("%+v: smaller blocks give another result", c)
	}
}

// TestOfGraphKeepsEngine goes on with the engine that began, whatever others promise meanwhile, and not without it.
func TestOfGraphKeepsEngine(t *testing.T) {
	r := seeds.New(t)
	c := statsCases[r.IntN(len(statsCases))]
	g := c.build(t, r, 700)
	for _, name := range []string{"searches", factors.Name} {
		o := GraphOptions{Options: randomStats(r), File: filepath.Join(t.TempDir(), "g.stats")}
		fast, slow := eachByItself{}, eachByItself{math.Inf(1)}
		if name == factors.Name {
			fast, slow = slow, fast
		}
		o.offer = offering(factors.Engine{}, fast)
		want := asJSON(t, ofGraph(t, g, o))
		interruptedFile(t, g, o)
		before, err := os.ReadFile(o.File)
		if err != nil {
			t.Fatal(err)
		}
		o.offer = offering(eachByItself{})
		if name == "searches" {
			o.offer = offering(factors.Engine{})
		}
		if _, _, err := OfGraph(t.Context(), g, o); !errors.Is(err, errOther) {
			t.Errorf("without %s: %v", name, err)
		}
		if after, err := os.ReadFile(o.File); err != nil || !bytes.Equal(before, after) {
			t.Errorf("the file was changed, %v", err)
		}
		o.offer = offering(factors.Engine{}, slow)
		got, sum, err := OfGraph(t.Context(), g, o)
		if err != nil {
			t.Fatal(err)
		}
		if sum.Engine != name || sum.Resumed == 0 || !bytes.Equal(asJSON(t, got), want) {
			t.Errorf("%+v: begun with %s: %+v", c, name, sum)
		}
	}
}

// TestOfGraphPauses asks for a checkpoint in a pause, and finds it in the file.
func TestOfGraphPauses(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2)) // with many, all bands are under way before two are done
	r := seeds.New(t)
	g := statsCases[0].build(t, r, 700)
	o := GraphOptions{File: filepath.Join(t.TempDir(), "g.stats"), Checkpoint: time.Hour, Interval: time.Millisecond}
	o.Control = new(live.Control)
	saved := make(chan struct{})
	var bands atomic.Int64
	var once sync.Once
	o.each = func() {
		if bands.Add(1) == 2 {
			o.Control.Pause()
			go o.Control.Checkpoint()
		}
	}
	o.Progress = func(st live.Status) {
		if st.State == live.Paused && st.RestorePoint > 0 {
			once.Do(func() { close(saved) })
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	ended := make(chan error)
	go func() {
		_, _, err := OfGraph(ctx, g, o)
		ended <- err
	}()
	select {
	case <-saved:
	case err := <-ended:
		t.Fatalf("it has ended in a pause: %v", err)
	}
	at := int(bands.Load())
	stop()
	if err := <-ended; !errors.Is(err, task.ErrInterrupted) {
		t.Fatal(err)
	}
	o.Control, o.Progress, o.each = nil, nil, nil
	_, sum, err := OfGraph(t.Context(), g, o)
	if err != nil || sum.Resumed < at*leastHeight {
		t.Errorf("%+v, %v; want %d bands of an earlier run", sum, err, at)
	}
}
