package sssp

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"ooc/engine/feed"
	"ooc/engine/graph"
	"ooc/kernels"
	"ooc/kernels/entry"
)

// form is how the threads of a device share the work of a sweep.
type form struct {
	name       string
	transposed bool  // matrices go to the device with the arcs into a vertex side by side
	groups     []int // to choose from
}

// inForm is a method whose sweeps have one form.
func inForm(name, title string, transposed bool, groups func(*problem) []int) method {
	return method{Name: name, Title: title, Run: func(ctx context.Context, p *problem) (*Result, error) {
		return p.byVectors(ctx, form{name, transposed, groups(p)})
	}}
}

// vectorBatch sweeps for a batch of sources. Each source has its own vectors on the device. A block of arcs that is
// on the device serves all of them.
type vectorBatch struct {
	*problem
	form
	puller kernels.VectorOps
	feed   *feed.Feed

	starts  [][]int // by vector, what has distance 0 to begin with
	live    []bool  // not settled
	current int     // which of the two vectors of distances is the newest
	zeros   []uint32
	tuner   tuner
	checked int // sweeps after which cycles were last looked for
	sum     *summary
}

// byVectors runs the sweeps of a form, for as many sources at a time as the device has room for.
func (p *problem) byVectors(ctx context.Context, f form) (*Result, error) {
	r := &Result{}
	for sources := range slices.Chunk(p.Sources, p.vectorsAtOnce()) {
		if err := p.runVectors(ctx, f, slices.Collect(slices.Chunk(sources, 1)), r); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// vectorsAtOnce returns how many sources fit half of the device's memory. The other half is for arcs.
func (p *problem) vectorsAtOnce() int {
	info := p.Device.Info()
	return int(max(1, (info.Memory-info.Scratch)/2/vectorBytes(p.facts.N)))
}

// vectorBytes is the device memory of one source: two vectors of distances, one of predecessors, and the flags.
func vectorBytes(n int) int64 { return 3*feed.Stride(n) + flagBytes }

// flagBytes is room for the entries that tell whether a vector changed, in this sweep and in the next.
const flagBytes = 256

// runVectors adds the distances from some sets of starting vertices to r.
func (p *problem) runVectors(ctx context.Context, f form, starts [][]int, r *Result) (err error) {
	puller, ok := kernels.As[kernels.VectorOps](p.Device)
	if !ok {
		return fmt.Errorf("%w %s: %s lacks the operations for it; use another --device", feed.ErrMethod, f.name,
			p.Device.Info().Name)
	}
	x := &vectorBatch{problem: p, form: f, puller: puller, starts: starts, live: make([]bool, len(starts)),
		sum: &r.Summary}
	if p.Group > 0 {
		x.groups = []int{p.Group}
	}
	x.tuner = tuner{choices: x.groups}
	memory := int64(len(starts)) * vectorBytes(p.facts.N)
	o := feed.Options{Device: p.Device, Memory: memory, Transposed: x.transposed}
	if x.feed, err = feed.Open(p.into, p.arcs, o); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.feed.Close()) }()
	x.sum.Resident = x.feed.Resident()
	if err = x.begin(); err == nil {
		err = x.run(ctx)
	}
	if err == nil {
		err = x.collect(r)
	}
	return err
}

// part returns one of the three vectors of a source. The flags follow the vectors of all sources: a set for even
// sweeps and one for odd ones.
func (x *vectorBatch) part(source, which int) kernels.Tile {
	return kernels.Tile{Buf: x.feed.Memory, Off: (3*int64(source) + int64(which)) * feed.Stride(x.facts.N)}
}

func (x *vectorBatch) dist(s int) kernels.Tile { return x.part(s, x.current) }
func (x *vectorBatch) next(s int) kernels.Tile { return x.part(s, 1-x.current) }
func (x *vectorBatch) pred(s int) kernels.Tile { return x.part(s, 2) }
func (x *vectorBatch) flag(s int) kernels.Tile {
	return x.flagOf(x.current, s)
}

func (x *vectorBatch) flagOf(parity, s int) kernels.Tile {
	return kernels.Tile{Buf: x.feed.Memory,
		Off: 3*int64(len(x.starts))*feed.Stride(x.facts.N) + int64(parity*len(x.starts)+s)*entry.WordBytes}
}

// begin writes the first distances.
func (x *vectorBatch) begin() error {
	dist := slices.Repeat([]uint32{uint32(x.variant.Unreachable())}, x.facts.N)
	pred := slices.Repeat([]int32{entry.NoVertex}, x.facts.N)
	for s, from := range x.starts {
		for _, v := range from {
			dist[v] = 0
		}
		if err := errors.Join(x.feed.Stream.CopyIn(x.dist(s), entry.Bytes(dist)),
			x.feed.Stream.CopyIn(x.pred(s), entry.Bytes(pred)), x.feed.Stream.Sync()); err != nil {
			return err
		}
		for _, v := range from {
			dist[v] = uint32(x.variant.Unreachable())
		}
		x.live[s] = true
	}
	x.zeros = make([]uint32, len(x.starts))
	return errors.Join(x.feed.Stream.CopyIn(x.flag(0), entry.Bytes(x.zeros)), x.feed.Stream.Sync())
}

