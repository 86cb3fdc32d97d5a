package cuda

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"ooc/kernels"
	"ooc/kernels/entry"
)

// BenchRow is one line of Bench's table.
type BenchRow struct {
	What     string  `json:"what"`
	Rate     float64 `json:"rate"`               // in Unit
	Unit     string  `json:"unit"`               // "Grelax/s", "GB/s", "ms" or "µs"
	Ceiling  float64 `json:"ceiling,omitempty"`  // relaxations per second at the clock during the run; 0 where that says nothing
	Fraction float64 `json:"fraction,omitempty"` // of the ceiling
}

// String returns the row as a line of a table.
func (r BenchRow) String() string {
	s := fmt.Sprintf("%-48s %10.2f %-8s", r.What, r.Rate, r.Unit)
	if r.Ceiling > 0 {
		s += fmt.Sprintf(" %5.1f %% of %.0f", 100*r.Fraction, r.Ceiling/1e9)
	}
	return s
}

// bench holds what the measurements share.
type bench struct {
	*Device
	ctx    context.Context
	each   func(BenchRow)
	rounds int // of which the median counts
	buffer kernels.Buffer
}

// BenchOptions chooses how much Bench does. The zero value is the full table, some seconds on an H100.
type BenchOptions struct {
	Edge   int // of the largest product, a power of two from 1024 on; 0: 8192
	Rounds int // of which the median counts; 0: 5
}

// Bench measures the products, beside a loop that keeps its operands in registers; then the closure, batches of small
// tiles, steps over vectors, and copies. It calls each with every row as soon as it is measured. Between measurements
// it returns the context's error if that has ended. It needs 24 × Edge² bytes of device memory.
func Bench(ctx context.Context, d *Device, o BenchOptions, each func(BenchRow)) error {
	if o.Edge == 0 {
		o.Edge = 8192
	}
	if o.Rounds == 0 {
		o.Rounds = 5
	}
	b := &bench{Device: d, ctx: ctx, each: each, rounds: o.Rounds}
	var err error
	if b.buffer, err = d.Alloc(24 * int64(o.Edge) * int64(o.Edge)); err != nil {
		return err
	}
	err = b.all(o.Edge)
	if free := b.buffer.Free(); err == nil {
		err = free
	}
	return err
}

func (b *bench) all(edge int) error {
	for _, v := range entry.Variants {
		if err := b.fill(v); err != nil {
			return err
		}
		if err := b.loop(v); err != nil {
			return err
		}
		for _, t := range []int{edge / 4, edge / 8} {
			for _, f := range []*form{distances, pairs} {
				if f.check(v) != nil {
					continue
				}
				if err := b.product(f, v, t, edge/t, edge/4/t); err != nil {
					return err
				}
			}
		}
		for _, block := range []struct{ rows, terms int }{{32, 8}, {256, 16}, {256, 32}, {2048, 64}} {
			if err := b.blocks(v, edge, block.rows, block.terms); err != nil {
				return err
			}
		}
	}
	for _, t := range []int{64, 128, 192, 256, 512} {
		if err := b.small(distances, entry.F32, t, edge); err != nil {
			return err
		}
	}
	for _, n := range []int{edge / 16, edge / 8, edge / 4, edge / 2} {
		for _, f := range []*form{distances, pairs} {
			if err := b.closureOf(f, entry.F32, n); err != nil {
				return err
			}
		}
	}
	if err := b.vectors(edge); err != nil {
		return err
	}
	return b.copies()
}

