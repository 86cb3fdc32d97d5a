package engine_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync"
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
	"ooc/tiles/crashtest"
	"ooc/tiles/disk"
)

// slip is one thing that a device gets wrong without saying so.
type slip struct {
	what string // the operations it may happen to
	at   int    // happens to the one with this number, from 1
	one  bool   // changes one entry, not all

	mu    sync.Mutex
	asked int        // guarded by mu, as the rest
	there bool       // tiles are summed on the device
	r     *rand.Rand // chooses the entry
}

// now reports whether an operation is the one.
func (s *slip) now(what string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if what != s.what {
		return false
	}
	s.asked++
	return s.asked == s.at
}

func (s *slip) sumThere() {
	s.mu.Lock()
	s.there = true
	s.mu.Unlock()
}

func (s *slip) summedThere() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.there
}

// spoil changes entries that are distances, so that they are none.
func (s *slip) spoil(data []byte) {
	words, first := entry.View[uint32](data), 0
	if s.one {
		first = s.r.IntN(len(words))
	}
	for i := range words {
		if at := (first + i) % len(words); words[at] < uint32(entry.Inf32)-1 {
			words[at]++
			if s.one {
				return
			}
		}
	}
}

// slipping is a device that slips once.
type slipping struct {
	kernels.Device
	s *slip
}

// slips wraps a device, and what it can beyond one that an expansion uses.
func (s *slip) slips(d kernels.Device) kernels.Device {
	w := &slipping{d, s}
	// Without its copy, a device that computes in the memory of the process takes whatever is there for rows, and the
	// process ends: it does not expand then.
	ends := s.what == "skip a copy in" && d.Info().SharedCores
	if lanes, ok := kernels.As[kernels.LaneOps](d); ok && !ends {
		return &struct {
			*slipping
			slippingLanes
		}{w, slippingLanes{lanes, s}}
	}
	if lanes, ok := kernels.As[kernels.HostLaneOps](d); ok {
		return &struct {
			*slipping
			slippingHostLanes
		}{w, slippingHostLanes{lanes, s}}
	}
	return w
}

func (d *slipping) NewStream() (kernels.Stream, error) {
	s, err := d.Device.NewStream()
	return &slippingStream{s, d.s}, err
}

type slippingStream struct {
	kernels.Stream
	s *slip
}

func (s *slippingStream) CopyIn(dst kernels.Tile, src []byte) error {
	if s.s.now("skip a copy in") {
		return nil
	}
	return s.Stream.CopyIn(dst, src)
}

func (s *slippingStream) CopyOut(dst []byte, src kernels.Tile) error {
	if s.s.now("skip a copy out") {
		return nil
	}
	err := s.Stream.CopyOut(dst, src)
	if s.s.now("change a copy out") || s.s.summedThere() && s.s.now("change a sent copy") {
		err = errors.Join(err, s.Stream.Sync())
		s.s.spoil(dst)
	}
	return err
}

func (s *slippingStream) Closure(v entry.Variant, t int, pivot []kernels.Tile) error {
	if s.s.now("skip a launch") {
		return nil
	}
	return errors.Join(s.Stream.Closure(v, t, pivot), s.change(t, pivot[0]))
}

func (s *slippingStream) MinPlus(v entry.Variant, t int, p []kernels.Product) error {
	if s.s.now("skip a launch") {
		return nil
	}
	return errors.Join(s.Stream.MinPlus(v, t, p), s.change(t, p[0].C))
}

// change spoils a result in its slot.
func (s *slippingStream) change(t int, c kernels.Tile) error {
	if !s.s.now("change a result") {
		return nil
	}
	data := entry.Make(t * t)
	err := errors.Join(s.Stream.CopyOut(data, c), s.Stream.Sync())
	s.s.spoil(data)
	return errors.Join(err, s.Stream.CopyIn(c, data), s.Stream.Sync())
}

func (s *slippingStream) Wait(e kernels.Event) error {
	if s.s.now("drop a wait") {
		return nil
	}
	return s.Stream.Wait(e)
}

// slippingHostLanes is the part of the device that an expansion uses.
type slippingHostLanes struct {
	kernels.HostLaneOps
	s *slip
}

