package read

import (
	"encoding/binary"
	"math/bits"

	"ooc/engine/graph/internal/arcs"
	"ooc/engine/graph/internal/number"
)

// plainArcs reads lines of a tail, a head and maybe a weight between blanks, of vertices that a header
// has declared.
type plainArcs struct {
	prefix   byte // stands first on a line, before a blank; 0 for none
	base, n  uint64
	weighted bool
	unit     uint32 // the word of every arc, if not weighted
}

// read appends the arcs of lines from the start of text to recs, as far as they are plain. It returns
// where it stopped.
func (p *plainArcs) read(text []byte, w *number.Plain, recs []arcs.Arc) ([]arcs.Arc, int) {
	short := !p.weighted || w.Scale == 1 && !w.Float && !w.Never
	for i := 0; ; {
		if short {
			recs, i = p.readShort(text, i, recs)
		}
		if i == len(text) {
			return recs, i
		}
		r, next := p.readLine(text, i, w)
		if next == i {
			return recs, i
		}
		recs = append(recs, r)
		i = next
	}
}

// readLine reads the line at text[i:]. It returns i if it is not plain.
func (p *plainArcs) readLine(text []byte, i int, w *number.Plain) (r arcs.Arc, next int) {
	line := i
	if p.prefix != 0 {
		if text[i] != p.prefix || !isBlank(text[i+1]) {
			return r, line
		}
		i++
	}
	i = skipBlank(text, i)
	from, next := number.Natural(text, i)
	if uint(next-i-1) >= number.MaxDigits || from-p.base >= p.n {
		return r, line
	}
	i = skipBlank(text, next)
	to, next := number.Natural(text, i)
	if uint(next-i-1) >= number.MaxDigits || to-p.base >= p.n {
		return r, line
	}
	r = arcs.Arc{From: int32(from - p.base), To: int32(to - p.base), Word: p.unit}
	if p.weighted {
		if i = skipBlank(text, next); i == next {
			return r, line
		}
		if r.Word, next = w.Read(text, i); next == i {
			return r, line
		}
	}
	if next = plainEnd(text, next); next < 0 {
		return r, line
	}
	return r, next
}

// A short line is two or three numbers of at most eight digits, one blank between them, in 24 bytes. The three
// words that it fits are looked at as wholes (as in G. Langdale, D. Lemire, Parsing gigabytes of JSON per
// second, 2019): a digit, and no blank or line end, has bit 4 set.
const (
	shortWindow = 24 + 8 // bytes that may be looked at
	bit4        = 0x1010101010101010
	eightZeros  = 0x3030303030303030
	// gather, by multiplication, moves the lowest bit of each byte to the highest byte.
	gather = 0x0102040810204080
)

// readShort is read for short lines, of integers, from text[i:] on, at most as far as it finds them.
func (p *plainArcs) readShort(text []byte, i int, recs []arcs.Arc) ([]arcs.Arc, int) {
	skip := 0
	if p.prefix != 0 {
		skip = 2
	}
	for i+skip+shortWindow <= len(text) {
		if skip > 0 && (text[i] != p.prefix || text[i+1] != ' ') {
			break
		}
		r, end := p.shortLine((*[shortWindow]byte)(text[i+skip:]))
		if end == 0 {
			break
		}
		recs = append(recs, r)
		i += skip + int(end)
	}
	return recs, i
}

// shortLine reads the line that begins with line, and returns where the next begins, or 0 if it is not short. It is
// of its own so that what it works on stays in registers.
//
//go:noinline
func (p *plainArcs) shortLine(line *[shortWindow]byte) (r arcs.Arc, next uint) {
	x := binary.LittleEndian.Uint64(line[:])
	ends := (^x&bit4)>>4*gather>>56 |
		(^binary.LittleEndian.Uint64(line[8:])&bit4)>>4*gather>>56<<8 |
		(^binary.LittleEndian.Uint64(line[16:])&bit4)>>4*gather>>56<<16 |
		7<<24 // so that there are three
	first := uint(bits.TrailingZeros64(ends))
	ends &= ends - 1
	second := uint(bits.TrailingZeros64(ends))
	if second >= 24 || (first-1)|(second-first-2) >= 8 || line[first] != ' ' {
		return r, 0
	}
	from, odd := eightDigits(x, first)
	to, odd2 := eightDigits(binary.LittleEndian.Uint64(line[first+1:]), second-first-1)
	odd |= odd2
	end, word := second, p.unit
	if p.weighted {
		end = uint(bits.TrailingZeros64(ends & (ends - 1)))
		if end >= 24 || end-second-2 >= 8 || line[second] != ' ' {
			return r, 0
		}
		weight, odd3 := eightDigits(binary.LittleEndian.Uint64(line[second+1:]), end-second-1)
		word, odd = uint32(weight), odd|odd3
	}
	from, to = from-p.base, to-p.base
	if line[end] != '\n' || odd&oddBits != 0 || max(from, to) >= p.n {
		return r, 0
	}
	return arcs.Arc{From: int32(from), To: int32(to), Word: word}, end + 1
}

// oddBits of what eightDigits returns are 0 where all are digits.
const oddBits = 0xf0f0f0f0f0f0f0f0

// eightDigits returns the number that the first n of eight characters are, 0 < n, if they are digits.
func eightDigits(text uint64, n uint) (x, odd uint64) {
	x = (text ^ eightZeros) << ((64 - 8*n) & 63) // the digits' values, after zeros
	odd = x | (x + 0x0606060606060606)
	x = x*10 + x>>8 // tens and ones in every second byte
	const low = 0x000000ff000000ff
	return (x&low*(1000000<<32+100) + x>>16&low*(10000<<32+1)) >> 32, odd
}
