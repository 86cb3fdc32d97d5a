// Package lines reads an input by its lines, in order and with their numbers. They end with "\n" or "\r\n", or where a text
// has neither, with "\r".
package lines

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"slices"
)

const (
	// chunkSize is how much is read at once, and peekSize how much of the lines can be looked at before they are read.
	chunkSize = 1 << 18
	peekSize  = 1 << 19
	// maxLine is the most bytes of a line, its end not counted. It keeps a file without line ends from being read into
	// memory as one line, and is far more than the longest line that makes sense, in METIS the list of a vertex with
	// millions of neighbours. docs/graph-formats.md names it too.
	maxLine = 64 << 20
)

var errLongLine = fmt.Errorf("the line is longer than %d MiB", maxLine>>20)

// Reader hands out an input's lines in order. A goroutine of its own reads, and so decompresses, ahead.
type Reader struct {
	Line int64 // the number of the line that Next returned last

	text    []byte // what is left to hand out; its start in buf
	buf     []byte
	scanned int   // no line ends in the first so many bytes of text
	ends    byte  // what ends lines; 0 while no line has ended
	err     error // why nothing follows text

	data  *io.PipeReader
	ended <-chan struct{}
}

// New starts reading r. Whoever calls it calls Close.
func New(r io.Reader) *Reader {
	data, w := io.Pipe()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		ahead := bufio.NewWriterSize(w, chunkSize)
		_, err := ahead.ReadFrom(r)
		ahead.Flush() // fails only after Close
		w.CloseWithError(err)
	}()
	return &Reader{data: data, ended: ended}
}

// Close stops the reading. It returns once r is not used any more.
func (l *Reader) Close() {
	l.data.Close()
	<-l.ended
	l.text, l.buf, l.err = nil, nil, io.EOF // the line's number stays
}

// more appends what was read to text. A last line without an end gets one.
func (l *Reader) more() error {
	if l.err != nil {
		return l.err
	}
	if cap(l.buf) != cap(l.text) { // something was handed out: what is left moves to the start
		l.text = append(l.buf[:0], l.text...)
	}
	start := len(l.text)
	l.buf = slices.Grow(l.text, chunkSize)
	for n := 0; len(l.buf) < start+chunkSize/2 && l.err == nil; l.buf = l.buf[:len(l.buf)+n] {
		n, l.err = l.data.Read(l.buf[len(l.buf):cap(l.buf)])
	}
	l.text = l.buf
	l.endLines(start)
	if n := len(l.text); l.err == io.EOF && n > 0 && l.text[n-1] != '\n' {
		l.text = append(l.text, '\n')
	}
	return nil
}

// endLines makes every "\r" in the new part of text a "\n" if no other end of a line came before the first.
func (l *Reader) endLines(start int) {
	text := l.text
	if l.ends == 0 {
		start = 0
		if at := bytes.IndexByte(text, '\r'); bytes.IndexByte(text, '\n') >= 0 {
			l.ends = '\n'
		} else if at >= 0 && at < len(text)-1 {
			l.ends = '\r'
		}
	}
	for i := max(start, 0); l.ends == '\r' && i < len(text); i++ {
		if text[i] == '\r' {
			text[i] = '\n'
		}
	}
}

// Peek returns the lines that follow, some half a mebibyte of them if there are as many, and whether these are all. It
// returns none at the end of the input, and if reading fails.
func (l *Reader) Peek() (text []byte, all bool) {
	for len(l.text) < peekSize && l.more() == nil {
	}
	return l.text[:bytes.LastIndexByte(l.text, '\n')+1], l.err == io.EOF
}

// Next returns the next line without its end, valid until the next call, and at the end of the input io.EOF.
func (l *Reader) Next() ([]byte, error) {
	end := bytes.IndexByte(l.text[l.scanned:], '\n')
	for ; end < 0; end = bytes.IndexByte(l.text[l.scanned:], '\n') {
		l.scanned = len(l.text)
		err := errLongLine
		if l.scanned <= maxLine+1 {
			err = l.more()
		}
		if err != nil {
			if err != io.EOF {
				l.Line++
			}
			return nil, err
		}
	}
	end += l.scanned
	if end > maxLine+1 || end > maxLine && l.text[end-1] != '\r' {
		l.Line++
		return nil, errLongLine
	}
	line := l.text[:end]
	l.text, l.scanned = l.text[end+1:], 0
	l.Line++
	if end > 0 && line[end-1] == '\r' {
		line = line[:end-1]
	}
	return line, nil
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
