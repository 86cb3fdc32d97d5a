package cuda

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"ooc/kernels"
	"ooc/kernels/entry"
)

// stream is a stream of CUDA, and a second one of higher priority once it has closed a pivot. Its fields
// belong to its owner.
type stream struct {
	device *Device
	form   *form
	handle handle   // where operations go
	all    []handle // to destroy
	urgent bool     // handle has the higher priority
	lists  lists
	list   []listEntry // of the product being enqueued
	panels own         // scratch of closures
	// reduction is scratch of reductions: a counter of blocks of threads that are done, and what they have found.
	reduction own
	closed    bool
}

// NewStream creates a stream.
func (d *Device) NewStream() (kernels.Stream, error) { return d.newStream(distances) }

func (d *Device) newStream(f *form) (kernels.Stream, error) {
	if err := d.Alive(); err != nil {
		return nil, err
	}
	s := &stream{device: d, form: f}
	if err := s.create(d.priority.least); err != nil {
		return nil, fmt.Errorf("cuda: new stream: %w", err)
	}
	d.Opened(s, true)
	return s, nil
}

func (s *stream) create(priority int) error {
	h, err := got(s.device, "cuStreamCreateWithPriority", func() (handle, Result) {
		return s.device.driver.streamCreate(priority)
	})
	if err == nil {
		s.handle, s.all = h, append(s.all, h)
	}
	return err
}

// hurry moves all later work to a stream of higher priority.
func (s *stream) hurry() error {
	if s.urgent {
		return nil
	}
	passed, err := s.record()
	if err != nil {
		return err
	}
	if err := s.create(s.device.priority.greatest); err != nil {
		return err
	}
	s.urgent = true
	return s.wait(passed)
}

// alive returns an error where the stream is closed or the context spoiled.
func (s *stream) alive() error {
	if s.closed {
		return errClosed
	}
	if e := s.device.broken.Load(); e != nil {
		return e
	}
	return nil
}

// CopyIn implements kernels.Stream. It overlaps with other work if src is from AllocHost; the driver copies other
// memory first.
func (s *stream) CopyIn(dst kernels.Tile, src []byte) error {
	err := s.copyPieces("cuMemcpyHtoDAsync", src, dst, func(host unsafe.Pointer, at address, bytes int64) Result {
		return s.device.driver.copyIn(at, host, bytes, s.handle)
	})
	return in("copy in", err)
}

// CopyOut implements kernels.Stream. Like CopyIn, it overlaps only with memory from AllocHost.
func (s *stream) CopyOut(dst []byte, src kernels.Tile) error {
	err := s.copyPieces("cuMemcpyDtoHAsync", dst, src, func(host unsafe.Pointer, at address, bytes int64) Result {
		return s.device.driver.copyOut(host, at, bytes, s.handle)
	})
	return in("copy out", err)
}

// copyPieces calls copy for the pieces of host memory that lie in one registration each.
func (s *stream) copyPieces(call string, host []byte, t kernels.Tile,
	copy func(host unsafe.Pointer, at address, bytes int64) Result) error {
	at, err := s.device.resolve(t, int64(len(host)))
	if err == nil {
		err = s.alive()
	}
	for _, piece := range s.device.pieces(host) {
		if err != nil {
			break
		}
		bytes := int64(len(piece))
		err = s.device.call(call, func() Result { return copy(unsafe.Pointer(&piece[0]), at, bytes) })
		at += address(bytes)
	}
	runtime.KeepAlive(host)
	return err
}

// param is a kernel's parameter: a pointer to one of the structs that mirror those of the CUDA sources.
type param struct {
	at    unsafe.Pointer
	bytes uintptr
}

func paramOf[T any](p *T) param { return param{unsafe.Pointer(p), unsafe.Sizeof(*p)} }

// launch starts a kernel of a variant.
func (s *stream) launch(v entry.Variant, k kernel, blocks int, p param) error {
	f, err := s.device.kernel(v, k)
	if err != nil {
		return err
	}
	return s.device.call("cuLaunchKernel", func() Result {
		return s.device.driver.launch(f, blocks, kernelInfo[k].threads, s.handle, p.at, p.bytes)
	})
}

// serve starts a kernel that is the same for all variants.
func (s *stream) serve(k kernel, blocks int, p param) error { return s.launch(forAll, k, blocks, p) }

// Sync implements kernels.Stream. The thread sleeps while it waits.
func (s *stream) Sync() error {
	e, err := s.Record()
	if err != nil {
		return err
	}
	return e.Sync()
}

// Close implements kernels.Stream.
func (s *stream) Close() error {
	if s.closed {
		return errClosed
	}
	d := s.device
	var err error
	for _, h := range s.all {
		err = errors.Join(err, d.call("cuStreamSynchronize", func() Result { return d.driver.streamSynchronize(h) }))
	}
	s.closed = true
	err = errors.Join(err, s.lists.close(d), d.Drop(&s.panels), d.Drop(&s.reduction))
	for _, h := range s.all {
		err = errors.Join(err, d.call("cuStreamDestroy", func() Result { return d.driver.streamDestroy(h) }))
	}
	d.Opened(s, false)
	if e := d.broken.Load(); e != nil {
		err = e // told once, not with each step
	}
	return in("close stream", err)
}
