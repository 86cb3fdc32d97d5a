package parallel

import (
	"cmp"
	"context"
	"runtime"

	"golang.org/x/sync/errgroup"
)

// Ordered runs do(0…n-1) on as many goroutines as there are processors, but at most workers, and use with each
// result in order, until the first error. Two results more than there are goroutines are there at a time.
func Ordered[T any](ctx context.Context, workers, n int, do func(int) (T, error), use func(T) error) error {
	workers = min(workers, n, runtime.GOMAXPROCS(0))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(workers + 1)
	begun := make(chan chan T, workers+1) // in order; use waits for one more
	g.Go(func() error {
		for result := range begun {
			// Of two cases that are ready, select takes either: a result must not hide that it is over.
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			select {
			case x := <-result:
				if err := use(x); err != nil {
					return err
				}
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
		return nil
	})
	var over error
	for i := 0; i < n && over == nil; i++ {
		result := make(chan T, 1)
		select {
		case begun <- result:
			g.Go(func() error {
				x, err := do(i)
				if err == nil {
					result <- x
				}
				return err
			})
		case <-ctx.Done():
			over = context.Cause(ctx)
		}
	}
	close(begun)
	return cmp.Or(g.Wait(), over)
}
