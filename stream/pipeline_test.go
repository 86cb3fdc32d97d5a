package stream

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"ooc/kernels"
	"ooc/kernels/cpu"
	"ooc/kernels/entry"
	"ooc/tiles/crashtest"
)

const edge, tileBytes = 64, 64 * 64 * entry.WordBytes

// seeded returns a fresh generator and prints its seed; OOC_SEED repeats a run.
func seeded(t *testing.T) *rand.Rand {
	seed := uint64(time.Now().UnixNano())
	if v, err := strconv.ParseUint(os.Getenv("OOC_SEED"), 10, 64); err == nil {
		seed = v
	}
	t.Logf("OOC_SEED=%d", seed)
	return rand.New(rand.NewPCG(seed, 1))
}

func openCPU(t *testing.T) kernels.Device {
	t.Helper()
	before := runtime.NumGoroutine()
	d, err := cpu.Open(cpu.Options{Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
		for range 200 { // goroutines that have closed their last channel may still be on their way out
			if runtime.NumGoroutine() <= before {
				return
			}
			time.Sleep(time.Millisecond)
		}
		t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
	})
	return d
}

// memory is what programs run on: tiles on "disk", pages and slots, each filled with one byte value.
type memory struct {
	disk  []byte
	onDsk []Region
	pages []Page
	slots []Slot
	buf   kernels.Buffer
}

func newMemory(t *testing.T, d kernels.Device, r *rand.Rand, streams int) *memory {
	t.Helper()
	m := &memory{disk: make([]byte, 6), onDsk: make([]Region, 6), pages: make([]Page, 1+r.IntN(4)),
		slots: make([]Slot, 1+r.IntN(5))}
	var err error
	if m.buf, err = d.Alloc(int64(len(m.slots)) * tileBytes); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.buf.Free() })
	for i := range m.slots {
		m.slots[i].Tile = kernels.Tile{Buf: m.buf, Off: int64(i) * tileBytes}
		m.slots[i].Stream = r.IntN(streams)
	}
	for i := range m.pages {
		m.pages[i].Data = make([]byte, tileBytes)
	}
	for i := range m.disk {
		m.disk[i] = byte(i)
	}
	return m
}

// model is the same memory under one operation at a time.
type model struct{ disk, pages, slots []byte }

func jitter(r *rand.Rand) func() {
	d := time.Duration(r.IntN(60)) * time.Microsecond
	return func() { time.Sleep(d) }
}

// randomOp picks an operation, applies it to the model, and returns it for the pipeline.
func (m *memory) randomOp(r *rand.Rand, s *model) Op {
	x, p, q := r.IntN(len(m.disk)), r.IntN(len(m.pages)), r.IntN(len(m.slots))
	page, slot, wait := &m.pages[p], &m.slots[q], jitter(r)
	switch Stage(r.IntN(5)) {
	case Read:
		s.pages[p] = s.disk[x]
		return Op{Stage: Read, Reads: []*Region{&m.onDsk[x]}, Writes: []*Region{&page.Region}, Host: func() error {
			wait()
			copy(page.Data, bytes.Repeat([]byte{m.disk[x]}, tileBytes))
			return nil
		}}
	case Write:
		s.pages[p]++ // so that programs do not settle
		s.disk[x] = s.pages[p]
		return Op{Stage: Write, Writes: []*Region{&m.onDsk[x], &page.Region}, Host: func() error {
			wait()
			for i := range page.Data {
				page.Data[i]++
			}
			m.disk[x] = page.Data[r0(tileBytes)]
			return nil
		}}
	case In:
		s.slots[q] = s.pages[p]
		return Op{Stage: In, Stream: slot.Stream, Reads: []*Region{&page.Region}, Writes: []*Region{&slot.Region},
			Device: func(d kernels.Stream) error { return d.CopyIn(slot.Tile, page.Data) }}
	case Out:
		s.pages[p] = s.slots[q]
		return Op{Stage: Out, Stream: slot.Stream, Reads: []*Region{&slot.Region}, Writes: []*Region{&page.Region},
			Device: func(d kernels.Stream) error { return d.CopyOut(page.Data, slot.Tile) }}
	default:
		return m.randomKernel(r, s, q)
	}
}

// r0 picks a byte that the last copied chunk of a tile holds.
func r0(n int) int { return n - 1 }

