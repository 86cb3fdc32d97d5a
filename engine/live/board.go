package live

import (
	"ooc/kernels/entry"
)

// maxBoard is the most cells of a board in each direction.
const maxBoard = 64

// Board shows the progress of the tiles in the current round, or in an expansion. A cell stands for one tile, or for a
// square of tiles if the grid is larger than maxBoard.
type Board struct {
	Across int    `json:"across"` // cells
	Down   int    `json:"down"`   // cells
	Cells  []Cell `json:"cells"`  // row by row
}

// Cell packs the state of a cell into a byte: the least phase that its tiles have finished in this round, flags, and
// the share of its tiles that have finished the round.
type Cell uint8

const (
	cellPhase   = 3 // 0: none yet
	cellWorking = 1 << 2
	cellAhead   = 1 << 3
	cellShare   = 4 // from this bit on: in fifteenths
	fullShare   = 15
)

// NoCell stands for tiles that a store does not have: where it keeps one half of a symmetric matrix, those of the
// other. No tile gives this cell: what has finished the round has finished a phase.
const NoCell Cell = fullShare << cellShare

// Phase is 1 for the pivot block, 2 for the panels, 3 for the rest, 0 where nothing has finished this round yet.
func (c Cell) Phase() int { return int(c & cellPhase) }

// Working reports whether an operation on one of its tiles is in flight.
func (c Cell) Working() bool { return c&cellWorking != 0 }

// Ahead reports whether one of its tiles has finished a phase of the next round.
func (c Cell) Ahead() bool { return c&cellAhead != 0 }

// Share is the share of its tiles that have finished this round, in 0…1.
func (c Cell) Share() float64 { return float64(c>>cellShare) / fullShare }

// valid reports whether a board that another process wrote can be drawn.
func (b *Board) valid() bool {
	return b.Across > 0 && b.Across <= maxBoard && b.Down > 0 && b.Down <= maxBoard && len(b.Cells) == b.Across*b.Down
}

// Fit returns the board if it has at most the given numbers of cells, or else a coarser one.
func (b *Board) Fit(across, down int) *Board {
	across, down = max(1, across), max(1, down)
	f := max(entry.CeilDiv(b.Across, across), entry.CeilDiv(b.Down, down))
	if f <= 1 {
		return b
	}
	return gather(b.Across, b.Down, f, func(i, j int) Cell { return b.Cells[i*b.Across+j] })
}

// NewCell returns the cell of one tile: the phase that it has finished in this round, 0 for none; whether an
// operation on it is in flight; and whether it has finished part of the next round.
func NewCell(phase int, working, ahead bool) Cell {
	c := Cell(phase)
	if phase > 0 {
		c |= fullShare << cellShare
	}
	if working {
		c |= cellWorking
	}
	if ahead {
		c |= cellAhead
	}
	return c
}

// Draw makes a board of a grid of tiles from the cell of each.
func Draw(across, down int, at func(i, j int) Cell) *Board {
	return gather(across, down, entry.CeilDiv(max(across, down), maxBoard), at)
}

// gather makes a board in which each cell sums up a square of f×f cells.
func gather(across, down, f int, at func(i, j int) Cell) *Board {
	b := &Board{Across: entry.CeilDiv(across, f), Down: entry.CeilDiv(down, f)}
	sums := make([]struct {
		phase        int
		flags        Cell
		share, cells int
	}, b.Across)
	for i := range down {
		for j := range across {
			c, s := at(i, j), &sums[j/f]
			if c == NoCell {
				continue
			}
			if p := c.Phase(); p > 0 && (s.phase == 0 || p < s.phase) {
				s.phase = p
			}
			s.flags |= c & (cellWorking | cellAhead)
			s.share += int(c >> cellShare)
			s.cells++
		}
		if (i+1)%f == 0 || i+1 == down {
			for _, s := range sums {
				if s.cells == 0 {
					b.Cells = append(b.Cells, NoCell)
					continue
				}
				share := s.share / s.cells
				if share == 0 && s.share > 0 {
					share = 1 // a share that is not 0 must not look like 0
				}
				b.Cells = append(b.Cells, Cell(s.phase)|s.flags|Cell(share)<<cellShare)
			}
			clear(sums)
		}
	}
	return b
}
