package lines

import (
	"io"
	"runtime"

	"golang.org/x/sync/errgroup"
)

// Bulk is how a format reads the many plain lines of an input: on all processors, a block of lines each.
// B holds what a block's lines say.
type Bulk[B any] struct {
	Lines *Reader
	// Parse reads lines from the start of text, which ends with a line end, into b, as far as they are
	// plain: it returns how many bytes it has read, whole lines. Several goroutines call it at once.
	Parse func(text []byte, b *B) int
	// Commit takes over what Parse has read, in the order of the lines. It moves Lines.Line on.
	Commit func(text []byte, b *B) error
	// Slow reads one line that Parse did not, whether it is only unusual or wrong.
	Slow func(line []byte) error
}

// job is a block that is to be parsed.
type job[B any] struct {
	block block
	text  []byte
	batch B
	read  int
	done  chan struct{}
}

// parsers is how many blocks are parsed at once. Two keep up with the checksum of what is read, and so with
// any disk or decompressor; each more would take memory for arcs that it collects by itself.
const parsers = 2

// Run reads all lines that are left.
func (k *Bulk[B]) Run() error {
	ahead := min(runtime.GOMAXPROCS(0), parsers)
	work := make(chan *job[B], ahead)
	var group errgroup.Group
	for range ahead {
		group.Go(func() error {
			for j := range work {
				j.read = k.plain(j.text, &j.batch)
				j.done <- struct{}{}
			}
			return nil
		})
	}
	err := k.inOrder(work)
	close(work)
	_ = group.Wait() // parsers return no errors
	return err
}

// inOrder sends blocks to the parsers, and commits them in the order of the input.
func (k *Bulk[B]) inOrder(work chan<- *job[B]) error {
	var waiting, idle []*job[B]
	for range cap(work) + 1 {
		idle = append(idle, &job[B]{done: make(chan struct{}, 1)})
	}
	send := func(b block, text []byte) {
		j := idle[len(idle)-1]
		idle = idle[:len(idle)-1]
		j.block, j.text = b, text
		waiting = append(waiting, j)
		work <- j
	}
	l := k.Lines
	if len(l.text) > 0 {
		send(l.current, l.text)
	}
	l.current, l.text = block{}, nil
	blocks := l.blocks
	for {
		more, done := blocks, (chan struct{})(nil)
		if len(idle) == 0 {
			more = nil
		}
		if len(waiting) > 0 {
			done = waiting[0].done
		}
		if blocks == nil && done == nil {
			break
		}
		select {
		case b, ok := <-more:
			if !ok {
				blocks = nil
				continue
			}
			send(b, b.text)
		case <-done:
			j := waiting[0]
			waiting = append(waiting[:0], waiting[1:]...)
			if err := k.finish(j); err != nil {
				return err
			}
			idle = append(idle, j)
		}
	}
	if l.err != io.EOF {
		l.Line++ // the line that could not be read
		return l.err
	}
	return nil
}

// finish commits a block, and reads on from where Parse stopped.
func (k *Bulk[B]) finish(j *job[B]) error {
	l := k.Lines
	l.current, l.text = j.block, j.text
	for {
		if err := k.Commit(l.text[:j.read], &j.batch); err != nil {
			return err
		}
		if l.text = l.text[j.read:]; len(l.text) > 0 {
			line, err := l.Next()
			if err == nil {
				err = k.Slow(line)
			}
			if err != nil {
				return err
			}
		}
		if len(l.text) == 0 {
			l.recycle(l.current)
			l.current = block{}
			return nil
		}
		j.read = k.plain(l.text, &j.batch)
	}
}

func (k *Bulk[B]) plain(text []byte, b *B) int {
	if k.Lines.Careful {
		return 0
	}
	return k.Parse(text, b)
}
