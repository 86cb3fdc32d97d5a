package opencl

import (
	"errors"
	"fmt"
	"unsafe"

	"ooc/kernels"
	"ooc/kernels/internal/ledger"
)

// pieces is where memory of a device lies: in memory objects of equal size but for the last.
type pieces struct {
	memory []handle
	piece  int64 // bytes of each
}

type (
	books  = ledger.Ledger[pieces, handle, *stream]
	buffer = ledger.Buffer[pieces]
	own    = ledger.Own[pieces]
)

// objectOf is where memory of the device's own lies; 0: it has taken none.
func objectOf(o own) handle {
	if o.Bytes == 0 {
		return 0
	}
	return o.At.memory[0]
}

// take takes memory, for the device itself in one piece.
func (d *device) take(bytes int64, own bool) (p pieces, err error) {
	if p.piece = pieceSize(d.piece); own {
		p.piece = bytes
	}
	for left := bytes; left > 0; left -= p.piece {
		h, err := d.allocate(min(left, p.piece))
		if err != nil {
			return p, errors.Join(err, d.give(p))
		}
		p.memory = append(p.memory, h)
	}
	return p, nil
}

func (d *device) give(p pieces) error { return d.freePieces(p.memory) }

func (d *device) freePieces(pieces []handle) (err error) {
	for _, p := range pieces {
		err = errors.Join(err, check("clReleaseMemObject", d.lib.call(d.lib.clReleaseMemObject, uintptr(p))))
	}
	return err
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

// allocate makes a memory object. Most drivers find memory for it only when it is first used; writing to it makes
// this one say now that there is none. PoCL would abort at that, so a processor is asked for memory of the host,
// which it has to find at once.
func (d *device) allocate(bytes int64) (handle, error) {
	if bytes > d.found.largest {
		return 0, fmt.Errorf("%w: the driver gives %d bytes at once", kernels.ErrNoMemory, d.found.largest)
	}
	l, flags := d.lib, uintptr(readWrite)
	if d.found.cpu {
		flags |= allocHost
	}
	h, err := l.create("clCreateBuffer", l.clCreateBuffer, uintptr(d.context), flags, uintptr(bytes), 0)
	if err != nil {
		return 0, outOfMemory(err)
	}
	first := new([4]byte)
	err = check("clEnqueueWriteBuffer", l.call(l.clEnqueueWriteBuffer, uintptr(d.queue), uintptr(h), 1, 0,
		uintptr(min(bytes, 4)), uintptr(unsafe.Pointer(first)), 0, 0, 0))
	if err == nil { // Intel's driver was seen to return before it had written
		err = check("clFinish", l.call(l.clFinish, uintptr(d.queue)))
	}
	if err != nil {
		return 0, errors.Join(outOfMemory(err), d.freePieces([]handle{h}))
	}
	return h, nil
}

// What memory objects are made for.
const (
	readWrite = 1 << 0
	allocHost = 1 << 4
)

// takeHost takes memory of the host, aligned to 64 bytes or more: a memory object that is mapped for good, which most
// drivers page-lock. Beyond Options.Host, and what a driver allocates at once, it is memory as any, with no object.
func (d *device) takeHost(bytes int64) ([]byte, handle, error) {
	if mapped := d.mapped.Add(bytes); d.lockable == 0 || mapped <= d.lockable {
		data, h, err := d.mapHost(bytes)
		if err == nil {
			return data, h, nil
		}
		if !noMemory(err) {
			d.mapped.Add(-bytes)
			return nil, 0, err
		}
	}
	d.mapped.Add(-bytes)
	const line = 64
	data := make([]byte, bytes+line)
	skip := -uintptr(unsafe.Pointer(&data[0])) & (line - 1)
	return data[skip:][:bytes:bytes], 0, nil
}

func (d *device) mapHost(bytes int64) ([]byte, handle, error) {
	l := d.lib
	h, err := l.create("clCreateBuffer", l.clCreateBuffer, uintptr(d.context), readWrite|allocHost, uintptr(bytes), 0)
	if err != nil {
		return nil, 0, err
	}
	const mapRead, mapWrite = 1 << 0, 1 << 1
	at, err := l.create("clEnqueueMapBuffer", l.clEnqueueMapBuffer, uintptr(d.queue), uintptr(h), 1, mapRead|mapWrite,
		0, uintptr(bytes), 0, 0, 0)
	if err != nil {
		return nil, 0, errors.Join(err, d.freePieces([]handle{h}))
	}
	p := *(*unsafe.Pointer)(unsafe.Pointer(&at)) // is not in Go's memory
	return unsafe.Slice((*byte)(p), bytes), h, nil
}

func (d *device) giveHost(data []byte, mapped handle) error {
	if mapped == 0 {
		return nil
	}
	d.mapped.Add(-int64(len(data)))
	l := d.lib
	c := l.call(l.clEnqueueUnmapMemObject, uintptr(d.queue), uintptr(mapped), uintptr(unsafe.Pointer(&data[0])), 0, 0,
		0)
	finished := l.call(l.clFinish, uintptr(d.queue))
	return errors.Join(check("clEnqueueUnmapMemObject", c), check("clFinish", finished), d.freePieces([]handle{mapped}))
}

// span is a part of a memory object.
type span struct {
	memory     handle
	off, bytes int64
}

// spans returns where bytes of a tile lie: in one piece of its buffer or in several, in turn.
func (d *device) spans(t kernels.Tile, bytes int64) ([]span, error) {
	b, err := d.Find(t, bytes)
	if err != nil {
		return nil, err
	}
	var all []span
	for off := t.Off; bytes > 0; {
		in := off % b.At.piece
		n := min(bytes, b.At.piece-in)
		all = append(all, span{b.At.memory[off/b.At.piece], in, n})
		off, bytes = off+n, bytes-n
	}
	return all, nil
}
