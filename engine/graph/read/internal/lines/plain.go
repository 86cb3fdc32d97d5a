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

// ahead is what is known of lines ahead of their turns.
type ahead struct {
	numbers [][3]uint32 // of each
	sizes   []uint32    // in bytes, with their ends
	alike   bool        // all are plain, and no first number is the second
	least   [3]uint32   // numbers of any line, if so
	most    [3]uint32
}

// after returns what is known without the first lines.
func (a ahead) after(lines int) ahead {
	return ahead{numbers: a.numbers[lines:], sizes: a.sizes[lines:]}
}

// odd stands for the first number of a line that is not plain.
const odd = math.MaxUint32

// served returns memory for other lines.
func (a ahead) served() ahead { return ahead{numbers: a.numbers[:0], sizes: a.sizes[:0]} }

// Expect makes Plain take lines of kind and two or three numbers with sep between them.
func (l *Reader) Expect(kind string, sep byte, n int) {
	p := &plain{kind, sep, n}
	l.plain.Store(p)
	l.lines = p.cut(l.text, ahead{})
}

// cut returns the lines of a text, in memory of lines that have served.
func (p *plain) cut(text []byte, served ahead) ahead {
	a := ahead{numbers: slices.Grow(served.numbers, len(text)/16), sizes: slices.Grow(served.sizes, len(text)/16),
		alike: true, least: [3]uint32{odd, odd, odd}}
	for len(text) > 0 {
		x := [3]uint32{2: 1}
		size := p.numbers(text, &x)
		if size == 0 {
			x[0], size = odd, lineSize(text)
		}
		a.alike = a.alike && x[0] != odd && x[0] != x[1]
		for i := range x {
			a.least[i], a.most[i] = min(a.least[i], x[i]), max(a.most[i], x[i])
		}
		a.numbers, a.sizes = append(a.numbers, x), append(a.sizes, uint32(size))
		text = text[size:]
	}
	return a
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
