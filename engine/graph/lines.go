package graph

import (
	"bytes"
	"errors"
	"io"
)

const (
	blockSize = 1 << 20
	// maxLine keeps a file without line ends from being read into memory as one line.
	maxLine = 1 << 28
)

// lineReader cuts a stream into lines without copying them, a block at a time.
type lineReader struct {
	r          io.Reader
	buf        []byte
	start, end int // of what was read and not yet returned
	line       int64
	err        error
}

var errLongLine = errors.New("the line is longer than 256 MiB")

func newLineReader(r io.Reader) *lineReader {
	return &lineReader{r: r, buf: make([]byte, blockSize)}
}

// next returns the next line without its end ("\n" or "\r\n"), valid until the next call, and at the end
// of the input io.EOF. A byte order mark before the first line is skipped.
func (l *lineReader) next() ([]byte, error) {
	l.line++
	scanned := l.start
	for {
		if n := bytes.IndexByte(l.buf[scanned:l.end], '\n'); n >= 0 {
			line := l.buf[l.start : scanned+n]
			l.start = scanned + n + 1
			return l.trim(line), nil
		}
		if l.err != nil {
			return l.last()
		}
		if l.end-l.start > maxLine {
			return nil, errLongLine
		}
		scanned = l.end - l.start // from here on, once fill has moved the rest to the front
		l.fill()
	}
}

// last returns what stands after the last line end, once.
func (l *lineReader) last() ([]byte, error) {
	if l.err != io.EOF {
		return nil, l.err
	}
	if l.start == l.end {
		l.line--
		return nil, io.EOF
	}
	line := l.buf[l.start:l.end]
	l.start = l.end
	return l.trim(line), nil
}

// fill moves the unfinished line to the front, doubles the buffer where that line takes up half of it,
// and reads more.
func (l *lineReader) fill() {
	rest := l.buf[l.start:l.end]
	if len(rest) > len(l.buf)/2 {
		bigger := make([]byte, 2*len(l.buf))
		copy(bigger, rest)
		l.buf = bigger
	} else {
		copy(l.buf, rest)
	}
	l.start, l.end = 0, len(rest)
	for tries := 0; tries < 100; tries++ {
		n, err := l.r.Read(l.buf[l.end:])
		l.end += n
		l.err = err
		if n > 0 || err != nil {
			return
		}
	}
	l.err = io.ErrNoProgress
}

func (l *lineReader) trim(line []byte) []byte {
	if l.line == 1 {
		line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
	}
	if n := len(line); n > 0 && line[n-1] == '\r' {
		line = line[:n-1]
	}
	return line
}

// skipBlank returns the index of the first byte of line, from i on, that is neither space nor tab.
func skipBlank(line []byte, i int) int {
	for i < len(line) && (line[i] == ' ' || line[i] == '\t') {
		i++
	}
	return i
}

// digits reads a number of 1 to 18 digits at i and returns it with the index behind it; where there is
// none, or a longer one, it returns i itself.
func digits(line []byte, i int) (x int64, next int) {
	next = i
	for next < len(line) {
		c := line[next] - '0'
		if c > 9 {
			break
		}
		x = x*10 + int64(c)
		next++
	}
	if next-i > 18 {
		return 0, i
	}
	return x, next
}
