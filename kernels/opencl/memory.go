package opencl

import (
	"errors"
	"fmt"
	"unsafe"

	"ooc/kernels"
)

// buffer is a block of device memory, in pieces of equal size but for the last.
type buffer struct {
	device *device
	pieces []handle
	piece  int64 // bytes of each
	bytes  int64 // 0 once it is freed
}

// Bytes returns the size that Alloc was asked for.
func (b *buffer) Bytes() int64 { return b.bytes }

// Free returns the memory to the device.
func (b *buffer) Free() error {
	if b.bytes == 0 {
		return errors.New("opencl: buffer freed twice")
	}
	d, bytes := b.device, b.bytes
	b.bytes = 0
	err := d.freePieces(b.pieces)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.inUse -= bytes
	d.buffers--
	if err != nil {
		return fmt.Errorf("opencl: free %d bytes: %w", bytes, err)
	}
	return nil
}

func (d *device) freePieces(pieces []handle) (err error) {
	for _, p := range pieces {
		err = errors.Join(err, check("clReleaseMemObject", d.lib.call(d.lib.clReleaseMemObject, uintptr(p))))
	}
	return err
}

// Alloc reserves device memory. It wraps kernels.ErrNoMemory beyond the limit, or where the device has no more.
func (d *device) Alloc(bytes int64) (kernels.Buffer, error) {
	if bytes <= 0 {
		return nil, fmt.Errorf("opencl: allocate %d bytes: want more than 0", bytes)
	}
	if err := d.reserve(&d.inUse, bytes); err != nil {
		return nil, fmt.Errorf("opencl: allocate %d bytes: %w", bytes, err)
	}
	b := &buffer{device: d, bytes: bytes, piece: pieceSize(d.piece)}
	var err error
	for left := bytes; left > 0 && err == nil; left -= b.piece {
		var p handle
		if p, err = d.allocate(min(left, b.piece)); err == nil {
			b.pieces = append(b.pieces, p)
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if err != nil {
		d.inUse -= bytes
		return nil, fmt.Errorf("opencl: allocate %d bytes: %w", bytes, errors.Join(err, d.freePieces(b.pieces)))
	}
	d.buffers++
	return b, nil
}

// pieceSize is the size of pieces where the driver allows so many bytes: a multiple of the size of tiles of as many
// edges as possible, 64·2ⁱ, and 192·2ⁱ and 320·2ⁱ too if there is room.
func pieceSize(largest int64) int64 {
	for _, unit := range []int64{9 * 25 << 28, 9 << 28, 1 << 28, 1 << 20, 1 << 16, 1 << 12} {
		if largest >= unit {
			return largest - largest%unit
		}
	}
	return largest
}

// reserve adds bytes to use, which is d.inUse or d.own, if the limit allows it. kernels.GPUScratch bytes of the limit
// are reserved for the device itself; if an operation needs more, it competes with the buffers.
func (d *device) reserve(use *int64, bytes int64) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return errClosed
	}
	rest := d.memory - d.inUse - max(d.own, kernels.GPUScratch)
	if use == &d.own {
		rest += max(d.own, kernels.GPUScratch) - d.own
	}
	if bytes > rest {
		own := max(d.own, kernels.GPUScratch)
		return fmt.Errorf("%d of %d in use, %d of them by the device itself: %w", d.memory-rest, d.memory, own, kernels.ErrNoMemory)
	}
	*use += bytes
	return nil
}

// allocate makes a memory object. Most drivers find memory for it only when it is first used; writing to it makes
// this one say now that there is none. PoCL would abort at that, so a processor is asked for memory of the host,
// which it has to find at once.
func (d *device) allocate(bytes int64) (handle, error) {
	if bytes > d.found.largest {
		return 0, fmt.Errorf("%w: the driver gives %d bytes at once", kernels.ErrNoMemory, d.found.largest)
	}
	l, code, flags := d.lib, new(clCode), uintptr(readWrite)
	if d.found.cpu {
		flags |= allocHost
	}
	h := l.create(l.clCreateBuffer, uintptr(d.context), flags, uintptr(bytes), 0, uintptr(unsafe.Pointer(code)))
	if err := check("clCreateBuffer", *code); err != nil {
		return 0, outOfMemory(err)
	}
	first := new([4]byte)
	err := check("clEnqueueWriteBuffer", l.call(l.clEnqueueWriteBuffer, uintptr(d.queue), uintptr(h), 1, 0, uintptr(min(bytes, 4)), uintptr(unsafe.Pointer(first)), 0, 0, 0))
	if err == nil { // Intel's driver was seen to return before it had written
		err = check("clFinish", l.call(l.clFinish, uintptr(d.queue)))
	}
	if err != nil {
		return 0, errors.Join(outOfMemory(err), d.freePieces([]handle{h}))
	}
	return h, nil
}

// allocOwn reserves device memory for the device itself.
func (d *device) allocOwn(bytes int64) (handle, error) {
	if err := d.reserve(&d.own, bytes); err != nil {
		return 0, err
	}
	h, err := d.allocate(bytes)
	if err != nil {
		d.mu.Lock()
		d.own -= bytes
		d.mu.Unlock()
	}
	return h, err
}

