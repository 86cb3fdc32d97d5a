package cluster

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"ooc/engine"
	"ooc/engine/graph"
	"ooc/engine/plan"
	"ooc/engine/ranks"
	"ooc/engine/rounds"
	"ooc/kernels/entry"
	"ooc/tiles"
	"ooc/tiles/disk"
	"ooc/tiles/lock"
)

func pathGraph(t *testing.T) *graph.Graph {
	t.Helper()
	g, err := graph.New(3, graph.AsKind(entry.KindI32)).Add(0, 1, 5).Add(1, 2, 7).Add(2, 0, 1).Build()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestPartDirBegunMeanwhile finds that another process has made and begun a part while this one read the graph. It is
// not given up, but with --restart.
func TestPartDirBegunMeanwhile(t *testing.T) {
	g := pathGraph(t)
	part := tiles.Part{Dealt: tiles.Dealt{Rows: 1, Cols: 1, Block: 1}, Solve: tiles.NewID()}
	o := engine.CreateOptions{Tile: 64, Layout: tiles.Square, Part: &part}
	dir := filepath.Join(t.TempDir(), part.Name())
	p, err := engine.Create(context.Background(), dir, g, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Store().Checkpoint(tiles.State{Algorithm: "x", Done: 1}); err != nil {
		t.Fatal(err)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	for _, restart := range []bool{false, true} {
		old, err := clear(dir, &Solve{Parts: &Parted{Restart: restart}})
		if restart != (err == nil) || !restart &&
			(!errors.Is(err, lock.ErrLocked) || !strings.Contains(err.Error(), "run the same command again")) {
			t.Errorf("restart %t: %v", restart, err)
		}
		if err := closed(old, nil); err != nil {
			t.Error(err)
		}
	}
}

// TestPartDirOneSolve compares what ranks have opened, after others may have made some of it again.
func TestPartDirOneSolve(t *testing.T) {
	a := tiles.Part{Dealt: tiles.Dealt{Rows: 1, Cols: 2, Block: 1}, Solve: tiles.NewID()}
	b := a
	b.Index = 1
	c := &Cluster{seats: make([]seat, 2)}
	if err := c.oneSolve([]tiles.Part{a, b}); err != nil {
		t.Error(err)
	}
	if err := c.oneSolve([]tiles.Part{a, {}}); err != nil { // it says itself why it has none
		t.Error(err)
	}
	solve, block, grid := b, b, b
	solve.Solve, block.Block, grid.Rows, grid.Cols = tiles.NewID(), 2, 2, 1
	for _, other := range []tiles.Part{solve, block, grid} {
		if err := c.oneSolve([]tiles.Part{a, other}); err == nil || !strings.Contains(err.Error(), "rank 1 on") {
			t.Errorf("%v: %v", other, err)
		}
	}
}

// link joins two ranks of one process.
type link struct {
	rank    int
	in, out chan []byte
}

func (l link) Rank() int { return l.rank }
func (l link) Size() int { return 2 }

func (l link) Send(_ context.Context, _, _ int, data []byte) error {
	l.out <- append([]byte(nil), data...)
	return nil
}

func (l link) Receive(_ context.Context, _, _ int, data []byte) error {
	copy(data, <-l.in)
	return nil
}

// counted counts how often a graph is checked.
type counted struct {
	graph.Weights
	checks *atomic.Int32
}

func (c counted) Check(ctx context.Context) error {
	c.checks.Add(1)
	return c.Weights.Check(ctx)
}

// TestPartsCheckOnce has each rank check the graph once when it makes its part store, and when it makes it again.
func TestPartsCheckOnce(t *testing.T) {
	g, dirs := pathGraph(t), []string{t.TempDir(), t.TempDir()}
	for _, restart := range []bool{false, true} {
		a, b := make(chan []byte, 100), make(chan []byte, 100)
		var all sync.WaitGroup
		for rank, l := range []link{{0, a, b}, {1, b, a}} {
			all.Go(func() {
				checks := new(atomic.Int32)
				c := &Cluster{Group: ranks.NewGroup(l), seats: make([]seat, 2)}
				p, err := c.makeParts(context.Background(), &Solve{Parts: &Parted{Dir: dirs[rank], Restart: restart,
					Read: func() (graph.Weights, engine.CreateOptions, error) {
						choice := &plan.Choice{Offer: plan.Offer{Tile: 64, Plan: &rounds.Plan{Width: 1}},
							Layout: tiles.Square}
						return counted{g, checks}, engine.CreateOptions{Choice: choice}, nil
					},
					Made: func(*engine.Problem) {},
				}}, tiles.Part{Dealt: tiles.Dealt{Rows: 1, Cols: 2, Index: rank}})
				if err = closed(p, err); err != nil || checks.Load() != 1 {
					t.Errorf("restart %t, rank %d: checked %d times, %v", restart, rank, checks.Load(), err)
				}
			})
		}
		all.Wait()
	}
}

// TestRoomForAll adds up what ranks need of a volume that they share, and of no other.
func TestRoomForAll(t *testing.T) {
	c := &Cluster{seats: []seat{{Host: "a"}, {Host: "b"}, {Host: "b"}}}
	in := func(volume string, free, need int64) room {
		return room{Dir: "/x", Volume: volume, Source: "tmpfs", Free: free, Need: need}
	}
	for _, k := range []struct {
		rooms []room
		says  string // "": there is room
	}{
		{[]room{in("a 1", 5, 5), in("b 1", 9, 5), in("b 1", 10, 4)}, ""},
		{[]room{in("a 1", 5, 5), in("b 1", 9, 5), in("b 1", 9, 5)},
			"on the volume tmpfs: 10 B needed, 9 B free (5 B for rank 1 on b (process 0) in /x, 5 B for rank 2 on b"},
		{[]room{in("a 1", 4, 5), in("b 1", 9, 5), in("b 2", 9, 5)}, "5 B needed, 4 B free (5 B for rank 0 on a"},
		{[]room{in("nas:/x", 14, 5), in("nas:/x", 15, 5), in("nas:/x", 15, 5)}, "15 B needed, 14 B free"},
		{[]room{in("a 1", 5, 5), in("b 1", 5, -9), in("b 1", 5, 6)}, "6 B needed, 5 B free"},
		{[]room{in("", 0, 5), in("", 0, 5), in("", 0, 5)}, ""},
	} {
		err := c.roomForAll(k.rooms)
		if (err == nil) != (k.says == "") || err != nil &&
			(!errors.Is(err, disk.ErrNoSpace) || !strings.Contains(err.Error(), k.says)) {
			t.Errorf("%+v: %v, want %q", k.rooms, err, k.says)
		}
	}
}

// TestConfined tells a rank that is bound to one of many processors from those that have what there is.
func TestConfined(t *testing.T) {
	for _, c := range []struct {
		mine, unbound, of int
		want              bool
	}{{1, 32, 2, true}, {1, 32, 32, false}, {2, 32, 2, false}, {1, 2, 2, false}, {1, 2, 1, true}, {0, 0, 2, false}} {
		s := seat{Processors: c.mine, Unbound: c.unbound}
		if s.Local.Of = c.of; s.confined() != c.want {
			t.Errorf("a rank on %d of %d processors, one of %d on its host: %v", c.mine, c.unbound, c.of, !c.want)
		}
	}
}
