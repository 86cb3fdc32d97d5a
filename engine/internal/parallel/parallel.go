// Package parallel runs a loop on all processors.
package parallel

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
)

// Do runs do(0…n-1) on as many goroutines as there are processors, each with its own do from make,
// until the first error; done is called after each success, one call at a time.
func Do(ctx context.Context, n int, make func() func(int) error, done func()) error {
	g, ctx := errgroup.WithContext(ctx)
	var next atomic.Int64
	var mu sync.Mutex
	for range min(n, runtime.GOMAXPROCS(0)) {
		g.Go(func() error {
			do := make()
			for i := int(next.Add(1) - 1); i < n; i = int(next.Add(1) - 1) {
				if ctx.Err() != nil {
					return context.Cause(ctx)
				}
				if err := do(i); err != nil {
					return err
				}
				mu.Lock()
				done()
				mu.Unlock()
			}
			return nil
		})
	}
	return g.Wait()
}

// leastRange is how many items are worth a goroutine.
const leastRange = 1 << 12

// Ranges runs do for ranges of 0…n-1 on all processors, one for each, or fewer where n is small.
func Ranges(n int, do func(first, end int)) {
	parts := min(runtime.GOMAXPROCS(0), n/leastRange)
	if parts < 2 {
		do(0, n)
		return
	}
	var all sync.WaitGroup
	for i := range parts {
		all.Go(func() { do(n*i/parts, n*(i+1)/parts) })
	}
	all.Wait()
}
