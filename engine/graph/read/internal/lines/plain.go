package lines

import (
	"bytes"
	"math"
	"slices"
)

// plain says which lines are nothing but, behind the kind that they begin with, n numbers below 10⁹ without signs or
// zeros before them. They stand between single separators, or if sep is a blank, between blanks. Most lines of most
// files are like that, and their numbers depend on nothing else: they can be read ahead of the line's turn.
type plain struct {
	kind string
	sep  byte
	n    int
}

// line is what is known of a line ahead of its turn.
type line struct {
	x    [3]uint32 // its numbers
	size uint32    // its bytes, with its end
}

// odd stands for the first number of a line that is not plain.
const odd = math.MaxUint32

// Expect makes Plain take lines of kind and two or three numbers with sep between them.
func (l *Reader) Expect(kind string, sep byte, n int) {
	p := &plain{kind, sep, n}
	l.plain.Store(p)
	l.lines = p.cut(l.text, nil)
}

// cut appends the lines of a text to lines.
func (p *plain) cut(text []byte, lines []line) []line {
	lines = slices.Grow(lines, len(text)/16)
	for len(text) > 0 {
		lines = append(lines, line{x: [3]uint32{2: 1}})
		l := &lines[len(lines)-1]
		size := p.numbers(text, &l.x)
		if size == 0 {
			l.x[0], size = odd, lineSize(text)
		}
		l.size = uint32(size)
		text = text[size:]
	}
	return lines
}

// lineSize returns how long the first line of a text is, with its end.
func lineSize(text []byte) int {
	if end := bytes.IndexByte(text, '\n'); end >= 0 {
		return end + 1
	}
	return len(text)
}

// numbers reads the first line of a text, and returns its size. If it is not plain, that is 0.
func (p *plain) numbers(text []byte, x *[3]uint32) int {
	i := len(p.kind)
	if len(text) < i || string(text[:i]) != p.kind {
		return 0
	}
	for n := range p.n {
		if n > 0 {
			if i == len(text) || text[i] != p.sep && (p.sep != ' ' || text[i] != '\t') {
				return 0
			}
			for i++; i < len(text) && (text[i] == ' ' || text[i] == '\t' && p.sep != '\t'); i++ {
			}
		}
		start, v := i, uint32(0)
		for i < len(text) && text[i]-'0' <= 9 {
			v = v*10 + uint32(text[i]-'0')
			i++
		}
		if uint(i-start-1) >= 9 || text[start] == '0' && i > start+1 {
			return 0
		}
		x[n] = v
	}
	if i < len(text) && text[i] == '\r' {
		i++
	}
	if i < len(text) && text[i] != '\n' {
		return 0
	}
	return min(i+1, len(text))
}