func (w slippingHostLanes) Climb(v entry.Variant, m kernels.Lanes, a *kernels.Arcs, rows []int32) {
	if !w.s.now("skip a sweep") {
		w.HostLaneOps.Climb(v, m, a, rows)
	}
}

func (w slippingHostLanes) Cross(v entry.Variant, dst, src kernels.Lanes, weights [][]uint32) {
	if !w.s.now("skip a sweep") {
		w.HostLaneOps.Cross(v, dst, src, weights)
	}
}

func (w slippingHostLanes) Sweep(v entry.Variant, m kernels.Lanes, a *kernels.Arcs, lo, hi int, keep []bool) {
	if w.s.now("skip a sweep") {
		return
	}
	w.HostLaneOps.Sweep(v, m, a, lo, hi, keep)
	if lo < hi && w.s.now("change a sweep") {
		w.s.spoil(m.Row(lo + (hi-lo)/2))
	}
}

// slippingLanes is the part of a device that expands by itself.
type slippingLanes struct {
	kernels.LaneOps
	s *slip
}

func (l slippingLanes) Level(s kernels.Stream, v entry.Variant, level kernels.Level) error {
	if l.s.now("skip a launch") {
		return nil
	}
	return l.LaneOps.Level(s.(*slippingStream).Stream, v, level)
}

func (l slippingLanes) LaneProduct(s kernels.Stream, v entry.Variant, p kernels.LaneProduct) error {
	if l.s.now("skip a launch") {
		return nil
	}
	return l.LaneOps.LaneProduct(s.(*slippingStream).Stream, v, p)
}

func (l slippingLanes) LaneTranspose(s kernels.Stream, v entry.Variant, t kernels.LaneTranspose) error {
	if l.s.now("skip a launch") {
		return nil
	}
	return l.LaneOps.LaneTranspose(s.(*slippingStream).Stream, v, t)
}

func (l slippingLanes) Checksums(s kernels.Stream, dst, src kernels.Tile, bytes int64, count int) error {
	l.s.sumThere()
	if l.s.now("skip a launch") {
		return nil
	}
	return l.LaneOps.Checksums(s.(*slippingStream).Stream, dst, src, bytes, count)
}

// TestCampaignDevice has a device skip a launch or a copy, change a result in a slot, or not wait for an event, and say
// nothing. A running solve cannot see that, and its checksums vouch for what it got, or what the device summed; verify
// --full finds every case of which a wrong distance came.
func TestCampaignDevice(t *testing.T) {
	crashtest.Campaign(t)
	for name, open := range enginetest.Devices(t) {
		t.Run(name, func(t *testing.T) {
			c := &slipCase{r: seeds.New(t), n: 200, device: campaignDevice(t, open)}
			if name != "cpu" { // what does not wait is sooner wrong where more is on its way
				c.n = 600
			}
			c.g = c.ringAndMore(t)
			for _, algorithm := range []string{rounds.Blocked.Name(), eliminate.Name} {
				whole := enginetest.Create(t, c.g, 64)
				enginetest.Solve(t, whole, smallest(t, algorithm, c.n))
				c.algorithm, c.want = algorithm, distances(t, whole)
				for _, c.inCore = range []bool{true, false} {
					if c.inCore && algorithm != rounds.Blocked.Name() {
						continue // the core is small
					}
					for _, what := range []string{"skip a launch", "change a result", "skip a copy in",
						"skip a copy out", "change a copy out", "drop a wait", "skip a sweep", "change a sweep"} {
						c.slipOften(t, what)
					}
				}
			}
		})
	}
}

// slipCase is a graph, what its distances are, and how it is solved.
type slipCase struct {
	r         *rand.Rand
	n         int
	g         *graph.Graph
	device    *device.Shared
	algorithm string
	inCore    bool // all tiles fit the device
	want      []byte
}

