package conformance

import (
	"errors"
	"sync"
	"testing"

	"ooc/kernels"
	"ooc/kernels/entry"
)

// copies moves blocks of many sizes to many places, in and out.
func copies(b *bench) {
	const size = 1 << 20 // entries
	buf := b.alloc(size * wordBytes)
	host := make([]uint32, size)
	scramble := func(words []uint32) {
		for i := range words {
			words[i] = b.Uint32()
		}
	}
	scramble(host)
	b.done(b.stream.CopyIn(kernels.Tile{Buf: buf}, entry.Bytes(host)))
	for range 200 {
		n := 1 + b.IntN(1<<b.IntN(20))
		at := b.IntN(size - n + 1)
		scramble(host[at:][:n])
		b.must(b.stream.CopyIn(kernels.Tile{Buf: buf, Off: int64(at * wordBytes)}, entry.Bytes(host[at:][:n])))
		n = 1 + b.IntN(1<<b.IntN(20))
		at = b.IntN(size - n + 1)
		got := make([]uint32, n)
		b.done(b.stream.CopyOut(entry.Bytes(got), kernels.Tile{Buf: buf, Off: int64(at * wordBytes)}))
		for i := range got {
			if got[i] != host[at+i] {
				b.Fatalf("%d entries from %d: entry %d differs", n, at, i)
			}
		}
	}
}

// hostMemory copies through AllocHost, over several sizes.
func hostMemory(b *bench) {
	for _, bytes := range []int64{4, 4096, 1 << 20, 5<<20 + 64} {
		in, err := b.device.AllocHost(bytes)
		b.must(err)
		out, err := b.device.AllocHost(bytes)
		b.must(err)
		if int64(len(in)) != bytes || int64(len(out)) != bytes {
			b.Fatalf("AllocHost(%d) returned %d and %d bytes", bytes, len(in), len(out))
		}
		for i := range in {
			in[i] = byte(b.Uint32())
			out[i] = ^in[i]
		}
		buf := b.alloc(bytes)
		b.must(b.stream.CopyIn(kernels.Tile{Buf: buf}, in))
		b.done(b.stream.CopyOut(out, kernels.Tile{Buf: buf}))
		if string(in) != string(out) {
			b.Fatalf("%d bytes differ after a round trip", bytes)
		}
		b.must(b.device.FreeHost(in))
		b.must(b.device.FreeHost(out))
	}
}

// order overwrites, between operations of one stream, what the earlier ones used.
func order(b *bench) {
	const t, v = 128, entry.I32
	a := b.newArena(v, t, 3)
	small := patterns(v)[4]
	var memory, got [10][]byte
	var want [len(got)]matrix
	for i := range got {
		input := make(matrix, t*t)
		got[i], want[i] = make([]byte, t*t*a.size), make(matrix, t*t)
		small.fill(b.Rand, input)
		memory[i] = input.pack(a.size)
		refMinPlus(v, t, want[i], []matrix{input}, []matrix{input}, true)
	}
	for i := range got {
		b.must(b.stream.CopyIn(a.tile(0), memory[i]))
		b.must(b.stream.MinPlus(v, t, []kernels.Product{
			{C: a.tile(1 + i%2), A: a.tiles(0, 1), B: a.tiles(0, 1), Fresh: true}}))
		b.must(b.stream.CopyOut(got[i], a.tile(1+i%2)))
	}
	b.must(b.stream.Sync())
	for i := range got {
		b.same(v, "square", unpack(got[i], a.size), want[i])
	}
}

// slow keeps a stream busy with products of tiles 1 and 2 into tile scratch.
func (a *arena) slow(s kernels.Stream, v entry.Variant, scratch, times int) {
	p := kernels.Product{C: a.tile(scratch), A: a.tiles(1, 1), B: a.tiles(2, 1), Fresh: true}
	for range times {
		a.must(s.MinPlus(v, a.t, []kernels.Product{p}))
	}
}

// wait lets a second stream copy what a first one computes after much other work: without Wait the second
// comes too early.
func wait(b *bench) {
	const t, v = 128, entry.I32
	second := b.newStream()
	for range draws(10) {
		a := b.newArena(v, t, 4)
		a.draw(v, 3)
		a.upload()
		a.slow(b.stream, v, 3, 50)
		b.must(b.stream.MinPlus(v, t, []kernels.Product{a.product(v, 0, 1, 2, 1, false)}))
		b.must(second.Wait(b.record(b.stream)))
		b.same(v, "product", a.read(second, 0), a.data(0))
		b.must(b.stream.Sync())
	}
}

// pingPong hands one tile back and forth between two streams, each step of which changes it.
func pingPong(b *bench) {
	const t, v, turns = 128, entry.I32, 12
	a := b.newArena(v, t, 4)
	a.draw(v, 1)
	for i := range a.data(1) {
		a.data(1)[i] = v.Unreachable() // adds one to each entry
		if i/t == i%t {
			a.data(1)[i] = 1
		}
	}
	a.upload()
	want := append(matrix(nil), a.data(0)...)
	streams := []kernels.Stream{b.stream, b.newStream()}
	var last kernels.Event
	for i := range turns {
		s := streams[i%2]
		if last != nil {
			b.must(s.Wait(last))
		}
		from, to := 2*(i%2), 2*((i+1)%2)
		for range 4 { // idle work in front of what the other stream waits for
			b.must(s.MinPlus(v, t, []kernels.Product{{C: a.tile(3), A: a.tiles(1, 1), B: a.tiles(1, 1), Fresh: true}}))
		}
		b.must(s.MinPlus(v, t, []kernels.Product{
			{C: a.tile(to), A: a.tiles(1, 1), B: a.tiles(from, 1), Fresh: true}}))
		last = b.record(s)
	}
	b.must(last.Sync())
	for i := range want {
		want[i] += turns
	}
	b.same(v, "what was handed around", a.read(b.stream, 0), want)
}