// run sweeps until nothing changes.
func (x *vectorBatch) run(ctx context.Context) error {
	flags := make([]uint32, len(x.starts))
	for sweeps, left := 0, len(x.starts); left > 0; {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := x.sweep(flags); err != nil {
			return err
		}
		sweeps++
		x.sum.Relaxations += float64(left) * x.pairs()
		for s, changed := range flags {
			if x.live[s] && changed == 0 {
				x.live[s] = false
				left--
			}
		}
		x.current = 1 - x.current // a settled vector is the same in both
		x.report(len(x.starts)-left, x.sum.Sweeps)
		if left > 0 && x.facts.Negative && x.timeToLook(sweeps) {
			if err := x.lookForCycles(sweeps); err != nil {
				return err
			}
		}
	}
	return nil
}

// sweep is one pass over all arcs for all vectors that are not settled. It sets flags.
func (x *vectorBatch) sweep(flags []uint32) error {
	began, group := time.Now(), x.tuner.group()
	err := x.feed.Pass(func(s kernels.Stream, b kernels.Block, first bool) error {
		for lo := 0; lo < len(x.live); {
			count := x.liveFrom(lo)
			if count > 0 {
				p := kernels.Pull{Block: b, First: first, Dist: x.dist(lo), Next: x.next(lo), Pred: x.pred(lo),
					Changed: x.flag(lo), Group: group,
					Count: count, Stride: 3 * feed.Stride(x.facts.N)}
				if err := x.puller.Pull(s, x.variant, p); err != nil {
					return err
				}
			}
			lo += count + 1 // what comes next is settled
		}
		return nil
	})
	if err == nil {
		err = errors.Join(x.feed.Stream.CopyOut(entry.Bytes(flags), x.flag(0)),
			x.feed.Stream.CopyIn(x.flagOf(1-x.current, 0), entry.Bytes(x.zeros)), x.feed.Stream.Sync())
	}
	if err != nil {
		return err
	}
	took := time.Since(began)
	x.tuner.took(took)
	x.sum.Group = group
	x.sum.Sweeps++
	if best := x.sum.SweepBest; best == 0 || took.Seconds() < best {
		x.sum.SweepBest = took.Seconds()
	}
	return nil
}

// liveFrom returns how many vectors from one on are not settled.
func (x *vectorBatch) liveFrom(lo int) (count int) {
	for lo+count < len(x.live) && x.live[lo+count] {
		count++
	}
	return count
}

// timeToLook reports whether to look for cycles now: after as many more sweeps as there were at the last look, and
// early enough that distances on a negative cycle, which fall by at most the largest weight in a sweep, stay in the
// range of int32.
func (x *vectorBatch) timeToLook(sweeps int) bool {
	since := sweeps - x.checked
	return since >= max(1, x.checked) || sweeps == x.facts.N ||
		!x.variant.Float() && float64(since+1)*x.most > float64(entry.Limit32)
}

// lookForCycles looks for a cycle of predecessors. Sooner or later there is one if and only if a vertex that a source
// reaches is on a negative cycle.
func (x *vectorBatch) lookForCycles(sweeps int) error {
	x.checked = sweeps
	pred := make([]int32, x.facts.N)
	for s, live := range x.live {
		if !live {
			continue
		}
		if err := x.fetch(entry.Bytes(pred), x.pred(s)); err != nil {
			return err
		}
		cycle := graph.CycleOf(pred)
		if cycle == nil && sweeps < x.facts.N {
			continue
		}
		if cycle != nil {
			if err := x.arcs.NegativeCycle(cycle); err != nil {
				return err
			}
		}
		return fmt.Errorf("%w after %d sweeps, though no cycle that was found is negative: --scale keeps decimal "+
			"weights exact", errRounding, sweeps)
	}
	return nil
}

func (x *vectorBatch) fetch(dst []byte, from kernels.Tile) error {
	return errors.Join(x.feed.Stream.CopyOut(dst, from), x.feed.Stream.Sync())
}

// collect copies the results to the host.
func (x *vectorBatch) collect(r *Result) error {
	for s := range x.starts {
		dist, pred := make([]uint32, x.facts.N), make([]int32, x.facts.N)
		if err := errors.Join(x.fetch(entry.Bytes(dist), x.dist(s)),
			x.fetch(entry.Bytes(pred), x.pred(s))); err != nil {
			return err
		}
		r.Dist, r.Pred = append(r.Dist, dist), append(r.Pred, pred)
	}
	x.sum.Method = x.name
	return nil
}

// tuner finds the fastest group: it tries each for one sweep and then keeps the fastest. Every sweep counts, whatever
// its group. The first sweep is not compared, as it also brings the arcs to the device.
type tuner struct {
	choices []int
	times   []time.Duration
	warm    bool
}

func (t *tuner) group() int {
	if n := len(t.times); n < len(t.choices) {
		return t.choices[n]
	}
	best, least := 0, time.Duration(math.MaxInt64)
	for i, took := range t.times {
		if took < least {
			best, least = i, took
		}
	}
	return t.choices[best]
}

func (t *tuner) took(d time.Duration) {
	if t.warm && len(t.times) < len(t.choices) {
		t.times = append(t.times, d)
	}
	t.warm = true
}
