package parallel

import (
	"context"
	"runtime"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
)

// Ordered runs do(0…n-1) on as many goroutines as there are processors, but at most workers, and use with each
// result in order, until the first error. Two results more than there are goroutines are there at a time.
func Ordered[T any](ctx context.Context, workers, n int, do func(int) (T, error), use func(T) error) error {
	workers = min(workers, n, runtime.GOMAXPROCS(0))
	ahead := make(chan struct{}, workers+2) // one for each result that is begun and not used
	results := make([]chan T, cap(ahead))   // a result has the place of its number; no two that are begun share one
	for i := range results {
		results[i] = make(chan T, 1)
	}
	g, ctx := errgroup.WithContext(ctx)
	var next atomic.Int64
	for range workers {
		g.Go(func() error {
			for {
				select {
				case ahead <- struct{}{}:
				case <-ctx.Done():
					return context.Cause(ctx)
				}
				i := int(next.Add(1) - 1)
				if i >= n {
					return nil
				}
				result, err := do(i)
				if err != nil {
					return err
				}
				results[i%len(results)] <- result
			}
		})
	}
	g.Go(func() error {
		for i := range n {
			// Of two cases that are ready, select takes either: a result must not hide that it is over.
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			select {
			case result := <-results[i%len(results)]:
				if err := use(result); err != nil {
					return err
				}
				<-ahead
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
		return nil
	})
	return g.Wait()
}
