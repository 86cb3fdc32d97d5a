package cuda

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"ooc/kernels"
	"ooc/kernels/conformance"
	"ooc/kernels/entry"
	"ooc/kernels/internal/ledger"
	"ooc/tiles/crashtest"
)

// The suite on the driver in plain Go, whose kernels are stand-ins: it judges everything but the kernels.
func TestConformanceFake(t *testing.T) {
	crashtest.Slow(t)
	onFake(t, conformance.Run)
}

func TestCampaignLargeFake(t *testing.T) {
	crashtest.Campaign(t)
	onFake(t, conformance.Large)
}

func TestTileOpsFake(t *testing.T) {
	crashtest.Slow(t)
	onFake(t, conformance.Group[kernels.TileOps])
}

func TestVectorOpsFake(t *testing.T) { onFake(t, conformance.Group[kernels.VectorOps]) }

func TestLaneOpsFake(t *testing.T) {
	crashtest.Slow(t)
	onFake(t, conformance.Group[kernels.LaneOps])
}

func TestLaneStatsFake(t *testing.T) { onFake(t, conformance.Group[kernels.LaneStats]) }

func TestSearchOpsFake(t *testing.T) { onFake(t, conformance.Group[kernels.SearchOps]) }

func TestBitOpsFake(t *testing.T) { onFake(t, conformance.Group[kernels.BitOps]) }

func TestPathOpsFake(t *testing.T) { onFake(t, conformance.Group[kernels.PathOps]) }

// TestPeerOpsFake has two GPUs that reach each other, one that is opened twice, and two that do not.
func TestPeerOpsFake(t *testing.T) {
	for ordinal := range 2 {
		f := newFake()
		f.gpus = []string{"first", "second"}
		t.Run("suite", func(t *testing.T) {
			conformance.PeerOps(t, func(memory int64) (kernels.Device,
				error) {
				return open(f, Options{Memory: memory})
			},
				func(memory int64) (kernels.Device,
					error) {
					return open(f, Options{Memory: memory, Ordinal: ordinal})
				})
		})
		if left := f.leaks(); left != "" {
			t.Errorf("still alive after Close: %s", left)
		}
	}
	for _, broken := range []string{"peers", "canAccessPeer", "enablePeerAccess"} {
		f := newFake()
		f.gpus = []string{"first", "second"}
		first, second := must(open(f, Options{})), must(open(f, Options{Ordinal: 1}))
		f.peers = broken != "peers"
		f.fail = func(call string) Result {
			if call == broken {
				return 217 // there is no way between the two
			}
			return success
		}
		buf := must(second.Alloc(64))
		if first.Reaches(buf) {
			t.Errorf("%s: GPUs that do not reach each other do", broken)
		}
		if err := errors.Join(buf.Free(), first.Close(), second.Close()); err != nil { // that spoiled nothing
			t.Error(err)
		}
	}
}

func onFake(t *testing.T, suite func(*testing.T, func(int64) (kernels.Device, error))) {
	f := newFake()
	// Closed with the test that opened it, whose results are in when that has ended.
	t.Run("suite", func(t *testing.T) {
		suite(t, func(memory int64) (kernels.Device, error) { return open(f, Options{Memory: memory}) })
	})
	if left := f.leaks(); left != "" {
		t.Errorf("still alive after Close: %s", left)
	}
}

