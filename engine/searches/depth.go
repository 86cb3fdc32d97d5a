package searches

import (
	"context"
	"runtime"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"ooc/engine/graph"
	"ooc/engine/rows"
	"ooc/kernels/entry"
)

// Depth returns how many arcs the longest of all shortest paths from some vertices has, in a graph whose arcs all have
// one weight; none: from all vertices. It fails with the cause of ctx if that ends first.
func Depth(ctx context.Context, g *graph.Graph, sources []int32) (int, error) {
	numbered := number(g)
	if len(sources) == 0 {
		sources = numbered.order
	}
	var next, deepest atomic.Int64
	batches := int64(entry.CeilDiv(len(sources), rows.Lanes))
	hands, ctx := errgroup.WithContext(ctx)
	for range min(batches, int64(runtime.GOMAXPROCS(0))) {
		hands.Go(func() error {
			s, err := newLevels(numbered)
			for b := next.Add(1) - 1; b < batches && err == nil; b = next.Add(1) - 1 {
				s.start(sources[b*rows.Lanes : min((b+1)*rows.Lanes, int64(len(sources)))])
				for depth := int64(1); s.next() && err == nil; depth++ {
					for was := deepest.Load(); was < depth &&
						!deepest.CompareAndSwap(was, depth); was = deepest.Load() {
					}
					err = context.Cause(ctx)
				}
			}
			return err
		})
	}
	err := hands.Wait()
	return int(deepest.Load()), err
}
