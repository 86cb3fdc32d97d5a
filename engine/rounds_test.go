package engine

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"ooc/engine/graph"
	"ooc/kernels"
	"ooc/kernels/cpu"
	"ooc/stream"
	"ooc/tiles"
)

// wayShape picks frames for other rounds than blocked ones, often the fewest that work.
func wayShape(r *rand.Rand, way *rounds, side int) (width, slots, pages int) {
	width, slots = 1, side*side
	if way == &squaring {
		width = 1 + r.IntN(min(side, 3))
		slots = min(width*(side+1)+1, side*side+width) + r.IntN(2)*r.IntN(side*side+1)
	}
	return width, slots, minPages + r.IntN(2)*r.IntN(side*side)
}

// scalarWay schedules rounds over a model, from where its last checkpoint says.
func scalarWay(r *rand.Rand, way *rounds, m *scalar, vertices int64, emit func(step) error) *schedule {
	geom := tiles.Geometry{N: m.side, T: 1}
	width, slots, pages := wayShape(r, way, m.side)
	m.boot(slots, pages)
	s := newSchedule(m.side, width, slots, pages, 1+r.IntN(4), false, way.units(geom, vertices), emit)
	s.way, s.last, s.differed = way, way.last(geom), m.differed
	if vertices > 0 {
		s.resume()
	} else {
		clear(m.written)
	}
	due := rand.New(rand.NewPCG(r.Uint64(), 0))
	s.due = func(int, bool) bool { return due.IntN(2) == 0 }
	s.room = func() bool { return due.IntN(2) == 0 }
	return s
}

// TestOtherRounds runs schedules of the other rounds to their end, and cuts them off after every step in turn, as a
// kill would, to go on from the last checkpoint over whatever is on disk.
func TestOtherRounds(t *testing.T) {
	r := seeded(t)
	for range 6 {
		for _, way := range []*rounds{&squaring, &singleStage} {
			side := 1 + r.IntN(8)
			g := randomScalarGraph(r, side)
			want, geom := floydWarshall(g, side), tiles.Geometry{N: side, T: 1}
			seed := r.Uint64()
			for cut, more := 0, true; more; cut += 1 + r.IntN(4) {
				m := newScalar(g, side, 0, 0)
				left := cut
				more = false
				s := scalarWay(rand.New(rand.NewPCG(seed, 0)), way, m, 0, func(st step) error {
					if left == 0 {
						more = true
						return errCut
					}
					left--
					return m.apply(st)
				})
				if err := s.run(); err != nil && err != errCut {
					t.Fatalf("%s of %d: %v", way.name, side, err)
				}
				if !more && (!slices.Equal(m.disk, want) || m.checkpoint != s.last) {
					t.Fatalf("%s of %d: wrong distances", way.name, side)
				}
				if err := scalarWay(r, way, m, way.vertices(geom, m.checkpoint), m.apply).run(); err != nil {
					t.Fatalf("%s of %d, again: %v", way.name, side, err)
				}
				if !slices.Equal(m.disk, want) {
					t.Fatalf("%s of %d, cut after %d steps: wrong distances", way.name, side, cut)
				}
			}
		}
	}
}

// TestUnitsRoundTrip wants what a state says to mean no more than what was done.
func TestUnitsRoundTrip(t *testing.T) {
	r := seeded(t)
	for range 300 {
		geom := tiles.Geometry{N: 1 + r.IntN(3000), T: 64 * (1 + r.IntN(4))}
		for _, way := range byRounds {
			last := way.last(geom)
			if v := way.vertices(geom, last); v != int64(geom.N) {
				t.Fatalf("%s of %+v: %d units are %d vertices", way.name, geom, last, v)
			}
			for units := range last {
				if back := way.units(geom, way.vertices(geom, units)); back > units {
					t.Fatalf("%s of %+v: %d units become %d", way.name, geom, units, back)
				}
			}
		}
	}
}

