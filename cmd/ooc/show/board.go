package show

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"ooc/cmd/ooc/terminal"
	"ooc/engine/live"
)

// paint colours text, or does not.
type paint bool

// A colour is one of the 256 that terminals have, or none.
type colour int

const none colour = -1

var colours = map[string]colour{
	"read": 75, "in": 80, "kernel": 41, "out": 178, "write": 170, "sync": 203, "idle": 238,
	"dim": 245, "warn": 203, "good": 41,
}

// text returns text in the colour of that name.
func (p paint) text(name, text string) string {
	if !p {
		return text
	}
	return painted(text, colours[name], none)
}

// painted returns text in a colour, on a ground of another one.
func painted(text string, over, ground colour) string {
	var codes []string
	if over != none {
		codes = append(codes, fmt.Sprintf("38;5;%d", over))
	}
	if ground != none {
		codes = append(codes, fmt.Sprintf("48;5;%d", ground))
	}
	if codes == nil {
		return text
	}
	return "\x1b[" + strings.Join(codes, ";") + "m" + text + "\x1b[m"
}

// cell is how a cell looks, in colour or as a character, and what that means.
type cell struct {
	colour colour
	mark   string
	means  string
}

var (
	noCell  = cell{none, " ", ""}
	waiting = cell{238, "·", "waits"}
	working = cell{231, "*", "at work"}
	pivot   = cell{203, "1", "pivot"}
	panel   = cell{214, "2", "panel"}
	next    = cell{219, "", "next round"} // which colour alone shows
	rest    = cell{41, "░▒▓█", "rest"}
	// rests are those of phase three by the share that is done: up to a third, two thirds, less than all, and all.
	rests = []cell{{22, "░", ""}, {28, "▒", ""}, {34, "▓", ""}, {40, "█", ""}}
)

func (p paint) cell(c live.Cell) cell {
	switch {
	case c == live.NoCell:
		return noCell
	case c.Working():
		return working
	case bool(p) && c.Ahead():
		return next
	case c.Phase() < 3:
		return []cell{waiting, pivot, panel}[c.Phase()]
	case c.Share() >= 1:
		return rests[3]
	}
	return rests[max(0, int(math.Ceil(3*c.Share()))-1)]
}

// legend says what the cells are.
func (p paint) legend(width int) string {
	var parts []string
	used := 0
	for _, c := range []cell{waiting, working, pivot, panel, rest, next} {
		mark := c.mark
		if p {
			mark = painted("■", c.colour, none)
		}
		if used += utf8.RuneCountInString(c.mark) + len(c.means) + 3; used > width || mark == "" {
			break
		}
		parts = append(parts, mark+" "+c.means)
	}
	return strings.Join(parts, "  ")
}

// largest is how often a cell of a small board is repeated in each direction, at most.
const largest = 4

// board draws a board in at most width columns and height rows: in colour, two cells of a column in each character;
// without, a character or two for each cell.
func (p paint) board(b *live.Board, width, height int) (rows []string) {
	if p {
		b = b.Fit(width, 2*height)
		return halfCells(b, max(1, min(width/b.Across, 2*height/b.Down, largest)))
	}
	b = b.Fit(width, height)
	scale := max(1, min(width/(2*b.Across), height/b.Down, largest))
	wide := min(2*scale, max(1, width/b.Across))
	for i := range b.Down {
		var row strings.Builder
		for _, c := range b.Cells[i*b.Across:][:b.Across] {
			row.WriteString(strings.Repeat(p.cell(c).mark, wide))
		}
		for range scale {
			rows = append(rows, row.String())
		}
	}
	return rows
}

// halfCells draws each cell as a square of scale×scale halves of a character.
func halfCells(b *live.Board, scale int) (rows []string) {
	at := func(y, x int) colour {
		if y >= b.Down*scale {
			return none
		}
		return paint(true).cell(b.Cells[y/scale*b.Across+x/scale]).colour
	}
	for y := 0; y < b.Down*scale; y += 2 {
		var row strings.Builder
		for x := 0; x < b.Across*scale; {
			top, bottom, from := at(y, x), at(y+1, x), x
			// One change of colours for all that share them.
			for x < b.Across*scale && at(y, x) == top && at(y+1, x) == bottom {
				x++
			}
			switch count := x - from; {
			case top != none:
				row.WriteString(painted(strings.Repeat("▀", count), top, bottom))
			case bottom != none:
				row.WriteString(painted(strings.Repeat("▄", count), bottom, none))
			default:
				row.WriteString(strings.Repeat(" ", count))
			}
		}
		rows = append(rows, row.String())
	}
	return rows
}

// stageNames are the stages in the order of live.WorkerLetters.
var stageNames = []string{"read", "in", "kernel", "out", "write", "sync", "idle"}

// stages says what the letters, or the colours, of lanes are.
func (p paint) stages(width int) string {
	if width < 60 {
		return ""
	}
	var parts []string
	for i, name := range stageNames {
		parts = append(parts, p.worker(live.WorkerLetters[i:i+1])+" "+name)
	}
	return strings.Join(parts, "  ")
}

// worker draws letters of live.WorkerLetters, or question marks, that are all the same.
func (p paint) worker(letters string) string {
	if i := strings.IndexByte(live.WorkerLetters, letters[0]); bool(p) && i >= 0 {
		return p.text(stageNames[i], strings.Repeat("▇", len(letters)))
	}
	return letters
}

// lane draws what a worker was at lately, the newest last: a letter each, as those of worker, or a block in colour.
func (p paint) lane(name, history string, width int) string {
	row := terminal.Clip(label(name), width)
	history = history[max(0, len(history)-max(0, width-len(label(name)))):]
	for history != "" {
		same := len(history) - len(strings.TrimLeft(history, history[:1]))
		row, history = row+p.worker(history[:same]), history[same:]
	}
	return row
}
