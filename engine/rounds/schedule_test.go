package rounds

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"ooc/engine/internal/seeds"
	"ooc/tiles"
	"ooc/tiles/crashtest"
)

var seeded = seeds.New

const scalarInf = 1 << 40

// scalar is a model of disk, pages and slots in which every tile is one number (T = 1), so that a
// schedule over side tiles solves a graph of side vertices.
type scalar struct {
	geom               tiles.Geometry
	side               int
	graph, disk        []int
	written            []bool
	slots, pages       []int
	checkpoint, writes int
	reads              int
	different          bool
}

// script is a driver whose answers a test writes; what is nil goes on, and finds differences.
type script struct {
	emit    func(step) error
	stop    func() bool
	paused  func() bool
	waited  func() error
	begin   func(done int, midway bool) bool
	hasRoom func() bool
	changed func() (bool, error)
	opened  func(done int) bool
}

func (d *script) do(s step) error { return d.emit(s) }

func (d *script) pace() pace {
	switch {
	case d.stop != nil && d.stop():
		return stop
	case d.paused != nil && d.paused():
		return pause
	}
	return goOn
}

func (d *script) wait() error {
	if d.waited == nil {
		return nil
	}
	return d.waited()
}

func (d *script) due(done int, midway bool) bool { return d.begin != nil && d.begin(done, midway) }

func (d *script) room() bool { return d.hasRoom == nil || d.hasRoom() }

func (d *script) opens(done int) bool { return d.opened == nil || d.opened(done) }

func (d *script) differed() (bool, error) {
	if d.changed == nil {
		return true, nil
	}
	return d.changed()
}

// slotsOf are slots of a schedule that works on every tile.
func slotsOf(slots func(*part, tiles.Geometry, extent) int, geom tiles.Geometry, width int) int {
	p := whole(geom, width)
	return slots(&p, geom, p.largest(geom))
}

func minSlots(side, width int) int { return slotsOf((*part).minSlots, gridOf(side, false), width) }

func lookAheadSlots(side, width int) int {
	return slotsOf((*part).lookAheadSlots, gridOf(side, false), width)
}

// scheduled returns a schedule of blocked rounds, and the driver that emits its steps.
func scheduled(geom tiles.Geometry, width, slots, pages, streams int, look bool, done int,
	emit func(step) error) (*schedule, *script) {
	d := &script{emit: emit}
	return newSchedule(&blocked, geom,
		&Plan{Width: width, Slots: slots, Pages: pages, Streams: streams, LookAhead: look}, done, d), d
}

// differed reports whether a comparison has found a difference since it was last asked.
func (m *scalar) differed() (bool, error) {
	was := m.different
	m.different = false
	return was, nil
}

func newScalar(graph []int, geom tiles.Geometry, slots, pages int) *scalar {
	m := &scalar{geom: geom, side: geom.Side(), graph: graph, disk: make([]int, geom.Tiles()),
		written: make([]bool, geom.Tiles())}
	m.boot(slots, pages)
	return m
}

// matrix returns all distances on disk.
func (m *scalar) matrix() []int {
	all := make([]int, m.side*m.side)
	for at := range all {
		i, j, _ := m.geom.Stored(at/m.side, at%m.side)
		all[at] = m.disk[m.geom.Index(i, j)]
	}
	return all
}

// boot fills memory with a value below every distance, so that reading it shows.
func (m *scalar) boot(slots, pages int) {
	m.slots, m.pages = slices.Repeat([]int{-1 << 50}, slots), slices.Repeat([]int{-1 << 50}, pages)
}

func (m *scalar) apply(s step) error {
	switch s.kind {
	case stepRead:
		m.reads++
		if s.fromGraph == m.written[s.tile] {
			return fmt.Errorf("tile %d read from the wrong place", s.tile)
		}
		m.pages[s.page] = m.disk[s.tile]
		if s.fromGraph {
			i, j := m.geom.TileAt(s.tile)
			m.pages[s.page] = m.graph[i*m.side+j]
		}
	case stepIn:
		m.slots[s.slot] = m.pages[s.page]
	case stepOut:
		m.pages[s.page] = m.slots[s.slot]
	case stepWrite:
		m.writes++
		m.disk[s.tile], m.written[s.tile] = m.pages[s.page], true
	case stepKernel:
		return m.compute(s)
	case stepCheckpoint:
		m.checkpoint = s.done
	}
	return nil
}

