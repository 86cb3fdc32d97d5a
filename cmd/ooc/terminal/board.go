package terminal

import (
	"fmt"
	"strings"

	"ooc/engine/live"
)

// Paint colours text, or does not.
type Paint bool

// A colour is one of the 256 that terminals have, or none.
type colour int

const none colour = -1

var colours = map[string]colour{
	"waiting": 238, "working": 231, "pivot": 203, "panel": 214, "next": 219, "read": 75, "in": 80, "kernel": 41, "out": 178,
	"write": 170, "sync": 203, "idle": 238, "dim": 245, "warn": 203, "good": 41,
}

// rest are the colours of phase three by the share that is done.
var rest = []colour{22, 28, 34, 40}

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

// Text returns text in the colour of that name.
func (p Paint) Text(name, text string) string {
	if !p {
		return text
	}
	return painted(text, colours[name], none)
}

// shade is 0…3 for shares of more than none up to all.
func shade(share float64) int {
	switch {
	case share >= 1:
		return 3
	case share > 2.0/3:
		return 2
	case share > 1.0/3:
		return 1
	}
	return 0
}

func cellColour(c live.Cell) colour {
	switch {
	case c == live.NoCell:
		return none
	case c.Working():
		return colours["working"]
	case c.Ahead():
		return colours["next"]
	case c.Phase() == 0:
		return colours["waiting"]
	case c.Phase() == 1:
		return colours["pivot"]
	case c.Phase() == 2:
		return colours["panel"]
	}
	return rest[shade(c.Share())]
}

// cellRune is a cell without colour.
func cellRune(c live.Cell) string {
	switch {
	case c == live.NoCell:
		return " "
	case c.Working():
		return "*"
	case c.Phase() == 0:
		return "·"
	case c.Phase() == 1:
		return "1"
	case c.Phase() == 2:
		return "2"
	}
	return []string{"░", "▒", "▓", "█"}[shade(c.Share())]
}

// Legend says what the cells are.
func (p Paint) Legend(width int) string {
	if !p {
		return Clip("· waits  * at work  1 pivot  2 panel  ░▒▓█ rest", width)
	}
	var b strings.Builder
	used := 0
	for _, e := range [][2]string{{"waiting", "waits"}, {"working", "at work"}, {"pivot", "pivot"}, {"panel", "panel"}, {"kernel", "rest"}, {"next", "next round"}} {
		if used += len(e[1]) + 4; used > width {
			break
		}
		b.WriteString(p.Text(e[0], "■") + " " + e[1] + "  ")
	}
	return b.String()
}

// largest is how often a cell of a small board is repeated in each direction, at most.
const largest = 4

// Board draws a board in at most width columns and height rows: in colour, two cells of a column in each character;
// without, a character or two for each cell.
func (p Paint) Board(b *live.Board, width, height int) []string {
	if p {
		b = b.Fit(width, 2*height)
		scale := max(1, min(width/b.Across, 2*height/b.Down, largest))
		return halves(b, scale)
	}
	b = b.Fit(width, height)
	scale := max(1, min(width/(2*b.Across), height/b.Down, largest))
	wide := min(2*scale, max(1, width/b.Across))
	var rows []string
	for i := range b.Down {
		var row strings.Builder
		for _, c := range b.Cells[i*b.Across:][:b.Across] {
			row.WriteString(strings.Repeat(cellRune(c), wide))
		}
		for range scale {
			rows = append(rows, row.String())
		}
	}
	return rows
}

// halves draws each cell as a square of scale×scale halves of a character.
func halves(b *live.Board, scale int) (rows []string) {
	at := func(y, x int) colour {
		if y >= b.Down*scale {
			return none
		}
		return cellColour(b.Cells[y/scale*b.Across+x/scale])
	}
	for y := 0; y < b.Down*scale; y += 2 {
		var row strings.Builder
		for x := 0; x < b.Across*scale; {
			top, bottom, from := at(y, x), at(y+1, x), x
			for x < b.Across*scale && at(y, x) == top && at(y+1, x) == bottom { // one change of colours for all that share them
				x++
			}
			row.WriteString(cells(top, bottom, x-from))
		}
		rows = append(rows, row.String())
	}
	return rows
}

// cells draws so many characters whose upper and lower halves have these colours.
func cells(top, bottom colour, count int) string {
	switch {
	case top == none && bottom == none:
		return strings.Repeat(" ", count)
	case top == none:
		return painted(strings.Repeat("▄", count), bottom, none)
	}
	return painted(strings.Repeat("▀", count), top, bottom)
}

// stageNames are the stages in the order of engine.LaneLetters.
var stageNames = []string{"read", "in", "kernel", "out", "write", "sync", "idle"}

// Stages says what the letters, or the colours, of lanes are.
func (p Paint) Stages(width int) string {
	var parts []string
	for i, name := range stageNames {
		mark := live.LaneLetters[i : i+1]
		if p {
			mark = p.Text(name, "▇")
		}
		parts = append(parts, mark+" "+name)
	}
	if width < 60 {
		return ""
	}
	return strings.Join(parts, "  ")
}

// Lane draws what a worker was at lately, the newest last: a letter each, or a block in colour.
func (p Paint) Lane(name, history string, width int) string {
	room := max(0, width-len(Label(name)))
	if len(history) > room {
		history = history[len(history)-room:]
	}
	var b strings.Builder
	for _, letter := range history {
		i := strings.IndexRune(live.LaneLetters, letter)
		switch {
		case i < 0:
			b.WriteByte('?')
		case !bool(p):
			b.WriteRune(letter)
		default:
			b.WriteString(p.Text(stageNames[i], "▇"))
		}
	}
	return Clip(Label(name), width) + b.String()
}