// manyStreams runs independent work on several streams, each owned by a goroutine.
func manyStreams(b *bench) {
	const t, v, n = 128, entry.F32, 8
	var group sync.WaitGroup
	var arenas [n]*arena
	var memory [n][]byte
	for i := range n {
		s, a, got := b.newStream(), b.newArena(v, t, 3), make([]byte, t*t*v.Bytes())
		a.draw(v, 3)
		start, p := a.want.pack(a.size), []kernels.Product{a.product(v, 0, 1, 2, 1, false)}
		arenas[i], memory[i] = a, got
		group.Go(func() {
			for range 5 {
				err := errors.Join(s.CopyIn(a.whole(), start), s.MinPlus(v, t, p), s.CopyOut(got, p[0].C), s.Sync())
				if err != nil {
					b.Error(err)
				}
			}
		})
	}
	group.Wait()
	for i, a := range arenas {
		b.same(v, "product", unpack(memory[i], a.size), a.data(0))
	}
}

// events wants times that run forward, along a stream and across streams.
func events(b *bench) {
	const t, v = 128, entry.I32
	a := b.newArena(v, t, 4)
	a.draw(v, 3)
	a.upload()
	second := b.newStream()
	first := b.record(b.stream)
	a.slow(b.stream, v, 3, 20)
	middle := b.record(b.stream)
	b.must(second.Wait(middle))
	last := b.record(second)
	b.must(last.Sync())
	for _, pair := range [][2]kernels.Event{{first, middle}, {first, last}} {
		d, err := pair[1].Since(pair[0])
		b.must(err)
		if d <= 0 {
			b.Errorf("work took %v", d)
		}
	}
	if d, err := middle.Since(middle); err != nil || d != 0 {
		b.Errorf("from an event to itself: %v, %v", d, err)
	}
}

// closeQueued closes a stream with work in its queue: all of it is done.
func closeQueued(b *bench) {
	const t, v = 128, entry.I32
	a := b.newArena(v, t, 4)
	a.draw(v, 3)
	a.upload()
	s, err := b.device.NewStream()
	b.must(err)
	a.slow(s, v, 3, 50)
	got := make([]byte, t*t*a.size)
	b.must(s.MinPlus(v, t, []kernels.Product{a.product(v, 0, 1, 2, 1, false)}))
	b.must(s.CopyOut(got, a.tile(0)))
	b.must(s.Close())
	b.same(v, "product", unpack(got, a.size), a.data(0))
}

// badOperations wants an error, at once or with the next Sync, and nothing touched outside the buffer.
func badOperations(b *bench) {
	const t = 64
	const bytes = t * t * 4 // of entry.I32
	buf := b.alloc(2 * bytes)
	tile := func(off int64) kernels.Tile { return kernels.Tile{Buf: buf, Off: off} }
	tiles := func(ts ...kernels.Tile) []kernels.Tile { return ts }
	host := make([]byte, bytes)
	product := func(c kernels.Tile, a, b []kernels.Tile) func(kernels.Stream) error {
		return func(s kernels.Stream) error {
			return s.MinPlus(entry.I32, t, []kernels.Product{{C: c, A: a, B: b, Fresh: true}})
		}
	}
	for name, operation := range map[string]func(kernels.Stream) error{
		"copy in past the end":   func(s kernels.Stream) error { return s.CopyIn(tile(bytes+4), host) },
		"copy out past the end":  func(s kernels.Stream) error { return s.CopyOut(host, tile(bytes+4)) },
		"copy to before":         func(s kernels.Stream) error { return s.CopyIn(tile(-4), host) },
		"copy to no buffer":      func(s kernels.Stream) error { return s.CopyIn(kernels.Tile{}, host) },
		"C past the end":         product(tile(2*bytes), tiles(tile(0)), tiles(tile(0))),
		"A past the end":         product(tile(0), tiles(tile(2*bytes)), tiles(tile(bytes))),
		"C an operand":           product(tile(0), tiles(tile(0)), tiles(tile(bytes))),
		"operands of two counts": product(tile(0), tiles(tile(bytes), tile(bytes)), tiles(tile(bytes))),
		"no operands":            product(tile(0), nil, nil),
		"edge no multiple of 64": func(s kernels.Stream) error { return s.Closure(entry.I32, 60, tiles(tile(0))) },
		"pivot not square":       func(s kernels.Stream) error { return s.Closure(entry.I32, t, tiles(tile(0), tile(bytes))) },
		"empty pivot":            func(s kernels.Stream) error { return s.Closure(entry.I32, t, nil) },
		"unknown variant":        func(s kernels.Stream) error { return s.Closure(77, t, tiles(tile(0))) },
	} {
		b.refuses(name, b.device.NewStream, operation)
	}
}

// refuses wants an error of an operation on a stream of its own, at once or when the stream is waited for.
func (b *bench) refuses(name string, open func() (kernels.Stream, error), operation func(kernels.Stream) error) {
	b.Run(name, func(t *testing.T) {
		s, err := open()
		if err != nil {
			t.Fatal(err)
		}
		if err = operation(s); err == nil {
			err = s.Sync()
		}
		if err == nil {
			t.Error("no error")
		}
		_ = s.Close() // may tell the same error again
	})
}