// compute does what an operation does to slots.
func (m *scalar) compute(s step) error {
	switch s.op {
	case &closure:
		w := 0
		for w*w < len(s.c) {
			w++
		}
		for k := range w {
			for i := range w {
				for j := range w {
					c := &m.slots[s.c[i*w+j]]
					*c = min(*c, m.slots[s.c[i*w+k]]+m.slots[s.c[k*w+j]])
				}
			}
		}
	case &product, &passProduct:
		if slices.Contains(s.a, s.c[0]) || slices.Contains(s.b, s.c[0]) {
			return fmt.Errorf("product writes what it reads")
		}
		c := &m.slots[s.c[0]]
		if s.fresh {
			*c = scalarInf
		}
		for k := range s.a {
			*c = min(*c, m.slots[s.a[k]]+m.slots[s.b[k]])
		}
	case &transposition:
		if s.c[0] == s.a[0] {
			return fmt.Errorf("a transposition writes what it reads")
		}
		m.slots[s.c[0]] = m.slots[s.a[0]]
	case &pivots:
		k := s.done - 1
		for t, c := range s.c {
			m.slots[c] = min(m.slots[c], m.slots[s.c[t/m.side*m.side+k]]+m.slots[s.c[k*m.side+t%m.side]])
		}
	case &compare:
		m.different = m.different || m.slots[s.a[0]] != m.slots[s.b[0]]
	}
	return nil
}

func randomScalarGraph(r *rand.Rand, geom tiles.Geometry) []int {
	n := geom.Side()
	g := slices.Repeat([]int{scalarInf}, n*n)
	for range r.IntN(4*n + 1) {
		g[r.IntN(n*n)] = r.IntN(100)
	}
	for i := range n {
		g[i*n+i] = 0
		for j := 0; j < i && geom.Upper; j++ {
			g[i*n+j] = g[j*n+i]
		}
	}
	return g
}

func floydWarshall(g []int, n int) []int {
	d := slices.Clone(g)
	for k := range n {
		for i := range n {
			for j := range n {
				d[i*n+j] = min(d[i*n+j], d[i*n+k]+d[k*n+j])
			}
		}
	}
	return d
}

// grid of so many tiles.
func gridOf(side int, upper bool) tiles.Geometry { return tiles.Geometry{N: side, T: 1, Upper: upper} }

// randomShape picks a grid and frames, often the fewest that work.
func randomShape(r *rand.Rand) (geom tiles.Geometry, width, slots, pages int, look bool) {
	side := 1 + r.IntN(12)
	width = 1 + r.IntN(min(side, 4))
	look = r.IntN(2) == 0
	slots = minSlots(side, width)
	if look {
		slots = lookAheadSlots(side, width)
	}
	slots += r.IntN(2) * r.IntN(side*side+1)
	return gridOf(side, r.IntN(2) == 0), width, slots, minPages + r.IntN(2)*r.IntN(side*side), look
}

// interrupt has a schedule take checkpoints between rounds and within them, stand still now and then, and lack room.
func interrupt(r *rand.Rand, d *script) {
	still := false
	d.begin = func(done int, midway bool) bool { return done > 0 && r.IntN(3) == 0 && (!midway || r.IntN(5) == 0) }
	d.paused = func() bool { still = still || r.IntN(20) == 0; return still }
	d.waited = func() error { still = r.IntN(3) == 0; return nil }
	d.hasRoom = func() bool { return still || r.IntN(3) == 0 }
}

func TestScheduleSolves(t *testing.T) {
	r := seeded(t)
	for range 200 {
		geom, width, slots, pages, look := randomShape(r)
		g := randomScalarGraph(r, geom)
		m := newScalar(g, geom, slots, pages)
		s, d := scheduled(geom, width, slots, pages, 1+r.IntN(4), look, 0, m.apply)
		interrupt(r, d)
		if err := s.run(); err != nil {
			t.Fatalf("%+v width %d slots %d pages %d look-ahead %v: %v", geom, width, slots, pages, look, err)
		}
		if want := floydWarshall(g, geom.N); !slices.Equal(m.matrix(), want) || m.checkpoint != geom.N {
			t.Fatalf("%+v width %d slots %d pages %d look-ahead %v: wrong distances", geom, width, slots, pages, look)
		}
	}
}

// TestScheduleSurvivesEveryCut stops a schedule after every step in turn, as a kill would, and lets a
// schedule of another shape go on from the last checkpoint over whatever is on disk.
func TestScheduleSurvivesEveryCut(t *testing.T) {
	r := seeded(t)
	for range crashtest.Repeats(2, 8) {
		geom, width, slots, pages, look := randomShape(r)
		g := randomScalarGraph(r, geom)
		want := floydWarshall(g, geom.N)
		dueSeed := r.Uint64()
		for cut, more := 0, true; more; cut++ {
			m := newScalar(g, geom, slots, pages)
			due := rand.New(rand.NewPCG(dueSeed, 0))
			left := cut
			more = false
			s, d := scheduled(geom, width, slots, pages, 2, look, 0, func(st step) error {
				if left == 0 {
					more = true
					return errCut
				}
				left--
				return m.apply(st)
			})
			interrupt(due, d)
			if err := s.run(); err != nil && err != errCut {
				t.Fatal(err)
			}
			resumeScalar(t, r, m, width)
			if !slices.Equal(m.matrix(), want) {
				t.Fatalf("cut after %d steps: wrong distances", cut)
			}
		}
	}
}

