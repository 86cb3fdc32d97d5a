package engine

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ooc/engine/graph"
	"ooc/tiles"
)

// TestDamagedSums demands that solving a solved store again writes checksums that are missing, and leaves alone those
// that are damaged.
func TestDamagedSums(t *testing.T) {
	r := seeded(t)
	p := solvedStore(t, r, randomGraph(t, r, 100, graph.KindI32, false))
	path := filepath.Join(p.Dir(), "sums")
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	bad := bytes.Clone(good)
	bad[r.IntN(len(bad))] ^= 1 << r.IntN(8)
	o := randomSolve(r, 100, p.geom.T).open(t)
	for _, c := range []struct{ sums, want []byte }{{bad, bad}, {nil, good}} {
		err := os.Remove(path)
		if c.sums != nil {
			err = os.WriteFile(path, c.sums, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
		_, err = p.Solve(t.Context(), o)
		if now, rerr := os.ReadFile(path); errors.Is(err, tiles.ErrCorrupt) != (c.sums != nil) || rerr != nil || !bytes.Equal(now, c.want) {
			t.Errorf("damaged %v: %v, %v", c.sums != nil, err, rerr)
		}
	}
}

// TestScrub damages tiles and stops scrubs.
func TestScrub(t *testing.T) {
	r := seeded(t)
	n := 300
	p := solvedStore(t, r, randomGraph(t, r, n, graph.KindI32, false))
	side := p.geom.Side()
	all := side * side
	if s, err := p.Scrub(context.Background(), ScrubOptions{}); err != nil || s.Tiles != all || s.Next != all || s.Bytes != int64(all)*64*64*4 {
		t.Fatalf("%+v, %v", s, err)
	}
	ctx, stop := context.WithCancelCause(context.Background())
	s, err := p.Scrub(ctx, ScrubOptions{Progress: func(done, of int) {
		if done >= 5 {
			stop(ErrInterrupted)
		}
	}})
	if !errors.Is(err, ErrInterrupted) || s.Next < 1 || s.Next > s.Tiles || s.Tiles == all {
		t.Fatalf("stopped: %+v, %v", s, err)
	}
	if rest, err := p.Scrub(context.Background(), ScrubOptions{From: s.Next}); err != nil || rest.Tiles != all-s.Next || rest.Next != all {
		t.Fatalf("resumed at %d: %+v, %v", s.Next, rest, err)
	}
	for _, from := range []int{-1, all} {
		if _, err := p.Scrub(context.Background(), ScrubOptions{From: from}); !errors.Is(err, ErrNoTile) {
			t.Errorf("from %d: %v", from, err)
		}
	}
	change(t, p, 70, 130, func(was uint32) uint32 { return was ^ 1<<r.IntN(32) })
	change(t, p, 299, 0, func(was uint32) uint32 { return was ^ 1<<r.IntN(32) })
	var named []string
	s, err = p.Scrub(context.Background(), ScrubOptions{Damaged: func(err error) { named = append(named, err.Error()) }})
	if !errors.Is(err, tiles.ErrCorrupt) || s.Damaged != 2 || s.Next != all || len(named) != 2 {
		t.Fatalf("%+v, %v, %q", s, err, named)
	}
	for _, tile := range []string{"tile (1,2)", "tile (4,0)"} {
		if !strings.Contains(strings.Join(named, "\n"), tile) {
			t.Errorf("%s is not in %q", tile, named)
		}
	}
	if err := os.Truncate(filepath.Join(p.Dir(), "dist.npy"), 1<<14); err != nil {
		t.Fatal(err)
	}
	if s, err := p.Scrub(context.Background(), ScrubOptions{}); !errors.Is(err, tiles.ErrCorrupt) || s.Damaged < all-1 {
		t.Errorf("a file that was cut: %+v, %v", s, err)
	}
}