func fakeDevice(t *testing.T) (*fake, *Device) {
	t.Helper()
	f := newFake()
	d, err := open(f, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return f, d
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// TestSecondGPU opens each of two GPUs by its number, and wants what is done on one to be done in its context.
func TestSecondGPU(t *testing.T) {
	f := newFake()
	f.gpus = []string{"first", "second"}
	var devices []*Device
	for i, model := range f.gpus {
		d := must(open(f, Options{Ordinal: i}))
		devices = append(devices, d)
		if info := d.Info(); info.Name != fmt.Sprintf("cuda:%d", i) || !strings.HasPrefix(info.Model, model) {
			t.Errorf("GPU %d is %+v", i, info)
		}
	}
	for i, d := range devices {
		buf := must(d.Alloc(64))
		if want := firstContext + handle(i); f.current != want {
			t.Errorf("GPU %d allocates in context %d, not %d", i, f.current, want)
		}
		if err := errors.Join(buf.Free(), d.Close()); err != nil {
			t.Error(err)
		}
	}
	if _, err := open(f, Options{Ordinal: 2}); !errors.Is(err, ErrNoDevice) ||
		!strings.Contains(err.Error(), "there are 2") {
		t.Error(err)
	}
	if left := f.leaks(); left != "" {
		t.Error(left)
	}
}

func TestOpenErrors(t *testing.T) {
	for name, c := range map[string]struct {
		options  Options
		break_   func(*fake)
		noDevice bool
		says     string
	}{
		"no GPU":       {break_: failing("deviceCount", noDevice), noDevice: true, says: "FAKE_100"},
		"no such GPU":  {options: Options{Ordinal: 3}, noDevice: true, says: "GPU 3: there are 1"},
		"too old":      {break_: func(f *fake) { f.capability = 70 }, noDevice: true, says: "7.0: want 7.5"},
		"negative":     {options: Options{Memory: -1}, says: "want 0 or more"},
		"in use":       {break_: failing("primaryContextRetain", 46), says: "cuDevicePrimaryCtxRetain"},
		"full":         {break_: failing("primaryContextRetain", outOfMemory), says: "other processes hold it"},
		"bad PTX":      {break_: failing("moduleLoad", 218), says: "the log"},
		"no function":  {break_: failing("moduleFunction", notFound), says: "cuModuleGetFunction upload_list"},
		"no info":      {break_: failing("memoryInfo", 999), says: "cuMemGetInfo"},
		"no attribute": {break_: failing("deviceAttribute", invalidDevice), says: "cuDeviceGetAttribute"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake()
			if c.break_ != nil {
				c.break_(f)
			}
			_, err := open(f, c.options)
			if err == nil || errors.Is(err, ErrNoDevice) != c.noDevice || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v; want ErrNoDevice: %t, and %q in it", err, c.noDevice, c.says)
			}
			if errors.Is(err, ErrAbsent) != (name == "no GPU") {
				t.Errorf("%v: is there nothing to use, or something broken?", err)
			}
			if f.contexts != 0 {
				t.Error("the context is still held")
			}
		})
	}
}

func failing(call string, r Result) func(*fake) {
	return func(f *fake) {
		f.fail = func(made string) Result {
			if made == call {
				return r
			}
			return success
		}
	}
}

// TestSpoiledContext wants the first error that spoils the context from all later calls, whatever they are.
func TestSpoiledContext(t *testing.T) {
	f, d := fakeDevice(t)
	s := must(d.NewStream())
	buf := must(d.Alloc(64 * 64 * 4))
	const illegalAddress = 700
	failing("eventSynchronize", illegalAddress)(f)
	first := s.Sync()
	var e *Error
	if !errors.As(first, &e) || e.Result != illegalAddress || e.Call != "cuEventSynchronize" || e.Name != "FAKE_700" {
		t.Fatalf("Sync: %v", first)
	}
	f.fail = func(string) Result { return success }
	tile := kernels.Tile{Buf: buf}
	host := make([]byte, 64)
	for name, err := range map[string]error{
		"CopyIn":    s.CopyIn(tile, host),
		"CopyOut":   s.CopyOut(host, tile),
		"Closure":   s.Closure(entry.I32, 64, []kernels.Tile{tile}),
		"Sync":      s.Sync(),
		"Alloc":     second(d.Alloc(64)),
		"AllocHost": second(d.AllocHost(64)),
		"NewStream": second(d.NewStream()),
		"Record":    second(s.Record()),
		"ClockRate": second(d.ClockRate()),
		"Free":      buf.Free(),
		"Close":     s.Close(),
	} {
		if got := (*Error)(nil); !errors.As(err, &got) || got != e {
			t.Errorf("%s: %v, want the first error", name, err)
		}
	}
	if err := d.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	if f.contexts != 0 {
		t.Error("the context is still held")
	}
}

