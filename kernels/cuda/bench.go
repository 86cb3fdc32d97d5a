package cuda

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"
	"unsafe"

	"golang.org/x/sync/errgroup"

	"ooc/kernels"
	"ooc/kernels/entry"
)

// BenchRow is one line of Bench's table.
type BenchRow struct {
	What string  `json:"what"`
	Rate float64 `json:"rate"` // in Unit
	Unit string  `json:"unit"` // "Grelax/s", "GB/s", "ms" or "µs"
	// relaxations per second at the clock during the run; 0 where that says nothing
	Ceiling  float64 `json:"ceiling,omitempty"`
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

// bench holds what the measurements share. After the first error nothing is measured.
type bench struct {
	*Device
	ctx    context.Context
	each   func(BenchRow)
	rounds int // of which the median counts
	buffer kernels.Buffer
	err    error
}

// BenchOptions chooses how much Bench does. The zero value is the full table, some seconds on an H100.
type BenchOptions struct {
	Edge   int // of the largest product, a power of two from 1024 on; 0: 8192
	Rounds int // of which the median counts; 0: 5
}

// Bench measures the products, beside a loop that keeps its operands in registers; then the closure, batches of small
// tiles, steps over vectors, and copies. It calls each with every row as soon as it is measured. Between measurements
// it returns the context's error if that has ended. It needs 24 × Edge² bytes of device memory.
func Bench(ctx context.Context, d *Device, o BenchOptions, each func(BenchRow)) (err error) {
	o.Edge = cmp.Or(o.Edge, 8192)
	b := &bench{Device: d, ctx: ctx, each: each, rounds: cmp.Or(o.Rounds, 5)}
	if b.buffer, err = d.Alloc(24 * int64(o.Edge) * int64(o.Edge)); err != nil {
		return err
	}
	b.all(o.Edge)
	return errors.Join(b.err, b.buffer.Free())
}

func (b *bench) all(edge int) {
	forms := []*form{distances, pairs}
	for _, v := range entry.Variants {
		b.fill(v)
		b.loop(v)
		for _, t := range []int{edge / 4, edge / 8} {
			for _, f := range forms {
				if f.check(v) == nil {
					b.product(f, v, t, edge/t, edge/4/t)
				}
			}
		}
		for _, block := range []struct{ rows, terms int }{{32, 8}, {256, 16}, {256, 32}, {2048, 64}} {
			b.blocks(v, edge, block.rows, block.terms)
		}
	}
	for _, t := range []int{64, 128, 192, 256, 512} {
		b.small(entry.F32, t, edge)
	}
	for _, n := range []int{edge / 16, edge / 8, edge / 4, edge / 2} {
		for _, f := range forms {
			b.closureOf(f, entry.F32, n)
		}
	}
	b.vectors(edge)
	b.copies()
}

// try runs a step unless one before has failed.
func (b *bench) try(what string, step func() error) {
	if b.err == nil {
		b.err = b.ctx.Err()
	}
	if b.err != nil {
		return
	}
	if err := step(); err != nil {
		b.err = fmt.Errorf("cuda: bench %s: %w", what, err)
	}
}

// on runs work on a stream of its own, and waits for it.
func (b *bench) on(f *form, work func(*stream) error) error {
	s, err := b.newStream(f)
	if err != nil {
		return err
	}
	return cmp.Or(work(s.(*stream)), s.Sync(), s.Close())
}

// timed runs work on a stream once to warm up, then several times. It returns the median time, and the clock during it.
func (b *bench) timed(clock bool, f *form, work func(*stream) error) (took time.Duration, hz float64, err error) {
	events, times := make([]kernels.Event, b.rounds+1), make([]time.Duration, b.rounds)
	err = b.on(f, func(s *stream) (err error) {
		for i := range events {
			if err = work(s); err == nil {
				events[i], err = s.Record()
			}
			if err != nil {
				return err
			}
		}
		if clock {
			hz, err = b.ClockRate()
		}
		return err
	})
	for i := range times {
		if err == nil {
			times[i], err = events[i+1].Since(events[i])
		}
	}
	slices.Sort(times)
	return times[len(times)/2], hz, err
}

// relaxed reports the rate of work, beside its ceiling.
func (b *bench) relaxed(f *form, v entry.Variant, what string, relaxations float64, work func(*stream) error) {
	b.try(what, func() error {
		took, hz, err := b.timed(true, f, work)
		if err == nil {
			rate, ceiling := relaxations/took.Seconds(), b.perClock(v)*float64(b.sms)*hz
			b.each(BenchRow{what, rate / 1e9, "Grelax/s", ceiling, rate / ceiling})
		}
		return err
	})
}

// measure reports the time of work, as rate makes it of seconds.
func (b *bench) measure(f *form, what, unit string, rate func(seconds float64) float64, work func(*stream) error) {
	b.try(what, func() error {
		took, _, err := b.timed(false, f, work)
		if err == nil {
			b.each(BenchRow{What: what, Rate: rate(took.Seconds()), Unit: unit})
		}
		return err
	})
}

// microseconds reports the time of one of many operations that are enqueued one after another.
func (b *bench) microseconds(what string, times int, do func(*stream) error) {
	b.measure(distances, what, "µs", func(s float64) float64 { return s * 1e6 / float64(times) }, repeated(times, do))
}

// repeated is work that does something so often.
func repeated(times int, do func(*stream) error) func(*stream) error {
	return func(s *stream) (err error) {
		for range times {
			if err == nil {
				err = do(s)
			}
		}
		return err
	}
}

// ceilingParam is Ceiling of service.cuh.
type ceilingParam struct {
	out        address
	turns, one int32
}

// loop runs the kernel that keeps everything in registers.
func (b *bench) loop(v entry.Variant) {
	turns, perTurn := 20000, 4.0*64
	if v == entry.U16 {
		perTurn *= 2 // in each word
	}
	if v == entry.F64 {
		turns /= 100 // slow where there is little for them
	}
	blocks, threads := 2*b.sms, kernelInfo[ceilingLoop].threads
	work := float64(blocks) * float64(threads) * float64(turns) * perTurn
	p := &ceilingParam{out: b.buffer.(*buffer).At.at, turns: int32(turns), one: 1}
	b.relaxed(distances, v, fmt.Sprintf("%s registers only", v), work, func(s *stream) error {
		return s.launch(v, ceilingLoop, blocks, paramOf(p))
	})
}

// tile returns tile i of edge t of the buffer.
func (b *bench) tile(f *form, v entry.Variant, t, i int) kernels.Tile {
	return kernels.Tile{Buf: b.buffer, Off: int64(i) * int64(t) * int64(t) * f.entryBytes(v)}
}

// product multiplies n × m tiles by m × n. With predecessors C begins as an operand each time, so that every entry is
// lowered, and its predecessor looked for.
func (b *bench) product(f *form, v entry.Variant, t, n, m int) {
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
	b.multiplied(f, v, what, t, products)
}

// small multiplies a batch of small tiles, a pair each: as many as cover Edge × Edge, at most 4096.
func (b *bench) small(v entry.Variant, t, edge int) {
	count := min((edge/t)*(edge/t), 4096)
	wide := int(math.Ceil(math.Sqrt(float64(count))))
	products, tile := make([]kernels.Product, count), func(i int) kernels.Tile { return b.tile(distances, v, t, i) }
	for i := range products {
		x, y := tile(count+i%wide), tile(count+wide+i/wide)
		products[i] = kernels.Product{C: tile(i), A: []kernels.Tile{x}, B: []kernels.Tile{y}}
	}
	b.multiplied(distances, v, fmt.Sprintf("%s batch of %d tiles, T=%d", v, count, t), t, products)
}

// multiplied measures products of as many tiles each.
func (b *bench) multiplied(f *form, v entry.Variant, what string, t int, products []kernels.Product) {
	relaxations := float64(len(products)*len(products[0].A)) * math.Pow(float64(t), 3)
	b.relaxed(f, v, what, relaxations, func(s *stream) error { return s.MinPlus(v, t, products) })
}

// closureOf closes a pivot of n×n, in tiles of up to 1024.
func (b *bench) closureOf(f *form, v entry.Variant, n int) {
	t := min(n, 1024)
	pivot, what := b.square(f, v, n, t), fmt.Sprintf("%s closure of %d, T=%d%s", v, n, t, f)
	b.measure(f, what, "ms", milliseconds, func(s *stream) error { return s.Closure(v, t, pivot) })
}

// square returns the tiles of edge t of a matrix of n×n.
func (b *bench) square(f *form, v entry.Variant, n, t int) []kernels.Tile {
	tiles := make([]kernels.Tile, n/t*(n/t))
	for i := range tiles {
		tiles[i] = b.tile(f, v, t, i)
	}
	return tiles
}

func milliseconds(s float64) float64 { return s * 1e3 }

// fill writes random entries of 0…32639 to the buffer.
func (b *bench) fill(v entry.Variant) {
	b.try("entries", func() error {
		const part = 16 << 20
		host, r := v.Kind().Make(part/v.Bytes()), rand.New(rand.NewPCG(1, 2))
		for i := range part / v.Bytes() {
			v.Kind().Put(host, i, v.Kind().Bits(float64(r.Int32N(int32(entry.Inf16)+1))))
		}
		return b.on(distances, func(s *stream) (err error) {
			for at := int64(0); at < b.buffer.Bytes() && err == nil; at += part {
				err = s.CopyIn(kernels.Tile{Buf: b.buffer, Off: at}, host[:min(part, b.buffer.Bytes()-at)])
			}
			return err
		})
	})
}

// copies measures page-locked copies of 64 MiB in, out, and both at once.
func (b *bench) copies() {
	b.try("copies", func() error {
		const part, times = 64 << 20, 10
		bytes, start := min(part, b.buffer.Bytes()/2), time.Now()
		host, err := b.AllocHost(2 * bytes)
		if err != nil {
			return err
		}
		defer func() { _ = b.FreeHost(host) }() // what it could tell, the copies have told
		took := milliseconds(time.Since(start).Seconds())
		b.each(BenchRow{What: fmt.Sprintf("page-locking %d MiB", 2*bytes>>20), Rate: took, Unit: "ms"})
		both := [2]func(*stream) error{
			repeated(times, func(s *stream) error { return s.CopyIn(b.at(0), host[:bytes]) }),
			repeated(times, func(s *stream) error { return s.CopyOut(host[bytes:], b.at(int(bytes/4))) }),
		}
		rate := func(s float64) float64 { return times * float64(bytes) / s / 1e9 }
		b.measure(distances, "copy in", "GB/s", rate, both[0])
		b.measure(distances, "copy out", "GB/s", rate, both[1])
		var each [2]time.Duration
		var group errgroup.Group
		for i, copy := range both {
			group.Go(func() (err error) {
				each[i], _, err = b.timed(false, distances, copy)
				return err
			})
		}
		if err := cmp.Or(group.Wait(), b.err); err != nil {
			return err
		}
		b.each(BenchRow{What: "copy in, while copying out", Rate: rate(each[0].Seconds()), Unit: "GB/s"})
		b.each(BenchRow{What: "copy out, while copying in", Rate: rate(each[1].Seconds()), Unit: "GB/s"})
		return nil
	})
}

// blocks measures LaneBlocks: as many blocks of so many rows and terms as give 3·edge rows of lanes. Each block takes
// random rows of edge/2.
func (b *bench) blocks(v entry.Variant, edge, rows, terms int) {
	const width = 512
	size, count := int64(v.Bytes()), 3*edge/rows
	blocks, list := make([]kernels.LaneBlock, count), make([]kernels.LaneTerm, count*terms)
	for i := range blocks {
		blocks[i] = kernels.LaneBlock{Row: int32(edge/2 + i*rows), Rows: int32(rows), First: int32(i * terms),
			Terms: int32(terms)}
	}
	for i := range list {
		list[i] = kernels.LaneTerm{Row: int32(rand.IntN(edge / 2)), Weights: int32(i * rows / kernels.LaneWeightUnit)}
	}
	weights := int64((edge/2 + count*rows) * width)
	host := slices.Concat(memoryOf(list), make([]byte, -8*len(list)&15), memoryOf(blocks))
	lists, err := b.Alloc(int64(len(host)))
	if b.err = cmp.Or(b.err, err); err != nil {
		return
	}
	b.copied(kernels.Tile{Buf: lists}, host)
	p := kernels.LaneBlocks{Lanes: kernels.Tile{Buf: b.buffer}, Width: width,
		Weights: kernels.Tile{Buf: b.buffer, Off: weights * size}, Fresh: true,
		Terms: kernels.Tile{Buf: lists}, Blocks: kernels.Tile{Buf: lists, Off: int64((8*len(list) + 15) / 16 * 16)},
		Count: count}
	what := fmt.Sprintf("%s %d blocks of %d rows, %d terms, %d lanes", v, count, rows, terms, width)
	relaxations := float64(count*rows) * float64(terms) * width
	b.relaxed(distances, v, what, relaxations, func(s *stream) error { return b.LaneBlocks(s, v, p) })
	b.err = cmp.Or(b.err, lists.Free())
}

// memoryOf is a list as it lies in memory.
func memoryOf[E any](list []E) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(&list[0])), len(list)*int(unsafe.Sizeof(list[0])))
}

