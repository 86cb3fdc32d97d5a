package mst

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"ooc/engine/device"
	"ooc/engine/feed"
	"ooc/engine/graph"
	"ooc/engine/graph/dense"
	"ooc/kernels"
	"ooc/kernels/entry"
)

// prim takes one vertex after another, the one nearest to the tree, over adjacency arrays on the device: V, where the
// edges of a vertex begin, E, where they lead, and W, their weights (R. C. Prim, Shortest connection networks and
// some generalizations, 1957). A step lowers the keys of a vertex's neighbours, then finds the least key and its
// vertex. The device goes on to that vertex by itself; the host only counts steps.
var prim = method{
	Name: "prim", Title: "n steps of a reduction over all vertices, adjacency arrays on the device",
	Run: func(ctx context.Context, p *problem) error {
		grower, ok := kernels.As[kernels.VectorOps](p.Device)
		if !ok {
			return fmt.Errorf("%w prim: %s lacks the operations for it; use --method boruvka or another --device",
				feed.ErrMethod, p.Device.Info().Name)
		}
		g, _ := p.arcs.(*graph.Graph)
		if d, dense := p.arcs.(*dense.Matrix); dense {
			var err error
			if g, err = d.Graph(); err != nil {
				return err
			}
		}
		if g.Arcs() > math.MaxInt32 {
			return fmt.Errorf("%w: prim counts up to %d arcs, and this graph has %d; use --method boruvka",
				device.ErrMemory, math.MaxInt32, g.Arcs())
		}
		x := &tree{problem: p, grower: grower, held: device.Held{On: p.Device}}
		return errors.Join(x.run(ctx, g), x.held.Close())
	},
}

// tree is a run of Prim's algorithm.
type tree struct {
	*problem
	grower kernels.VectorOps
	held   device.Held
	stream kernels.Stream
	grow   kernels.Grow
}

// stepsAtOnce is how many steps are enqueued before the host checks whether to stop.
const stepsAtOnce = 2048

func (x *tree) run(ctx context.Context, g *graph.Graph) error {
	if err := x.open(g); err != nil {
		return err
	}
	x.passes = 1
	for done := 0; done < g.N; {
		x.grow.Steps = min(g.N-done, stepsAtOnce)
		if err := x.grower.Grow(x.stream, x.grow); err != nil {
			return err
		}
		done += x.grow.Steps
		if err := x.stream.Sync(); err != nil {
			return err
		}
		x.report(done)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	parents, keys := make([]int32, g.N), make([]int32, g.N)
	err := errors.Join(x.stream.CopyOut(entry.Bytes(parents), x.grow.Parents),
		x.stream.CopyOut(entry.Bytes(keys), x.grow.Tree), x.stream.Sync())
	if err != nil {
		return err
	}
	for v, key := range keys {
		if key != kernels.KeyNone { // otherwise this vertex is the first of its component
			x.edges = append(x.edges, edge{parents[v], int32(v), key})
		}
	}
	return nil
}

// open copies the arrays to the device.
func (x *tree) open(g *graph.Graph) (err error) {
	offsets, weights := make([]int32, g.N+1), make([]int32, g.Arcs())
	for v, k := range g.Offsets {
		offsets[v] = int32(k)
	}
	for k, bits := range entry.View[uint32](g.WeightBytes()) {
		weights[k] = int32(g.Kind.Key(uint64(bits)))
	}
	x.grow.N = g.N
	arrays := []struct {
		to   *kernels.Tile
		data []int32
	}{
		{&x.grow.Offsets, offsets}, {&x.grow.Ends, g.Targets}, {&x.grow.Weights, weights},
		{&x.grow.Keys, slices.Repeat([]int32{kernels.KeyNone}, g.N)},
		{&x.grow.Parents, slices.Repeat([]int32{entry.NoVertex}, g.N)},
		// The tree begins with vertex 0.
		{&x.grow.Tree, make([]int32, g.N)}, {&x.grow.Least, []int32{kernels.KeyNone, 0}},
	}
	bytes := int64(0)
	for _, a := range arrays {
		a.to.Off = bytes
		// Rounded up, with some to spare: no array may be empty.
		bytes += (int64(len(a.data))*entry.WordBytes + 511) / 256 * 256
	}
	if info := x.Device.Info(); bytes > info.Memory-info.Scratch {
		return fmt.Errorf("%w: device memory %d bytes; prim needs %d bytes for all edges; "+
			"--method boruvka streams them", device.ErrMemory, info.Memory, bytes+info.Scratch)
	}
	buf := x.held.Buffer(bytes)
	if x.stream = x.held.Stream(); x.held.Err() != nil {
		return x.held.Err()
	}
	for _, a := range arrays {
		a.to.Buf = buf
		if len(a.data) > 0 {
			err = errors.Join(err, x.stream.CopyIn(*a.to, entry.Bytes(a.data)))
		}
	}
	return errors.Join(err, x.stream.Sync()) // the host's arrays are freed after this
}
