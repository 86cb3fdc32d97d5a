package between

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"time"

	"ooc/engine/device"
	"ooc/engine/graph"
	"ooc/kernels"
	"ooc/kernels/entry"
)

// batch adds up on a device, as many units at once as have mostLanes sources.
type batch struct {
	can     kernels.PathOps
	held    device.Held
	stream  kernels.Stream
	search  kernels.PathSearch
	sources []byte
	results []byte  // Sums of search
	first   int     // unit
	rounded []byte  // of each unit
	rest    *Worker // the processor does what the device cannot; nil: not yet
}

// deviceBatches is how many batches there are on a device: it adds up one while the host takes over the other.
const deviceBatches = 2

// Measured on an H100 (docs/benchmarks.md).
const (
	pathStart = 0.05    // to copy a graph to a device
	pathArc   = 1.3e-11 // for each source and arc
	pathLevel = 10e-6   // for each level of a batch
)

// OnDevices returns workers of the devices that d stands for, each for up to atOnce units at a time, where these take
// less time for the units from first on than so many workers of the processor; 0: they do. They give the same bits, and
// take no more memory of the host. Where no device does it though there is one, why says why; it is empty where that
// takes longer. It fails as NewWorker and Do do, and with errors of devices.
func (r *Ready) OnDevices(ctx context.Context, d kernels.Device, first, hands int) (
	workers []*Worker, atOnce int, why string, err error) {
	left := len(r.order) - first*r.height
	if d == nil || left <= 0 {
		return nil, 0, "", nil
	}
	var able []kernels.Device
	for _, one := range device.Each(d) {
		if _, can := kernels.As[kernels.PathOps](one); can {
			able = append(able, one)
		}
	}
	switch {
	case len(able) == 0 && d.Info().SharedCores:
		return nil, 0, "", nil
	case len(able) == 0 || r.g.Arcs() > math.MaxInt32:
		return nil, 0, d.Info().Name + " cannot", nil
	case !r.equal:
		return nil, 0, d.Info().Name + " takes arcs of one length", nil
	}
	trial, err := r.NewWorker()
	if err != nil {
		return nil, 0, "", err
	}
	began := time.Now()
	if err := cmp.Or(trial.Do(ctx, 0, 1), trial.Close()); err != nil {
		return nil, 0, "", err
	}
	alone := time.Since(began).Seconds() * float64(left) / float64(r.height*hands)
	// Where arcs lead both ways, no search goes more than twice as far as another.
	levels := 2 * len(trial.lanes.starts)
	seconds := pathArc*float64(r.g.Arcs())*float64(left) +
		pathLevel*float64(levels)*float64(entry.CeilDiv(left, mostLanes))
	switch {
	case trial.own.Rounded[0] != 0:
		return nil, 0, "there are more than 2⁵³ paths to some vertices", nil
	case pathStart+seconds/float64(len(able)) > alone:
		return nil, 0, "", nil
	}
	for range deviceBatches {
		for _, one := range able {
			w, err := r.newBatch(one, levels, int64(hands)*r.WorkerBytes()/int64(len(able)*deviceBatches))
			if errors.Is(err, kernels.ErrNoMemory) {
				continue
			} else if err != nil {
				for _, w := range workers {
					err = errors.Join(err, w.Close())
				}
				return nil, 0, "", err
			}
			workers = append(workers, w)
		}
	}
	if len(workers) == 0 {
		why = d.Info().Name + " has no memory for that"
	}
	return workers, mostLanes / r.height, why, nil
}

