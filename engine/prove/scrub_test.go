package prove

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ooc/engine"
	"ooc/engine/internal/enginetest"
	"ooc/engine/internal/seeds"
	"ooc/engine/task"
	"ooc/kernels/entry"
	"ooc/tiles"
	"ooc/tiles/disk"
)

// TestScrub damages tiles and stops scrubs.
func TestScrub(t *testing.T) {
	r := seeds.New(t)
	n := 300
	p := enginetest.Solved(t, r, enginetest.RandomGraph(t, r, n, entry.KindI32, false))
	side := p.Geometry().Side()
	all := side * side
	if s, err := Scrub(context.Background(), p, ScrubOptions{}); err != nil || s.Tiles != all || s.Next != all ||
		s.Bytes != int64(all)*64*64*4 {
		t.Fatalf("%+v, %v", s, err)
	}
	ctx, stop := context.WithCancelCause(context.Background())
	s, err := Scrub(ctx, p, ScrubOptions{Progress: func(done, of int) {
		if done >= 5 {
			stop(task.ErrInterrupted)
		}
	}})
	if !errors.Is(err, task.ErrInterrupted) || s.Next < 1 || s.Next > s.Tiles || s.Tiles == all {
		t.Fatalf("stopped: %+v, %v", s, err)
	}
	if rest, err := Scrub(context.Background(), p, ScrubOptions{From: s.Next}); err != nil ||
		rest.Tiles != all-s.Next || rest.Next != all {
		t.Fatalf("resumed at %d: %+v, %v", s.Next, rest, err)
	}
	for _, from := range []int{-1, all} {
		if _, err := Scrub(context.Background(), p, ScrubOptions{From: from}); !errors.Is(err, ErrNoTile) {
			t.Errorf("from %d: %v", from, err)
		}
	}
	enginetest.Change(t, p, 70, 130, func(was uint32) uint32 { return was ^ 1<<r.IntN(32) })
	enginetest.Change(t, p, 299, 0, func(was uint32) uint32 { return was ^ 1<<r.IntN(32) })
	var named []string
	s, err = Scrub(context.Background(), p,
		ScrubOptions{Damaged: func(err error) { named = append(named, err.Error()) }})
	if !errors.Is(err, disk.ErrCorrupt) || s.Damaged != 2 || s.Next != all || len(named) != 2 {
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
	if s, err := Scrub(context.Background(), p, ScrubOptions{}); !errors.Is(err, disk.ErrCorrupt) ||
		s.Damaged < all-1 {
		t.Errorf("a file that was cut: %+v, %v", s, err)
	}
}

// TestScrubInputs flips bits of the stored graph and of its ids, beside rows and beside factors: Scrub and Sample
// find them, Scrub also where a tile is damaged.
func TestScrubInputs(t *testing.T) {
	r := seeds.New(t)
	for _, layout := range []tiles.Layout{tiles.Square, tiles.Factors} {
		g := enginetest.RandomGraph(t, r, 200, entry.KindI32, false)
		g.IDs.Text = nil
		g.IDs.Numeric = make([]int64, g.N)
		for i := range g.IDs.Numeric {
			g.IDs.Numeric[i] = int64(3*i + 1)
		}
		p, err := engine.Create(t.Context(), filepath.Join(t.TempDir(), "a.ooc"), g,
			engine.CreateOptions{Layout: layout})
		if err == nil {
			defer p.Close()
			_, err = p.Solve(t.Context(), engine.Options{})
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"graph.csr", "ids"} {
			path := filepath.Join(p.Dir(), name)
			whole, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			b := bytes.Clone(whole)
			b[64+r.IntN(len(b)-64)] ^= 1 << r.IntN(8)
			if err := os.WriteFile(path, b, 0o666); err != nil {
				t.Fatal(err)
			}
			_, scrubbed := Scrub(t.Context(), p, ScrubOptions{})
			_, sampled := Sample(t.Context(), p, 0, 1)
			for _, err := range []error{scrubbed, sampled} {
				if !errors.Is(err, disk.ErrCorrupt) || !strings.Contains(err.Error(), path) {
					t.Errorf("layout %s, %s: %v", layout, name, err)
				}
			}
			if err := os.WriteFile(path, whole, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := Scrub(t.Context(), p, ScrubOptions{}); err != nil {
			t.Error(err)
		}
	}
}
