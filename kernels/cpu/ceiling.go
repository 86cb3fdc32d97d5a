package cpu

import (
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"ooc/kernels/entry"
)

// Ceiling returns the relaxations per second that all threads reach on registers alone. The first call for a variant
// in a process measures it in about 20 ms; other load lowers it.
func (d *Device) Ceiling(v entry.Variant) float64 {
	once, _ := ceilings.LoadOrStore(ceilingKey{d.path.name, v, d.threads}, sync.OnceValue(func() float64 {
		return bestCeiling(d.path, v, d.threads)
	}))
	return once.(func() float64)()
}

// ceilings are what this process has measured: devices that it opens later have the same.
var ceilings sync.Map // from ceilingKey to func() float64

type ceilingKey struct {
	path    string
	variant entry.Variant
	threads int
}

const ceilingProbes = 10

// bestCeiling returns the best of several probes of 2 ms each.
func bestCeiling(p *path, v entry.Variant, threads int) float64 {
	turns := turnsFor(p, v, 500*time.Microsecond)
	rates := make([]float64, ceilingProbes)
	for i := range rates {
		rates[i] = probeCeiling(p, v, threads, turns, 4)
	}
	return slices.Max(rates)
}

// turnsFor returns the number of turns of the ceiling loop that take about d. One call of assembly must be short, as Go
// cannot preempt it.
func turnsFor(p *path, v entry.Variant, d time.Duration) int {
	turns := 1 << 10
	for {
		start := time.Now()
		p.ceiling[v](turns)
		took := time.Since(start)
		if took > d/4 {
			return max(1, int(float64(turns)*float64(d)/float64(took)))
		}
		turns *= 2
	}
}

// probeCeiling runs calls × turns of the ceiling loop on each thread and returns relaxations per second.
func probeCeiling(p *path, v entry.Variant, threads, turns, calls int) float64 {
	var group errgroup.Group
	start := time.Now()
	for range threads {
		group.Go(func() error {
			for range calls {
				p.ceiling[v](turns)
			}
			return nil
		})
	}
	_ = group.Wait() // the goroutines return no error
	return float64(threads) * float64(calls) * float64(turns) * float64(p.perTurn[v]) / time.Since(start).Seconds()
}
