package rounds

import (
	"slices"

	"ooc/tiles"
)

// part says which tiles a schedule works on, where several devices or processes share the rounds of one matrix: each
// has a schedule, a part and memory of its own. The parts form a grid. Tiles are dealt to it cyclically, in blocks as
// wide as a round, so that the pivot block and every strip of a panel has one owner. Owners send them to the parts
// that need them.
type part struct {
	rows, cols int // of the grid of parts
	index      int // of this one, row-major
	width      int // tiles: of the blocks that are dealt
	first      int // the pivot tile with which blocks begin
	upper      bool
}

// whole is the part of a schedule that works on every tile.
func whole(geom tiles.Geometry, width int) part {
	return part{rows: 1, cols: 1, width: width, upper: geom.Upper}
}

// extent is what the largest part of a grid has: rows and columns of tiles in which it has some, and tiles of its own.
type extent struct{ rows, cols, own int }

// largest returns the extent of the largest part, which no part exceeds in anything.
func (p *part) largest(geom tiles.Geometry) extent {
	rows, cols, upper := make([]int, p.rows), make([]int, p.cols), make([]int, p.rows*p.cols)
	for end := geom.Side(); end > 0; { // block by block, from the last one on
		begin := max(0, p.block(end-1)*p.width+p.first)
		n, r, own := end-begin, p.row(begin), p.col(begin)
		for c, after := range cols {
			if geom.Upper {
				upper[r*p.cols+c] += n * after
			}
		}
		upper[r*p.cols+own] += n * (n + 1) / 2
		rows[r] += n
		cols[own] += n
		end = begin
	}
	e := extent{rows: slices.Max(rows), cols: slices.Max(cols), own: slices.Max(upper)}
	if !geom.Upper {
		e.own = e.rows * e.cols
	}
	return e
}

// taken is how many tiles of panels all parts together take from others in a round.
func (p *part) taken(side int) int {
	return min(p.width, side) * side * (p.rows + p.cols - 2)
}

// near is the share of what a part takes from others that comes from its own node, where nodes have so many parts
// each, which follow one another row by row.
func (p *part) near(perNode int) float64 {
	if p.alone() {
		return 0
	}
	cols := min(perNode, p.cols) // of a node
	rows := max(1, perNode/p.cols)
	return float64(rows-1+cols-1) / float64(p.rows-1+p.cols-1)
}

// alone reports whether there is no other part.
func (p *part) alone() bool { return p.rows*p.cols == 1 }

// block is the number of the block that a row or column of tiles is in. Those before the first pivot tile count, too.
func (p *part) block(x int) int {
	d := x - p.first
	if d < 0 {
		d -= p.width - 1
	}
	return d / p.width
}

// row is the row of the grid that has a row of tiles.
func (p *part) row(i int) int { return mod(p.block(i), p.rows) }

// col is the column of the grid that has a column of tiles.
func (p *part) col(j int) int { return mod(p.block(j), p.cols) }

func mod(a, b int) int { return (a%b + b) % b }

// owner is the part that works on tile (i, j).
func (p *part) owner(i, j int) int { return p.row(i)*p.cols + p.col(j) }

func (p *part) owns(i, j int) bool { return p.owner(i, j) == p.index }

// pivotUsers are the parts that need the closed pivot block of the round that begins with pivot tile k: those that
// make strips of its panels.
func (p *part) pivotUsers(k int) []int { return p.others(p.owner(k, k), p.row(k), p.col(k)) }

// stripUsers are the parts that need the finished strip of a panel that begins with tile (i, j), of the row panel or
// of the column panel. Of a symmetric matrix one is made from the other, so both are needed where one is.
func (p *part) stripUsers(i, j int, isRow bool) []int {
	x := i
	if isRow {
		x = j
	}
	row, col := p.row(x), p.col(x)
	switch {
	case p.upper:
	case isRow:
		row = -1
	default:
		col = -1
	}
	return p.others(p.owner(i, j), row, col)
}

// others are all parts but one in a row or a column of the grid; -1: in none.
func (p *part) others(but, row, col int) (list []int) {
	for q := range p.rows * p.cols {
		if q != but && (q/p.cols == row || q%p.cols == col) {
			list = append(list, q)
		}
	}
	return list
}

// uses reports whether this part is one of a list.
func (p *part) uses(list []int) bool { return slices.Contains(list, p.index) }

// usesRow reports whether phase three of this part reads row strip x; usesCol, column strip x.
func (p *part) usesRow(x int) bool { return p.col(x) == p.index%p.cols }
func (p *part) usesCol(x int) bool { return p.row(x) == p.index/p.cols }
