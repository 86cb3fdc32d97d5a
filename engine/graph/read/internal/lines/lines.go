// Package lines reads an input by its lines, in order and with their numbers. They end with "\n" or "\r\n", or where a
// text has neither, with "\r".
package lines

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
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

	text  *bufio.Reader
	long  []byte // a line that text cannot hold
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
		_, err := ahead.ReadFrom(lineFeeds(r))
		ahead.Flush() // fails only after Close
		w.CloseWithError(err)
	}()
	return &Reader{text: bufio.NewReaderSize(data, peekSize), data: data, ended: ended}
}

// Close stops the reading. It returns once r is not used any more.
func (l *Reader) Close() {
	l.data.Close()
	<-l.ended
	l.text, l.long = nil, nil // the line's number stays
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

// Peek returns the lines that follow, up to half a mebibyte of them, valid until the next call, and whether these are
// all. It returns none at the end of the input, and if reading fails.
func (l *Reader) Peek() (text []byte, all bool) {
	text, err := l.text.Peek(peekSize)
	if err == io.EOF {
		return text, true
	}
	return text[:bytes.LastIndexByte(text, '\n')+1], false
}

// Next returns the next line without its end, valid until the next call, and at the end of the input io.EOF.
func (l *Reader) Next() ([]byte, error) {
	line, err := l.text.ReadSlice('\n')
	for l.long = l.long[:0]; err == bufio.ErrBufferFull && len(l.long) <= maxLine; line, err = l.text.ReadSlice('\n') {
		l.long = append(l.long, line...)
	}
	if len(l.long) > 0 {
		l.long = append(l.long, line...)
		line = l.long
	}
	if err == io.EOF && len(line) == 0 {
		return nil, io.EOF
	}
	l.Line++
	for _, end := range [...]byte{'\n', '\r'} {
		if last := len(line) - 1; last >= 0 && line[last] == end {
			line = line[:last]
		}
	}
	switch {
	case len(line) > maxLine:
		return nil, errLongLine
	case err != nil && err != io.EOF:
		return nil, err
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