// timed runs work on a stream once to warm up, then several times. It returns the median time, and the clock during it.
func (b *bench) timed(clock bool, f *form, work func(kernels.Stream) error) (took time.Duration, hz float64, err error) {
	stream, err := b.newStream(f)
	if err != nil {
		return 0, 0, err
	}
	defer func() {
		if closing := stream.Close(); err == nil {
			err = closing
		}
	}()
	if err = work(stream); err != nil {
		return 0, 0, err
	}
	events := make([]kernels.Event, b.rounds+1)
	if events[0], err = stream.Record(); err != nil {
		return 0, 0, err
	}
	for i := range b.rounds {
		if err = work(stream); err != nil {
			return 0, 0, err
		}
		if events[i+1], err = stream.Record(); err != nil {
			return 0, 0, err
		}
	}
	if clock {
		if hz, err = b.ClockRate(); err != nil {
			return 0, 0, err
		}
	}
	if err = stream.Sync(); err != nil {
		return 0, 0, err
	}
	times := make([]time.Duration, b.rounds)
	for i := range times {
		if times[i], err = events[i+1].Since(events[i]); err != nil {
			return 0, 0, err
		}
	}
	slices.Sort(times)
	return times[len(times)/2], hz, b.ctx.Err()
}

func (b *bench) relaxed(f *form, v entry.Variant, what string, relaxations float64, work func(kernels.Stream) error) error {
	took, hz, err := b.timed(true, f, work)
	if err != nil {
		return fmt.Errorf("cuda: bench %s: %w", what, err)
	}
	rate, ceiling := relaxations/took.Seconds(), b.perClock(v)*float64(b.sms)*hz
	b.each(BenchRow{what, rate / 1e9, "Grelax/s", ceiling, rate / ceiling})
	return nil
}

// ceilingParam is Ceiling of service.cuh.
type ceilingParam struct {
	out        address
	turns, one int32
}

// loop runs the kernel that keeps everything in registers.
func (b *bench) loop(v entry.Variant) error {
	turns, perTurn := 20000, 4.0*64
	if v == entry.U16 {
		perTurn *= 2 // in each word
	}
	if v == entry.F64 {
		turns /= 100 // slow where there is little for them
	}
	blocks, threads := 2*b.sms, kernelInfo[ceilingLoop].threads
	work := float64(blocks) * float64(threads) * float64(turns) * perTurn
	p := &ceilingParam{out: b.buffer.(*buffer).at, turns: int32(turns), one: 1}
	return b.relaxed(distances, v, fmt.Sprintf("%s registers only", v), work, func(s kernels.Stream) error {
		return s.(*stream).launch(v, ceilingLoop, blocks, paramOf(p))
	})
}

// tile returns tile i of edge t of the buffer.
func (b *bench) tile(f *form, v entry.Variant, t, i int) kernels.Tile {
	return kernels.Tile{Buf: b.buffer, Off: int64(i) * int64(t) * int64(t) * f.entryBytes(v)}
}

// product multiplies n × m tiles by m × n. With predecessors C begins as an operand each time, so that every entry is
// lowered, and its predecessor looked for.
func (b *bench) product(f *form, v entry.Variant, t, n, m int) error {
	products := make([]kernels.Product, n*n)
	for i := range products {
		p := kernels.Product{C: b.tile(f, v, t, i)}
		for k := range m {
			p.A = append(p.A, b.tile(f, v, t, n*n+i/n*m+k))
			p.B = append(p.B, b.tile(f, v, t, n*n+n*m+k*n+i%n))
		}
		if f == pairs {
			p.Fresh, p.Before = true, p.A[0]
		}
		products[i] = p
	}
	what := fmt.Sprintf("%s %d×%d×%d, T=%d%s", v, n*t, n*t, m*t, t, f)
	return b.relaxed(f, v, what, float64(n*t)*float64(n*t)*float64(m*t), func(s kernels.Stream) error {
		return s.MinPlus(v, t, products)
	})
}

// small multiplies a batch of small tiles, a pair each: as many as cover Edge × Edge, at most 4096.
func (b *bench) small(f *form, v entry.Variant, t, edge int) error {
	count := min((edge/t)*(edge/t), 4096)
	wide := int(math.Ceil(math.Sqrt(float64(count))))
	products := make([]kernels.Product, count)
	for i := range products {
		products[i] = kernels.Product{C: b.tile(f, v, t, i),
			A: []kernels.Tile{b.tile(f, v, t, count+i%wide)}, B: []kernels.Tile{b.tile(f, v, t, count+wide+i/wide)}}
	}
	what := fmt.Sprintf("%s batch of %d tiles, T=%d", v, count, t)
	return b.relaxed(f, v, what, float64(count)*float64(t)*float64(t)*float64(t), func(s kernels.Stream) error {
		return s.MinPlus(v, t, products)
	})
}

