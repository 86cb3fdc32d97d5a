package rounds

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"ooc/engine/internal/seeds"
	"ooc/engine/plan"
)

var seeded = seeds.New

const scalarInf = 1 << 40

// scalar is a model of disk, pages and slots in which every tile is one number (T = 1), so that a
// schedule over side tiles solves a graph of side vertices.
type scalar struct {
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

func (d *script) differed() (bool, error) {
	if d.changed == nil {
		return true, nil
	}
	return d.changed()
}

// scheduled returns a schedule of blocked rounds, and the driver that emits its steps.
func scheduled(side, width, slots, pages, lanes int, look bool, done int, emit func(step) error) (*schedule, *script) {
	d := &script{emit: emit}
	return newSchedule(&blocked, side, dimensions{side, width, 1, slots, pages, lanes, look}, done, d), d
}

// differed reports whether a comparison has found a difference since it was last asked.
func (m *scalar) differed() (bool, error) {
	was := m.different
	m.different = false
	return was, nil
}

func newScalar(graph []int, side, slots, pages int) *scalar {
	m := &scalar{side: side, graph: graph, disk: make([]int, side*side), written: make([]bool, side*side)}
	m.boot(slots, pages)
	return m
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
			m.pages[s.page] = m.graph[s.tile]
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

func randomScalarGraph(r *rand.Rand, n int) []int {
	g := slices.Repeat([]int{scalarInf}, n*n)
	for range r.IntN(4*n + 1) {
		g[r.IntN(n*n)] = r.IntN(100)
	}
	for i := range n {
		g[i*n+i] = 0
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

// randomShape picks a grid and frames, often the fewest that work.
func randomShape(r *rand.Rand) (side, width, slots, pages int, look bool) {
	side = 1 + r.IntN(12)
	width = 1 + r.IntN(min(side, 4))
	look = r.IntN(2) == 0
	slots = minSlots(side, width)
	if look {
		slots = lookAheadSlots(side, width)
	}
	slots += r.IntN(2) * r.IntN(side*side+1)
	return side, width, slots, plan.MinPages + r.IntN(2)*r.IntN(side*side), look
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
		side, width, slots, pages, look := randomShape(r)
		g := randomScalarGraph(r, side)
		m := newScalar(g, side, slots, pages)
		s, d := scheduled(side, width, slots, pages, 1+r.IntN(4), look, 0, m.apply)
		interrupt(r, d)
		if err := s.run(); err != nil {
			t.Fatalf("side %d width %d slots %d pages %d look-ahead %v: %v", side, width, slots, pages, look, err)
		}
		if want := floydWarshall(g, side); !slices.Equal(m.disk, want) || m.checkpoint != side {
			t.Fatalf("side %d width %d slots %d pages %d look-ahead %v: wrong distances", side, width, slots, pages, look)
		}
	}
}

// TestScheduleSurvivesEveryCut stops a schedule after every step in turn, as a kill would, and lets a
// schedule of another shape go on from the last checkpoint over whatever is on disk.
func TestScheduleSurvivesEveryCut(t *testing.T) {
	r := seeded(t)
	for range 8 {
		side, width, slots, pages, look := randomShape(r)
		g := randomScalarGraph(r, side)
		want := floydWarshall(g, side)
		dueSeed := r.Uint64()
		for cut, more := 0, true; more; cut++ {
			m := newScalar(g, side, slots, pages)
			due := rand.New(rand.NewPCG(dueSeed, 0))
			left := cut
			more = false
			s, d := scheduled(side, width, slots, pages, 2, look, 0, func(st step) error {
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
			if !slices.Equal(m.disk, want) {
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
	s, _ := scheduled(m.side, width, slots, 2, 2, false, m.checkpoint, m.apply)
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
	for range 8 {
		side, width, slots, pages, look := randomShape(r)
		g := randomScalarGraph(r, side)
		want := floydWarshall(g, side)
		for at, more := 0, true; more; at++ {
			m := newScalar(g, side, slots, pages)
			s, d := scheduled(side, width, slots, pages, 2, look, 0, m.apply)
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
			if !slices.Equal(m.disk, want) {
				t.Fatalf("stop at %d: wrong distances", at)
			}
		}
	}
}

// TestScheduleInCoreMovesEachTileOnce pins what residency is for.
func TestScheduleInCoreMovesEachTileOnce(t *testing.T) {
	const side, width = 9, 2
	slots := inCoreSlots(side, width)
	for _, look := range []bool{false, true} {
		m := newScalar(randomScalarGraph(seeded(t), side), side, slots, plan.MinPages)
		if s, _ := scheduled(side, width, slots, plan.MinPages, 3, look, 0, m.apply); s.run() != nil {
			t.Fatal(s.err)
		}
		if m.reads != side*side || m.writes != side*side {
			t.Errorf("look-ahead %v: %d reads and %d writes of %d tiles", look, m.reads, m.writes, side*side)
		}
	}
}

// TestCheckpointsRunBeside wants the tiles that a checkpoint writes to lie between those that a round visits, and
// none where there is no room.
func TestCheckpointsRunBeside(t *testing.T) {
	const side, width = 9, 1
	slots := inCoreSlots(side, width)
	m := newScalar(randomScalarGraph(seeded(t), side), side, slots, plan.MinPages)
	room, row, checkpoints := true, 0, 0
	s, d := scheduled(side, width, slots, plan.MinPages, 3, true, 0, func(st step) error {
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
	m := newScalar(randomScalarGraph(seeded(t), side), side, slots, plan.MinPages)
	if s, _ := scheduled(side, width, slots, plan.MinPages, 3, false, 0, m.apply); s.run() != nil {
		t.Fatal(s.err)
	}
	if most := side*side + (side-1)*(side*side-spare); m.reads > most {
		t.Errorf("%d reads, want at most %d: tiles that fit were not kept", m.reads, most)
	}
}
