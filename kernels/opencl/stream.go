package opencl

import (
	"errors"
	"fmt"
	"unsafe"

	"ooc/kernels"
)

// stream is a queue of OpenCL. Its fields belong to its owner.
type stream struct {
	device  *device
	pairs   bool // tiles are of pairs: a distance and its predecessor
	queue   handle
	last    handle // the event of the last command; 0: there was none
	at      handle // the queue of the last command
	kernels map[kernelOf]handle
	list    own // what the kernels' lists are written to
	panels  own // scratch of closures
	staging []own
	held    []held // oldest first
	closed  bool
}

// held is host memory that a command may use until its event.
type held struct {
	event  handle
	memory []byte
}

// kernelOf names a kernel of a stream.
type kernelOf struct {
	program program
	name    string
}

// NewStream creates a stream.
func (d *device) NewStream() (kernels.Stream, error) { return d.newStream(false) }

// NewTrackingStream creates a stream for tiles of pairs.
func (d *device) NewTrackingStream() (kernels.Stream, error) { return d.newStream(true) }

func (d *device) newStream(pairs bool) (kernels.Stream, error) {
	if err := d.Alive(); err != nil {
		return nil, err
	}
	q, err := d.newQueue()
	if err != nil {
		return nil, fmt.Errorf("opencl: new stream: %w", err)
	}
	s := &stream{device: d, pairs: pairs, queue: q, kernels: map[kernelOf]handle{}}
	d.Opened(s, true)
	return s, nil
}

// alive returns an error where the stream is closed.
func (s *stream) alive() error {
	if s.closed {
		return errClosed
	}
	return nil
}

// enqueue enqueues a command after those before it, and notes its event.
func (s *stream) enqueue(call string, queue handle, do func(n uintptr, after, event *handle) clCode) error {
	n, after, err := s.after(queue)
	if err != nil {
		return err
	}
	event := new(handle)
	if c := do(n, after, event); c != success {
		return outOfMemory(check(call, c))
	}
	if s.last != 0 {
		s.device.lib.call(s.device.lib.clReleaseEvent, uintptr(s.last))
	}
	s.last, s.at = *event, queue
	return nil
}

// after is what a command on a queue is to wait for: the last one, if that is on another queue. That queue is
// flushed: a driver need not begin with a command before, and would wait for it without end.
func (s *stream) after(queue handle) (n uintptr, list *handle, err error) {
	if s.last == 0 || s.at == queue {
		return 0, nil, nil
	}
	return 1, &s.last, s.flush()
}

// flush has the driver begin with what is enqueued.
func (s *stream) flush() error {
	if s.at == 0 {
		return nil
	}
	return check("clFlush", s.device.lib.call(s.device.lib.clFlush, uintptr(s.at)))
}

// hold keeps host memory alive until the last command is done.
func (s *stream) hold(memory []byte) error {
	l := s.device.lib
	for len(s.held) > 0 {
		done, err := s.device.passed(s.held[0].event)
		if err != nil || !done {
			break // an error is told by Sync
		}
		l.call(l.clReleaseEvent, uintptr(s.held[0].event))
		s.held = s.held[1:]
	}
	if err := check("clRetainEvent", l.call(l.clRetainEvent, uintptr(s.last))); err != nil {
		return errors.Join(err, s.idle()) // nobody may use the memory any more
	}
	s.held = append(s.held, held{s.last, memory})
	return nil
}

// letGo forgets all memory that was held: the stream is idle. It returns the errors of the commands that used it.
func (s *stream) letGo() (err error) {
	for _, h := range s.held {
		_, failed := s.device.passed(h.event)
		err = errors.Join(err, failed)
		s.device.lib.call(s.device.lib.clReleaseEvent, uintptr(h.event))
	}
	s.held = nil
	return err
}

// CopyIn implements kernels.Stream. It overlaps with other work if src is from AllocHost.
func (s *stream) CopyIn(dst kernels.Tile, src []byte) error {
	return in("copy in", s.copyHost(dst, src, "clEnqueueWriteBuffer", s.device.lib.clEnqueueWriteBuffer))
}

// CopyOut implements kernels.Stream. Like CopyIn, it overlaps only with memory from AllocHost.
func (s *stream) CopyOut(dst []byte, src kernels.Tile) error {
	return in("copy out", s.copyHost(src, dst, "clEnqueueReadBuffer", s.device.lib.clEnqueueReadBuffer))
}

// copyHost copies between a tile and host memory, piece by piece.
func (s *stream) copyHost(t kernels.Tile, host []byte, call string, fn uintptr) error {
	spans, err := s.device.spans(t, int64(len(host)))
	if err == nil {
		err = s.alive()
	}
	if err != nil || len(spans) == 0 {
		return err
	}
	at := host
	for _, p := range spans {
		if err := s.transfer(call, fn, p, at[:p.bytes]); err != nil {
			return err
		}
		at = at[p.bytes:]
	}
	return errors.Join(s.hold(host), s.flush())
}

