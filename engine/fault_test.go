package engine_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"ooc/engine"
	"ooc/engine/device"
	"ooc/engine/eliminate"
	"ooc/engine/graph"
	"ooc/engine/internal/enginetest"
	"ooc/engine/internal/seeds"
	"ooc/engine/plan"
	"ooc/engine/prove"
	"ooc/engine/rounds"
	"ooc/kernels"
	"ooc/kernels/entry"
	"ooc/tiles"
	"ooc/tiles/crashtest"
)

// fault fails the k-th operation that it is asked about, and from then on all of them if it stays.
type fault struct {
	at    int // 0: none
	stays bool
	only  string // of these operations; "": of all

	mu     sync.Mutex
	asked  int    // guarded by mu, as the rest
	failed string // the first operation that failed
}

var errFault = errors.New("fault injected")

// kinds are what the system says to operations that fail.
var kinds = map[string]error{
	"open": syscall.EMFILE, "reserve": syscall.ENOSPC, "map": syscall.ENOMEM, "read": syscall.EIO,
	"write": syscall.EIO, "rename": syscall.EACCES, "remove": syscall.EIO, "sync": syscall.EIO,
}

// ask is asked before each operation.
func (f *fault) ask(op, name string) error {
	if name == "live" || f.only != "" && f.only != op+" "+name { // on "live" no solve depends
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked++
	if f.at == 0 || f.asked < f.at || f.asked > f.at && !f.stays {
		return nil
	}
	if f.failed == "" {
		f.failed = op + " " + name
	}
	if kind, ok := kinds[op]; ok {
		return fmt.Errorf("%w: %w", errFault, kind)
	}
	return errFault
}

// faultyDevice is a device whose calls may fail, those of its streams and events too.
type faultyDevice struct {
	kernels.Device
	tiles kernels.TileOps
	peers kernels.PeerOps // nil: it has none
	f     *fault
}

// faulty wraps a device with what solves may ask of it beyond kernels.Device, if it is that.
func faulty(d kernels.Device, f *fault) kernels.Device {
	tiles, ok := kernels.As[kernels.TileOps](d)
	if !ok {
		panic(d.Info().Name + " is no kernels.TileOps: all devices of these tests are")
	}
	w := &faultyDevice{Device: d, tiles: tiles, f: f}
	w.peers, _ = kernels.As[kernels.PeerOps](d)
	if l, ok := kernels.As[kernels.LaneOps](d); ok {
		return &struct {
			*faultyDevice
			faultyLanes
		}{w, faultyLanes{l, f}}
	}
	if s, ok := kernels.As[kernels.HostLaneOps](d); ok {
		return &struct {
			*faultyDevice
			kernels.HostLaneOps
		}{w, s}
	}
	return w
}

func (d *faultyDevice) NewTrackingStream() (kernels.Stream, error) {
	if err := d.f.ask("open", "stream"); err != nil {
		return nil, err
	}
	s, err := d.tiles.NewTrackingStream()
	return &faultyStream{s, d.f}, err
}

func (d *faultyDevice) Pivots(s kernels.Stream, v entry.Variant, t int, tiles []kernels.Tile, lo, hi int) error {
	return errors.Join(d.f.ask("launch", "pivots"), d.tiles.Pivots(s.(*faultyStream).Stream, v, t, tiles, lo, hi))
}

func (d *faultyDevice) Differ(s kernels.Stream, flag, a, b kernels.Tile, bytes int64) error {
	return errors.Join(d.f.ask("launch", "comparison"), d.tiles.Differ(s.(*faultyStream).Stream, flag, a, b, bytes))
}

func (d *faultyDevice) TransposeTile(s kernels.Stream, v entry.Variant, t int, dst, src kernels.Tile) error {
	return errors.Join(d.f.ask("launch", "transposition"),
		d.tiles.TransposeTile(s.(*faultyStream).Stream, v, t, dst, src))
}

func (d *faultyDevice) Reaches(b kernels.Buffer) bool { return d.peers != nil && d.peers.Reaches(b) }

func (d *faultyDevice) CopyPeer(s kernels.Stream, dst, src kernels.Tile, bytes int64) error {
	return errors.Join(d.f.ask("copy", "from a device"), d.peers.CopyPeer(s.(*faultyStream).Stream, dst, src, bytes))
}

// Ceiling is not known: measuring it takes longer than the solves of these tests.
func (d *faultyDevice) Ceiling(entry.Variant) float64 { return 0 }

func (d *faultyDevice) Alloc(bytes int64) (kernels.Buffer, error) {
	if err := d.f.ask("allocate", "device memory"); err != nil {
		return nil, err
	}
	return d.Device.Alloc(bytes)
}

func (d *faultyDevice) AllocHost(bytes int64) ([]byte, error) {
	if err := d.f.ask("allocate", "host memory"); err != nil {
		return nil, err
	}
	return d.Device.AllocHost(bytes)
}

func (d *faultyDevice) NewStream() (kernels.Stream, error) {
	if err := d.f.ask("open", "stream"); err != nil {
		return nil, err
	}
	s, err := d.Device.NewStream()
	return &faultyStream{s, d.f}, err
}

type faultyStream struct {
	kernels.Stream
	f *fault
}

// copyOf tells copies of tiles from those of a flag.
func copyOf(b []byte) string {
	if len(b) <= 256 {
		return "flag"
	}
	return "copy"
}

func (s *faultyStream) CopyIn(dst kernels.Tile, src []byte) error {
	return errors.Join(s.f.ask(copyOf(src), "in"), s.Stream.CopyIn(dst, src))
}

func (s *faultyStream) CopyOut(dst []byte, src kernels.Tile) error {
	return errors.Join(s.f.ask(copyOf(dst), "out"), s.Stream.CopyOut(dst, src))
}

func (s *faultyStream) Closure(v entry.Variant, t int, pivot []kernels.Tile) error {
	return errors.Join(s.f.ask("launch", "closure"), s.Stream.Closure(v, t, pivot))
}

func (s *faultyStream) MinPlus(v entry.Variant, t int, p []kernels.Product) error {
	return errors.Join(s.f.ask("launch", "product"), s.Stream.MinPlus(v, t, p))
}

func (s *faultyStream) Record() (kernels.Event, error) {
	if err := s.f.ask("record", "event"); err != nil {
		return nil, err
	}
	e, err := s.Stream.Record()
	return &faultyEvent{e, s.f}, err
}

func (s *faultyStream) Wait(e kernels.Event) error {
	return errors.Join(s.f.ask("wait for", "event"), s.Stream.Wait(e.(*faultyEvent).Event))
}

type faultyEvent struct {
	kernels.Event
	f *fault
}

func (e *faultyEvent) Sync() error { return errors.Join(e.f.ask("await", "event"), e.Event.Sync()) }

func (e *faultyEvent) Since(start kernels.Event) (time.Duration, error) {
	return e.Event.Since(start.(*faultyEvent).Event)
}

// faultyLanes is the part of a device that expands by itself.
type faultyLanes struct {
	kernels.LaneOps
	f *fault
}

func (l faultyLanes) Level(s kernels.Stream, v entry.Variant, level kernels.Level) error {
	return errors.Join(l.f.ask("launch", "level"), l.LaneOps.Level(s.(*faultyStream).Stream, v, level))
}

func (l faultyLanes) LaneProduct(s kernels.Stream, v entry.Variant, p kernels.LaneProduct) error {
	return errors.Join(l.f.ask("launch", "lane product"), l.LaneOps.LaneProduct(s.(*faultyStream).Stream, v, p))
}

func (l faultyLanes) LaneTranspose(s kernels.Stream, v entry.Variant, t kernels.LaneTranspose) error {
	return errors.Join(l.f.ask("launch", "transpose"), l.LaneOps.LaneTranspose(s.(*faultyStream).Stream, v, t))
}

func (l faultyLanes) Checksums(s kernels.Stream, dst, src kernels.Tile, bytes int64, count int) error {
	return errors.Join(l.f.ask("launch", "sums"), l.LaneOps.Checksums(s.(*faultyStream).Stream, dst, src, bytes, count))
}

// TestCampaignFaults fails the k-th read, write, sync, allocation, … of whole small solves, import included, once or
// from then on. There is an error if and only if one was injected; nothing is left open, mapped, allocated or
// running; and what the store is left as goes on to the same end.
func TestCampaignFaults(t *testing.T) {
	crashtest.Campaign(t)
	smallCores(t, 0)
	for name, open := range enginetest.Devices(t) {
		t.Run(name, func(t *testing.T) {
			r, device := seeds.New(t), campaignDevice(t, open)
			for _, algorithm := range []string{rounds.Blocked.Name(), eliminate.Name, rounds.Squaring.Name(),
				rounds.SingleStage.Name()} {
				t.Run(algorithm, func(t *testing.T) {
					c := &faultCase{device: device, algorithm: algorithm,
						g: enginetest.RandomGraph(t, r, 130+r.IntN(60), entry.KindI32, false)}
					c.failEach(t, r)
					// The same from a store that is half done, which is opened and continued.
					// Of more, pivots would be timed, who knows how often.
					c.g = enginetest.RandomGraph(t, r, 200+r.IntN(50), entry.KindI32, false)
					c.half = c.halfDone(t, r)
					c.failEach(t, r)
				})
			}
			for _, algorithm := range []string{rounds.Blocked.Name(), rounds.SingleStage.Name()} {
				t.Run(algorithm+" with predecessors", func(t *testing.T) {
					c := &faultCase{device: device, algorithm: algorithm, predecessors: true,
						g: enginetest.RandomGraph(t, r, 130+r.IntN(60), entry.KindI32, false)}
					c.failEach(t, r)
				})
			}
		})
	}
}

// TestStateReadFails fails each reading of the state in turn. None is passed over: what was done may depend on it.
func TestStateReadFails(t *testing.T) {
	smallCores(t, 0)
	r, device := seeds.New(t), campaignDevice(t, enginetest.Devices(t)["cpu"])
	for _, algorithm := range []string{rounds.Blocked.Name(), rounds.SingleStage.Name()} {
		// With cycles of length 0, predecessors are mended.
		c := &faultCase{device: device, algorithm: algorithm, predecessors: true,
			g: enginetest.ZeroLaden(t, r, 130, entry.KindI32, false)}
		c.count(t)
		for k := 1; ; k++ {
			f := &fault{at: k, only: "read state"}
			if c.fail(t, f); f.failed == "" {
				if k < 4 {
					t.Errorf("%s: the state was read %d times only", algorithm, k-1)
				}
				break
			}
		}
	}
}

// halfDone returns a store of an interrupted solve, with restore points in both slots if there is one.
func (c *faultCase) halfDone(t *testing.T, r *rand.Rand) (half string) {
	t.Helper()
	best := uint64(0)
	for _, dir := range cutEachStep(t, r, c.g, smallest(t, c.algorithm, c.g.N), false) {
		p, err := engine.OpenReadOnly(dir)
		if err != nil {
			t.Fatal(err)
		}
		st, counts, err := p.Store().State()
		if err = errors.Join(err, p.Close()); err != nil {
			t.Fatal(err)
		}
		if half == "" || counts && st.Done < int64(c.g.N) && st.Seq > best {
			half, best = dir, st.Seq
		}
	}
	t.Logf("%s: the half-done store has %d restore points behind it", c.algorithm, best)
	return half
}

// failEach fails each operation of a solve in turn.
func (c *faultCase) failEach(t *testing.T, r *rand.Rand) {
	t.Helper()
	clean := c.count(t)
	before := runtime.NumGoroutine()
	injected, of := 0, map[string]bool{}
	every := max(1, clean.asked/crashtest.Times(40, clean.asked))
	for k := 1 + r.IntN(every); k <= clean.asked; k += every {
		for _, stays := range []bool{false, true} {
			f := &fault{at: k, stays: stays}
			c.fail(t, f)
			if f.failed != "" {
				injected++
				of[f.failed] = true
			}
		}
	}
	if now := settled(before); now > before {
		t.Errorf("%d goroutines, %d before", now, before)
	}
	t.Logf("%s, half done %v: %d operations, %d failures injected, at %d kinds of operation; %d times other "+
		"predecessors",
		c.algorithm, c.half != "", clean.asked, injected, len(of), c.others)
}

// count solves without a fault, and keeps the matrix.
func (c *faultCase) count(t *testing.T) *fault {
	t.Helper()
	clean := &fault{}
	dir := filepath.Join(t.TempDir(), "x.ooc")
	if err := c.run(dir, clean); err != nil {
		t.Fatal(err)
	}
	c.want = enginetest.MatrixFile(t, dir)
	return clean
}

// settled waits until there are no more goroutines than before, but not for ever.
func settled(before int) int {
	for range 1000 {
		if runtime.NumGoroutine() <= before {
			break
		}
		time.Sleep(time.Millisecond)
	}
	return runtime.NumGoroutine()
}

// faultCase is a graph and how it is solved.
type faultCase struct {
	device       *device.Shared
	algorithm    string
	predecessors bool
	g            *graph.Graph
	half         string // a store to go on from; "": none
	want         []byte // the matrix
	others       int    // how often predecessors differed after a resume
}

// run imports and solves, or continues a copy of a half-done store.
func (c *faultCase) run(dir string, f *fault) (err error) {
	for _, d := range []string{dir, filepath.Join(dir, "core")} {
		h, err := crashtest.Watch(d)
		if err != nil {
			return err
		}
		defer h.Close()
		h.Step = f.ask
	}
	p, err := c.open(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	return c.solve(p, f)
}

func (c *faultCase) open(dir string) (*engine.Problem, error) {
	if c.half == "" {
		return engine.Create(context.Background(), dir, c.g,
			engine.CreateOptions{Tile: 64, Predecessors: c.predecessors})
	}
	if err := os.CopyFS(dir, os.DirFS(c.half)); err != nil {
		return nil, err
	}
	return engine.Open(dir)
}

// solve solves and scrubs, and wants the device's memory back.
func (c *faultCase) solve(p *engine.Problem, f *fault) (err error) {
	defer func() {
		if back := enginetest.WantAll(c.device); back != nil {
			err = errors.Join(err, fmt.Errorf("still alive: %w", back))
		}
	}()
	o := engine.Options{Device: faulty(few(c.device, 64), f), Request: plan.Request{Algorithm: c.algorithm, Streams: 2},
		Checkpoint: time.Millisecond}
	if c.algorithm == rounds.Blocked.Name() {
		o.Round, o.HostMemory = 64, 3*p.Geometry().TileBytes()
	}
	if _, err = p.Solve(context.Background(), o); err != nil {
		return err
	}
	_, err = prove.Scrub(context.Background(), p, prove.ScrubOptions{})
	return err
}

// fail runs with a fault and judges what it left.
func (c *faultCase) fail(t *testing.T, f *fault) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "x.ooc")
	err := c.run(dir, f)
	what := fmt.Sprintf("%s: operation %d (%s), for good %v", c.algorithm, f.at, f.failed, f.stays)
	// Where a GPU, or what is page-locked for it, has no room, the processor expands; and it may end before a device
	// that expands waits for its host memory.
	d := c.device.Part(0)
	_, expands := kernels.As[kernels.LaneOps](d)
	spare := err == nil && c.algorithm == eliminate.Name && (!d.Info().SharedCores &&
		strings.HasPrefix(f.failed, "allocate") || expands && f.failed == "allocate host memory")
	if injected := f.failed != "" && !spare; injected != (err != nil) || injected && !errors.Is(err, errFault) {
		t.Errorf("%s: %v", what, err)
	}
	if onDevice := strings.Fields(f.failed + " -")[0]; err != nil && (onDevice == "copy" || onDevice == "launch") &&
		!strings.Contains(err.Error(), "tile (") && !strings.Contains(err.Error(), "expansion") &&
		!strings.Contains(err.Error(), "tile row") && !strings.Contains(err.Error(), "timing ") &&
		!strings.Contains(err.Error(), dir+"/") { // a sync beside it may fail first, for good, and names its file
		t.Errorf("%s: neither tile nor stage is named: %v", what, err)
	}
	if err != nil && strings.Contains(err.Error(), "alive") {
		t.Errorf("%s: memory of the device was left: %v", what, err)
	}
	for _, left := range stillOpen(t, dir) {
		t.Errorf("%s: left open: %s", what, left)
	}
	p, err := engine.Open(dir)
	if errors.Is(err, fs.ErrNotExist) { // the import failed, and took back what it had made
		return
	}
	if f.stays && errors.Is(err, tiles.ErrIncomplete) { // it could take back nothing: the same import starts over
		p, err = c.open(dir)
	}
	if err != nil {
		t.Fatalf("%s: the store: %v", what, err)
	}
	defer p.Close()
	if err := c.solve(p, &fault{}); err != nil {
		t.Errorf("%s: going on: %v", what, err)
	}
	same := bytes.Equal(enginetest.MatrixFile(t, dir), c.want)
	if !c.predecessors {
		if !same {
			t.Errorf("%s: the matrix differs", what)
		}
		return
	}
	// Where a solve goes on decides which of several shortest paths predecessors lead on. Distances have no such
	// choice.
	if !same {
		c.others++
	}
	if _, err := prove.All(context.Background(), p, prove.Options{}); err != nil {
		t.Errorf("%s: %v", what, err)
	}
}

// stillOpen lists the descriptors and mappings of files in a folder that this process has.
func stillOpen(t *testing.T, dir string) (left []string) {
	t.Helper()
	if runtime.GOOS != "linux" {
		return nil
	}
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, fd := range fds {
		if to, err := os.Readlink("/proc/self/fd/" + fd.Name()); err == nil && strings.HasPrefix(to, dir) {
			left = append(left, "descriptor of "+to)
		}
	}
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(maps)) {
		if strings.Contains(line, dir) {
			left = append(left, "mapping "+strings.TrimSpace(line))
		}
	}
	return left
}
