package engine

import (
	"errors"
	"fmt"
	"math"
	"math/bits"

	"github.com/dustin/go-humanize"

	"ooc/kernels"
	"ooc/stream"
	"ooc/tiles"
)

// AlgorithmSquaring is repeated squaring: D ← D ⊗ D doubles the number of arcs that paths may have, so that
// ⌈log₂(n−1)⌉ passes will do, and fewer where one changes nothing.
const AlgorithmSquaring = "squaring"

// A unit is a row of tiles of a pass. Tiles are squared in place: a product may find some of its operands squared
// already, which are lengths of paths too, and no larger. So a tile of row i that has been through q passes lets the
// whole matrix count as far as q passes and i rows, and the least over all tiles is where a later run goes on.
var squaring = rounds{
	name:     AlgorithmSquaring,
	last:     rowsOfPasses,
	vertices: func(g tiles.Geometry, units int) int64 { return int64(g.N) * int64(units) / int64(rowsOfPasses(g)) },
	units:    rowsSquared,
	round:    func(p *Plan) int { return p.Side },
	work:     func(g tiles.Geometry) int { return passes(g.N) },
	differs:  true,
	plan:     planSquaring,
	run:      (*schedule).square,
}

// passes is how many squarings are enough for n vertices, one at least.
func passes(n int) int { return max(1, bits.Len(uint(max(1, n-1)-1))) }

// rowsOfPasses is the units of a whole solve.
func rowsOfPasses(g tiles.Geometry) int { return passes(g.N) * g.Side() }

// rowsSquared is the least number of units of which State.Done says so many vertices.
func rowsSquared(g tiles.Geometry, vertices int64) int {
	return int((vertices*int64(rowsOfPasses(g)) + int64(g.N) - 1) / int64(g.N))
}

// leastSquaring is the fewest slots: a row of tiles, the tile that is being made, and one that streams through.
func leastSquaring(side int) int { return min(side*side+1, side+2) }

// streamedSquaring is how many slots a plan sets aside for tiles that stream through, where it can.
const streamedSquaring = 2 * fewStreams

// planSquaring gives to as many rows of tiles as fit a slot for each of their tiles, and one for each new one.
func planSquaring(geom tiles.Geometry, done int64, info kernels.Info, r Rates, l Limits) (Plan, error) {
	p := newPlan(geom, l)
	if l.Round < 0 || l.Round%geom.T != 0 {
		return Plan{}, fmt.Errorf("%w: %d is not a multiple of the tile edge %d", ErrRound, l.Round, geom.T)
	}
	room := int((info.Memory - info.Scratch - flagBytes) / geom.TileBytes())
	if room < leastSquaring(p.Side) {
		need := int64(leastSquaring(p.Side))*geom.TileBytes() + info.Scratch + flagBytes
		return Plan{}, fmt.Errorf("%w: device memory %d bytes; squaring n = %d with tiles of %d needs at least %d bytes (%s)",
			ErrMemory, info.Memory, geom.N, geom.T, need, humanize.IBytes(uint64(need)))
	}
	p.Width = min(p.Side, max(1, (room-streamedSquaring)/(p.Side+1)))
	if few := ceilDiv(p.Side, leastRounds); p.Side*p.Side+few <= room {
		p.Width = min(p.Width, few) // nothing is moved, and restore points lie between groups
	}
	if l.Round > 0 {
		p.Width = min(p.Width, l.Round/geom.T)
	}
	p.Slots = min(room, p.Side*p.Side+p.Width)
	p.InCore = p.Slots == p.Side*p.Side+p.Width
	left := float64(rowsOfPasses(geom)-rowsSquared(geom, done)) / float64(p.Side) // passes
	p.Rounds = int(math.Ceil(left))
	n := float64(p.Side * geom.T)
	p.KernelSeconds = left * n * n * n / (r.Kernel * r.efficiency(geom.T))
	if groups := float64(ceilDiv(p.Side, p.Width)); !p.InCore {
		p.BytesIn = int64(left * groups * float64(p.Side*p.Side) * float64(geom.TileBytes()))
		p.BytesOut = int64(left * float64(p.Side*p.Side) * float64(geom.TileBytes()))
	}
	return p, p.finish(geom, info, r, l, p.Rounds*p.Side*p.Side)
}

// square emits passes over groups of rows: the tiles of a group stay, and every tile of the matrix, column by column,
// streams past them.
func (s *schedule) square() {
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
		if same := s.settled(); same && whole && s.done < s.last {
			s.done = s.last
			for t := range s.tiles {
				s.tiles[t].done = int32(s.last)
			}
		}
	}
}

