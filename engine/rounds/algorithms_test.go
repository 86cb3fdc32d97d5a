package rounds

import (
	"math/rand/v2"
	"slices"
	"testing"

	"ooc/engine/internal/seeds"
	"ooc/tiles"
	"ooc/tiles/crashtest"
)

// frames picks frames for other rounds than blocked ones, often the fewest that work.
func frames(r *rand.Rand, a *algorithm, side int) (width, slots, pages int) {
	width, slots = 1, side*side
	if a == &squaring {
		width = 1 + r.IntN(min(side, 3))
		slots = min(width*(side+1)+1, side*side+width) + r.IntN(2)*r.IntN(side*side+1)
	}
	return width, slots, minPages + r.IntN(2)*r.IntN(side*side)
}

// scalarRun schedules rounds over a model, from where its last checkpoint says.
func scalarRun(r *rand.Rand, a *algorithm, m *scalar, vertices int64, emit func(step) error) *schedule {
	geom := tiles.Geometry{N: m.side, T: 1}
	width, slots, pages := frames(r, a, m.side)
	m.boot(slots, pages)
	d := &script{emit: emit, changed: m.differed}
	s := newSchedule(a, geom, &Plan{Width: width, Slots: slots, Pages: pages, Streams: 1 + r.IntN(4)},
		a.fromVertices(geom, vertices), d)
	if vertices > 0 {
		s.resume()
	} else {
		clear(m.written)
	}
	due := rand.New(rand.NewPCG(r.Uint64(), 0))
	d.begin = func(int, bool) bool { return due.IntN(2) == 0 }
	d.hasRoom = func() bool { return due.IntN(2) == 0 }
	return s
}

// TestOtherRounds runs schedules of the other rounds to their end, and cuts them off after every step in turn, as a
// kill would, to go on from the last checkpoint over whatever is on disk.
func TestOtherRounds(t *testing.T) {
	r := seeds.New(t)
	for range crashtest.Repeats(2, 6) {
		for _, a := range []*algorithm{&squaring, &singleStage} {
			side := 1 + r.IntN(8)
			g := randomScalarGraph(r, gridOf(side, false))
			want, geom := floydWarshall(g, side), tiles.Geometry{N: side, T: 1}
			seed := r.Uint64()
			for cut, more := 0, true; more; cut += 1 + r.IntN(4) {
				m := newScalar(g, gridOf(side, false), 0, 0)
				left := cut
				more = false
				s := scalarRun(rand.New(rand.NewPCG(seed, 0)), a, m, 0, func(st step) error {
					if left == 0 {
						more = true
						return errCut
					}
					left--
					return m.apply(st)
				})
				if err := s.run(); err != nil && err != errCut {
					t.Fatalf("%s of %d: %v", a.name, side, err)
				}
				if !more && (!slices.Equal(m.disk, want) || m.checkpoint != s.last) {
					t.Fatalf("%s of %d: wrong distances", a.name, side)
				}
				if err := scalarRun(r, a, m, a.toVertices(geom, m.checkpoint), m.apply).run(); err != nil {
					t.Fatalf("%s of %d, again: %v", a.name, side, err)
				}
				if !slices.Equal(m.disk, want) {
					t.Fatalf("%s of %d, cut after %d steps: wrong distances", a.name, side, cut)
				}
			}
		}
	}
}

// TestProgressRoundTrip wants stored progress never to mean more iterations than were finished.
func TestProgressRoundTrip(t *testing.T) {
	r := seeds.New(t)
	for range 300 {
		geom := tiles.Geometry{N: 1 + r.IntN(3000), T: 64 * (1 + r.IntN(4))}
		for _, a := range []*algorithm{&blocked, &squaring, &singleStage} {
			last := a.iterations(geom)
			if v := a.toVertices(geom, last); v != int64(geom.N) {
				t.Fatalf("%s of %+v: %d iterations are %d vertices", a.name, geom, last, v)
			}
			for done := range last {
				if back := a.fromVertices(geom, a.toVertices(geom, done)); back > done {
					t.Fatalf("%s of %+v: %d iterations become %d", a.name, geom, done, back)
				}
			}
		}
	}
}
