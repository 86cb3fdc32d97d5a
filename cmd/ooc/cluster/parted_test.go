package cluster

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"ooc/engine"
	"ooc/engine/graph"
	"ooc/kernels/entry"
	"ooc/tiles"
)

func pathGraph(t *testing.T) *graph.Graph {
	t.Helper()
	g, err := graph.New(3, graph.AsKind(entry.KindI32)).Add(0, 1, 5).Add(1, 2, 7).Add(2, 0, 1).Build()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestPartDirBegunMeanwhile finds that another process has made and begun a part while this one read the graph. It is not given up, but with --restart.
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
		old, err := clear(dir, &Solve{Parts: &Parted{Restart: restart}}, g, &o)
		if restart != (err == nil) || !restart && (!errors.Is(err, tiles.ErrLocked) || !strings.Contains(err.Error(), "run the same command again")) {
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
