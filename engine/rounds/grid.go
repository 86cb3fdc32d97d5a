package rounds

import (
	"iter"
	"sync/atomic"

	"ooc/engine/live"
	"ooc/tiles"
)

// grid holds the progress of each tile, for the board that ooc watch draws. It has an atomic word for each tile:
// whoever works on the tile writes it, and reports read it at any time.
type grid struct {
	geom  tiles.Geometry
	last  int
	tiles []atomic.Uint32 // iterations finished, the phase of the last one, and whether an operation is in flight
}

// The layout of a word of a grid, from the lowest bit.
const (
	gridWorking = 1 // the bit that says that an operation is in flight
	gridPhase   = 1 // the position of the phase, two bits
	gridDone    = 3 // the position of the iterations
)

func newGrid(geom tiles.Geometry, last, start int) *grid {
	g := &grid{geom: geom, last: last, tiles: make([]atomic.Uint32, geom.Tiles())}
	for t := range g.tiles {
		g.finished(t, start, 0)
	}
	return g
}

// begun marks a tile as having an operation in flight.
func (g *grid) begun(tile int) { g.tiles[tile].Or(gridWorking) }

// finished records the iterations that a tile has finished. A call that comes late, after another stream has taken the
// tile further, changes nothing.
func (g *grid) finished(tile, done, phase int) {
	word := uint32(done)<<gridDone | uint32(phase)<<gridPhase
	for t := &g.tiles[tile]; ; {
		old := t.Load()
		if old>>gridDone > uint32(done) || t.CompareAndSwap(old, word) {
			return
		}
	}
}

// own yields the words of a part's tiles, row by row. It looks at no others: rank 0 goes through them all in each
// interval.
func (g *grid) own(p part) iter.Seq[*atomic.Uint32] {
	return func(yield func(*atomic.Uint32) bool) {
		var cols []int
		for j := range g.geom.Side() {
			if p.usesRow(j) {
				cols = append(cols, j)
			}
		}
		for i := range g.geom.Side() {
			if !p.usesCol(i) {
				continue
			}
			for _, j := range cols {
				if g.geom.Holds(i, j) && !yield(&g.tiles[g.geom.Index(i, j)]) {
					return
				}
			}
		}
	}
}

// words are those of each tile of a part in turn.
func (g *grid) words(p part) (list []uint32) {
	for word := range g.own(p) {
		list = append(list, word.Load())
	}
	return list
}

// take puts the words of a part in place.
func (g *grid) take(p part, list []uint32) {
	for word := range g.own(p) {
		if len(list) == 0 {
			return
		}
		word.Store(list[0])
		list = list[1:]
	}
}

// least returns the iterations that every tile has finished.
func (g *grid) least() int {
	least := uint32(g.last)
	for t := range g.tiles {
		least = min(least, g.tiles[t].Load()>>gridDone)
	}
	return int(least)
}

// board draws the round of width iterations that follows the first done iterations. After the end it draws the last
// round.
func (g *grid) board(done, width int) *live.Board {
	if done == g.last {
		done = g.last - 1 - (g.last-1)%width
	}
	return live.Draw(g.geom.Side(), g.geom.Side(), func(i, j int) live.Cell {
		if !g.geom.Holds(i, j) {
			return live.NoCell
		}
		word := g.tiles[g.geom.Index(i, j)].Load()
		at, phase := int(word>>gridDone), 0
		if at > done {
			phase = int(word >> gridPhase & 3)
		}
		return live.NewCell(phase, word&gridWorking != 0, at > done+width)
	})
}