// newBatch returns a worker of a device. It fails with kernels.ErrNoMemory where that or the host has too little.
func (r *Ready) newBatch(d kernels.Device, levels int, memory int64) (*Worker, error) {
	b := &batch{held: device.Held{On: d}, search: kernels.PathSearch{Vertices: r.g.N, Arcs: int(r.g.Arcs()),
		Unit: r.height, Levels: levels, Endpoints: r.q.Endpoints, Edges: r.q.Edges}}
	b.can, _ = kernels.As[kernels.PathOps](d)
	if memory > 0 && b.search.SumBytes() > memory {
		return nil, kernels.ErrNoMemory
	}
	b.stream = b.held.Stream()
	put := func(g *graph.Graph) (offsets, ends kernels.Tile) {
		starts := make([]int32, len(g.Offsets))
		for i, at := range g.Offsets {
			starts[i] = int32(at)
		}
		return b.held.Put(b.stream, entry.Bytes(starts), 0), b.held.Put(b.stream, entry.Bytes(g.Targets), 0)
	}
	b.search.Offsets, b.search.Ends = put(r.g)
	if b.search.Into, b.search.From = b.search.Offsets, b.search.Ends; !r.g.Symmetric {
		b.search.Into, b.search.From = put(r.g.Reverse())
	}
	ending := make([]float64, r.g.N)
	for i, v := range r.arcs.order {
		ending[v] = r.arcs.ending[i]
	}
	b.search.Ending = b.held.Put(b.stream, entry.Bytes(ending), 0)
	b.search.Sources.Buf = b.held.Buffer(entry.WordBytes * mostLanes)
	b.search.Memory.Buf = b.held.Buffer(b.can.PathRoom(b.search))
	b.search.Sums.Buf = b.held.Buffer(b.search.SumBytes())
	b.sources, b.results = b.held.Host(entry.WordBytes*mostLanes), b.held.Host(b.search.SumBytes())
	if err := b.held.Err(); err != nil {
		return nil, errors.Join(err, b.held.Close())
	}
	return &Worker{r: r, batch: b}, nil
}

// do adds up what some units give.
func (b *batch) do(ctx context.Context, r *Ready, first, count int) error {
	sources := r.order[first*r.height : min((first+count)*r.height, len(r.order))]
	copy(b.sources, entry.Bytes(sources))
	b.first, b.rounded, b.search.Count = first, make([]byte, count), len(sources)
	err := cmp.Or(b.stream.CopyIn(b.search.Sources, b.sources), b.can.PathSums(b.stream, b.search),
		b.stream.CopyOut(b.results, b.search.Sums), b.stream.Sync(), context.Cause(ctx))
	if err != nil {
		return fmt.Errorf("betweenness: %w; what was gathered is kept, and the same command goes on, with --device cpu "+
			"on the processor", err)
	}
	failed := entry.View[uint64](b.results)[0]
	for i := 0; i < count && err == nil; i++ {
		if failed>>(i*r.height)&(1<<r.height-1) != 0 {
			err = b.again(ctx, r, i)
		}
	}
	return err
}

// again has the processor add up a unit.
func (b *batch) again(ctx context.Context, r *Ready, i int) (err error) {
	if b.rest == nil {
		b.rest, err = r.NewWorker()
	}
	if err == nil {
		err = b.rest.Do(ctx, b.first+i, 1)
	}
	if err == nil {
		own := b.sums(r.q, i)
		copy(own.Vertices, b.rest.own.Vertices)
		copy(own.Arcs, b.rest.own.Arcs)
		b.rounded[i] = b.rest.own.Rounded[0]
	}
	return err
}

// sums are those of one of the units.
func (b *batch) sums(q Question, i int) *Sums {
	words := entry.View[float64](b.results)[1:]
	own := words[len(words)/(mostLanes/b.search.Unit)*i:]
	s := &Sums{Rounded: b.rounded[i : i+1]}
	if q.Vertices {
		s.Vertices = own[:b.search.Vertices]
	}
	if q.Edges {
		s.Arcs = own[b.search.Vertices:][:b.search.Arcs]
	}
	return s
}

// add adds numbers to others, by all processors where there are many.
func add(to, from []float64) {
	part := max(1<<16, entry.CeilDiv(len(to), runtime.GOMAXPROCS(0)))
	var adding sync.WaitGroup
	for some := range slices.Chunk(to, part) {
		of := from[:len(some)]
		from = from[len(some):]
		adding.Go(func() {
			for i, x := range of {
				some[i] += x
			}
		})
	}
	adding.Wait()
}