var errCut = fmt.Errorf("cut")

func resumeScalar(t *testing.T, r *rand.Rand, m *scalar, width int) {
	t.Helper()
	width = min(max(1, width+r.IntN(3)-1), max(1, m.side-m.checkpoint))
	slots := minSlots(m.side, width) + r.IntN(2)*r.IntN(5)
	m.boot(slots, 2)
	s, _ := scheduled(m.geom, width, slots, 2, 2, false, m.checkpoint, m.apply)
	if m.checkpoint > 0 {
		s.resume()
	} else {
		clear(m.written)
	}
	if err := s.run(); err != nil {
		t.Fatal(err)
	}
}

// TestScheduleStops asks a schedule to stop at every visit in turn: what it leaves must be a checkpoint
// that a later schedule ends from.
func TestScheduleStops(t *testing.T) {
	r := seeded(t)
	for range crashtest.Repeats(2, 8) {
		geom, width, slots, pages, look := randomShape(r)
		g := randomScalarGraph(r, geom)
		want := floydWarshall(g, geom.N)
		for at, more := 0, true; more; at++ {
			m := newScalar(g, geom, slots, pages)
			s, d := scheduled(geom, width, slots, pages, 2, look, 0, m.apply)
			asked := 0
			d.stop = func() bool { asked++; return asked > at }
			if err := s.run(); err != nil {
				t.Fatal(err)
			}
			more = s.stopped
			if m.checkpoint != s.done {
				t.Fatalf("stopped with %d pivots done, checkpoint says %d", s.done, m.checkpoint)
			}
			resumeScalar(t, r, m, width)
			if !slices.Equal(m.matrix(), want) {
				t.Fatalf("stop at %d: wrong distances", at)
			}
		}
	}
}

// TestScheduleInCoreMovesEachTileOnce pins what residency is for.
func TestScheduleInCoreMovesEachTileOnce(t *testing.T) {
	const width = 2
	for _, geom := range []tiles.Geometry{gridOf(9, false), gridOf(9, true), gridOf(3, true)} {
		for _, look := range []bool{false, true} {
			slots := slotsOf((*part).inCoreSlots, geom, width)
			m := newScalar(randomScalarGraph(seeded(t), geom), geom, slots, minPages)
			if s, _ := scheduled(geom, width, slots, minPages, 3, look, 0, m.apply); s.run() != nil {
				t.Fatal(s.err)
			}
			if m.reads != geom.Tiles() || m.writes != geom.Tiles() {
				t.Errorf("%+v, look-ahead %v: %d reads and %d writes of %d tiles", geom, look, m.reads, m.writes,
					geom.Tiles())
			}
		}
	}
}

// TestCheckpointsRunBeside wants the tiles that a checkpoint writes to lie between those that a round visits, and
// none where there is no room.
func TestCheckpointsRunBeside(t *testing.T) {
	const side, width = 9, 1
	geom := gridOf(side, false)
	slots := slotsOf((*part).inCoreSlots, geom, width)
	m := newScalar(randomScalarGraph(seeded(t), geom), geom, slots, minPages)
	room, row, checkpoints := true, 0, 0
	s, d := scheduled(geom, width, slots, minPages, 3, true, 0, func(st step) error {
		switch {
		case st.kind == stepWrite && st.checkpoint && m.checkpoint < side-width-1:
			if row++; row > flushPerVisit || !room {
				return fmt.Errorf("%d tiles in a row, room %v", row, room)
			}
		case st.op == &product:
			row = 0
		case st.kind == stepCheckpoint:
			checkpoints++
		case st.kind == stepEnd: // what is left is written at once
			m.checkpoint = side
		}
		return m.apply(st)
	})
	d.begin = func(done int, midway bool) bool { return !midway && done < side-2*width }
	d.hasRoom = func() bool { room = !room; return room }
	if err := s.run(); err != nil {
		t.Fatal(err)
	}
	if checkpoints < 2 {
		t.Errorf("%d checkpoints", checkpoints)
	}
}

// TestScheduleKeepsWhatFits compares traffic with the least that a cache of that size allows.
func TestScheduleKeepsWhatFits(t *testing.T) {
	const side, width = 16, 1
	spare := 100
	slots := minSlots(side, width) + spare
	m := newScalar(randomScalarGraph(seeded(t), gridOf(side, false)), gridOf(side, false), slots, minPages)
	if s, _ := scheduled(gridOf(side, false), width, slots, minPages, 3, false, 0, m.apply); s.run() != nil {
		t.Fatal(s.err)
	}
	if most := side*side + (side-1)*(side*side-spare); m.reads > most {
		t.Errorf("%d reads, want at most %d: tiles that fit were not kept", m.reads, most)
	}
}
