package cuda

import (
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sync/errgroup"
)

// hostBlock is memory that AllocHost returned. Either CUDA allocated it, or the system did and it was page-locked
// afterwards, in chunks.
type hostBlock struct {
	data  []byte
	raw   []byte // what is to be unmapped; nil where CUDA allocated data
	chunk int64  // bytes that were locked at once; copies do not cross its multiples
}

const (
	// lockAlone is the size from which it pays to map memory with the system, in huge pages that several threads
	// touch, and to lock it afterwards.
	lockAlone = 64 << 20
	// lockThreads touch memory and lock it.
	lockThreads = 8
)

// lockChunk is how many bytes are locked at once. It is a variable only because tests would spend their time on
// touching memory.
var lockChunk int64 = 512 << 20

// AllocHost returns page-locked host memory, aligned to 64 bytes or more. It is outside the device's limit.
func (d *Device) AllocHost(bytes int64) ([]byte, error) {
	if bytes <= 0 {
		return nil, fmt.Errorf("cuda: allocate %d bytes of host memory: want more than 0", bytes)
	}
	d.mu.Lock()
	closed := d.closed
	d.mu.Unlock()
	if closed {
		return nil, errClosed
	}
	block, err := d.allocHost(bytes)
	if err != nil {
		return nil, fmt.Errorf("cuda: allocate %d bytes of host memory: %w", bytes, err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.host[&block.data[0]] = block
	return block.data, nil
}

func (d *Device) allocHost(bytes int64) (*hostBlock, error) {
	if bytes >= lockAlone {
		if raw, data := mapHuge(bytes); raw != nil {
			block := &hostBlock{data: data, raw: raw, chunk: lockChunk}
			if err := d.lock(block); err != nil {
				return nil, errors.Join(err, unmapHuge(raw))
			}
			return block, nil
		}
	}
	var p unsafe.Pointer
	err := d.call("cuMemHostAlloc", func() (r Result) {
		p, r = d.driver.hostAlloc(bytes)
		return r
	})
	if err != nil {
		return nil, err
	}
	return &hostBlock{data: bytesAt(p, bytes)}, nil
}

// lock touches and locks the chunks of a block, several at a time.
func (d *Device) lock(b *hostBlock) error {
	chunks := chunksOf(b.data, b.chunk)
	locked := make([]bool, len(chunks))
	var group errgroup.Group
	group.SetLimit(lockThreads)
	for i, c := range chunks {
		group.Go(func() error {
			touch(c)
			err := d.call("cuMemHostRegister", func() Result {
				return d.driver.hostRegister(unsafe.Pointer(&c[0]), int64(len(c)))
			})
			locked[i] = err == nil
			return err
		})
	}
	err := group.Wait()
	if err == nil {
		return nil
	}
	for i, c := range chunks {
		if locked[i] {
			err = errors.Join(err, d.unlock(c))
		}
	}
	return err
}

func (d *Device) unlock(c []byte) error {
	return d.call("cuMemHostUnregister", func() Result { return d.driver.hostUnregister(unsafe.Pointer(&c[0])) })
}

// touch makes the system provide the pages of b, which is new.
func touch(b []byte) {
	const page = 4096
	for i := 0; i < len(b); i += page {
		b[i] = 0
	}
}

// chunksOf cuts b at the multiples of size.
func chunksOf(b []byte, size int64) [][]byte {
	var all [][]byte
	for int64(len(b)) > size {
		all = append(all, b[:size:size])
		b = b[size:]
	}
	return append(all, b)
}

// FreeHost releases what AllocHost returned; any other slice is an error.
func (d *Device) FreeHost(b []byte) error {
	d.mu.Lock()
	block, ok := d.host[unsafe.SliceData(b)]
	if ok {
		delete(d.host, &block.data[0])
	}
	d.mu.Unlock()
	if !ok {
		return errors.New("cuda: free host memory: not from AllocHost, or freed twice")
	}
	return in("free host memory", d.freeHost(block))
}

func (d *Device) freeHost(block *hostBlock) error {
	if block.raw == nil {
		return d.call("cuMemFreeHost", func() Result { return d.driver.hostFree(unsafe.Pointer(&block.data[0])) })
	}
	var group errgroup.Group
	group.SetLimit(lockThreads)
	for _, c := range chunksOf(block.data, block.chunk) {
		group.Go(func() error { return d.unlock(c) })
	}
	if err := group.Wait(); err != nil {
		return err // it stays mapped: the GPU may still be able to write there
	}
	return unmapHuge(block.raw)
}

// pieces cuts the host memory of a copy at the borders of the locked chunks: CUDA refuses copies that cross them.
func (d *Device) pieces(b []byte) [][]byte {
	if len(b) == 0 {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, block := range d.host {
		// Very large where b is before the block.
		at := uintptr(unsafe.Pointer(&b[0])) - uintptr(unsafe.Pointer(&block.data[0]))
		if block.chunk == 0 || at >= uintptr(len(block.data)) {
			continue
		}
		head := block.chunk - int64(at)%block.chunk
		if head >= int64(len(b)) {
			break
		}
		return append([][]byte{b[:head]}, chunksOf(b[head:], block.chunk)...)
	}
	return [][]byte{b}
}
