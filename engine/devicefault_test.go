package engine

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"ooc/engine/graph"
	"ooc/kernels"
	"ooc/kernels/cpu"
	"ooc/tiles/crashtest"
)

// slip is one thing that a device gets wrong without saying so.
type slip struct {
	what string // the operations it may happen to
	at   int    // happens to the one with this number, from 1
	one  bool   // changes one entry, not all

	mu    sync.Mutex
	asked int        // guarded by mu, as the rest
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

// spoil changes entries that are distances, so that they are none.
func (s *slip) spoil(data []byte) {
	words, first := words32(data), 0
	if s.one {
		first = s.r.IntN(len(words))
	}
	for i := range words {
		if at := (first + i) % len(words); words[at] < uint32(kernels.Inf32)-1 {
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
	slippingSweeper
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
	return s.Stream.CopyOut(dst, src)
}

func (s *slippingStream) Closure(v kernels.Variant, t int, pivot []kernels.Tile) error {
	if s.s.now("skip a launch") {
		return nil
	}
	return errors.Join(s.Stream.Closure(v, t, pivot), s.change(t, pivot[0]))
}

func (s *slippingStream) MinPlus(v kernels.Variant, t int, p []kernels.Product) error {
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
	data := entries(t * t)
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

// slippingSweeper is the part of the device that an expansion uses.
type slippingSweeper struct {
	kernels.Sweeper
	s *slip
}

func (w slippingSweeper) Climb(v kernels.Variant, m kernels.Lanes, a *kernels.Arcs, rows []int32) {
	if !w.s.now("skip a sweep") {
		w.Sweeper.Climb(v, m, a, rows)
	}
}

func (w slippingSweeper) Cross(v kernels.Variant, dst, src kernels.Lanes, weights [][]uint32) {
	if !w.s.now("skip a sweep") {
		w.Sweeper.Cross(v, dst, src, weights)
	}
}

func (w slippingSweeper) Sweep(v kernels.Variant, m kernels.Lanes, a *kernels.Arcs, lo, hi int, keep []bool) {
	if w.s.now("skip a sweep") {
		return
	}
	w.Sweeper.Sweep(v, m, a, lo, hi, keep)
	if lo < hi && w.s.now("change a sweep") {
		w.s.spoil(m.Row(lo + (hi-lo)/2))
	}
}

// TestCampaignDevice has a device skip a launch or a copy, change a result in a slot, or not wait for an event, and say
// nothing. A running solve cannot see that, and its checksums vouch for what it got; verify --full finds every case of
// which a wrong distance came.
func TestCampaignDevice(t *testing.T) {
	r := seeded(t)
	const n = 200
	b := graph.New(n, graph.AsKind(graph.KindI32))
	for u := range n {
		b.Add(u, (u+1)%n, float64(100+r.IntN(1000)))
		for range 3 {
			b.Add(u, r.IntN(n), float64(100+r.IntN(3000)))
		}
	}
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	for _, algorithm := range []string{AlgorithmBlocked, AlgorithmEliminate} {
		whole := create(t, g, 64)
		mustSolve(t, whole, smallest(t, algorithm, n))
		want := distances(t, whole)
		for _, what := range []string{"skip a launch", "change a result", "skip a copy in", "skip a copy out", "drop a wait", "skip a sweep", "change a sweep"} {
			count := &slip{what: what, r: r}
			slipIn(t, g, algorithm, count)
			if count.asked == 0 {
				continue // the algorithm does no such thing
			}
			var wrong, sampled [2]int // of whole tiles or rows, and of single entries
			times := crashtest.Times(6, 100)
			for turn := range times {
				s := &slip{what: what, r: r, at: 1 + r.IntN(count.asked), one: turn%2 == 1}
				differs, seen := judgeSlip(t, slipIn(t, g, algorithm, s), want, s)
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
			t.Logf("%s, %s: %d times; wrong distances in %d, and in %d where one entry was changed, all found by verify --full; %d and %d by 64 of %d rows",
				algorithm, what, times, wrong[0], wrong[1], sampled[0], sampled[1], n)
		}
	}
}

// slipIn solves on a device that slips.
func slipIn(t *testing.T, g *graph.Graph, algorithm string, s *slip) *Problem {
	t.Helper()
	scratch, err := cpu.Open(cpu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	d, err := cpu.Open(cpu.Options{Memory: scratch.Info().Scratch + 64*64*64*4}) // too little to time it
	if err = errors.Join(err, scratch.Close()); err != nil {
		t.Fatal(err)
	}
	p, err := Create(filepath.Join(t.TempDir(), "x.ooc"), g, CreateOptions{Tile: 64})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	o := Options{Device: &slipping{d, s, slippingSweeper{d, s}}, Algorithm: algorithm, Streams: 3, Checkpoint: time.Hour}
	if algorithm == AlgorithmBlocked {
		o.Round, o.HostMemory = 64, 3*64*64*4
	}
	mustSolve(t, p, o) // it sees nothing
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	return p
}

// distances returns the stored rows without padding.
func distances(t *testing.T, p *Problem) []byte {
	t.Helper()
	n := p.geom.N
	all := entries(n * n)
	for u := range n {
		if err := p.store.ReadRow(all[4*n*u:][:4*n], u); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// judgeSlip wants a proof to fail if and only if the matrix is not the right one.
func judgeSlip(t *testing.T, p *Problem, want []byte, s *slip) (differs, sampled bool) {
	t.Helper()
	differs = !bytes.Equal(distances(t, p), want) // padding is none of anybody's distances
	what := fmt.Sprintf("%s %d, one entry %v", s.what, s.at, s.one)
	if _, err := p.Scrub(t.Context(), ScrubOptions{}); err != nil {
		t.Errorf("%s: the checksums do not vouch for what was written: %v", what, err)
	}
	if _, err := p.Prove(t.Context(), ProveOptions{}); errors.Is(err, ErrWrong) != differs || err != nil && !differs {
		t.Errorf("%s: the matrix differs: %v; verify --full: %v", what, differs, err)
	}
	_, err := p.Verify(t.Context(), 64, s.r.Uint64())
	return differs, errors.Is(err, ErrWrong)
}