// randomKernel takes the minimum of two slots: entries of bytes bbbb compare as b does while b < 0x40,
// and zero⊗x = x where x's diagonal operand is all zeros; so the product with a zero tile is the row
// minimum, which for a constant tile is the constant.
func (m *memory) randomKernel(r *rand.Rand, s *model, q int) Op {
	a := r.IntN(len(m.slots))
	if a == q || s.slots[a] >= 0x20 || s.slots[q] >= 0x40 {
		return Op{Stage: Kernel, Stream: m.slots[q].Stream, Writes: []*Region{&m.slots[q].Region},
			Device: func(kernels.Stream) error { return nil }}
	}
	s.slots[q] = min(s.slots[q], 2*s.slots[a])
	c, src := &m.slots[q], &m.slots[a]
	p := []kernels.Product{{C: c.Tile, A: []kernels.Tile{src.Tile}, B: []kernels.Tile{src.Tile}}}
	return Op{Stage: Kernel, Stream: c.Stream, Reads: []*Region{&src.Region}, Writes: []*Region{&c.Region},
		Device: func(d kernels.Stream) error { return d.MinPlus(entry.I32, edge, p) }}
}

// TestProgramOrder runs random programs and demands what running them one by one gives.
func TestProgramOrder(t *testing.T) {
	crashtest.Slow(t)
	r := seeded(t)
	for range 40 {
		d := openCPU(t)
		streams := 1 + r.IntN(4)
		m := newMemory(t, d, r, streams)
		p, err := New(context.Background(), d,
			Options{Streams: streams, Readers: 1 + r.IntN(3), Writers: 1 + r.IntN(3), Window: 1 + r.IntN(40)})
		if err != nil {
			t.Fatal(err)
		}
		s := &model{bytes.Clone(m.disk), make([]byte, len(m.pages)), make([]byte, len(m.slots))}
		for q := range m.slots { // define every slot
			if err := p.Submit(Op{Stage: In, Stream: m.slots[q].Stream, Reads: []*Region{&m.pages[0].Region},
				Writes: []*Region{&m.slots[q].Region},
				Device: func(st kernels.Stream) error {
					return st.CopyIn(m.slots[q].Tile,
						m.pages[0].Data)
				}}); err != nil {
				t.Fatal(err)
			}
		}
		for range 300 {
			if err := p.Submit(m.randomOp(r, s)); err != nil {
				t.Fatal(err)
			}
		}
		if err := p.Drain(); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(m.disk, s.disk) {
			t.Fatalf("disk %v, one by one %v", m.disk, s.disk)
		}
		for i := range m.pages {
			if m.pages[i].Data[0] != s.pages[i] || m.pages[i].Data[tileBytes-1] != s.pages[i] {
				t.Fatalf("page %d holds %d…%d, one by one %d", i, m.pages[i].Data[0], m.pages[i].Data[tileBytes-1],
					s.pages[i])
			}
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
		if err := m.buf.Free(); err != nil {
			t.Fatal(err)
		}
		m.buf = nopBuffer{}
	}
}

type nopBuffer struct{}

func (nopBuffer) Bytes() int64 { return 0 }
func (nopBuffer) Free() error  { return nil }

// TestFirstErrorStops fails the k-th host or device operation and demands that error everywhere, no
// later operation on the regions it wrote, and no goroutine left.
func TestFirstErrorStops(t *testing.T) {
	boom := errors.New("boom")
	for _, stage := range []Stage{Read, In, Kernel, Out, Write, Sync} {
		d := openCPU(t)
		p, err := New(context.Background(), d, Options{Window: 8})
		if err != nil {
			t.Fatal(err)
		}
		var region Region
		var after atomic.Int64
		for i := range 100 {
			op := Op{Stage: Write, Writes: []*Region{&region}, Host: func() error {
				if i > 20 {
					after.Add(1)
				}
				return nil
			}}
			if i == 20 {
				op.Stage = stage
				op.Host = func() error { return boom }
				op.Device = func(kernels.Stream) error { return boom }
			}
			if err = p.Submit(op); err != nil {
				break
			}
		}
		if err == nil {
			err = p.Drain()
		}
		if !errors.Is(err, boom) || !errors.Is(p.Close(), boom) {
			t.Errorf("%v: got %v", stage, err)
		}
		if after.Load() != 0 {
			t.Errorf("%v: %d operations ran on what the failed one was to write", stage, after.Load())
		}
	}
}

// TestContextStops ends a pipeline from outside while an operation waits for one that never ends by itself.
func TestContextStops(t *testing.T) {
	d := openCPU(t)
	ctx, cancel := context.WithCancel(context.Background())
	p, err := New(ctx, d, Options{Window: 4})
	if err != nil {
		t.Fatal(err)
	}
	var region Region
	for range 2 {
		if err := p.Submit(Op{Stage: Read, Writes: []*Region{&region},
			Host: func() error { <-p.Failed(); return nil }}); err != nil {
			t.Fatal(err)
		}
	}
	cancel()
	if err := p.Close(); !errors.Is(err, context.Canceled) {
		t.Errorf("Close returned %v", err)
	}
}

// TestWindow holds operations back and counts how many Submit lets in.
func TestWindow(t *testing.T) {
	d := openCPU(t)
	const window = 5
	p, err := New(context.Background(), d, Options{Window: window})
	if err != nil {
		t.Fatal(err)
	}
	release := make(chan struct{})
	var submitted atomic.Int64
	full := make(chan struct{})
	go func() {
		defer close(full)
		for range 3 * window {
			if p.Submit(Op{Stage: Read, Host: func() error { <-release; return nil }}) != nil {
				return
			}
			submitted.Add(1)
		}
	}()
	for submitted.Load() < window {
		runtime.Gosched()
	}
	time.Sleep(20 * time.Millisecond)
	if got := submitted.Load(); got != window {
		t.Errorf("%d operations in flight, the window is %d", got, window)
	}
	close(release)
	<-full
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if got := p.Stats()[Read].Ops; got != 3*window {
		t.Errorf("statistics count %d operations of %d", got, 3*window)
	}
}

// TestSyncWaitsForWrites lets writes dawdle and demands that a sync sees all of those before it.
func TestSyncWaitsForWrites(t *testing.T) {
	d := openCPU(t)
	r := seeded(t)
	p, err := New(context.Background(), d, Options{Window: 32, Writers: 4})
	if err != nil {
		t.Fatal(err)
	}
	var done atomic.Int64
	for i := range 200 {
		wait := jitter(r)
		if err := p.Submit(Op{Stage: Write, Host: func() error { wait(); done.Add(1); return nil }}); err != nil {
			t.Fatal(err)
		}
		if i%17 == 0 {
			if err := p.Submit(Op{Stage: Sync, Host: func() error {
				if got := done.Load(); got < int64(i+1) {
					t.Errorf("sync after %d writes saw %d", i+1, got)
				}
				return nil
			}}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestActivity holds an operation of each kind back, and wants to see who is at it, who waits, and Done called before
// what depends on the operation starts.
func TestActivity(t *testing.T) {
	d := openCPU(t)
	p, err := New(context.Background(), d, Options{Streams: 2, Readers: 2, Writers: 1})
	if err != nil {
		t.Fatal(err)
	}
	idle := Activity{Kernel: {Stages, Stages}, Read: {Stages, Stages}, Write: {Stages}, Sync: {Stages}}
	if got := p.Activity(); !reflect.DeepEqual(got, idle) {
		t.Errorf("before anything was submitted: %v", got)
	}
	entered, release := make(chan struct{}), make(chan struct{})
	var region Region
	var done atomic.Bool
	ops := []Op{
		{Stage: Write, Writes: []*Region{&region}, Done: func() { done.Store(true) }, Host: func() error {
			close(entered)
			<-release
			return nil
		}},
		{Stage: Read, Reads: []*Region{&region}, Host: func() error {
			if !done.Load() {
				t.Error("an operation started before Done of the one it waits for")
			}
			return nil
		}},
	}
	for _, op := range ops {
		if err := p.Submit(op); err != nil {
			t.Fatal(err)
		}
	}
	<-entered
	held := idle
	held[Write] = []Stage{Write}
	if got := p.Activity(); !reflect.DeepEqual(got, held) {
		t.Errorf("while a write runs and a read waits for it: %v", got)
	}
	close(release)
	if err := p.Drain(); err != nil {
		t.Fatal(err)
	}
	if got := p.Activity(); !reflect.DeepEqual(got, idle) {
		t.Errorf("after all: %v", got)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestActivityOfStreams looks at a stream from within an operation that the stream waits for.
func TestActivityOfStreams(t *testing.T) {
	d := openCPU(t)
	p, err := New(context.Background(), d, Options{Streams: 2})
	if err != nil {
		t.Fatal(err)
	}
	buf, err := d.Alloc(2 * tileBytes)
	if err != nil {
		t.Fatal(err)
	}
	operand := []kernels.Tile{{Buf: buf, Off: tileBytes}}
	slow := []kernels.Product{{C: kernels.Tile{Buf: buf}, A: operand, B: operand}}
	for try := 0; ; try++ { // until one is caught at it
		if err := p.Submit(Op{Stage: Kernel, Stream: 1, Device: func(s kernels.Stream) error {
			return s.MinPlus(entry.I32, edge, slices.Repeat(slow, 1000))
		}}); err != nil {
			t.Fatal(err)
		}
		if got := p.Activity(); got[Kernel][1] == Kernel && got[Kernel][0] == Stages {
			break
		} else if try == 10000 {
			t.Fatalf("a busy stream was never seen: %v", got)
		}
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if err := buf.Free(); err != nil {
		t.Fatal(err)
	}
}