// TestSquaringPowerCuts is TestPowerCuts for squaring.
func TestSquaringPowerCuts(t *testing.T) {
	r := seeded(t)
	for _, k := range everyKind {
		n := 200 + r.IntN(200)
		g := randomGraph(t, r, n, k.kind, k.negative)
		whole := create(t, g, 64)
		mustSolve(t, whole, randomSolve(r, n, 64).open(t))
		squared := func() Options {
			side := ceilDiv(n, 64)
			return Options{Algorithm: AlgorithmSquaring, Device: openFor(t, 2*side+3+r.IntN(side*side), 64), HostMemory: int64(2+r.IntN(9)) * 64 * 64 * 4}
		}
		for i, dir := range cutWhileSolving(t, r, g, CreateOptions{Tile: 64}, squared()) {
			p, err := Open(dir)
			if err != nil {
				t.Fatalf("cut %d: %v", i, err)
			}
			o := squared()
			if st, err := p.Status(); err != nil {
				t.Fatal(err)
			} else if st.State == "new" { // nothing binds it to the way it was begun
				o.Algorithm = AlgorithmSingleStage
				o.Device = openFor(t, p.geom.Tiles(), 64)
			}
			mustSolve(t, p, o)
			verifyAll(t, p)
			if k.kind == graph.KindI32 && !bytes.Equal(matrixFile(t, dir), matrixFile(t, whole.Dir())) {
				t.Errorf("cut %d: other bytes than without the cut", i)
			}
			if err := p.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// openFor opens a device with just the slots of a shape, and the flag of a comparison.
func openFor(t testing.TB, slots, tile int) kernels.Device {
	t.Helper()
	probe, err := cpu.Open(cpu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	scratch := probe.Info().Scratch
	if err := probe.Close(); err != nil {
		t.Fatal(err)
	}
	d, err := cpu.Open(cpu.Options{Memory: int64(slots*tile*tile*kernels.EntryBytes) + scratch + flagBytes})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// TestOtherRoundsSolve solves random graphs of every kind by the other rounds, stopped now and then, and compares every
// distance; in i32 every byte with that of blocked rounds.
func TestOtherRoundsSolve(t *testing.T) {
	r := seeded(t)
	for range 3 {
		for _, k := range everyKind {
			n := 1 + r.IntN(400)
			g := randomGraph(t, r, n, k.kind, k.negative)
			whole := create(t, g, 64)
			mustSolve(t, whole, randomSolve(r, n, 64).open(t))
			for _, way := range []*rounds{&squaring, &singleStage} {
				p := create(t, g, 64)
				for left := 2; ; left-- {
					_, slots, pages := wayShape(r, way, p.geom.Side())
					algorithm := way.name
					if way == &singleStage && r.IntN(2) == 0 {
						algorithm = AlgorithmBlocked // which counts pivots too, and goes on
					}
					o := Options{Algorithm: algorithm, Device: openFor(t, slots, 64), HostMemory: int64(pages) * p.geom.TileBytes(), Streams: 1 + r.IntN(3),
						Checkpoint: time.Duration(1+r.IntN(20)) * time.Millisecond, Interval: 100 * time.Microsecond}
					ctx, cancel := context.WithCancel(context.Background())
					stop := r.Float64()
					o.Progress = func(st Status) {
						if left > 0 && st.Progress >= stop {
							cancel()
						}
					}
					sum, err := p.Solve(ctx, o)
					cancel()
					if err == nil {
						if sum.Algorithm != algorithm && !sum.AlreadySolved {
							t.Errorf("solved by %s, not %s", sum.Algorithm, algorithm)
						}
						break
					}
					if !errors.Is(err, ErrInterrupted) {
						t.Fatalf("%s: %v", way.name, err)
					}
				}
				verifyAll(t, p)
				if k.kind == graph.KindI32 && !bytes.Equal(matrixFile(t, p.Dir()), matrixFile(t, whole.Dir())) {
					t.Errorf("i32: %s and blocked rounds differ", way.name)
				}
			}
		}
	}
}

// TestSquaringStopsEarly wants a pass more than the paths need, and no others.
func TestSquaringStopsEarly(t *testing.T) {
	const n = 300
	b := graph.New(n)
	for v := 1; v < n; v++ {
		b.Add(0, v, 1)
	}
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	p := create(t, g, 64)
	var last Status
	sum := mustSolve(t, p, Options{Algorithm: AlgorithmSquaring, Device: openFor(t, 60, 64), Progress: func(s Status) { last = s }})
	if last.State != "solved" || last.Progress != 1 {
		t.Errorf("%s at %.2f of all passes", last.State, last.Progress)
	}
	if cubes := sum.Relaxations / n / n / n; cubes > 1.01 {
		t.Errorf("%.1f passes over a star", cubes)
	}
	verifyAll(t, p)
}

// TestOtherRoundsRefuse wants reasons.
func TestOtherRoundsRefuse(t *testing.T) {
	g := randomGraph(t, seeded(t), 500, graph.KindI32, false)
	for _, c := range []struct {
		algorithm string
		slots     int
	}{{AlgorithmSingleStage, 63}, {AlgorithmSquaring, 9}} {
		p := create(t, g, 64)
		if _, err := p.Solve(context.Background(), Options{Algorithm: c.algorithm, Device: openFor(t, c.slots, 64)}); !errors.Is(err, ErrMemory) {
			t.Errorf("%s in %d slots: %v", c.algorithm, c.slots, err)
		}
		if _, err := p.Solve(context.Background(), Options{Algorithm: c.algorithm, Device: openFor(t, c.slots+1, 64)}); err != nil {
			t.Errorf("%s in %d slots: %v", c.algorithm, c.slots+1, err)
		}
		if _, err := p.Solve(context.Background(), Options{Algorithm: AlgorithmEliminate, Device: openFor(t, 99, 64)}); err != nil {
			t.Errorf("a solved store: %v", err)
		}
	}
	if fmt.Sprint(Algorithms) != "[auto blocked eliminate squaring single-stage]" {
		t.Error(Algorithms)
	}
}

// TestOneStreamOverlapsNothing wants of solves with one stream a timeline in which operations of the device follow one
// another on whichever lane, and those of the host too. The two have clocks of their own.
func TestOneStreamOverlapsNothing(t *testing.T) {
	g := randomGraph(t, seeded(t), 500, graph.KindI32, false)
	for _, way := range byRounds {
		p := create(t, g, 64)
		slots := 30
		if way == &singleStage {
			slots = 64
		}
		var lines bytes.Buffer
		sum := mustSolve(t, p, Options{Algorithm: way.name, Device: openFor(t, slots, 64), Streams: 1, HostMemory: 4 * p.geom.TileBytes(), Timeline: &lines})
		if sum.Plan.Window != 1 || sum.Plan.LookAhead {
			t.Errorf("%s: plan %+v", way.name, sum.Plan)
		}
		var events []traceEvent
		if err := json.Unmarshal(lines.Bytes(), &events); err != nil {
			t.Fatal(err)
		}
		slices.SortFunc(events, func(a, b traceEvent) int { return cmp.Compare(a.Start, b.Start) })
		spans, ends := [2]int{}, [2]float64{}
		for _, e := range events {
			if e.Phase != "X" {
				continue
			}
			clock := 0
			if s := stream.Stage(e.Stage); s == stream.In || s == stream.Kernel || s == stream.Out {
				clock = 1
			}
			if spans[clock]++; e.Start < ends[clock]-0.01 {
				t.Fatalf("%s: %+v begins before what came before it ends at %v µs", way.name, e, ends[clock])
			}
			ends[clock] = e.Start + e.Took
		}
		if spans[0] < 128 || spans[1] < 136 {
			t.Errorf("%s: %d spans of the host and the device", way.name, spans)
		}
	}
}