func second[T any](_ T, err error) error { return err }

// TestHarmlessErrors wants an error of an argument or of memory not to outlive its call.
func TestHarmlessErrors(t *testing.T) {
	f := newFake()
	d := must(open(f, Options{Memory: 256 << 20}))
	for call, r := range map[string]Result{"memAlloc": outOfMemory, "hostAlloc": outOfMemory} {
		failing(call, r)(f)
		if call == "memAlloc" {
			if _, err := d.Alloc(64); !errors.Is(err, kernels.ErrNoMemory) {
				t.Errorf("%s: %v", call, err)
			}
		} else if _, err := d.AllocHost(64); err == nil {
			t.Errorf("%s: no error", call)
		}
		f.fail = func(string) Result { return success }
	}
	buf, err := d.Alloc(d.Info().Memory - d.Info().Scratch)
	if err != nil {
		t.Fatalf("after it: %v", err)
	}
	if _, err := d.Alloc(1); !errors.Is(err, kernels.ErrNoMemory) {
		t.Errorf("past the limit: %v", err)
	}
	if err := errors.Join(buf.Free(), d.Close()); err != nil {
		t.Error(err)
	}
	if left := f.leaks(); left != "" {
		t.Errorf("still alive: %s", left)
	}
}

// TestChunkedHostMemory locks memory in chunks, and copies across the places where they meet.
func TestChunkedHostMemory(t *testing.T) {
	smallChunks(t)
	if !ledger.Mapped {
		t.Skip("host memory comes from CUDA here")
	}
	f, d := fakeDevice(t)
	size := lockChunk + 3<<20
	host := must(d.AllocHost(size))
	if int64(len(host)) != size || uintptr(unsafe.Pointer(&host[0]))%4096 != 0 {
		t.Fatalf("%d bytes at %p", len(host), &host[0])
	}
	if len(f.locked) != 2 {
		t.Fatalf("%d registrations, want 2", len(f.locked))
	}
	const n = 1 << 20
	around := host[lockChunk-n/2:][:n]
	for i := range around {
		around[i] = byte(i % 251)
	}
	buf, s := must(d.Alloc(n)), must(d.NewStream())
	if err := s.CopyIn(kernels.Tile{Buf: buf}, around); err != nil {
		t.Fatal(err)
	}
	clear(around)
	if err := s.CopyOut(around, kernels.Tile{Buf: buf}); err != nil {
		t.Fatal(err)
	}
	for i := range around {
		if around[i] != byte(i%251) {
			t.Fatalf("byte %d differs", i)
		}
	}
	if err := errors.Join(s.Close(), buf.Free(), d.FreeHost(host), d.Close()); err != nil {
		t.Error(err)
	}
	if left := f.leaks(); left != "" {
		t.Errorf("still alive: %s", left)
	}
}

// smallChunks has memory locked in the smallest pieces for which it is locked in several.
func smallChunks(t *testing.T) {
	t.Cleanup(func(was int64) func() { return func() { lockChunk = was } }(lockChunk))
	lockChunk = lockAlone
}

