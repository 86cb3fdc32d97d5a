package cpu

import (
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"ooc/kernels"
	"ooc/kernels/entry"
)

// stream runs its operations in order in a goroutine of its own. The queue has no bound, so that issuing
// never blocks and cannot deadlock.
type stream struct {
	device     *Device
	arithmetic func(v entry.Variant) (arithmetic, error)
	run        errgroup.Group
	relaxed    *atomic.Int64 // relaxations that the closure at hand has done; nil: nobody asks

	mu     sync.Mutex
	wake   sync.Cond   // an operation came, or closed; its lock is mu
	queue  []operation // guarded by mu
	closed bool        // guarded by mu

	err error // the first, sticky; owned by the goroutine
}

// operation is called with the first error of the stream so far, and returns that from then on. After the stream has
// failed, work is skipped but events pass, so that nobody waits forever.
type operation func(failed error) error

// event is passed when done is closed; the other fields are written before.
type event struct {
	device *Device
	done   chan struct{}
	at     time.Time
	err    error
}

func newStream(d *Device, x func(v entry.Variant) (arithmetic, error)) *stream {
	s := &stream{device: d, arithmetic: x}
	s.wake.L = &s.mu
	s.run.Go(s.drain)
	return s
}

// drain runs operations until the stream is closed and empty. It returns the stream's first error.
func (s *stream) drain() error {
	// Host memory of a copy may be a mapped file: a fault on it is an error of the stream.
	debug.SetPanicOnFault(true)
	var batch []operation
	for {
		s.mu.Lock()
		for len(s.queue) == 0 && !s.closed {
			s.wake.Wait()
		}
		batch, s.queue = s.queue, batch[:0]
		s.mu.Unlock()
		if len(batch) == 0 {
			return s.err
		}
		for i, op := range batch {
			s.err = op(s.err)
			batch[i] = nil // lets go of the operands
		}
	}
}

// guarded turns a memory fault of work into an error. Any other panic is a bug and goes on.
func guarded(work func()) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case interface {
			error
			Addr() uintptr
		}:
			err = fmt.Errorf("cpu: memory fault at %#x (mapped file truncated or unreadable?): %w", r.Addr(), r)
		default:
			panic(r)
		}
	}()
	work()
	return nil
}

// enqueue adds work.
func (s *stream) enqueue(work func()) error {
	return s.add(func(failed error) error {
		if failed != nil {
			return failed
		}
		return guarded(work)
	})
}

func (s *stream) add(op operation) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errClosed
	}
	s.queue = append(s.queue, op)
	s.wake.Signal()
	return nil
}

// CopyIn implements kernels.Stream.
func (s *stream) CopyIn(dst kernels.Tile, src []byte) error {
	to, err := s.device.resolve(dst, int64(len(src)))
	if err != nil {
		return fmt.Errorf("cpu: copy in: %w", err)
	}
	return s.enqueue(func() { copy(to, src) })
}

// CopyOut implements kernels.Stream.
func (s *stream) CopyOut(dst []byte, src kernels.Tile) error {
	from, err := s.device.resolve(src, int64(len(dst)))
	if err != nil {
		return fmt.Errorf("cpu: copy out: %w", err)
	}
	return s.enqueue(func() { copy(dst, from) })
}

// resolve returns the bytes of a tile.
func (d *Device) resolve(t kernels.Tile, bytes int64) ([]byte, error) {
	b, err := d.Find(t, bytes)
	if err != nil {
		return nil, err
	}
	return b.At.Data[t.Off:][:bytes:bytes], nil
}

// Record implements kernels.Stream.
func (s *stream) Record() (kernels.Event, error) {
	e := &event{device: s.device, done: make(chan struct{})}
	return e, s.add(func(failed error) error {
		e.at, e.err = time.Now(), failed
		close(e.done)
		return failed
	})
}

// Wait implements kernels.Stream. An event of a stream that has failed fails this stream too: what it
// waits for was not computed.
func (s *stream) Wait(ev kernels.Event) error {
	e, ok := ev.(*event)
	if !ok || e == nil || e.device != s.device {
		return errors.New("cpu: wait: not an event of this device")
	}
	return s.add(func(failed error) error {
		if failed != nil {
			return failed
		}
		if <-e.done; e.err != nil {
			return fmt.Errorf("cpu: waited for a stream that failed: %w", e.err)
		}
		return nil
	})
}

// Sync implements kernels.Stream.
func (s *stream) Sync() error {
	e, err := s.Record()
	if err != nil {
		return err
	}
	return e.Sync()
}

// Close implements kernels.Stream. It returns the stream's first error.
func (s *stream) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return errClosed
	}
	s.closed = true
	s.mu.Unlock()
	s.wake.Signal()
	err := s.run.Wait()
	s.device.Opened(s, false)
	return err
}

// Sync implements kernels.Event.
func (e *event) Sync() error {
	<-e.done
	return e.err
}

// Since implements kernels.Event.
func (e *event) Since(start kernels.Event) (time.Duration, error) {
	from, ok := start.(*event)
	if !ok || from == nil || from.device != e.device {
		return 0, errors.New("cpu: since: not an event of this device")
	}
	for _, x := range []*event{from, e} {
		select {
		case <-x.done:
		default:
			return 0, errors.New("cpu: since: an event has not passed")
		}
	}
	return e.at.Sub(from.at), nil
}
