// Package conformance is the one suite that every kernels.Device passes, unchanged. It knows nothing of a
// device but its interface. The judge is plain Go in int64 and float64.
//
// Inputs are new in each run. The seed is logged; OOC_SEED repeats a run.
package conformance

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"ooc/kernels"
	"ooc/kernels/entry"
)

// envSeed names the environment variable that fixes the seed of the inputs.
const envSeed = "OOC_SEED"

// opener opens the device under test with a limit of memory in bytes, 0 for the device's own.
type opener = func(memory int64) (kernels.Device, error)

// everything reports whether all inputs are drawn. A plain go test draws a fifth of them, others each time; a
// campaign all (a short one half of the larger ones), and so does a run for the sake of a GPU, whose kernels are
// judged nowhere else.
func everything() bool { return os.Getenv("OOC_CAMPAIGN") != "" || forGPU() }

func forGPU() bool { return os.Getenv("OOC_REQUIRE_GPU") == "1" }

// draws is how often inputs are drawn that everything draws n times.
func draws(n int) int {
	if everything() {
		return n
	}
	return entry.CeilDiv(n, 5)
}

// skips leaves out inputs of n vertices, others each time: of the smallest none.
func (b *bench) skips(n int) bool {
	of := map[string]int{"": 5, "short": 2}[os.Getenv("OOC_CAMPAIGN")] // that many, of which one is drawn; 0: all are
	return n > 64 && of > 0 && !forGPU() && b.IntN(of) > 0
}

type part struct {
	name string
	run  func(*bench)
}

// Run runs the suite, but for the larger shapes of products and closures.
func Run(t *testing.T, open opener) {
	runParts(t, open, []part{
		{"MinPlus", func(b *bench) { minPlus(b, smallProducts) }},
		{"Closure", func(b *bench) { closure(b, smallPivots) }},
		{"ClosureAgain", func(b *bench) { closureAgain(b, smallAgain) }},
		{"Copies", copies},
		{"Programs", programs},
		{"ManyStreams", manyStreams},
		{"Events", events},
		{"BadOperations", badOperations},
	})
	t.Run("MemoryLimit", func(t *testing.T) { memoryLimit(t, open) })
}

// Large runs products and closures of the larger shapes, which take as long as the rest of the suite, or longer.
func Large(t *testing.T, open opener) {
	runParts(t, open, []part{
		{"MinPlus", func(b *bench) { minPlus(b, largeProducts) }},
		{"Closure", func(b *bench) { closure(b, largePivots) }},
		{"ClosureAgain", func(b *bench) { closureAgain(b, largeAgain) }},
		{"Pairs", func(b *bench) { b.largePairs(groupOf[kernels.TileOps](b)) }},
	})
}

// runParts runs each part on a device of its own.
func runParts(t *testing.T, open opener, parts []part) {
	seed := Seed(t)
	for i, p := range parts {
		t.Run(p.name, func(t *testing.T) { p.run(newBench(t, open, 0, seed+uint64(i))) })
	}
}

// Group runs the part of the suite that judges a group of kernels.As but PeerOps, which the device must have.
func Group[T any](t *testing.T, open opener) {
	b, can := benchOf[T](t, open)
	suites := []any{(*bench).tileOps, (*bench).vectorOps, (*bench).laneOps, (*bench).laneStatsOps, (*bench).hostLaneOps,
		(*bench).bitOps, (*bench).searchOps, (*bench).pathOps}
	for _, suite := range suites {
		if judge, of := suite.(func(*bench, T)); of {
			judge(b, can)
			return
		}
	}
	t.Fatalf("%T is no group", &can)
}

// benchOf opens the device for the part of the suite that judges a group of kernels.As, which the device must have.
func benchOf[T any](t *testing.T, open opener) (*bench, T) {
	t.Helper()
	b := newBench(t, open, 0, Seed(t))
	return b, groupOf[T](b)
}

func groupOf[T any](b *bench) T {
	b.Helper()
	can, ok := kernels.As[T](b.device)
	if !ok {
		b.Fatalf("%T is no %T", b.device, &can)
	}
	return can
}

