package cuda_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"ooc/engine"
	"ooc/engine/eliminate"
	"ooc/engine/graph"
	"ooc/engine/prove"
	"ooc/engine/rounds"
	"ooc/kernels/cuda"
	"ooc/kernels/entry"
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

// TestCampaignDriver fails each call of the driver in turn, in solves on a driver without a GPU and, where there is one,
// on that of a GPU: there is an error if and only if one was injected. What the device took is given back, page-locked
// memory too; once the context is spoiled that is the driver's affair, which frees all with the context.
func TestCampaignDriver(t *testing.T) {
	crashtest.Campaign(t)
	for name, driver := range cuda.CampaignDrivers(t) {
		for _, c := range []driverCase{
			{algorithm: rounds.BlockedName, times: 60},
			{algorithm: rounds.BlockedName, pairs: true, times: 40},
			{algorithm: eliminate.Name, times: 40},
			{algorithm: rounds.SquaringName, times: 25},
			{algorithm: rounds.SingleStageName, times: 25},
		} {
			t.Run(fmt.Sprintf("%s/%s/pairs=%t", name, c.algorithm, c.pairs), func(t *testing.T) {
				c.driver, c.g = driver, ring(t)
				c.failCalls(t)
			})
		}
	}
}

// driverCase is a graph, and how it is solved on a driver.
type driverCase struct {
	driver    cuda.CampaignDriver
	g         *graph.Graph
	algorithm string
	pairs     bool // predecessors are kept
	times     int  // that a call fails in the short campaign, about
	memory    int64
}

func (c *driverCase) tileBytes() int64 {
	if c.pairs {
		return 64 * 64 * int64(entry.KindI32.PairBytes())
	}
	return 64 * 64 * entry.WordBytes
}

// spare says of a call that its failure need not be told: where an expansion finds no memory, on the device or page-locked,
// the processor does it instead, and the plan of single-stage rounds does without a sample.
func (c *driverCase) spare(call string) bool {
	switch c.algorithm {
	case eliminate.Name:
		return call == "memAlloc" || call == "hostAlloc" || call == "hostRegister"
	case rounds.SingleStageName:
		return call == "memAlloc"
	}
	return false
}

// failCalls wants each failure to be told.
func (c *driverCase) failCalls(t *testing.T) {
	var err error
	if c.memory, err = c.driver.Memory(20 * c.tileBytes()); err != nil {
		t.Fatal(err)
	}
	clean := &broken{}
	if left, err := c.solve(t, clean); err != nil || left != "" {
		t.Fatalf("%v; alive: %s", err, left)
	}
	injected, every := 0, max(1, clean.asked/crashtest.Times(c.times, clean.asked))
	for k := 1 + rand.IntN(every); k <= clean.asked; k += every {
		b := &broken{at: k}
		left, err := c.solve(t, b)
		if b.call == "" {
			if err != nil {
				t.Errorf("call %d was not made: %v", k, err)
			}
			continue
		}
		injected++
		if err == nil && !c.spare(b.call) {
			t.Errorf("call %d (%s) failed, without effect", k, b.call)
		}
		if b.r == outOfMemory && left != "" || strings.Contains(left, "contexts:1") {
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

// noCeiling does not measure a ceiling: that this fails is no error of a solve.
type noCeiling struct{ *cuda.Device }

func (noCeiling) Ceiling(entry.Variant) float64 { return 0 }

// solve solves, and returns what is alive after all was closed. A solve that ends well is right.
func (c *driverCase) solve(t *testing.T, b *broken) (left string, err error) {
	t.Helper()
	p, err := engine.Create(t.Context(), filepath.Join(t.TempDir(), "x.ooc"), c.g, engine.CreateOptions{Tile: 64, Predecessors: c.pairs})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	d, leaks, err := c.driver.Open(c.memory, b.fail)
	if err != nil {
		return leaks(), err
	}
	o := engine.Options{Device: noCeiling{d}, Algorithm: c.algorithm, Round: 64, HostMemory: 4 * c.tileBytes(), Streams: 2, Checkpoint: time.Hour}
	sum, err := p.Solve(t.Context(), o)
	if err == nil {
		_, err = prove.Sample(t.Context(), p, c.g.N, 1)
	}
	if b.at == 0 && c.algorithm == eliminate.Name && sum.Eliminate.Lanes == 0 {
		t.Errorf("the processor expanded")
	}
	err = errors.Join(err, d.Close())
	return leaks(), err
}