// transfer enqueues a copy of a part of a memory object.
func (s *stream) transfer(call string, fn uintptr, p span, host []byte) error {
	return s.enqueue(call, s.queue, func(n uintptr, after, event *handle) clCode {
		return s.device.lib.call(fn, uintptr(s.queue), uintptr(p.memory), 0, uintptr(p.off), uintptr(p.bytes),
			uintptr(unsafe.Pointer(&host[0])), n, uintptr(unsafe.Pointer(after)), uintptr(unsafe.Pointer(event)))
	})
}

// write enqueues a copy to memory of the device's own.
func (s *stream) write(to own, memory []byte) error {
	l, where := s.device.lib, span{objectOf(to), 0, int64(len(memory))}
	if err := s.transfer("clEnqueueWriteBuffer", l.clEnqueueWriteBuffer, where, memory); err != nil {
		return err
	}
	return s.hold(memory)
}

// copyInside enqueues a copy from one memory object to another.
func (s *stream) copyInside(to, from span) error {
	l := s.device.lib
	return s.enqueue("clEnqueueCopyBuffer", s.queue, func(n uintptr, after, event *handle) clCode {
		return l.call(l.clEnqueueCopyBuffer, uintptr(s.queue), uintptr(from.memory), uintptr(to.memory),
			uintptr(from.off), uintptr(to.off), uintptr(from.bytes),
			n, uintptr(unsafe.Pointer(after)), uintptr(unsafe.Pointer(event)))
	})
}

// launch starts groups of items on the stream's own queue.
func (s *stream) launch(k kernelOf, groups, items int, args []arg) error {
	return s.launchOn(s.queue, k, groups, items, args)
}

// launchOn does so on any queue.
func (s *stream) launchOn(queue handle, k kernelOf, groups, items int, args []arg) error {
	kernel, ok := s.kernels[k]
	if !ok {
		var err error
		if kernel, err = s.device.newKernel(k); err != nil {
			return err
		}
		s.kernels[k] = kernel
	}
	l := s.device.lib
	for i, a := range args {
		if a.kept {
			continue
		}
		if c := l.call(l.clSetKernelArg, uintptr(kernel), uintptr(i), uintptr(a.bytes),
			uintptr(unsafe.Pointer(&a.value))); c != success {
			return check(fmt.Sprintf("clSetKernelArg %d of %s", i, k.name), c)
		}
	}
	global, local := [1]uintptr{uintptr(groups * items)}, [1]uintptr{uintptr(items)}
	return s.enqueue("clEnqueueNDRangeKernel of "+k.name, queue, func(n uintptr, after, event *handle) clCode {
		return l.call(l.clEnqueueNDRangeKernel, uintptr(queue), uintptr(kernel), 1, 0,
			uintptr(unsafe.Pointer(&global[0])), uintptr(unsafe.Pointer(&local[0])),
			n, uintptr(unsafe.Pointer(after)), uintptr(unsafe.Pointer(event)))
	})
}

// arg is an argument of a kernel.
type arg struct {
	value uint64
	bytes int
	kept  bool // it is what it was in the kernel's launch before, in the same operation
}

func number(n int) arg       { return arg{value: uint64(uint32(n)), bytes: 4} }
func long(n int64) arg       { return arg{value: uint64(n), bytes: 8} }
func memoryArg(h handle) arg { return arg{value: uint64(h), bytes: 8} }

// need makes room in memory of the stream's own. Not every driver keeps what is in use until that has ended.
func (s *stream) need(o *own, bytes int64) error { return s.device.Need(o, bytes, s.idle) }

// Sync implements kernels.Stream.
func (s *stream) Sync() error {
	if err := s.alive(); err != nil {
		return err
	}
	if err := s.idle(); err != nil {
		return fmt.Errorf("opencl: %w", err)
	}
	return nil
}

// idle waits until the stream is empty.
func (s *stream) idle() error {
	if s.last == 0 {
		return nil
	}
	return errors.Join(s.device.waitFor(s.last), s.letGo())
}

// Close implements kernels.Stream.
func (s *stream) Close() error {
	if s.closed {
		return errClosed
	}
	d, l := s.device, s.device.lib
	err := s.idle()
	s.closed = true
	for _, k := range s.kernels {
		err = errors.Join(err, check("clReleaseKernel", l.call(l.clReleaseKernel, uintptr(k))))
	}
	for _, o := range append(s.staging, s.list, s.panels) {
		err = errors.Join(err, d.Drop(&o))
	}
	if s.last != 0 {
		l.call(l.clReleaseEvent, uintptr(s.last))
	}
	err = errors.Join(err, check("clReleaseCommandQueue", l.call(l.clReleaseCommandQueue, uintptr(s.queue))))
	d.Opened(s, false)
	return in("close stream", err)
}