// ringAndMore makes a graph in which everything is reachable.
func (c *slipCase) ringAndMore(t *testing.T) *graph.Graph {
	t.Helper()
	b := graph.New(c.n, graph.AsKind(entry.KindI32))
	for u := range c.n {
		b.Add(u, (u+1)%c.n, float64(100+c.r.IntN(1000)))
		for range 3 {
			b.Add(u, c.r.IntN(c.n), float64(100+c.r.IntN(3000)))
		}
	}
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// slipOften has the device do one thing at random moments of solves.
func (c *slipCase) slipOften(t *testing.T, what string) {
	t.Helper()
	count := &slip{what: what, r: c.r}
	c.slipIn(t, count)
	if count.asked == 0 {
		return // the algorithm does no such thing, or not on this device
	}
	var wrong, sampled [2]int // of whole tiles or rows, and of single entries
	times := crashtest.Times(6, 100)
	for turn := range times {
		s := &slip{what: what, r: c.r, at: 1 + c.r.IntN(count.asked), one: turn%2 == 1}
		differs, seen := judgeSlip(t, c.slipIn(t, s), c.want, s)
		if differs {
			wrong[turn%2]++
		}
		if seen {
			sampled[turn%2]++
		}
	}
	if what[:6] != "change" { // there is one size of it
		wrong, sampled = [2]int{wrong[0] + wrong[1]}, [2]int{sampled[0] + sampled[1]}
	}
	t.Logf("%s, in core %v, %s: %d times; wrong distances in %d, and in %d where one entry was changed, all found by "+
		"verify --full; %d and %d by 64 of %d rows",
		c.algorithm, c.inCore, what, times, wrong[0], wrong[1], sampled[0], sampled[1], c.n)
}

// slipIn solves on a device that slips.
func (c *slipCase) slipIn(t *testing.T, s *slip) *engine.Problem {
	t.Helper()
	p, err := engine.Create(t.Context(), filepath.Join(t.TempDir(), "x.ooc"), c.g, engine.CreateOptions{Tile: 64})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	side := entry.CeilDiv(c.n, 64)
	slots := enginetest.MinSlots(side, 1) + 4
	if c.inCore {
		slots = inCoreSlots(side, 1)
	}
	if c.algorithm == eliminate.Name { // its core is one tile
		slots = 120
	}
	o := engine.Options{Device: s.slips(few(c.device, slots)),
		Request: plan.Request{Algorithm: c.algorithm, Streams: 3}, Checkpoint: time.Hour}
	if c.algorithm == rounds.Blocked.Name() {
		o.Round, o.HostMemory = 64, 3*smallTile
	}
	sum := enginetest.Solve(t, p, o) // it sees nothing
	if c.algorithm == rounds.Blocked.Name() && plan.Of[*rounds.Plan](sum.Plans).InCore != c.inCore {
		t.Fatalf("in core: %v, and %v was wanted", plan.Of[*rounds.Plan](sum.Plans).InCore, c.inCore)
	}
	return p
}

// distances returns the stored rows without padding.
func distances(t *testing.T, p *engine.Problem) []byte {
	t.Helper()
	all, err := readDistances(p)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func readDistances(p *engine.Problem) ([]byte, error) {
	n := p.Geometry().N
	all := entry.Make(n * n)
	for u := range n {
		if err := p.Store().ReadRow(all[4*n*u:][:4*n], u); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// judgeSlip wants a proof to fail if and only if the matrix is not the right one.
func judgeSlip(t *testing.T, p *engine.Problem, want []byte, s *slip) (differs, sampled bool) {
	t.Helper()
	// What was summed there may come back otherwise.
	otherwise := s.there && slices.Contains([]string{"skip a launch", "skip a copy out", "change a copy out",
		"drop a wait"}, s.what)
	got, err := readDistances(p)
	if otherwise && errors.Is(err, disk.ErrCorrupt) {
		return true, true // whoever reads it is told
	} else if err != nil {
		t.Fatal(err)
	}
	differs = !bytes.Equal(got, want) // padding is none of anybody's distances
	what := fmt.Sprintf("%s %d, one entry %v", s.what, s.at, s.one)
	if _, err := prove.Scrub(t.Context(), p, prove.ScrubOptions{}); err != nil && !otherwise {
		t.Errorf("%s: the checksums do not vouch for what was written: %v", what, err)
	}
	if _, err := prove.All(t.Context(), p, prove.Options{}); errors.Is(err, engine.ErrWrong) != differs || err != nil &&
		!differs {
		t.Errorf("%s: the matrix differs: %v; verify --full: %v", what, differs, err)
	}
	_, err = prove.Sample(t.Context(), p, 64, s.r.Uint64())
	return differs, errors.Is(err, engine.ErrWrong)
}
