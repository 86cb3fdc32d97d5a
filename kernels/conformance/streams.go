package conformance

import (
	"errors"
	"slices"
	"sync"

	"ooc/kernels"
	"ooc/kernels/entry"
)

// copies moves blocks of many sizes to many places, in and out, from memory of the device and from other memory.
func copies(b *bench) {
	for _, size := range []int64{4, 4096, 1 << 20, 5<<20 + 64} {
		in, err := b.device.AllocHost(size)
		b.must(err)
		out, err := b.device.AllocHost(size)
		b.must(err)
		if int64(len(in)) != size || int64(len(out)) != size {
			b.Fatalf("AllocHost(%d) returned %d and %d bytes", size, len(in), len(out))
		}
		buf, elsewhere := b.alloc(size), make([]byte, size)
		scramble := func(memory []byte) {
			for i := range memory {
				memory[i] = byte(b.Uint32())
			}
		}
		some := func(memory []byte) (part []byte, t kernels.Tile) { // whole words
			n := wordBytes * (1 + b.IntN(1+b.IntN(int(size)/wordBytes)))
			at := wordBytes * b.IntN((int(size)-n)/wordBytes+1)
			return memory[at:][:n], kernels.Tile{Buf: buf, Off: int64(at)}
		}
		scramble(in)
		b.done(b.stream.CopyIn(kernels.Tile{Buf: buf}, in))
		for range 60 {
			part, to := some(in)
			scramble(part)
			if b.IntN(2) == 0 {
				part = append([]byte(nil), part...)
			}
			b.must(b.stream.CopyIn(to, part))
			got, from := some([][]byte{out, elsewhere}[b.IntN(2)])
			scramble(got[:min(64, len(got))])
			b.done(b.stream.CopyOut(got, from))
			if string(got) != string(in[from.Off:][:len(got)]) {
				b.Fatalf("%d bytes from %d of %d differ", len(got), from.Off, size)
			}
		}
		b.must(errors.Join(b.device.FreeHost(in), b.device.FreeHost(out)))
	}
}

// programs runs products and copies of random tiles on random streams. Each waits for all that other streams do with
// its tiles.
func programs(b *bench) {
	const t, v, tiles, count = 128, entry.I32, 6, 3
	a := b.drawn(v, t, tiles)
	streams := [count]kernels.Stream{b.stream, b.newStream(), b.newStream()}
	var last [tiles][count]kernels.Event // of each stream with the tile
	var copies [][]byte
	var want []matrix
	for range draws(300) {
		on, p := b.IntN(count), b.Perm(tiles)[:3]
		s, c := streams[on], p[0]
		for _, tile := range p {
			for other, event := range last[tile] {
				if event != nil && other != on {
					b.must(s.Wait(event))
				}
			}
		}
		switch b.IntN(4) {
		case 0:
			a.draw(v, c)
			b.must(s.CopyIn(a.tile(c), a.data(c).pack(a.size)))
		case 1:
			copies, want = append(copies, make([]byte, a.area()*a.size)), append(want, slices.Clone(a.data(c)))
			b.must(s.CopyOut(copies[len(copies)-1], a.tile(c)))
		default:
			b.must(s.MinPlus(v, t, []kernels.Product{a.product(v, c, p[1], p[2], 1, b.IntN(2) == 0)}))
		}
		event := b.record(s)
		for _, tile := range p {
			last[tile][on] = event
		}
	}
	for _, s := range streams {
		b.must(s.Sync())
	}
	for i, got := range copies {
		b.same(v, "copy", unpack(got, a.size), want[i])
	}
	a.check(v)
}

// slow keeps a stream busy with products of tiles 1 and 2 into tile scratch.
func (a *arena) slow(s kernels.Stream, v entry.Variant, scratch, times int) {
	p := kernels.Product{C: a.tile(scratch), A: a.tiles(1, 1), B: a.tiles(2, 1), Fresh: true}
	for range times {
		a.must(s.MinPlus(v, a.t, []kernels.Product{p}))
	}
}