// Seed returns the seed in envSeed, or a new one, and logs it.
func Seed(t testing.TB) uint64 {
	t.Helper()
	seed := uint64(time.Now().UnixNano())
	if s := os.Getenv(envSeed); s != "" {
		var err error
		if seed, err = strconv.ParseUint(s, 10, 64); err != nil {
			t.Fatalf("%s=%q: %v", envSeed, s, err)
		}
	}
	t.Logf("%s=%d", envSeed, seed)
	return seed
}

// bench is a device with one stream, on which any error ends the test.
type bench struct {
	*testing.T
	*rand.Rand
	device kernels.Device
	stream kernels.Stream
	pairs  bool                    // the stream keeps predecessors
	open   map[kernels.Stream]bool // streams to be idle before a buffer is freed
}

// newBench opens the device, with a limit of memory, until the test ends.
func newBench(t *testing.T, open opener, memory int64, seed uint64) *bench {
	t.Helper()
	device, err := open(memory)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	b := &bench{T: t, Rand: rand.New(rand.NewPCG(seed, 0)), device: device, open: map[kernels.Stream]bool{}}
	t.Cleanup(func() { b.must(device.Close()) })
	b.stream = b.newStream()
	return b
}

// with returns the bench for a subtest.
func (b *bench) with(t *testing.T) *bench {
	c := *b
	c.T = t
	return &c
}

