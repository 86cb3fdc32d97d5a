package enginetest

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"ooc/engine"
	"ooc/engine/graph"
	"ooc/tiles/crashtest"
)

// CutAtSyncs makes a store of a graph and solves it. Before and after each sync of the solve it copies what a disk might hold
// if the power were cut. It returns the solved store, which is closed when the test ends, and the folders of the copies in order.
func CutAtSyncs(t testing.TB, r *rand.Rand, g graph.Weights, made engine.CreateOptions, o engine.Options) (p *engine.Problem, copies []string) {
	t.Helper()
	dir, into := filepath.Join(t.TempDir(), "x.ooc"), t.TempDir()
	h, err := crashtest.Watch(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Close)
	if p, err = engine.Create(t.Context(), dir, g, made); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	h.OnSync = func(name string, done bool) { // by one goroutine: checkpoints do not overlap
		dst := filepath.Join(into, fmt.Sprintf("%d-%s-%v", len(copies), filepath.Base(name), done))
		if h.Cut(dst, r) == nil {
			copies = append(copies, dst)
		}
	}
	Solve(t, p, o)
	return p, copies
}
