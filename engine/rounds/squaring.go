package rounds

import (
	"errors"
	"fmt"
	"math"
	"math/bits"

	"ooc/engine/device"
	"ooc/engine/plan"
	"ooc/kernels"
	"ooc/kernels/entry"
	"ooc/stream"
	"ooc/tiles"
)

const squaringName = "squaring"

// Squaring is repeated squaring. D ← D ⊗ D doubles the number of arcs that paths may have, so ⌈log₂(n−1)⌉ passes are
// enough. It ends early with a pass that changes nothing.
var Squaring = &squaring

// squaring counts an iteration for each row of tiles in each pass. It replaces tiles in place, so a product may read
// operands that this pass has already squared. That is safe: they are lengths of paths too, and no larger than before.
// A tile in row i that has finished q passes therefore counts as q passes and i rows. The least count over all tiles is
// where a later run resumes.
var squaring = algorithm{
	name:       squaringName,
	iterations: rowsOfPasses,
	toVertices: func(g tiles.Geometry, iterations int) int64 {
		return int64(g.N) * int64(iterations) / int64(rowsOfPasses(g))
	},
	fromVertices: rowsSquared,
	round:        func(p *Plan) int { return p.Side },
	roundStart:   passStart,
	work:         func(g tiles.Geometry) int { return passes(g.N) },
	compares:     true,
	plan:         planSquaring,
	steps:        (*schedule).square,
}

// passStart returns the iterations that every tile had finished when the current pass began.
func passStart(done, round, last int) int { return min((done/round+1)*round, last) - 1 }

// The operations of a pass: products, and the comparison that tells whether they changed a tile.
var (
	passProduct = operation{
		name:   func(x *executor, s step) string { return fmt.Sprintf("part of pass %d", s.done/x.geom.Side()) },
		submit: (*executor).product,
	}
	compare = operation{
		name:   func(*executor, step) string { return "compare with the copy before" },
		submit: (*executor).compare,
	}
)

// passes is how many squarings are enough for n vertices; at least one.
func passes(n int) int { return max(1, bits.Len(uint(max(1, n-1)-1))) }

// rowsOfPasses is the number of iterations of a whole solve.
func rowsOfPasses(g tiles.Geometry) int { return passes(g.N) * g.Side() }

// rowsSquared is the least number of iterations that State.Done stores as the given number of vertices.
func rowsSquared(g tiles.Geometry, vertices int64) int {
	return int((vertices*int64(rowsOfPasses(g)) + int64(g.N) - 1) / int64(g.N))
}

// leastSquaring is the fewest slots: a row of tiles, the new tile, and one that streams through.
func leastSquaring(side int) int { return min(side*side+1, side+2) }

// streamedSquaring is how many slots a plan prefers to set aside for tiles that stream through.
const streamedSquaring = 2 * fewStreams

// planSquaring makes groups of as many rows of tiles as fit the device. Each tile of a group needs a slot, and each row
// one more for its new tile.
func planSquaring(q *plan.Basis, geom tiles.Geometry) (Plan, error) {
	p, info := newPlan(q, geom), q.Info
	p.Passes = true
	if err := checkRound(q, geom); err != nil {
		return Plan{}, err
	}
	room := int((info.Memory - info.Scratch - flagBytes) / geom.TileBytes())
	if room < leastSquaring(p.Side) {
		need := int64(leastSquaring(p.Side))*geom.TileBytes() + info.Scratch + flagBytes
		return Plan{}, fmt.Errorf("%w: device memory %d bytes; squaring n = %d with tiles of %d needs at least %d "+
			"bytes (%s)",
			device.ErrMemory, info.Memory, geom.N, geom.T, need, ib(need))
	}
	p.Width = min(p.Side, max(1, (room-streamedSquaring)/(p.Side+1)))
	if few := entry.CeilDiv(p.Side, leastRounds); p.Side*p.Side+few <= room {
		p.Width = min(p.Width, few) // nothing is moved, and restore points lie between groups
	}
	if q.Round > 0 {
		p.Width = min(p.Width, q.Round/geom.T)
	}
	p.Slots = min(room, p.Side*p.Side+p.Width)
	p.InCore = p.Slots == p.Side*p.Side+p.Width
	left := float64(rowsOfPasses(geom)-rowsSquared(geom, q.State.Done)) / float64(p.Side) // passes
	p.Rounds = int(math.Ceil(left))
	n := float64(p.Side * geom.T)
	p.KernelSeconds = left * n * n * n / (q.Rates.Kernel * q.Rates.Efficiency(geom.T))
	if groups := float64(entry.CeilDiv(p.Side, p.Width)); !p.InCore {
		p.BytesIn = int64(left * groups * float64(p.Side*p.Side) * float64(geom.TileBytes()))
		p.BytesOut = int64(left * float64(p.Side*p.Side) * float64(geom.TileBytes()))
	}
	return p, p.finish(q, geom, p.Rounds*p.Side*p.Side)
}