// copied copies host memory to the device.
func (b *bench) copied(to kernels.Tile, host []byte) {
	b.try("copy", func() error { return b.on(distances, func(s *stream) error { return s.CopyIn(to, host) }) })
}

// vectors measures steps over vectors, reductions and pivots of single-stage Floyd–Warshall. The buffer holds random
// entries of F32.
func (b *bench) vectors(edge int) {
	for _, n := range []int{edge / 8, edge / 2, edge} {
		for _, columnwise := range []bool{false, true} {
			for _, group := range []int{1, 8, 32, 128, 1024} {
				b.pullMatrix(n, n, group, columnwise)
			}
		}
	}
	b.pullMatrix(edge, min(edge, 512), 1, false)
	for _, n := range []int{edge / 8, edge / 2, edge} {
		b.pivotsOf(n, min(n, 1024))
	}
	for _, n := range []int{1, edge, 16 * edge, edge * edge} {
		l := kernels.Least{N: n, Source: b.at(2), Result: b.at(0)}
		do := func(s *stream) error { return b.Least(s, l) }
		b.ahead(fmt.Sprintf("least of %d, enqueued ahead", n), 200, do)
		b.microseconds(fmt.Sprintf("least of %d", n), 100, do)
	}
	for _, n := range []int{edge / 64, edge / 2, 2 * edge, 32 * edge} {
		b.sparse(n)
	}
}