func (b *bench) must(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// done waits for what the stream does, of which the last operation returned err.
func (b *bench) done(err error) {
	b.Helper()
	b.must(err)
	b.must(b.stream.Sync())
}

// same compares entries of a variant; what says what they are.
func (b *bench) same(v entry.Variant, what string, got, want matrix) {
	b.Helper()
	for i := range want {
		if got[i] != want[i] {
			b.Fatalf("%s: entry %d of %v is %s, want %s", what, i, v, show(v, got[i]), show(v, want[i]))
		}
	}
}

// many and few are how many weights there are: of few, sums are often equal.
const many, few = 100000, 20

// randomEntry draws one of so many weights, or once in three times what is unreachable, if that may be.
func (b *bench) randomEntry(v entry.Variant, of int, unreachable bool) uint64 {
	x := b.IntN(of)
	if v == entry.U16 {
		x %= int(entry.Inf16) // a weight may be just below what is unreachable
	}
	if v.Signed() {
		x -= of / 2
	}
	switch {
	case unreachable && b.IntN(3) == 0:
		return v.Unreachable()
	case v.Float():
		return v.Kind().Bits(float64(x) / 7)
	}
	return v.Kind().Bits(float64(x))
}

// entries draws n entries, as randomEntry does.
func (b *bench) entries(v entry.Variant, n, of int, unreachable bool) matrix {
	m := make(matrix, n)
	for i := range m {
		m[i] = b.randomEntry(v, of, unreachable)
	}
	return m
}

// garbage returns entries of any bits, which are wrong as results.
func (b *bench) garbage(n, size int) matrix {
	m := make(matrix, n)
	poison(b.Rand, m, size)
	return m
}

// newStream returns a stream that is closed when the test ends.
func (b *bench) newStream() kernels.Stream { return b.opened(b.device.NewStream()) }

func (b *bench) opened(s kernels.Stream, err error) kernels.Stream {
	b.Helper()
	b.must(err)
	b.open[s] = true
	b.Cleanup(func() {
		delete(b.open, s)
		b.must(s.Close())
	})
	return s
}

// alloc returns a buffer that is freed when the test ends.
func (b *bench) alloc(bytes int64) kernels.Buffer {
	b.Helper()
	buf, err := b.device.Alloc(bytes)
	b.must(err)
	if buf.Bytes() < bytes {
		b.Fatalf("Alloc(%d) holds %d bytes", bytes, buf.Bytes())
	}
	b.Cleanup(func() {
		for s := range b.open {
			b.must(s.Sync()) // a test that failed may have left work that uses the buffer
		}
		b.must(buf.Free())
	})
	return buf
}

func (b *bench) record(s kernels.Stream) kernels.Event {
	b.Helper()
	e, err := s.Record()
	b.must(err)
	return e
}

// matrix holds entries as bits, of whichever variant: bits are what devices store and what is compared.
type matrix []uint64

// pack returns the entries in memory, size bytes each.
func (m matrix) pack(size int) []byte {
	b := make([]byte, 0, len(m)*size+8)
	for _, bits := range m {
		b = binary.LittleEndian.AppendUint64(b, bits)[:len(b)+size]
	}
	return b
}

// unpack returns the entries that memory holds.
func unpack(b []byte, size int) matrix {
	m := make(matrix, len(b)/size)
	for i := range m {
		var word [8]byte
		copy(word[:], b[i*size:][:size])
		m[i] = binary.LittleEndian.Uint64(word[:])
	}
	return m
}

const wordBytes = 4 // of what is no entry: vertices, offsets, checksums

// poison fills m with random bits, which are wrong as results.
func poison(r *rand.Rand, m matrix, size int) {
	for i := range m {
		m[i] = r.Uint64() >> (64 - 8*size)
	}
}

// arena is a buffer with tiles at odd places and random bits between them.
type arena struct {
	*bench
	buf    kernels.Buffer
	t      int
	wide   int    // words of an entry: 2 in pairs, whose second is the predecessor
	size   int    // bytes of a word
	places []int  // of tiles, in words
	want   matrix // what the whole buffer shall hold
}

// alignment of tiles in words; GPUs load rows in vectors.
const alignment = 64

// newArena lays out n tiles of edge t in random order, with gaps.
func (b *bench) newArena(v entry.Variant, t, n int) *arena {
	a := &arena{bench: b, t: t, wide: 1, size: v.Bytes(), places: make([]int, n)}
	if b.pairs {
		a.wide = 2
	}
	words := alignment * b.IntN(5)
	for _, i := range b.Perm(n) {
		a.places[i] = words
		words += a.area() + alignment*(1+b.IntN(5))
	}
	a.want = b.garbage(words, a.size)
	a.buf = b.alloc(int64(words * a.size))
	return a
}

// area is the words of a tile.
func (a *arena) area() int { return a.t * a.t * a.wide }

// tile returns tile i on the device.
func (a *arena) tile(i int) kernels.Tile {
	return kernels.Tile{Buf: a.buf, Off: int64(a.places[i] * a.size)}
}

func (a *arena) tiles(lo, n int) []kernels.Tile {
	tiles := make([]kernels.Tile, n)
	for i := range tiles {
		tiles[i] = a.tile(lo + i)
	}
	return tiles
}

// data returns what tile i shall hold.
func (a *arena) data(i int) matrix { return a.want[a.places[i]:][:a.area()] }

// drawn returns n tiles of small entries, which the device has too.
func (b *bench) drawn(v entry.Variant, t, n int) *arena {
	a := b.newArena(v, t, n)
	for i := range n {
		a.draw(v, i)
	}
	a.upload()
	return a
}

func (a *arena) draw(v entry.Variant, i int) { patterns(v)[4].fill(a.Rand, a.data(i)) }

func (a *arena) whole() kernels.Tile { return kernels.Tile{Buf: a.buf} }

// upload copies all of want to the device.
func (a *arena) upload() {
	a.Helper()
	a.done(a.stream.CopyIn(a.whole(), a.want.pack(a.size)))
}

// check compares the whole buffer, gaps too, with want.
func (a *arena) check(v entry.Variant) {
	a.Helper()
	for at, got := range a.downloadAs(a.whole(), len(a.want), a.size) {
		if got != a.want[at] {
			a.Fatalf("%s: got %s, want %s", a.where(at), show(v, got), show(v, a.want[at]))
		}
	}
}

// where names a word of the buffer.
func (a *arena) where(at int) string {
	for i, p := range a.places {
		if entry := (at - p) / a.wide; at >= p && at < p+a.area() {
			return fmt.Sprintf("tile %d entry (%d,%d), word %d", i, entry/a.t, entry%a.t, (at-p)%a.wide)
		}
	}
	return fmt.Sprintf("outside the tiles, at word %d", at)
}
