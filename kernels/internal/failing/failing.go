// Package failing is the fault campaign of devices: it fails the calls of a driver, one in each solve.
package failing

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ooc/engine"
	"ooc/engine/eliminate"
	"ooc/engine/graph"
	"ooc/engine/plan"
	"ooc/engine/prove"
	"ooc/engine/rounds"
	"ooc/kernels"
	"ooc/kernels/entry"
	"ooc/tiles/crashtest"
)

// Driver is a driver whose calls can be made to fail.
type Driver struct {
	// Open opens a device with a limit of memory. fail is asked before each call of the driver, by name, and says
	// that the call is to fail. It may be asked by several goroutines. alive names what the driver gave and was not
	// given back.
	Open func(memory int64, fail func(call string) bool) (d kernels.Device, alive func() string, err error)
	// Spoils says that after a call that fails no other works: what is alive then is the driver's affair, which frees
	// it with the context.
	Spoils func(call string) bool
	// Memory says that a call takes memory of the device, Host that it takes page-locked memory.
	Memory, Host func(call string) bool
	// Plain are calls whose failure need not be told.
	Plain func(call string) bool
}

// nth is a call among those of its name, from 1 on: how many there are of others depends on how fast the device is.
type nth struct {
	name string
	n    int
}

// broken fails one call of a driver.
type broken struct {
	at nth // the zero: none

	mu    sync.Mutex
	asked []nth          // guarded by mu, as the rest
	of    map[string]int // of each name
}

func (b *broken) fail(call string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.of == nil {
		b.of = map[string]int{}
	}
	b.of[call]++
	k := nth{call, b.of[call]}
	b.asked = append(b.asked, k)
	return k == b.at
}

// Campaign fails each call of the driver in turn, in solves: there is an error if and only if a call failed, and what
// the device took is given back, page-locked memory too.
func Campaign(t *testing.T, d Driver) {
	crashtest.Campaign(t)
	for _, c := range []driverCase{
		{algorithm: rounds.Blocked.Name(), times: 60},
		{algorithm: rounds.Blocked.Name(), pairs: true, times: 40},
		{algorithm: eliminate.Name, times: 40},
		{algorithm: rounds.Squaring.Name(), times: 25},
		{algorithm: rounds.SingleStage.Name(), times: 25},
	} {
		t.Run(fmt.Sprintf("%s/pairs=%t", c.algorithm, c.pairs), func(t *testing.T) {
			c.Driver, c.g = d, ring(t)
			c.failCalls(t)
		})
	}
}

// driverCase is a graph, and how it is solved on a driver.
type driverCase struct {
	Driver
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

// spare says of a call that its failure need not be told: where an expansion finds no memory, on the device or
// page-locked, the processor does it instead, and the plan of single-stage rounds does without a sample.
func (c *driverCase) spare(call string) bool {
	expands := c.algorithm == eliminate.Name
	return c.Plain(call) || expands && c.Host(call) ||
		(expands || c.algorithm == rounds.SingleStage.Name()) && c.Memory(call)
}

// failCalls wants each failure to be told.
func (c *driverCase) failCalls(t *testing.T) {
	// Room for some tiles, and what the device itself uses. Of that there is no room for a sample, whose products would
	// take a driver without a GPU minutes.
	c.memory = 20*c.tileBytes() + kernels.GPUScratch
	clean := &broken{}
	if left, err := c.solve(t, clean); err != nil || left != "" {
		t.Fatalf("%v; alive: %s", err, left)
	}
	injected := 0
	for _, k := range drawn(clean.asked, crashtest.Times(c.times, len(clean.asked))) {
		b := &broken{at: k}
		left, err := c.solve(t, b)
		if !slices.Contains(b.asked, k) {
			if err != nil {
				t.Errorf("call %v was not made: %v", k, err)
			}
			continue
		}
		injected++
		// The first memory is that of a sample to time, and the plan does without it.
		sample := c.Memory(k.name) && k.n == 1
		if err == nil && !sample && !c.spare(k.name) {
			t.Errorf("call %v failed, without effect", k)
		}
		if !c.Spoils(k.name) && left != "" || strings.Contains(left, "contexts:1") {
			t.Errorf("call %v failed; alive: %s; %v", k, left, err)
		}
	}
	t.Logf("%d calls of the driver, %d failures injected", len(clean.asked), injected)
}

// drawn draws so many calls: as many of each name, as far as there are.
func drawn(calls []nth, count int) []nth {
	rand.Shuffle(len(calls), func(i, j int) { calls[i], calls[j] = calls[j], calls[i] })
	turn, of := map[nth]int{}, map[string]int{} // which of its name it is in this order
	for _, k := range calls {
		turn[k] = of[k.name]
		of[k.name]++
	}
	slices.SortStableFunc(calls, func(a, b nth) int { return turn[a] - turn[b] })
	return calls[:min(count, len(calls))]
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
type noCeiling struct {
	kernels.Device
	kernels.TileOps
}

// Unwrap gives the device, for kernels.As.
func (d noCeiling) Unwrap() kernels.Device { return d.Device }

// Ceiling hides the device's.
func (noCeiling) Ceiling(entry.Variant) float64 { return 0 }

// solve solves, and returns what is alive after all was closed. A solve that ends well is right.
func (c *driverCase) solve(t *testing.T, b *broken) (left string, err error) {
	t.Helper()
	p, err := engine.Create(t.Context(), filepath.Join(t.TempDir(), "x.ooc"), c.g,
		engine.CreateOptions{Tile: 64, Predecessors: c.pairs})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	d, alive, err := c.Open(c.memory, b.fail)
	if err != nil {
		return alive(), err
	}
	tiles, ok := kernels.As[kernels.TileOps](d)
	if !ok {
		t.Fatal("the device has no kernels.TileOps")
	}
	o := engine.Options{Device: noCeiling{d, tiles},
		Request:    plan.Request{Algorithm: c.algorithm, Round: 64, HostMemory: 4 * c.tileBytes(), Streams: 2},
		Checkpoint: time.Hour}
	sum, err := p.Solve(t.Context(), o)
	if err == nil {
		_, err = prove.Sample(t.Context(), p, c.g.N, 1)
	}
	if b.at == (nth{}) && c.algorithm == eliminate.Name && plan.Of[*eliminate.Plan](sum.Plans).Lanes == 0 {
		t.Errorf("the processor expanded")
	}
	err = errors.Join(err, d.Close())
	return alive(), err
}