// square emits passes over groups of rows. The tiles of a group stay on the device, and the whole matrix streams past
// them column by column.
func (s *schedule) square() {
	if s.err == nil {
		_, s.err = s.driver.differed() // what was there before counts for nothing
	}
	for s.done < s.last && s.err == nil {
		pass, row := s.done/s.side, s.done%s.side
		whole := row == 0
		for row < s.side {
			if !s.alive() {
				return
			}
			high := min(s.width, s.side-row)
			if !s.squareRows(pass, row, high) {
				return
			}
			row += high
			s.done = pass*s.side + row
			s.slots.nextRound()
			s.pages.nextRound()
			s.begin()
		}
		differ := true // where nothing does, no further pass would change anything
		if s.err == nil {
			differ, s.err = s.driver.differed()
		}
		if s.err == nil && !differ && whole && s.done < s.last {
			s.done = s.last
			for t := range s.tiles {
				s.tiles[t].done = int32(s.last)
			}
		}
	}
}

// squareRows squares the rows of tiles from row to row+high-1, and reports whether it finished them.
func (s *schedule) squareRows(pass, row, high int) bool {
	held := make([][]int, high) // the slots of the rows' tiles
	for i := range held {
		for j := range s.side {
			if !s.mayGoOn() {
				return false
			}
			held[i] = append(held[i], s.load((row+i)*s.side+j))
		}
	}
	for j := range s.side {
		if !s.mayGoOn() {
			return false
		}
		s.squareColumn(pass, row, j, held)
		s.writeSome()
	}
	for _, slots := range held {
		for _, slot := range slots {
			s.unpin(slot)
		}
	}
	return s.err == nil
}

// squareColumn computes the tiles of one column of a group out of place, since a product may not write what it reads.
func (s *schedule) squareColumn(pass, row, j int, held [][]int) {
	out := make([]int, len(held))
	for i := range out {
		out[i] = s.takeSlot()
	}
	for k := range s.side {
		b := s.load(k*s.side + j)
		if s.err != nil {
			return
		}
		for i := range out {
			// The diagonal is 0, so the product alone is the minimum.
			st := step{kind: stepKernel, op: &passProduct, tile: (row+i)*s.side + j, c: out[i : i+1],
				a: held[i][k : k+1], b: []int{b}, fresh: k == 0, done: (pass + 1) * s.side}
			if k == s.side-1 { // the tile is done
				st.phase, st.done = 3, min(s.last, st.done+row+i)
			}
			s.put(st)
		}
		s.unpin(b)
	}
	for i, slot := range out {
		t := (row+i)*s.side + j
		s.put(step{kind: stepKernel, op: &compare, tile: t, a: held[i][j : j+1], b: out[i : i+1]})
		s.slots.frames[held[i][j]].tile = noFrame // superseded: freed by its last unpin
		s.unpin(held[i][j])
		held[i][j] = slot
		s.tiles[t].slot = int32(slot)
		s.slots.frames[slot] = frame{tile: t, pins: 1}
		s.updated(t, min(s.last, (pass+1)*s.side+row+i))
	}
}

// flag is an entry in device memory that a comparison sets to 1 when two tiles differ.
type flag struct {
	buf    kernels.Buffer
	device kernels.TileOps
	host   []byte
}

const flagBytes = 256

// open allocates the flag if the device can compare tiles. Without that, every pass counts as having changed something.
// The first call of differed sets it to 0.
func (f *flag) open(held *device.Held) error {
	differ, ok := kernels.As[kernels.TileOps](held.On)
	if !ok {
		return nil
	}
	f.device, f.host, f.buf = differ, held.Host(flagBytes), held.Buffer(flagBytes)
	clear(f.host)
	return held.Err()
}

func (f *flag) tile() kernels.Tile { return kernels.Tile{Buf: f.buf} }

// compare submits a comparison.
func (x *executor) compare(s step) error {
	if x.flag.device == nil {
		return nil
	}
	a, b := &x.slots[s.a[0]], &x.slots[s.b[0]]
	return x.pipe.Submit(stream.Op{
		Stage: stream.Kernel, Stream: b.Stream, Reads: []*stream.Region{&a.Region, &b.Region},
		Device: func(d kernels.Stream) error {
			return x.flag.device.Differ(d, x.flag.tile(), a.Tile, b.Tile, x.geom.TileBytes())
		},
		Name: x.name(s),
	})
}

// differed waits for every step, and reports whether a comparison since the last call found a difference.
func (x *executor) differed() (bool, error) {
	if x.flag.device == nil {
		return true, nil
	}
	if err := x.pipe.Drain(); err != nil {
		return true, err
	}
	did, zero := x.flag.host[:entry.WordBytes], x.flag.host[flagBytes/2:][:entry.WordBytes]
	err := x.pipe.Submit(stream.Op{
		Stage: stream.Kernel, Stream: x.pivotStream,
		Device: func(d kernels.Stream) error {
			return errors.Join(d.CopyOut(did, x.flag.tile()), d.CopyIn(x.flag.tile(), zero))
		},
		Name: func() string { return x.Store.Dir() + ": whether a pass changed anything" },
	})
	if err == nil {
		err = x.pipe.Drain()
	}
	return err != nil || did[0] != 0, err
}
