package tiles

import "fmt"

// Dealt is one part of a grid of parts, to which the tiles of a matrix are dealt cyclically, in square blocks.
type Dealt struct {
	Rows  int `json:"rows"` // of the grid
	Cols  int `json:"cols"`
	Index int `json:"index"` // of this part, row by row, from 0 on
	Block int `json:"block"` // edge of a block, in tiles
}

// Owner is the part that has tile (i,j).
func (p *Dealt) Owner(i, j int) int { return i/p.Block%p.Rows*p.Cols + j/p.Block%p.Cols }

// Of is how many parts there are.
func (p *Dealt) Of() int { return p.Rows * p.Cols }

// Grid is the grid as users write it: 2x4.
func (p *Dealt) Grid() string { return fmt.Sprintf("%dx%d", p.Rows, p.Cols) }

// String names the part.
func (p *Dealt) String() string { return fmt.Sprintf("part %d of grid %s", p.Index, p.Grid()) }

// Name is what the folder of the part's store is called.
func (p *Dealt) Name() string { return fmt.Sprintf("%s-%d.ooc", p.Grid(), p.Index) }

// SetName takes grid and index from what the folder of a part's store is called. It reports whether that is such a
// name.
func (p *Dealt) SetName(name string) bool {
	_, err := fmt.Sscanf(name, "%dx%d-%d.ooc", &p.Rows, &p.Cols, &p.Index)
	return err == nil && p.Name() == name
}