// TestLockFails wants nothing left locked, and the error, where one chunk cannot be.
func TestLockFails(t *testing.T) {
	smallChunks(t)
	f, d := fakeDevice(t)
	count := 0
	f.fail = func(call string) Result {
		if call == "hostRegister" {
			if count++; count == 2 {
				return outOfMemory
			}
		}
		return success
	}
	if !ledger.Mapped {
		t.Skip("host memory comes from CUDA here")
	}
	if _, err := d.AllocHost(2 * lockChunk); err == nil {
		t.Error("no error")
	}
	if len(f.locked) != 0 {
		t.Errorf("%d registrations left", len(f.locked))
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

// TestBatches wants one launch for what fits one list, and the same entries whatever the packing.
func TestBatches(t *testing.T) {
	f, d := fakeDevice(t)
	const edge = 64
	buf := must(d.Alloc(3 * edge * edge * int64(entry.KindI32.PairBytes())))
	tile := func(i int) kernels.Tile {
		return kernels.Tile{Buf: buf, Off: int64(i) * edge * edge * int64(entry.KindI32.PairBytes())}
	}
	one := kernels.Product{C: tile(0), A: []kernels.Tile{tile(1)}, B: []kernels.Tile{tile(2)}, Fresh: true,
		Before: tile(1)}
	for _, s := range []*stream{must(d.NewStream()).(*stream), must(d.NewTrackingStream()).(*stream)} {
		kernel, each := kernelInfo[s.form.product].name+"f32", 2+s.form.begins
		long := one
		most := s.form.maxPairs(edge)
		long.A, long.B = slices.Repeat(one.A, most+1), slices.Repeat(one.B, most+1)
		for _, c := range []struct {
			name     string
			products []kernels.Product
			want     []string
		}{
			{"inline", slices.Repeat([]kernels.Product{one}, inlineEntries/each), []string{kernel}},
			{"list", slices.Repeat([]kernels.Product{one}, inlineEntries/each+1), []string{"upload_list", kernel}},
			{"two lists", slices.Repeat([]kernels.Product{one}, slotEntries/each+1),
				[]string{"upload_list", kernel, kernel}},
			{"a long product", []kernels.Product{one, long, one},
				[]string{kernel, "upload_list", kernel, kernel, kernel}},
		} {
			f.launches, f.lazy = nil, true
			if err := s.MinPlus(entry.F32, edge, c.products); err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			if got := f.launches; !slices.Equal(got, c.want) {
				t.Errorf("%s: launched %v, want %v", c.name, got, c.want)
			}
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := errors.Join(buf.Free(), d.Close()); err != nil {
		t.Error(err)
	}
}

// TestList wants jobs first, each with the place of its pairs, and what it begins as where predecessors are kept.
func TestList(t *testing.T) {
	buf := &buffer{At: place{at: 1 << 20}}
	tile := func(i int64) kernels.Tile { return kernels.Tile{Buf: buf, Off: 16 * i} }
	products := []kernels.Product{
		{C: tile(0), A: []kernels.Tile{tile(1), tile(2)}, B: []kernels.Tile{tile(3), tile(4)}, Fresh: true,
			Before: tile(2)},
		{C: tile(5), A: []kernels.Tile{tile(6)}, B: []kernels.Tile{tile(7)}},
	}
	const base = uint64(1 << 20)
	for _, c := range []struct {
		form *form
		want []listEntry
	}{
		{distances, []listEntry{
			{base, 2 | 2<<32 | 1<<63}, {base + 80, 4 | 1<<32},
			{base + 16, base + 48}, {base + 32, base + 64}, {base + 96, base + 112},
		}},
		{pairs, []listEntry{
			{base, 2 | 2<<32}, {base + 80, 5 | 1<<32},
			{base + 32, 0}, {base + 16, base + 48}, {base + 32, base + 64}, {base + 80, 0}, {base + 96, base + 112},
		}},
	} {
		if got := c.form.list(nil, products); !slices.Equal(got, c.want) {
			t.Errorf("got %x, want %x", got, c.want)
		}
	}
}

// TestProductOfSeveralLaunches wants the entries of a product of several launches to begin as Before only in the
// first, and every number of a chunk in one launch to fit 16 bits.
func TestProductOfSeveralLaunches(t *testing.T) {
	for _, edge := range []int{64, 192, 320, 2048, 1 << 15} {
		if n := pairs.maxPairs(edge); n < 1 || n*edge/chunk > 1<<16-1 {
			t.Errorf("T=%d: %d pairs", edge, n)
		}
	}
	_, d := fakeDevice(t)
	const edge = 64
	n, size := pairs.maxPairs(edge)+1, edge*edge*entry.KindI32.PairBytes()
	buf := must(d.Alloc(int64(4 * size)))
	tile := func(i int) kernels.Tile {
		return kernels.Tile{Buf: buf, Off: int64(i * size)}
	}
	s := must(d.NewTrackingStream())
	host := make([]fakePairEntry, 4*edge*edge)
	for i := range host {
		host[i] = fakePairEntry{math.Inf(1), entry.NoVertex}
	}
	a, b, last := edge*edge, 2*edge*edge, 3*edge*edge
	host[a], host[b], host[last] = fakePairEntry{1, 5}, fakePairEntry{1, 6}, fakePairEntry{0, 7}
	p := kernels.Product{C: tile(0), Fresh: true, Before: tile(1)}
	for range n {
		p.A, p.B = append(p.A, tile(1)), append(p.B, tile(2))
	}
	p.B[n-1] = tile(3)
	raw := make([]byte, 4*size)
	place := address(uintptr(unsafe.Pointer(&raw[0])))
	storePairs(entry.I32, place, host)
	err := errors.Join(s.CopyIn(tile(0), raw), s.MinPlus(entry.I32, edge, []kernels.Product{p}),
		s.CopyOut(raw, tile(0)))
	if err = errors.Join(err, s.Close(), buf.Free(), d.Close()); err != nil {
		t.Fatal(err)
	}
	if got, want := pairsAt(entry.I32, place, 1)[0], (fakePairEntry{1, 5}); got != want { // 1 + 0 is what it begins as
		t.Errorf("entry (0,0) is %v, want %v", got, want)
	}
}

// TestClosureHurries wants a stream that closes pivots on one of higher priority from then on.
func TestClosureHurries(t *testing.T) {
	f, d := fakeDevice(t)
	s := must(d.NewStream()).(*stream)
	buf := must(d.Alloc(64 * 64 * 4))
	if p := f.streams[s.handle]; p != 0 {
		t.Errorf("a new stream has priority %d", p)
	}
	for range 2 {
		if err := s.Closure(entry.I32, 64, []kernels.Tile{{Buf: buf}}); err != nil {
			t.Fatal(err)
		}
	}
	if p := f.streams[s.handle]; p != -5 || len(s.all) != 2 {
		t.Errorf("priority %d on one of %d streams, want -5 on the second of 2", p, len(s.all))
	}
	if err := errors.Join(s.Close(), buf.Free(), d.Close()); err != nil {
		t.Error(err)
	}
	if left := f.leaks(); left != "" {
		t.Errorf("still alive: %s", left)
	}
}

func TestCeiling(t *testing.T) {
	f, d := fakeDevice(t)
	if got, want := d.Ceiling(entry.F32), 64*2*1.5e9; got != want {
		t.Errorf("at the clock of the fake: %g, want %g", got, want)
	}
	failing("launch", invalidValue)(f)
	if got, want := d.Ceiling(entry.F32), 64*2*1e9; got != want {
		t.Errorf("at the rated clock: %g, want %g", got, want)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

func TestClosed(t *testing.T) {
	_, d := fakeDevice(t)
	s := must(d.NewStream())
	if err := d.Close(); err == nil || !strings.Contains(err.Error(), "1 streams") {
		t.Errorf("closed with a stream alive: %v", err)
	}
	for name, err := range map[string]error{
		"Close": d.Close(), "Alloc": second(d.Alloc(64)), "AllocHost": second(d.AllocHost(64)),
		"NewStream": second(d.NewStream()), "Sync": s.Sync(), "stream Close": s.Close(),
	} {
		if !errors.Is(err, errClosed) {
			t.Errorf("%s after Close: %v", name, err)
		}
	}
}

// TestFewConnections: what the user has set stays.
func TestFewConnections(t *testing.T) {
	for _, was := range []string{"", "5"} {
		t.Setenv(connections, was) // and back, in the end
		FewConnections()
		if got, want := os.Getenv(connections), cmp.Or(was, "2"); got != want {
			t.Errorf("where it was %q: %q connections, want %s", was, got, want)
		}
	}
}
