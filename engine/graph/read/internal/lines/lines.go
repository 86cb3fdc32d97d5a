// Package lines reads an input by its lines, in order and with their numbers. They end with "\n" or "\r\n", or where a
// text has neither, with "\r".
package lines

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// ChunkSize is how much is read at once, and how much of the lines can be looked at before they are read. It is a
// variable only for tests.
var ChunkSize = 1 << 19

const (
	// mostAhead is how many chunks wait for whoever takes their lines: as many are cut at a time, and eight goroutines
	// cut lines as fast as one takes them.
	mostAhead = 8
	// mostIdle is how often a Read may give nothing in a row.
	mostIdle = 100
	// maxLine is the most bytes of a line, its end not counted. It keeps a file without line ends from being read into
	// memory as one line, and is far more than the longest line that makes sense, in METIS the list of a vertex with
	// millions of neighbours. docs/graph-formats.md names it too.
	maxLine = 64 << 20
)

var errLongLine = fmt.Errorf("the line is longer than %d MiB", maxLine>>20)

// Reader hands out an input's lines in order. A goroutine of its own reads, and so decompresses, ahead, and others cut
// what it has read into lines.
type Reader struct {
	Line int64 // the number of the line that Next returned last, or Plain

	text   []byte // what is left of the chunk in hand
	lines  ahead  // its lines, if they are cut
	chunk  *chunk
	plain  atomic.Pointer[plain]
	chunks chan *chunk
	spare  chan *chunk // that have served
	closed atomic.Bool
}

// chunk is some whole lines.
type chunk struct {
	text    []byte
	lines   ahead // none if they are not cut
	cutting sync.WaitGroup
	err     error // why no chunk follows
}

// New starts reading r. Whoever calls it calls Close.
func New(r io.Reader) *Reader {
	ahead := min(mostAhead, runtime.GOMAXPROCS(0))
	// Beside those that wait, one is in hand and two are being filled.
	l := &Reader{chunk: &chunk{}, chunks: make(chan *chunk, ahead), spare: make(chan *chunk, ahead+3)}
	go l.read(r)
	return l
}

// Close stops the reading, and lets go of the chunks. It returns once r is not used any more.
func (l *Reader) Close() {
	l.closed.Store(true)
	for c := range l.chunks {
		c.cutting.Wait()
	}
	l.text, l.lines, l.chunk, l.spare = nil, ahead{}, nil, nil // the line's number stays
}

// lineFeeds returns r with every "\r" a "\n" if no other end of a line comes before the first.
func lineFeeds(r io.Reader) io.Reader {
	in := bufio.NewReader(r)
	head, _ := in.Peek(in.Size())
	at := bytes.IndexByte(head, '\r')
	if at < 0 || at == len(head)-1 || bytes.IndexByte(head, '\n') >= 0 {
		return in
	}
	return returns{in}
}

// returns is a text with a "\r" behind each line.
type returns struct{ io.Reader }

func (r returns) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	copy(p, bytes.ReplaceAll(p[:n], []byte("\r"), []byte("\n")))
	return n, err
}

// read hands on chunk after chunk.
func (l *Reader) read(r io.Reader) {
	defer close(l.chunks)
	r = lineFeeds(r)
	for c, next, last := l.empty(), l.empty(), false; !last; c, next = next, l.empty() {
		end := c.fill(r, &l.closed)
		next.text = append(next.text, c.text[end:]...)
		c.text, last = c.text[:end], c.err != nil
		if p := l.plain.Load(); p != nil {
			c.cutting.Go(func() { c.lines = p.cut(c.text, c.lines) })
		}
		l.chunks <- c
	}
}

// empty returns an empty chunk.
func (l *Reader) empty() *chunk {
	select {
	case c := <-l.spare:
		c.text, c.lines = c.text[:0], c.lines.served()
		return c
	default:
		return &chunk{}
	}
}

