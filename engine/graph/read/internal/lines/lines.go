// Package lines reads an input by its lines, in order and with their numbers: one by one, or where most are plain, in
// blocks on several processors.
package lines

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

const (
	// blockSize is how much text is read, and parsed, at once.
	blockSize = 1 << 19
	// maxLine is the most bytes of a line, its end not counted. It keeps a file without line ends from being read into
	// memory as one line, and is far more than the longest line that makes sense, in METIS the list of a vertex with
	// millions of neighbours. docs/graph-formats.md names it too.
	maxLine = 64 << 20
	// maxBlock has room for the longest line with its end, and for an end that the last line may lack.
	maxBlock = maxLine + 2
)

var errLongLine = fmt.Errorf("the line is longer than %d MiB", maxLine>>20)

// block is a piece of the input: whole lines, each with its end.
type block struct {
	text []byte
	buf  []byte // what text is a part of, for another block
}

// Reader hands out an input's lines in order. A goroutine of its own reads, and so decompresses,
// ahead.
type Reader struct {
	Line    int64 // the number of the line that Next returned last
	Careful bool  // no line counts as plain; tests compare

	text    []byte // what is left of the current block
	current block
	blocks  <-chan block
	free    chan []byte   // buffers to read into
	stop    chan struct{} // closed when nothing more will be wanted
	ended   <-chan struct{}
	err     error // why there are no more blocks; set before blocks is closed
}

// blocksAhead is how many blocks may have been read and not yet asked for.
const blocksAhead = 2

// New starts reading r. Whoever calls it calls Close.
func New(r io.Reader) *Reader {
	blocks, ended := make(chan block, blocksAhead), make(chan struct{})
	l := &Reader{
		blocks: blocks, ended: ended, stop: make(chan struct{}), free: make(chan []byte, 4*blocksAhead),
	}
	go func() {
		defer close(ended)
		defer close(blocks)
		l.err = l.readAhead(r, blocks)
	}()
	return l
}

// Close stops the reading. It returns once r is not used any more.
func (l *Reader) Close() {
	close(l.stop)
	<-l.ended
	l.free, l.text, l.current = nil, nil, block{} // the line's number stays
}

// readAhead cuts r into blocks. A byte order mark at its start is skipped, and a last line without an end
// gets one. It returns io.EOF if all went well.
func (l *Reader) readAhead(r io.Reader, blocks chan<- block) error {
	var rest []byte // the unfinished line at the end of the block before
	for first := true; ; first = false {
		buf, n, err := l.fill(r, rest)
		if errors.Is(err, errLongLine) {
			return err
		}
		text := buf[:n]
		if first {
			text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
		}
		end := bytes.LastIndexByte(text, '\n') + 1
		if err == io.EOF && end < len(text) {
			text = append(text, '\n')
			end = len(text)
		}
		rest = text[end:]
		if end > 0 {
			rest = bytes.Clone(rest) // the block's buffer will be read into again
			select {
			case blocks <- block{text[:end], buf}:
			case <-l.stop:
				return io.EOF
			}
		}
		if err != nil {
			return err
		}
	}
}

// fill reads after what rest holds, until a block is half full or more and has a line end in it.
func (l *Reader) fill(r io.Reader, rest []byte) (buf []byte, n int, err error) {
	select {
	case buf = <-l.free:
	default:
	}
	if len(buf) < min(2*len(rest), maxBlock) || buf == nil {
		buf = make([]byte, min(max(blockSize, 2*len(rest)), maxBlock))
	}
	n = copy(buf, rest)
	scanned := n
	for idle := 0; ; {
		select {
		case <-l.stop:
			return buf, 0, io.EOF
		default:
		}
		k, err := r.Read(buf[n : len(buf)-1]) // one byte is left for the last line's end
		n += k
		if idle++; k > 0 {
			idle = 0
		}
		switch {
		case n > maxLine && bytes.IndexByte(buf[scanned:n], '\n') < 0:
			return buf, n, errLongLine
		case err != nil:
			return buf, n, err
		case idle == 100:
			return buf, n, io.ErrNoProgress
		case n < len(buf)/2:
			continue
		case bytes.IndexByte(buf[scanned:n], '\n') >= 0:
			return buf, n, nil
		}
		scanned = n
		if n > len(buf)/2 {
			buf = append(buf, make([]byte, min(len(buf), maxBlock-len(buf)))...)
		}
	}
}

// advance makes the next block the current one, or returns why there is none.
func (l *Reader) advance() error {
	l.recycle(l.current)
	l.current, l.text = block{}, nil
	b, ok := <-l.blocks
	if !ok {
		return l.err
	}
	l.current, l.text = b, b.text
	return nil
}

// recycle gives a block's memory back to the reading.
func (l *Reader) recycle(b block) {
	if b.buf == nil {
		return
	}
	select {
	case l.free <- b.buf:
	default:
	}
}

// Next returns the next line without its end ("\n" or "\r\n"), valid until the next call, and at the end
// of the input io.EOF.
func (l *Reader) Next() ([]byte, error) {
	for len(l.text) == 0 {
		if err := l.advance(); err != nil {
			if err != io.EOF {
				l.Line++
			}
			return nil, err
		}
	}
	l.Line++
	end := bytes.IndexByte(l.text, '\n')
	line := l.text[:end]
	l.text = l.text[end+1:]
	if end > 0 && line[end-1] == '\r' {
		line = line[:end-1]
	}
	return line, nil
}
