package engine

import "sync/atomic"

// MaxBoard is the most cells of a board in each direction.
const MaxBoard = 64

// Board is the grid of tiles as the work in hand has left it: a round, or the rows of an expansion. A cell stands for
// one tile, or for a square of them where the grid is larger than MaxBoard.
type Board struct {
	Across int    `json:"across"` // cells
	Down   int    `json:"down"`   // cells
	Cells  []Cell `json:"cells"`  // row by row
}

// Cell is one cell: the least phase that a tile of it has finished in this round, flags, and the share of its tiles
// that have finished the round.
type Cell uint8

const (
	cellPhase   = 3 // 0: none yet
	cellWorking = 1 << 2
	cellAhead   = 1 << 3
	cellShare   = 4 // from this bit on: in fifteenths
	fullShare   = 15
)

// Phase is 1 for the pivot block, 2 for the panels, 3 for the rest, 0 where nothing has finished this round yet.
func (c Cell) Phase() int { return int(c & cellPhase) }

// Working reports whether an operation on one of its tiles is on its way.
func (c Cell) Working() bool { return c&cellWorking != 0 }

// Ahead reports whether one of its tiles has finished a phase of the next round.
func (c Cell) Ahead() bool { return c&cellAhead != 0 }

// Share is the share of its tiles that have finished this round, in 0…1.
func (c Cell) Share() float64 { return float64(c>>cellShare) / fullShare }

// valid reports whether a board from a file can be drawn.
func (b *Board) valid() bool {
	return b.Across > 0 && b.Across <= MaxBoard && b.Down > 0 && b.Down <= MaxBoard && len(b.Cells) == b.Across*b.Down
}

// Fit returns the board with at most the given numbers of cells: itself, or one whose cells stand for squares of its.
func (b *Board) Fit(across, down int) *Board {
	across, down = max(1, across), max(1, down)
	f := max(ceilDiv(b.Across, across), ceilDiv(b.Down, down))
	if f <= 1 {
		return b
	}
	return gather(b.Across, b.Down, f, func(i, j int) Cell { return b.Cells[i*b.Across+j] })
}

// gather makes a board of squares of f×f of the cells that at returns.
func gather(across, down, f int, at func(i, j int) Cell) *Board {
	b := &Board{Across: ceilDiv(across, f), Down: ceilDiv(down, f)}
	sums := make([]struct {
		phase        int
		flags        Cell
		share, cells int
	}, b.Across)
	for i := range down {
		for j := range across {
			c, s := at(i, j), &sums[j/f]
			if p := c.Phase(); p > 0 && (s.phase == 0 || p < s.phase) {
				s.phase = p
			}
			s.flags |= c & (cellWorking | cellAhead)
			s.share += int(c >> cellShare)
			s.cells++
		}
		if (i+1)%f == 0 || i+1 == down {
			for _, s := range sums {
				share := s.share / s.cells
				if share == 0 && s.share > 0 {
					share = 1 // some is not none
				}
				b.Cells = append(b.Cells, Cell(s.phase)|s.flags|Cell(share)<<cellShare)
			}
			clear(sums)
		}
	}
	return b
}

// grid is what each tile is at, for boards: a word a tile, written by whoever works on the tile and read at any time.
type grid struct {
	side, last int
	tiles      []atomic.Uint32 // units finished, the phase that did that, and whether an operation is on its way
}

const (
	gridWorking = 1
	gridPhase   = 1 // bits before it
	gridDone    = 3
)

func newGrid(side, last, start int) *grid {
	g := &grid{side: side, last: last, tiles: make([]atomic.Uint32, side*side)}
	for t := range g.tiles {
		g.finished(t, start, 0)
	}
	return g
}

// begun says that an operation on a tile is on its way.
func (g *grid) begun(tile int) { g.tiles[tile].Or(gridWorking) }

// finished says that a tile has finished the given number of units. What comes late, behind an operation of another
// lane that went on from there, is left out.
func (g *grid) finished(tile, done, phase int) {
	word := uint32(done)<<gridDone | uint32(phase)<<gridPhase
	for t := &g.tiles[tile]; ; {
		old := t.Load()
		if old>>gridDone > uint32(done) || t.CompareAndSwap(old, word) {
			return
		}
	}
}

// least returns the units that every tile has finished.
func (g *grid) least() int {
	least := uint32(g.last)
	for t := range g.tiles {
		least = min(least, g.tiles[t].Load()>>gridDone)
	}
	return int(least)
}

// board draws the round of the given width, in units, that begins after done of them; if there is none, the last one.
func (g *grid) board(done, width int) *Board {
	if done == g.last {
		done = g.last - 1 - (g.last-1)%width
	}
	return gather(g.side, g.side, ceilDiv(g.side, MaxBoard), func(i, j int) Cell {
		word := g.tiles[i*g.side+j].Load()
		var c Cell
		if word&gridWorking != 0 {
			c |= cellWorking
		}
		if at := int(word >> gridDone); at > done {
			c |= Cell(word>>gridPhase)&cellPhase | fullShare<<cellShare
			if at > done+width {
				c |= cellAhead
			}
		}
		return c
	})
}