// settled reports whether the pass that has ended changed nothing: then no other will.
func (s *schedule) settled() bool {
	if s.err != nil {
		return false
	}
	differ, err := s.differed()
	if err != nil {
		s.fail(err)
	}
	return err == nil && !differ
}

// squareRows squares the rows of tiles from row to row+high-1, and reports whether it came to the end.
func (s *schedule) squareRows(pass, row, high int) bool {
	held := make([][]int, high) // the slots of the rows' tiles
	for i := range held {
		for j := range s.side {
			if !s.goOn() {
				return false
			}
			held[i] = append(held[i], s.load((row+i)*s.side+j))
		}
	}
	for j := range s.side {
		if !s.goOn() {
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

// squareColumn makes the tiles of one column of a group out of place, as a product may not write what it reads.
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
			// The diagonal is 0, so that the product alone is the minimum.
			st := step{kind: stepProduct, tile: (row+i)*s.side + j, c: out[i : i+1], a: held[i][k : k+1], b: []int{b}, fresh: k == 0, done: (pass + 1) * s.side}
			if k == s.side-1 { // the tile is done
				st.phase, st.done = 3, min(s.last, st.done+row+i)
			}
			s.put(st)
		}
		s.unpin(b)
	}
	for i, slot := range out {
		t := (row+i)*s.side + j
		s.put(step{kind: stepDiffer, tile: t, a: held[i][j : j+1], b: out[i : i+1]})
		s.slots.frames[held[i][j]].tile = noFrame // superseded: freed by its last unpin
		s.unpin(held[i][j])
		held[i][j] = slot
		s.tiles[t].slot = int32(slot)
		s.slots.frames[slot] = frame{tile: t, pins: 1}
		s.updated(t, min(s.last, (pass+1)*s.side+row+i))
	}
}

// flag is an entry in device memory that becomes 1 where tiles differ.
type flag struct {
	buf    kernels.Buffer
	device kernels.Differ
	host   []byte
	owner  kernels.Device
}

const flagBytes = 256

// open takes the memory, if the device can compare; else nothing is ever known to be the same.
func (f *flag) open(d kernels.Device) (err error) {
	differ, ok := kernels.As[kernels.Differ](d)
	if !ok {
		return nil
	}
	if f.host, err = d.AllocHost(flagBytes); err != nil {
		return err
	}
	f.device, f.owner = differ, d
	if f.buf, err = d.Alloc(flagBytes); err != nil {
		return err
	}
	s, err := d.NewStream()
	if err != nil {
		return err
	}
	clear(f.host)
	return errors.Join(s.CopyIn(f.tile(), f.host), s.Sync(), s.Close())
}

func (f *flag) free() (err error) {
	if f.buf != nil {
		err = f.buf.Free()
	}
	if f.host != nil {
		err = errors.Join(err, f.owner.FreeHost(f.host))
	}
	return err
}

func (f *flag) tile() kernels.Tile { return kernels.Tile{Buf: f.buf} }

// differ submits a comparison.
func (x *executor) differ(s step) error {
	if x.flag.device == nil {
		return nil
	}
	a, b := &x.slots[s.a[0]], &x.slots[s.b[0]]
	return x.pipe.Submit(stream.Op{
		Stage: stream.Kernel, Lane: b.Lane, Reads: []*stream.Region{&a.Region, &b.Region},
		Device: func(d kernels.Stream) error {
			return x.flag.device.Differ(d, x.flag.tile(), a.Tile, b.Tile, x.geom.TileBytes())
		},
		Name: x.name(s),
	})
}

// differed is the schedule's: it waits for every step.
func (x *executor) differed() (bool, error) {
	if x.flag.device == nil {
		return true, nil
	}
	if err := x.pipe.Drain(); err != nil {
		return true, err
	}
	did := false
	for _, copy := range []func(d kernels.Stream) error{
		func(d kernels.Stream) error { return d.CopyOut(x.flag.host[:kernels.EntryBytes], x.flag.tile()) },
		func(d kernels.Stream) error { return d.CopyIn(x.flag.tile(), x.flag.host[:kernels.EntryBytes]) },
	} {
		op := stream.Op{Stage: stream.Kernel, Lane: x.pivotLane, Device: copy, Name: func() string { return x.store.Dir() + ": whether a pass changed anything" }}
		if err := x.pipe.Submit(op); err != nil {
			return true, err
		}
		if err := x.pipe.Drain(); err != nil {
			return true, err
		}
		did = did || x.flag.host[0] != 0
		clear(x.flag.host)
	}
	return did, nil
}