// fill reads until the chunk is full, or is longer and has the end of a line. It returns where its last line ends.
func (c *chunk) fill(r io.Reader, closed *atomic.Bool) (end int) {
	from := 0 // where the end of a line is looked for
	for size := max(ChunkSize, len(c.text)); ; size = min(size+ChunkSize, maxLine+2) {
		c.text = slices.Grow(c.text, size-len(c.text))
		for idle := 0; len(c.text) < size && c.err == nil; {
			var n int
			n, c.err = r.Read(c.text[len(c.text):size])
			c.text = c.text[:len(c.text)+n]
			if idle++; n > 0 {
				idle = 0
			}
			switch {
			case closed.Load():
				c.err = io.ErrClosedPipe
			case idle > mostIdle && c.err == nil:
				c.err = io.ErrNoProgress
			}
		}
		if end = bytes.LastIndexByte(c.text[from:], '\n') + 1; end > 0 {
			end += from
		}
		from = len(c.text)
		switch {
		case c.err == io.EOF:
			return len(c.text)
		case end > 0 || c.err != nil:
			return end
		case size == maxLine+2:
			c.err = errLongLine
			return end
		}
	}
}

// advance makes the next chunk the one in hand when nothing is left of that.
func (l *Reader) advance() {
	for len(l.text) == 0 && l.chunk.err == nil {
		if cap(l.chunk.text) > 2*ChunkSize { // of a long line
			l.chunk.text, l.chunk.lines = nil, ahead{}
		}
		l.spare <- l.chunk
		l.chunk = <-l.chunks
		l.chunk.cutting.Wait()
		if p := l.plain.Load(); p != nil && len(l.chunk.lines.sizes) == 0 {
			l.chunk.lines = p.cut(l.chunk.text, l.chunk.lines)
		}
		l.text, l.lines = l.chunk.text, l.chunk.lines
	}
}

// Peek returns the lines that follow, up to half a mebibyte of them, valid until the next call, and whether these are
// all. It returns none at the end of the input, and if reading fails.
func (l *Reader) Peek() (text []byte, all bool) {
	l.advance()
	text = l.text[:min(len(l.text), ChunkSize)]
	if l.chunk.err == io.EOF && len(text) == len(l.text) {
		return text, true
	}
	return text[:bytes.LastIndexByte(text, '\n')+1], false
}

// Next returns the next line without its end, valid until the next call, and at the end of the input io.EOF.
func (l *Reader) Next() ([]byte, error) {
	if len(l.text) == 0 {
		if l.advance(); len(l.text) == 0 {
			if l.chunk.err != io.EOF {
				l.Line++
			}
			return nil, l.chunk.err
		}
	}
	l.Line++
	var size int
	if len(l.lines.sizes) > 0 {
		size, l.lines = int(l.lines.sizes[0]), l.lines.after(1)
	} else {
		size = lineSize(l.text)
	}
	line := l.text[:size]
	l.text = l.text[size:]
	for _, end := range [...]byte{'\n', '\r'} {
		if last := len(line) - 1; last >= 0 && line[last] == end {
			line = line[:last]
		}
	}
	if len(line) > maxLine {
		return nil, errLongLine
	}
	return line, nil
}

// Plain calls take with the numbers of each line that follows, until one is not as Expect says, or take returns false:
// Next returns that line. A third number that is not expected is 1. Where many lines that follow are as Expect says,
// and have two first numbers that differ, all may take their numbers, of which the least and the most are given; where
// it returns false, or is nil, take gets them.
func (l *Reader) Plain(take func(x *[3]uint32) bool, all func(numbers [][3]uint32, least, most [3]uint32) bool) {
	for {
		l.advance()
		if a := l.lines; a.alike && len(a.sizes) > 0 && all != nil && all(a.numbers, a.least, a.most) {
			l.Line += int64(len(a.sizes))
			l.text, l.lines = nil, a.after(len(a.sizes))
			continue
		}
		taken, size := 0, 0
		for taken < len(l.lines.sizes) && l.lines.numbers[taken][0] != odd && take(&l.lines.numbers[taken]) {
			size += int(l.lines.sizes[taken])
			taken++
		}
		l.Line += int64(taken)
		if l.text, l.lines = l.text[size:], l.lines.after(taken); taken == 0 || len(l.text) > 0 {
			return
		}
	}
}

// Each passes each line that is left to line, as Next returns them.
func (l *Reader) Each(line func(text []byte) error) error {
	for {
		text, err := l.Next()
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = line(text)
		}
		if err != nil {
			return err
		}
	}
}