// closureOf closes a pivot of n×n, in tiles of up to 1024.
func (b *bench) closureOf(f *form, v entry.Variant, n int) error {
	t := min(n, 1024)
	m := n / t
	pivot := make([]kernels.Tile, m*m)
	for i := range pivot {
		pivot[i] = b.tile(f, v, t, i)
	}
	what := fmt.Sprintf("%s closure of %d, T=%d%s", v, n, t, f)
	took, _, err := b.timed(false, f, func(s kernels.Stream) error { return s.Closure(v, t, pivot) })
	if err != nil {
		return fmt.Errorf("cuda: bench %s: %w", what, err)
	}
	b.each(BenchRow{What: what, Rate: took.Seconds() * 1e3, Unit: "ms"})
	return nil
}

// fill writes random entries of 0…32639 to the buffer.
func (b *bench) fill(v entry.Variant) error {
	const part = 16 << 20
	host, err := b.AllocHost(part)
	if err != nil {
		return err
	}
	defer func() { _ = b.FreeHost(host) }() // what it could tell, the copies have told
	r := rand.New(rand.NewPCG(1, 2))
	s, err := b.NewStream()
	if err != nil {
		return err
	}
	for i := range part / v.Bytes() {
		v.Kind().Put(host, i, v.Kind().Bits(float64(r.Int32N(int32(entry.Inf16)+1))))
	}
	for at := int64(0); at < b.buffer.Bytes() && err == nil; at += part {
		err = s.CopyIn(kernels.Tile{Buf: b.buffer, Off: at}, host[:min(part, b.buffer.Bytes()-at)])
	}
	if closing := s.Close(); err == nil {
		err = closing
	}
	return err
}

// copies measures page-locked copies of 64 MiB in, out, and both at once.
func (b *bench) copies() error {
	const part = 64 << 20
	bytes := min(part, b.buffer.Bytes()/2)
	start := time.Now()
	host, err := b.AllocHost(2 * bytes)
	if err != nil {
		return err
	}
	b.each(BenchRow{What: fmt.Sprintf("page-locking %d MiB", 2*bytes>>20), Rate: time.Since(start).Seconds() * 1e3, Unit: "ms"})
	defer func() { _ = b.FreeHost(host) }()
	in := func(s kernels.Stream) error { return s.CopyIn(kernels.Tile{Buf: b.buffer}, host[:bytes]) }
	out := func(s kernels.Stream) error { return s.CopyOut(host[bytes:], kernels.Tile{Buf: b.buffer, Off: bytes}) }
	var took [2]time.Duration
	report := func(what string, d time.Duration) {
		b.each(BenchRow{What: what, Rate: float64(bytes) / d.Seconds() / 1e9, Unit: "GB/s"})
	}
	many := func(copy func(kernels.Stream) error) func(kernels.Stream) error {
		return func(s kernels.Stream) error {
			for range 10 {
				if err := copy(s); err != nil {
					return err
				}
			}
			return nil
		}
	}
	for i, copy := range []func(kernels.Stream) error{in, out} {
		if took[i], _, err = b.timed(false, distances, many(copy)); err != nil {
			return err
		}
		report([]string{"copy in", "copy out"}[i], took[i]/10)
	}
	var group errgroup.Group
	for i, copy := range []func(kernels.Stream) error{in, out} {
		group.Go(func() (err error) {
			took[i], _, err = b.timed(false, distances, many(copy))
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	report("copy in, while copying out", took[0]/10)
	report("copy out, while copying in", took[1]/10)
	return nil
}