// at returns a tile at an entry of the buffer.
func (b *bench) at(i int) kernels.Tile { return kernels.Tile{Buf: b.buffer, Off: int64(i) * 4} }

// pullMatrix sweeps over a matrix in pieces of so many columns.
func (b *bench) pullMatrix(n, columns, group int, columnwise bool) {
	vectors := n * n
	p := kernels.Pull{First: true, Dist: b.at(vectors), Next: b.at(vectors + n), Pred: b.at(vectors + 2*n),
		Changed: b.at(vectors + 3*n), Group: group}
	how := map[bool]string{false: "rows", true: "columns"}[columnwise]
	what := fmt.Sprintf("f32 sweep over %d×%d, %s, group %d", n, columns, how, group)
	rate := func(s float64) float64 { return float64(n) * float64(n) * 4 / s / 1e9 }
	b.measure(distances, what, "GB/s", rate, func(s *stream) (err error) {
		for lo := 0; lo < n && err == nil; lo += columns {
			p.Block = kernels.Block{Lo: lo, Hi: lo + columns, Edge: columns, Rows: n, Transposed: columnwise,
				Weights: b.at(lo * n)}
			err = b.Pull(s, entry.F32, p)
		}
		return err
	})
}

// pivotsOf uses pivots on a matrix.
func (b *bench) pivotsOf(n, t int) {
	const v, pivots = entry.F32, 64
	tiles, what := b.square(distances, v, n, t), fmt.Sprintf("f32 pivots of %d, T=%d", n, t)
	b.relaxed(distances, v, what, pivots*float64(n)*float64(n), func(s *stream) error {
		return b.Pivots(s, v, t, tiles, 0, pivots)
	})
}