// freeOwn frees what allocOwn returned; nothing uses it any more.
func (d *device) freeOwn(h handle, bytes int64) error {
	if h == 0 {
		return nil
	}
	d.mu.Lock()
	d.own -= bytes
	d.mu.Unlock()
	return d.freePieces([]handle{h})
}

// What memory objects are made for.
const (
	readWrite = 1 << 0
	allocHost = 1 << 4
)

// hostBlock is memory that AllocHost returned.
type hostBlock struct {
	data   []byte
	mapped handle // the memory object that it is; 0: Go's memory
}

// AllocHost returns host memory, aligned to 64 bytes or more: a memory object that is mapped for good, which most
// drivers page-lock. Beyond Options.Host, and what a driver allocates at once, it is memory as any. It is outside the
// device's limit.
func (d *device) AllocHost(bytes int64) ([]byte, error) {
	if bytes <= 0 {
		return nil, fmt.Errorf("opencl: allocate %d bytes of host memory: want more than 0", bytes)
	}
	d.mu.Lock()
	closed, locks := d.closed, d.lockable == 0 || bytes <= d.lockable-d.mapped
	if locks {
		d.mapped += bytes
	}
	d.mu.Unlock()
	if closed {
		return nil, errClosed
	}
	block, err := &hostBlock{}, error(nil)
	if locks {
		if block, err = d.mapHost(bytes); err != nil {
			d.mu.Lock()
			d.mapped -= bytes
			d.mu.Unlock()
		}
	}
	if err != nil && !noMemory(err) {
		return nil, fmt.Errorf("opencl: allocate %d bytes of host memory: %w", bytes, err)
	} else if err != nil || !locks {
		const line = 64
		data := make([]byte, bytes+line)
		skip := -uintptr(unsafe.Pointer(&data[0])) & (line - 1)
		block = &hostBlock{data: data[skip:][:bytes:bytes]}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.host[&block.data[0]] = block
	return block.data, nil
}

func (d *device) mapHost(bytes int64) (*hostBlock, error) {
	l, code := d.lib, new(clCode)
	h := l.create(l.clCreateBuffer, uintptr(d.context), readWrite|allocHost, uintptr(bytes), 0, uintptr(unsafe.Pointer(code)))
	if err := check("clCreateBuffer", *code); err != nil {
		return nil, err
	}
	const mapRead, mapWrite = 1 << 0, 1 << 1
	at := l.create(l.clEnqueueMapBuffer, uintptr(d.queue), uintptr(h), 1, mapRead|mapWrite, 0, uintptr(bytes), 0, 0, 0, uintptr(unsafe.Pointer(code)))
	if err := check("clEnqueueMapBuffer", *code); err != nil {
		return nil, errors.Join(err, d.freePieces([]handle{h}))
	}
	p := *(*unsafe.Pointer)(unsafe.Pointer(&at)) // is not in Go's memory
	return &hostBlock{data: unsafe.Slice((*byte)(p), bytes), mapped: h}, nil
}

// FreeHost releases what AllocHost returned; any other slice is an error.
func (d *device) FreeHost(b []byte) error {
	d.mu.Lock()
	block, ok := d.host[unsafe.SliceData(b)]
	if ok {
		delete(d.host, &block.data[0])
		if block.mapped != 0 {
			d.mapped -= int64(len(block.data))
		}
	}
	d.mu.Unlock()
	if !ok {
		return errors.New("opencl: free host memory: not from AllocHost, or freed twice")
	}
	if block.mapped == 0 {
		return nil
	}
	l := d.lib
	err := check("clEnqueueUnmapMemObject", l.call(l.clEnqueueUnmapMemObject, uintptr(d.queue), uintptr(block.mapped), uintptr(unsafe.Pointer(&block.data[0])), 0, 0, 0))
	if err = errors.Join(err, check("clFinish", l.call(l.clFinish, uintptr(d.queue))), d.freePieces([]handle{block.mapped})); err != nil {
		return fmt.Errorf("opencl: free host memory: %w", err)
	}
	return nil
}

// span is a part of a memory object.
type span struct {
	memory     handle
	off, bytes int64
}

// spans returns where bytes of a tile lie: in one piece of its buffer or in several, in turn.
func (d *device) spans(t kernels.Tile, bytes int64) ([]span, error) {
	b, ok := kernels.Bare(t.Buf).(*buffer)
	switch {
	case !ok || b == nil || b.device != d:
		return nil, errors.New("tile is in no buffer of this device")
	case b.bytes == 0:
		return nil, errors.New("tile is in a freed buffer")
	case t.Off < 0 || t.Off%4 != 0 || bytes > b.bytes-t.Off:
		return nil, fmt.Errorf("%d bytes at offset %d of a buffer of %d", bytes, t.Off, b.bytes)
	}
	var all []span
	for off := t.Off; bytes > 0; {
		in := off % b.piece
		n := min(bytes, b.piece-in)
		all = append(all, span{b.pieces[off/b.piece], in, n})
		off, bytes = off+n, bytes-n
	}
	return all, nil
}
