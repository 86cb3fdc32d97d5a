package near_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"

	"ooc/engine/factors"
	"ooc/engine/graph"
	"ooc/engine/internal/enginetest"
	"ooc/engine/internal/seeds"
	"ooc/engine/near"
	"ooc/engine/newfile"
	"ooc/engine/rows"
	"ooc/kernels/entry"
)

// made counts the Workers that a Ready makes, and its ends.
type made struct {
	rows.Ready
	workers, closed *atomic.Int64
}

func (m made) NewWorker(count int) (rows.Worker, error) {
	m.workers.Add(1)
	return m.Ready.NewWorker(count)
}

func (m made) Close() error {
	m.closed.Add(1)
	return m.Ready.Close()
}

// TestWholeRows compares files made of rows that an engine computes with files of searches. Where the engine takes
// longer, or fails, it is not taken.
func TestWholeRows(t *testing.T) {
	r := seeds.New(t)
	defer near.SetWorthAsking(math.Inf(-1))()
	for _, w := range enginetest.AllKinds {
		for range 5 {
			g := enginetest.HardGraph(t, r, 2+r.IntN(150), w.Kind, w.Negative)
			q := near.Question{Within: math.Inf(1)}
			if r.IntN(2) == 0 {
				q.Within = float64(r.IntN(300)) / float64(g.Scale)
			}
			if r.IntN(2) == 0 {
				q.Nearest = 1 + r.IntN(g.N)
			} else {
				q.Self = r.IntN(2) == 0
			}
			for _, c := range []struct {
				seconds float64
				fails   error
				taken   bool
			}{{math.Inf(-1), nil, true}, {math.Inf(1), nil, false}, {math.Inf(-1), errors.New("no room"), false}} {
				var workers, closed atomic.Int64
				offer := func(ctx context.Context, g *graph.Graph, q rows.Question) (rows.Offer, error) {
					o, err := factors.Engine{}.Offer(ctx, g, q)
					prepare := o.Prepare
					o.Seconds = c.seconds
					o.Prepare = func(ctx context.Context) (rows.Ready, error) {
						ready, err := prepare(ctx)
						return made{ready, &workers, &closed}, err
					}
					return o, errors.Join(err, c.fails)
				}
				dir := t.TempDir()
				plain, whole := filepath.Join(dir, "plain.npz"), filepath.Join(dir, "whole.npz")
				_, err := near.File(t.Context(), g, near.Options{Question: q, File: newfile.File{Path: plain}})
				o := near.Options{Question: q, File: newfile.File{Path: whole}, Offer: offer}
				res, werr := near.File(t.Context(), g, o)
				if err = errors.Join(err, werr); err != nil {
					t.Fatal(err)
				}
				taken := c.taken && g.Kind.Wide() == entry.KindI32
				if taken != (workers.Load() > 0) || taken != (closed.Load() == 1) {
					t.Errorf("%s, %v s: %d workers are made, and it closes %d times", g.Kind, c.seconds,
						workers.Load(), closed.Load())
				}
				a, err := os.ReadFile(plain)
				b, berr := os.ReadFile(whole)
				if err = errors.Join(err, berr); err != nil || !bytes.Equal(a, b) {
					t.Fatalf("%d vertices of %s, %+v: %d pairs, and another file: %v", g.N, g.Kind, q, res.Pairs, err)
				}
			}
		}
	}
}

// TestReady finds the same rows by searches and by an engine, of any number of Workers.
func TestReady(t *testing.T) {
	r := seeds.New(t)
	defer near.SetWorthAsking(math.Inf(-1))()
	g := enginetest.RandomGraph(t, r, 200, entry.KindI32, false)
	s, err := near.NewSearcher(t.Context(), g, near.Question{Within: 500, Self: true})
	if err != nil {
		t.Fatal(err)
	}
	var workers, closed atomic.Int64
	offer := func(ctx context.Context, g *graph.Graph, q rows.Question) (rows.Offer, error) {
		o, err := factors.Engine{}.Offer(ctx, g, q)
		prepare := o.Prepare
		o.Seconds, o.Prepare = math.Inf(-1), func(ctx context.Context) (rows.Ready, error) {
			ready, err := prepare(ctx)
			return made{ready, &workers, &closed}, err
		}
		return o, err
	}
	ready, err := s.Ready(t.Context(), g, offer)
	if err != nil {
		t.Fatal(err)
	}
	plain, whole := s.Worker(t.Context()), make([]near.Worker, ready.Hands)
	for i := range whole {
		if whole[i], err = ready.Open(); err != nil {
			t.Fatal(err)
		}
	}
	for range 300 {
		u := r.IntN(g.N)
		columns, distances, err := plain.Row(u)
		theirs, far, werr := whole[r.IntN(len(whole))].Row(u)
		if err = errors.Join(err, werr); err != nil || !slices.Equal(columns, theirs) ||
			!slices.Equal(distances, far) || !slices.Contains(columns, int32(u)) {
			t.Fatalf("row %d: %v, %v; by an engine %v, %v: %v", u, columns, distances, theirs, far, err)
		}
	}
	for _, w := range whole {
		err = errors.Join(err, w.Close())
	}
	if err = errors.Join(err, ready.Close()); err != nil || int(workers.Load()) != len(whole) || closed.Load() != 1 {
		t.Errorf("%d workers of %d, closed %d times: %v", workers.Load(), len(whole), closed.Load(), err)
	}
}

// counted counts the rows that Workers compute.
type counted struct {
	rows.Ready
	computed *atomic.Int64
	bytes    int64 // that a Worker is said to take
	workers  *atomic.Int64
}

func (c counted) WorkerBytes(int) int64 { return c.bytes }

func (c counted) NewWorker(count int) (rows.Worker, error) {
	c.workers.Add(1)
	w, err := c.Ready.NewWorker(count)
	return countedWorker{w, c.computed}, err
}

type countedWorker struct {
	rows.Worker
	computed *atomic.Int64
}

func (w countedWorker) ReadRows(dst []byte, sources []int) error {
	w.computed.Add(int64(len(sources)))
	return w.Worker.ReadRows(dst, sources)
}

// TestWholeRowsOnce counts the rows that an engine computes, on several processors: each once. Where a Worker takes
// much memory, there are no more of them than there is memory for.
func TestWholeRowsOnce(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	defer near.SetWorthAsking(math.Inf(-1))()
	g := enginetest.HardGraph(t, seeds.New(t), 500, entry.KindI32, false)
	for _, c := range []struct {
		bytes int64
		most  int64 // workers
	}{{1 << 10, 4}, {math.MaxInt64 / 4, 1}} {
		var computed, workers atomic.Int64
		offer := func(ctx context.Context, g *graph.Graph, q rows.Question) (rows.Offer, error) {
			o, err := factors.Engine{}.Offer(ctx, g, q)
			prepare := o.Prepare
			o.Seconds = math.Inf(-1)
			o.Prepare = func(ctx context.Context) (rows.Ready, error) {
				ready, err := prepare(ctx)
				return counted{ready, &computed, c.bytes, &workers}, err
			}
			return o, err
		}
		o := near.Options{Question: near.Question{Within: math.Inf(1)}, Offer: offer}
		o.File.Path = filepath.Join(t.TempDir(), "near.npz")
		if _, err := near.File(t.Context(), g, o); err != nil {
			t.Fatal(err)
		}
		if computed.Load() != int64(g.N) || workers.Load() > c.most {
			t.Errorf("%d workers compute %d rows of %d", workers.Load(), computed.Load(), g.N)
		}
	}
}