// ahead reports the time of one of many operations that are all enqueued before the first one begins: the time that
// the GPU itself needs, however long the host takes.
func (b *bench) ahead(what string, times int, do func(*stream) error) {
	b.try(what, func() error {
		out, err := b.AllocHost(16)
		if err != nil {
			return err
		}
		defer func() { _ = b.FreeHost(out) }()
		hold := paramOf(&clockParam{unsafe.Pointer(&out[0]), uint64(10 * time.Millisecond)})
		var from, to *event
		err = b.on(distances, func(s *stream) (err error) {
			if err = s.serve(clockRate, 1, hold); err == nil {
				from, err = s.record()
			}
			if err = cmp.Or(err, repeated(times, do)(s)); err == nil {
				to, err = s.record()
			}
			return err
		})
		if err != nil {
			return err
		}
		took, err := to.Since(from)
		b.each(BenchRow{What: what, Rate: took.Seconds() * 1e6 / float64(times), Unit: "µs"})
		return err
	})
}

// sparse sweeps over a random graph of 16 arcs a vertex in compressed rows, and takes steps of Prim's algorithm.
func (b *bench) sparse(n int) {
	const degree = 16
	words := make([]int32, 2*n*degree+6*n+4)
	offsets, rest := words[:n+2], words[n+2:]
	ends, rest := rest[:n*degree], rest[n*degree:]
	weights, keys := rest[:n*degree], rest[n*degree:][:n]
	r := rand.New(rand.NewPCG(1, uint64(n)))
	for v := range n + 1 {
		offsets[v] = int32(v * degree)
	}
	for k := range ends {
		ends[k], weights[k] = int32(r.IntN(n)), int32(r.IntN(1<<16))
	}
	entry.Fill(keys, kernels.KeyNone)
	b.copied(b.at(0), entry.Bytes(words))
	block := kernels.Block{Hi: n, Offsets: b.at(0), Ends: b.at(n + 2), Weights: b.at(n + 2 + n*degree)}
	vector := func(i int) kernels.Tile { return b.at(n + 2 + 2*n*degree + i*n) }
	for _, group := range []int{1, 2, 4, 8, 16, 32} {
		p := kernels.Pull{First: true, Group: group, Block: block, Dist: vector(0), Next: vector(1), Pred: vector(2),
			Changed: vector(5)}
		what := fmt.Sprintf("sweep over %d arcs, group %d", n*degree, group)
		b.microseconds(what, 10, func(s *stream) error { return b.Pull(s, entry.I32, p) })
	}
	g := kernels.Grow{N: n, Offsets: block.Offsets, Ends: block.Ends, Weights: block.Weights, Keys: vector(0),
		Parents: vector(1), Tree: vector(2), Least: vector(5)}
	g.Least.Off += 4 * int64(n&1)
	for _, g.Steps = range []int{1, 1000} {
		what := fmt.Sprintf("%d steps of Prim's, %d vertices", g.Steps, n)
		b.microseconds(what, 1000/g.Steps, func(s *stream) error { return b.Grow(s, g) })
	}
}
