package cuda

import (
	"errors"
	"slices"
	"unsafe"

	"golang.org/x/sync/errgroup"

	"ooc/kernels/internal/ledger"
)

// hostBlock is what is known of page-locked memory. Either CUDA allocated it, or the system did and it was locked
// afterwards, in chunks.
type hostBlock struct {
	ledger.Memory
	chunk int64 // bytes that were locked at once; copies do not cross its multiples; 0: CUDA allocated it
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

// takeHost takes page-locked host memory.
func (d *Device) takeHost(bytes int64) ([]byte, hostBlock, error) {
	if bytes >= lockAlone && ledger.Mapped {
		if m, err := ledger.Map(bytes, false); err == nil {
			if err := d.lock(m.Data); err != nil {
				return nil, hostBlock{}, errors.Join(err, m.Unmap())
			}
			return m.Data, hostBlock{m, lockChunk}, nil
		}
	}
	p, err := got(d, "cuMemHostAlloc", func() (unsafe.Pointer, Result) { return d.driver.hostAlloc(bytes) })
	if err != nil {
		return nil, hostBlock{}, err
	}
	return unsafe.Slice((*byte)(p), bytes), hostBlock{}, nil
}

// lock touches and locks memory chunk by chunk, several at a time.
func (d *Device) lock(data []byte) error {
	chunks := slices.Collect(slices.Chunk(data, int(lockChunk)))
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

func (d *Device) giveHost(data []byte, block hostBlock) error {
	if block.chunk == 0 {
		return d.call("cuMemFreeHost", func() Result { return d.driver.hostFree(unsafe.Pointer(&data[0])) })
	}
	var group errgroup.Group
	group.SetLimit(lockThreads)
	for c := range slices.Chunk(data, int(block.chunk)) {
		group.Go(func() error { return d.unlock(c) })
	}
	if err := group.Wait(); err != nil {
		return err // it stays mapped: the GPU may still be able to write there
	}
	return block.Unmap()
}

// pieces cuts the host memory of a copy at the borders of the locked chunks: CUDA refuses copies that cross them.
func (d *Device) pieces(b []byte) [][]byte {
	if len(b) == 0 {
		return nil
	}
	list := [][]byte{b}
	d.Host(func(data []byte, block hostBlock) bool {
		// Very large where b is before the block.
		at := uintptr(unsafe.Pointer(&b[0])) - uintptr(unsafe.Pointer(&data[0]))
		if block.chunk == 0 || at >= uintptr(len(data)) {
			return false
		}
		if head := block.chunk - int64(at)%block.chunk; head < int64(len(b)) {
			list = slices.AppendSeq([][]byte{b[:head]}, slices.Chunk(b[head:], int(block.chunk)))
		}
		return true
	})
	return list
}
