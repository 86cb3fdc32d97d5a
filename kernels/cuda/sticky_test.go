package cuda_test

import (
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ooc/engine"
	"ooc/engine/graph"
	"ooc/engine/live"
	"ooc/engine/plan"
	"ooc/engine/prove"
	"ooc/engine/rounds"
	"ooc/kernels/cpu"
	"ooc/kernels/cuda"
)

// TestTrap spoils the context in the middle of a solve, as a fault of the hardware does: the solve ends with the
// first error and a tile, everything closes, and the store goes on from its restore point. A process of its own
// does it, as no other test may share that context.
func TestTrap(t *testing.T) {
	if _, err := cuda.Count(); err != nil {
		if !errors.Is(err, cuda.ErrNoDevice) || os.Getenv("OOC_REQUIRE_GPU") == "1" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	if os.Getenv("OOC_TRAP") == "" {
		c := exec.Command(os.Args[0], "-test.run=^TestTrap$", "-test.v")
		c.Env = append(os.Environ(), "OOC_TRAP=1")
		out, err := c.CombinedOutput()
		t.Logf("%s", out)
		if err != nil {
			t.Fatal(err)
		}
		return
	}
	const n, tile = 16384, 512
	b := graph.New(n)
	r := rand.New(rand.NewPCG(1, 2))
	for range 10 * n {
		b.Add(r.IntN(n), r.IntN(n), float64(1+r.IntN(1000)))
	}
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "x.ooc")
	p, err := engine.Create(t.Context(), dir, g, engine.CreateOptions{Tile: tile})
	if err != nil {
		t.Fatal(err)
	}
	d, err := cuda.Open(cuda.Options{Memory: 256 << 20})
	if err != nil {
		t.Fatal(err)
	}
	trapped := false
	_, err = p.Solve(t.Context(), engine.Options{
		Device: d, Request: plan.Request{Algorithm: rounds.Blocked.Name()}, Interval: 5 * time.Millisecond,
		Checkpoint: 20 * time.Millisecond,
		Progress: func(s live.Status) {
			if s.Progress > 0.2 && s.State == live.Running && !trapped {
				trapped = true
				if err := cuda.Trap(d); err != nil {
					t.Error(err)
				}
			}
		},
	})
	var fault *cuda.Error
	if !trapped || !errors.As(err, &fault) || fault.Name == "" || !strings.Contains(err.Error(), "tile (") {
		t.Fatalf("trapped %v, got %v", trapped, err)
	}
	t.Log(err)
	if err := d.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	finishOnCPU(t, dir)
}

// finishOnCPU wants the store to go on from where it is and to end right.
func finishOnCPU(t *testing.T, dir string) {
	p, err := engine.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	c, err := cpu.Open(cpu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	sum, err := p.Solve(t.Context(), engine.Options{Device: c, Request: plan.Request{Algorithm: rounds.Blocked.Name()}})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("went on from %.0f %%", 100*sum.ResumedFrom)
	if report, err := prove.Sample(t.Context(), p, 16, 1); err != nil {
		t.Fatalf("%+v: %v", report, err)
	}
}
