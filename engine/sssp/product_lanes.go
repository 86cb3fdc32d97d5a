package sssp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"ooc/engine/device"
	"ooc/engine/feed"
	"ooc/kernels"
	"ooc/kernels/entry"
)

// byLanes multiplies by the sparse matrix in host memory, with kernels.HostLaneOps: a lane is a source. Each vertex
// has two rows of lanes. A sweep reads one half of the rows and writes the other.
func (b *batch) byLanes(ctx context.Context) (dist [][]uint32, err error) {
	vectorBatch, ok := kernels.As[kernels.HostLaneOps](b.Device)
	if !ok {
		return nil, fmt.Errorf("%w product: %s lacks the operations for it", feed.ErrMethod, b.Device.Info().Name)
	}
	width := entry.RoundUp(len(b.sources), kernels.HostLaneUnit)
	if b.twice == nil {
		if b.twice, err = b.doubled(); err != nil {
			return nil, err
		}
	}
	data, err := b.Device.AllocHost(2 * int64(b.facts.N) * int64(width) * entry.WordBytes)
	if err != nil {
		return nil, err
	}
	x := &laneBatch{batch: b, vectorBatch: vectorBatch,
		lanes: kernels.Lanes{Data: data, Width: width, Entry: entry.WordBytes},
		words: entry.View[uint32](data)}
	b.sum.Resident = true
	if err = x.run(ctx); err == nil {
		dist = b.rows(func(i, v int) uint32 { return x.words[(x.current*b.facts.N+v)*width+i] })
	}
	return dist, errors.Join(err, b.Device.FreeHost(data))
}

// doubled returns the arcs into each vertex twice: for the first half of the rows they lead to the second half, and the
// other way round. An additional arc of length 0 keeps the vertex's old distance.
func (b *batch) doubled() (*kernels.Arcs, error) {
	n, in := b.facts.N, b.into
	total := 2 * (int64(n) + b.facts.Arcs)
	if total > math.MaxInt32 {
		return nil, fmt.Errorf("%w: a product takes up to %d arcs and vertices, and this graph has %d; choose "+
			"--method coarse", device.ErrMemory, math.MaxInt32/2, total/2)
	}
	weights := entry.View[uint32](in.WeightBytes())
	a := &kernels.Arcs{Offsets: make([]int32, 1, 2*n+1), Ends: make([]int32, 0, total),
		Weights: make([]uint32, 0, total)}
	for half := range 2 {
		from := int32((1 - half) * n)
		for v := range n {
			a.Ends, a.Weights = append(a.Ends, from+int32(v)), append(a.Weights, 0)
			for k := in.Offsets[v]; k < in.Offsets[v+1]; k++ {
				a.Ends = append(a.Ends, from+in.Targets[k])
			}
			a.Weights = append(a.Weights, weights[in.Offsets[v]:in.Offsets[v+1]]...)
			a.Offsets = append(a.Offsets, int32(len(a.Ends)))
		}
	}
	if !b.variant.Float() {
		for k, w := range a.Weights {
			a.Weights[k] = uint32(min(int32(w), entry.Inf32))
		}
	}
	return a, nil
}

type laneBatch struct {
	*batch
	vectorBatch kernels.HostLaneOps
	lanes       kernels.Lanes
	words       []uint32 // of lanes
	current     int      // the half that has the newest distances
}

func (x *laneBatch) run(ctx context.Context) error {
	n, width := x.facts.N, x.lanes.Width
	for i := range x.words {
		x.words[i] = uint32(x.variant.Unreachable())
	}
	for i, s := range x.sources {
		x.words[s*width+i] = 0
	}
	for sweeps := 1; ; sweeps++ {
		var changed atomic.Bool
		var g errgroup.Group
		g.SetLimit(runtime.GOMAXPROCS(0))
		to, parts := (1-x.current)*n, min(n, 4*runtime.GOMAXPROCS(0))
		for part := range parts {
			g.Go(func() error {
				lo, hi := n*part/parts, n*(part+1)/parts
				x.vectorBatch.Sweep(x.variant, x.lanes, x.twice, to+lo, to+hi, nil)
				if !bytes.Equal(x.half(0, lo, hi), x.half(1, lo, hi)) {
					changed.Store(true)
				}
				return nil
			})
		}
		if err := g.Wait(); err != nil {
			return err
		}
		if err := x.countSweep(ctx, sweeps); err != nil {
			return err
		}
		x.current = 1 - x.current
		if !changed.Load() {
			return nil
		}
	}
}

// half returns the memory of some rows of a half.
func (x *laneBatch) half(which, lo, hi int) []byte {
	row := x.lanes.Width * entry.WordBytes
	return x.lanes.Data[(which*x.facts.N+lo)*row : (which*x.facts.N+hi)*row]
}
