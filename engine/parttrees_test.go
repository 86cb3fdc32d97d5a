package engine_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/sync/errgroup"

	"ooc/engine"
	"ooc/engine/device"
	"ooc/engine/graph"
	"ooc/engine/internal/enginetest"
	"ooc/engine/internal/seeds"
	"ooc/engine/live"
	"ooc/engine/plan"
	"ooc/engine/ranks"
	"ooc/engine/rounds"
	"ooc/engine/task"
	"ooc/kernels/cpu"
	"ooc/kernels/entry"
	"ooc/tiles"
	"ooc/tiles/crashtest"
)

// zeroCycles makes a graph with many cycles of length 0, whose predecessors have to be mended.
func zeroCycles(t *testing.T, r *rand.Rand, n int, kind entry.Kind) *graph.Graph {
	t.Helper()
	b := graph.New(n, graph.Directed, graph.AsKind(kind))
	for range 5 * n {
		b.Add(r.IntN(n), r.IntN(n), float64(max(0, r.IntN(8)-4)))
	}
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// questioned is a link that does something when so many questions about trees were sent over it.
type questioned struct {
	ranks.Link
	left atomic.Int64
	do   func()
}

func (l *questioned) Send(ctx context.Context, to, tag int, data []byte) error {
	if tag == ranks.FirstTag && len(data) == 24 && l.left.Add(-1) == 0 {
		l.do()
	}
	return l.Link.Send(ctx, to, tag, data)
}

// partedRanks are the part stores of a solve, and what solves them.
type partedRanks struct {
	t    *testing.T
	g    *graph.Graph
	dir  string
	part tiles.Part
}

// open opens the part store of a rank, or makes it.
func (s *partedRanks) open(rank int) *engine.Problem {
	part := s.part
	part.Index = rank
	dir := filepath.Join(s.dir, part.Name())
	var p *engine.Problem
	var err error
	if tiles.IsStore(dir) {
		p, err = engine.Open(dir)
	} else {
		p, err = engine.Create(context.Background(), dir, s.g,
			engine.CreateOptions{Tile: 64, Layout: tiles.Square, Part: &part, Predecessors: true})
	}
	if err != nil {
		s.t.Fatal(err)
	}
	return p
}

// solve solves all parts. After some questions about trees, at asks for something in one rank.
func (s *partedRanks) solve(unlucky, after int, at func(cancel func())) []error {
	size := s.part.Of()
	links, _ := enginetest.Links(size)
	errs := make([]error, size)
	var group errgroup.Group
	for rank := range size {
		p := s.open(rank)
		d, err := cpu.Open(cpu.Options{Threads: 1, Memory: 1 << 26})
		if err != nil {
			s.t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		link := &questioned{Link: links[rank], do: func() {
			if rank == unlucky {
				at(cancel)
			}
		}}
		link.left.Store(int64(after))
		o := engine.Options{
			Request: plan.Request{Algorithm: rounds.Blocked.Name(), Grid: [2]int{s.part.Rows, s.part.Cols}},
			Device:  device.Ranked(d, size, 1<<26), Ranks: ranks.NewGroup(link), Control: new(live.Control),
		}
		group.Go(func() error {
			defer cancel()
			_, errs[rank] = p.Solve(ctx, o)
			var err error
			if rank == 0 {
				err = o.Ranks.Leave(context.Background())
			}
			return errors.Join(err, p.Close(), d.Close())
		})
	}
	if err := group.Wait(); err != nil {
		s.t.Error(err)
	}
	return errs
}

// ends goes on to the end, and checks all trees.
func (s *partedRanks) ends() {
	s.t.Helper()
	for rank, err := range s.solve(0, 0, nil) {
		if err != nil && !errors.Is(err, ranks.ErrOver) {
			s.t.Fatalf("rank %d: %v", rank, err)
		}
	}
	p, err := engine.OpenReadOnly(s.dir)
	if err != nil {
		s.t.Fatal(err)
	}
	checkTrees(s.t, p, s.g)
	if err := p.Close(); err != nil {
		s.t.Fatal(err)
	}
}

// TestPartTrees mends the predecessors of part stores, with ranks that are stopped or whose part is cut meanwhile.
// All end, rank 0 says why, and the next run goes on.
func TestPartTrees(t *testing.T) {
	r := seeds.New(t)
	stops := 0
	for i := range crashtest.Repeats(4, 40) {
		kind := []entry.Kind{entry.KindI32, entry.KindF32, entry.KindF64}[i%3]
		// No part is without tiles.
		s := &partedRanks{t: t, g: zeroCycles(t, r, 257+r.IntN(100), kind), dir: t.TempDir()}
		grid := [][2]int{{1, 2}, {2, 1}, {2, 2}, {1, 3}}[r.IntN(4)]
		s.part = tiles.Part{Dealt: tiles.Dealt{Rows: grid[0], Cols: grid[1], Block: 1 + r.IntN(2)},
			Solve: tiles.NewID()}
		errs := s.solve(r.IntN(s.part.Of()), 1+r.IntN(6), func(cancel func()) { cancel() })
		if errs[0] != nil {
			stops++
			if !errors.Is(errs[0], task.ErrInterrupted) {
				t.Fatal(errs)
			}
			if p, err := tiles.OpenReadOnly(s.dir); err != nil {
				t.Error(err)
			} else if _, err := p.Sums(); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("stopped, and with checksums: %v", err)
			} else if err := p.Close(); err != nil {
				t.Error(err)
			}
			cut, path := (s.part.Of()-1)*r.IntN(2), "" // rank 0, or the last
			errs = s.solve(0, 1, func(func()) {
				part := s.part
				part.Index = cut
				path = filepath.Join(s.dir, part.Name(), tiles.MatrixName)
				if err := os.Truncate(path, 4096); err != nil {
					t.Error(err)
				}
			})
			if path != "" && (errs[0] == nil || !strings.Contains(errs[0].Error(), path)) {
				t.Errorf("a part was cut: %v", errs)
			}
			if path != "" {
				if err := os.RemoveAll(s.dir); err != nil { // whose distances are gone
					t.Fatal(err)
				}
				if err := os.Mkdir(s.dir, 0o777); err != nil {
					t.Fatal(err)
				}
			}
		}
		s.ends()
	}
	if stops == 0 {
		t.Error("no solve was stopped while trees were mended")
	}
}

// TestPartTreesUnread has a part whose checksums cannot be read when predecessors are to be mended: that ends all,
// and no part says that they are.
func TestPartTreesUnread(t *testing.T) {
	r := seeds.New(t)
	for unread := range 2 {
		s := &partedRanks{t: t, g: zeroCycles(t, r, 200, entry.KindI32), dir: t.TempDir()}
		s.part = tiles.Part{Dealt: tiles.Dealt{Rows: 1, Cols: 2, Block: 1}, Solve: tiles.NewID()}
		if errs := s.solve(0, 1, func(cancel func()) { cancel() }); !errors.Is(errs[0], task.ErrInterrupted) {
			t.Fatal(errs)
		}
		part := s.part
		part.Index = unread
		watch, err := crashtest.Watch(filepath.Join(s.dir, part.Name()))
		if err != nil {
			t.Fatal(err)
		}
		watch.Step = func(_, name string) error {
			if name == "sums" {
				return errFault
			}
			return nil
		}
		if errs := s.solve(0, 0, nil); errs[0] == nil || !strings.Contains(errs[0].Error(), errFault.Error()) {
			t.Errorf("checksums that cannot be read: %v", errs)
		}
		watch.Close()
		s.ends()
	}
}
