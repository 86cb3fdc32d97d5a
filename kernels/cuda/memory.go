package cuda

import (
	"errors"
	"fmt"
	"unsafe"

	"ooc/kernels"
	"ooc/kernels/entry"
)

// buffer is a block of device memory.
type buffer struct {
	device *Device
	at     address
	bytes  int64 // 0 once it is freed
}

// Bytes returns the size that Alloc was asked for.
func (b *buffer) Bytes() int64 { return b.bytes }

// Free returns the memory to the GPU.
func (b *buffer) Free() error {
	if b.bytes == 0 {
		return errors.New("cuda: buffer freed twice")
	}
	d, bytes := b.device, b.bytes
	b.bytes = 0
	err := d.call("cuMemFree", func() Result { return d.driver.memFree(b.at) })
	d.mu.Lock()
	defer d.mu.Unlock()
	d.inUse -= bytes
	d.buffers--
	if err != nil {
		return fmt.Errorf("cuda: free %d bytes: %w", bytes, err)
	}
	return nil
}

// Alloc reserves device memory. It wraps kernels.ErrNoMemory beyond the limit, or where the GPU has no more.
func (d *Device) Alloc(bytes int64) (kernels.Buffer, error) {
	if bytes <= 0 {
		return nil, fmt.Errorf("cuda: allocate %d bytes: want more than 0", bytes)
	}
	if err := d.reserve(&d.inUse, bytes); err != nil {
		return nil, fmt.Errorf("cuda: allocate %d bytes: %w", bytes, err)
	}
	at, err := d.allocate(bytes)
	d.mu.Lock()
	defer d.mu.Unlock()
	if err != nil {
		d.inUse -= bytes
		return nil, fmt.Errorf("cuda: allocate %d bytes: %w", bytes, err)
	}
	d.buffers++
	return &buffer{device: d, at: at, bytes: bytes}, nil
}

// reserve adds bytes to use, which is d.inUse or d.own, if the limit allows it. kernels.GPUScratch bytes of the limit
// are reserved for the device itself; if an operation needs more, it competes with the buffers.
func (d *Device) reserve(use *int64, bytes int64) error {
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
		return fmt.Errorf("%d of %d in use, %d of them by the device itself: %w",
			d.memory-rest, d.memory, max(d.own, kernels.GPUScratch), kernels.ErrNoMemory)
	}
	*use += bytes
	return nil
}

func (d *Device) allocate(bytes int64) (at address, err error) {
	err = d.call("cuMemAlloc", func() (r Result) {
		at, r = d.driver.memAlloc(bytes)
		return r
	})
	if e := (*Error)(nil); errors.As(err, &e) && e.Result == outOfMemory {
		return 0, fmt.Errorf("%w: %w", kernels.ErrNoMemory, err)
	}
	return at, err
}

// allocOwn reserves device memory for the device itself.
func (d *Device) allocOwn(bytes int64) (address, error) {
	if err := d.reserve(&d.own, bytes); err != nil {
		return 0, err
	}
	at, err := d.allocate(bytes)
	if err != nil {
		d.mu.Lock()
		d.own -= bytes
		d.mu.Unlock()
	}
	return at, err
}

// freeOwn frees what allocOwn returned; nothing uses it any more.
func (d *Device) freeOwn(at address, bytes int64) error {
	if bytes == 0 {
		return nil
	}
	d.mu.Lock()
	d.own -= bytes
	d.mu.Unlock()
	return d.call("cuMemFree", func() Result { return d.driver.memFree(at) })
}

// resolve returns the address of a tile of so many bytes.
func (d *Device) resolve(t kernels.Tile, bytes int64) (address, error) {
	b, ok := kernels.Bare(t.Buf).(*buffer)
	switch {
	case !ok || b == nil || b.device != d:
		return 0, errors.New("tile is in no buffer of this device")
	case b.bytes == 0:
		return 0, errors.New("tile is in a freed buffer")
	case t.Off < 0 || t.Off%4 != 0 || bytes > b.bytes-t.Off:
		return 0, fmt.Errorf("%d bytes at offset %d of a buffer of %d", bytes, t.Off, b.bytes)
	}
	return b.at + address(t.Off), nil
}

// vector is the size of the loads of the kernels in bytes, to which tiles that they use are aligned.
const vector = 16

func (d *Device) resolveTile(f *form, v entry.Variant, edge int, t kernels.Tile) (address, error) {
	at, err := d.resolve(t, int64(edge)*int64(edge)*f.entryBytes(v))
	if err == nil && at%vector != 0 {
		return 0, fmt.Errorf("tile at offset %d: want a multiple of %d", t.Off, vector)
	}
	return at, err
}

// bytesAt views host memory that CUDA returned.
func bytesAt(p unsafe.Pointer, n int64) []byte { return unsafe.Slice((*byte)(p), n) }