// manyStreams runs independent work on several streams, each owned by a goroutine. What is queued when a stream is
// closed is done.
func manyStreams(b *bench) {
	const t, v, n = 128, entry.F32, 8
	var group sync.WaitGroup
	var arenas [n]*arena
	var memory [n][]byte
	for i := range n {
		s, err := b.device.NewStream()
		b.must(err)
		a, got := b.drawn(v, t, 3), make([]byte, t*t*v.Bytes())
		start, p := a.want.pack(a.size), []kernels.Product{a.product(v, 0, 1, 2, 1, false)}
		arenas[i], memory[i] = a, got
		group.Go(func() {
			for range 10 {
				err = errors.Join(err, s.CopyIn(a.whole(), start), s.MinPlus(v, t, p), s.CopyOut(got, p[0].C))
			}
			if err = errors.Join(err, s.Close()); err != nil {
				b.Error(err)
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
	a := b.drawn(v, t, 4)
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

// badOperations wants an error, at once or with the next Sync, and nothing touched outside the buffer.
func badOperations(b *bench) { b.bad(b.device.NewStream, entry.I32.Bytes(), nil) }

// onTiles is an operation on three tiles.
type onTiles = func(s kernels.Stream, tiles []kernels.Tile) error

// bad wants errors of operations on streams for entries of so many bytes, and of more.
func (b *bench) bad(open func() (kernels.Stream, error), size int, more map[string]onTiles) {
	const t = 64
	bytes := int64(t * t * size)
	buf := b.alloc(3 * bytes)
	at := func(off int64) kernels.Tile { return kernels.Tile{Buf: buf, Off: off} }
	x, y, z, past := at(0), at(bytes), at(2*bytes), at(3*bytes-bytes/2)
	tiles := func(ts ...kernels.Tile) []kernels.Tile { return ts }
	host := make([]byte, bytes)
	product := func(c kernels.Tile, a, b []kernels.Tile) func(kernels.Stream) error {
		return func(s kernels.Stream) error {
			return s.MinPlus(entry.I32, t, []kernels.Product{{C: c, A: a, B: b}})
		}
	}
	operations := map[string]func(kernels.Stream) error{
		"copy in past the end":   func(s kernels.Stream) error { return s.CopyIn(past, host) },
		"copy out past the end":  func(s kernels.Stream) error { return s.CopyOut(host, past) },
		"copy to before":         func(s kernels.Stream) error { return s.CopyIn(at(-4), host) },
		"copy to no buffer":      func(s kernels.Stream) error { return s.CopyIn(kernels.Tile{}, host) },
		"C past the end":         product(past, tiles(x), tiles(x)),
		"A past the end":         product(x, tiles(past), tiles(y)),
		"A an operand":           product(x, tiles(x), tiles(y)),
		"C an operand":           product(x, tiles(y), tiles(x)),
		"operands of two counts": product(x, tiles(y, y), tiles(y)),
		"no operands":            product(x, nil, nil),
		"edge no multiple of 64": func(s kernels.Stream) error { return s.Closure(entry.I32, 60, tiles(x)) },
		"pivot past the end":     func(s kernels.Stream) error { return s.Closure(entry.I32, t, tiles(past)) },
		"pivot not square":       func(s kernels.Stream) error { return s.Closure(entry.I32, t, tiles(x, y)) },
		"empty pivot":            func(s kernels.Stream) error { return s.Closure(entry.I32, t, nil) },
		"unknown variant":        func(s kernels.Stream) error { return s.Closure(77, t, tiles(x)) },
	}
	for name, operation := range more {
		operations[name] = func(s kernels.Stream) error { return operation(s, tiles(x, y, z)) }
	}
	for name, operation := range operations {
		s, err := open()
		b.must(err)
		if operation(s) == nil && s.Sync() == nil {
			b.Errorf("%s: no error", name)
		}
		_ = s.Close() // may tell the same error again
	}
}
