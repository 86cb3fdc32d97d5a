package read

import (
	"io"
	"runtime"

	"golang.org/x/sync/errgroup"
)

// bulk is how a format reads the many plain lines of an input: on all processors, a block of lines each.
// B holds what a block's lines say.
type bulk[B any] struct {
	lines *lineReader
	// parse reads lines from the start of text, which ends with a line end, into b, as far as they are
	// plain: it returns how many bytes it has read, whole lines. Several goroutines call it at once.
	parse func(text []byte, b *B) int
	// commit takes over what parse has read, in the order of the lines. It moves lines.line on.
	commit func(text []byte, b *B) error
	// slow reads one line that parse did not, whether it is only unusual or wrong.
	slow func(line []byte) error
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

// run reads all lines that are left.
func (k *bulk[B]) run() error {
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
func (k *bulk[B]) inOrder(work chan<- *job[B]) error {
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
	l := k.lines
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
		l.line++ // the line that could not be read
		return l.err
	}
	return nil
}

// finish commits a block, and reads on from where parse stopped.
func (k *bulk[B]) finish(j *job[B]) error {
	l := k.lines
	l.current, l.text = j.block, j.text
	for {
		if err := k.commit(l.text[:j.read], &j.batch); err != nil {
			return err
		}
		if l.text = l.text[j.read:]; len(l.text) > 0 {
			line, err := l.next()
			if err == nil {
				err = k.slow(line)
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

func (k *bulk[B]) plain(text []byte, b *B) int {
	if k.lines.careful {
		return 0
	}
	return k.parse(text, b)
}
