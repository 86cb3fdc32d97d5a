package cuda_test

import (
	"errors"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"ooc/engine"
	"ooc/engine/graph"
	"ooc/kernels"
	"ooc/kernels/cuda"
	"ooc/tiles/crashtest"
)

// broken fails the k-th call of a driver.
type broken struct {
	at int // 0: none

	mu    sync.Mutex
	asked int    // guarded by mu, as the rest
	call  string // that failed
	r     cuda.Result
}

const (
	outOfMemory  = 2   // CUDA_ERROR_OUT_OF_MEMORY, after which all goes on
	launchFailed = 719 // CUDA_ERROR_LAUNCH_FAILED, after which nothing does
)

// taking are the calls that take what has to be given back.
var taking = map[string]bool{"memAlloc": true, "hostAlloc": true, "hostRegister": true, "streamCreate": true, "eventCreate": true}

func (b *broken) fail(call string) cuda.Result {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.asked++; b.asked != b.at {
		return 0
	}
	b.call, b.r = call, launchFailed
	if taking[call] {
		b.r = outOfMemory
	}
	return b.r
}

// TestCampaignDriver fails each call of the driver in turn, in solves on a driver without a GPU: there is an error if
// and only if one was injected. What the device took is given back, page-locked memory too; once the context is spoiled
// that is the driver's affair, which frees all with the context.
func TestCampaignDriver(t *testing.T) {
	g := ring(t)
	for algorithm, times := range map[string]int{engine.AlgorithmBlocked: 60, engine.AlgorithmSquaring: 25, engine.AlgorithmSingleStage: 25} {
		t.Run(algorithm, func(t *testing.T) { failCalls(t, g, algorithm, times) })
	}
}

func failCalls(t *testing.T, g *graph.Graph, algorithm string, times int) {
	clean := &broken{}
	if left, err := driverSolve(t, g, algorithm, clean); err != nil || left != "" {
		t.Fatalf("%v; alive: %s", err, left)
	}
	injected, every := 0, max(1, clean.asked/crashtest.Times(times, clean.asked))
	for k := 1 + rand.IntN(every); k <= clean.asked; k += every {
		b := &broken{at: k}
		left, err := driverSolve(t, g, algorithm, b)
		if b.call == "" {
			if err != nil {
				t.Errorf("call %d was not made: %v", k, err)
			}
			continue
		}
		injected++
		if err == nil {
			t.Errorf("call %d (%s) failed, and nothing came of it", k, b.call)
		}
		if b.r == outOfMemory && left != "" {
			t.Errorf("call %d (%s) failed; alive: %s", k, b.call, left)
		}
	}
	t.Logf("%d calls of the driver, %d failures injected", clean.asked, injected)
}

func ring(t *testing.T) *graph.Graph {
	t.Helper()
	const n = 130
	b := graph.New(n)
	for u := range n {
		b.Add(u, (u+1)%n, float64(1+u))
	}
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// driverSolve solves on a fake driver, and returns what is alive after all was closed.
func driverSolve(t *testing.T, g *graph.Graph, algorithm string, b *broken) (left string, err error) {
	t.Helper()
	memory, err := cuda.FakeMemory(20 * 64 * 64 * 4)
	if err != nil {
		t.Fatal(err)
	}
	p, err := engine.Create(filepath.Join(t.TempDir(), "x.ooc"), g, engine.CreateOptions{Tile: 64})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	d, leaks, err := cuda.OpenFake(memory, b.fail)
	if err != nil {
		return leaks(), err
	}
	plain := struct { // which does not tell its ceiling: that this fails is no error
		kernels.Device
		kernels.Pivoter
		kernels.Differ
	}{d, d, d}
	_, err = p.Solve(t.Context(), engine.Options{Device: plain, Algorithm: algorithm, Round: 64, HostMemory: 4 * 64 * 64 * 4, Streams: 2, Checkpoint: time.Hour})
	err = errors.Join(err, d.Close())
	return leaks(), err
}
