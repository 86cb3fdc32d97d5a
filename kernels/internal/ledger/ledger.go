// Package ledger is what all devices do alike: they hand out memory within a limit, find tiles in it, keep the first
// error of an operation, and say at their end what was not given back. Sizes are bytes.
package ledger

import (
	"errors"
	"fmt"
	"sync"
	"unsafe"

	"ooc/kernels"
)

// Ledger is the part of a device that hands out memory. P is where memory of the device lies, H what is known of host
// memory, and S its type of stream.
type Ledger[P, H any, S interface {
	comparable
	kernels.Stream
}] struct {
	Name   string // with which errors begin
	Closed error  // of a device that is closed
	// Limit is how much Alloc hands out in all, and the device takes for itself. Scratch of it is reserved for the
	// device; if an operation needs more, it competes with the buffers.
	Limit, Scratch int64

	Take     func(bytes int64, own bool) (P, error) // own: for the device itself
	Give     func(P) error
	TakeHost func(bytes int64) ([]byte, H, error)
	GiveHost func([]byte, H) error

	mu      sync.Mutex
	inUse   int64 // handed out by Alloc; guarded by mu, as all below
	own     int64 // taken by the device for itself
	buffers int   // alive
	host    map[*byte]hostBlock[H]
	streams map[S]bool // open
	ended   bool
}

type hostBlock[H any] struct {
	data []byte
	kept H
}

// Buffer is a block of device memory.
type Buffer[P any] struct {
	At    P
	bytes int64 // 0 once it is freed
	of    interface{ free(*Buffer[P], int64) error }
}

// Bytes returns the size that Alloc was asked for.
func (b *Buffer[P]) Bytes() int64 { return b.bytes }

// Free returns the memory to the device.
func (b *Buffer[P]) Free() error {
	bytes := b.bytes
	b.bytes = 0
	return b.of.free(b, bytes)
}

func (l *Ledger[P, H, S]) free(b *Buffer[P], bytes int64) error {
	if bytes == 0 {
		return fmt.Errorf("%s: buffer freed twice", l.Name)
	}
	err := l.Give(b.At)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.inUse -= bytes
	l.buffers--
	if err != nil {
		return fmt.Errorf("%s: free %d bytes: %w", l.Name, bytes, err)
	}
	return nil
}

// Alloc reserves device memory. It wraps kernels.ErrNoMemory beyond the limit, or where the device has no more.
func (l *Ledger[P, H, S]) Alloc(bytes int64) (kernels.Buffer, error) {
	at, err := l.take(&l.inUse, bytes)
	if err != nil {
		return nil, fmt.Errorf("%s: allocate %d bytes: %w", l.Name, bytes, err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.buffers++
	return &Buffer[P]{at, bytes, l}, nil
}

// take adds bytes to use, which is inUse or own, if the limit allows it, and takes them.
func (l *Ledger[P, H, S]) take(use *int64, bytes int64) (at P, err error) {
	if err := l.reserve(use, bytes); err != nil {
		return at, err
	}
	if at, err = l.Take(bytes, use == &l.own); err != nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		*use -= bytes
	}
	return at, err
}

func (l *Ledger[P, H, S]) reserve(use *int64, bytes int64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	own := max(l.own, l.Scratch)
	rest := l.Limit - l.inUse - own
	if use == &l.own {
		rest += own - l.own
	}
	switch {
	case l.ended:
		return l.Closed
	case bytes <= 0:
		return errors.New("want more than 0")
	case bytes > rest:
		return fmt.Errorf("%d of %d in use, %d of them by the device itself: %w",
			l.Limit-rest, l.Limit, own, kernels.ErrNoMemory)
	}
	*use += bytes
	return nil
}

// Own is memory that the device took for itself.
type Own[P any] struct {
	At    P
	Bytes int64
}

// Need makes room in memory of the device's own, on which it is idle after idle; what it held is lost.
func (l *Ledger[P, H, S]) Need(o *Own[P], bytes int64, idle func() error) (err error) {
	if bytes <= o.Bytes {
		return nil
	}
	if o.Bytes > 0 {
		if err := errors.Join(idle(), l.Drop(o)); err != nil {
			return err
		}
	}
	if o.At, err = l.take(&l.own, bytes); err != nil {
		return fmt.Errorf("%d bytes for the device itself: %w", bytes, err)
	}
	o.Bytes = bytes
	return nil
}

// Drop gives back what Need took. It is gone, whatever the driver says.
func (l *Ledger[P, H, S]) Drop(o *Own[P]) error {
	old := *o
	if *o = (Own[P]{}); old.Bytes == 0 {
		return nil
	}
	l.mu.Lock()
	l.own -= old.Bytes
	l.mu.Unlock()
	return l.Give(old.At)
}

// Find returns the buffer that so many bytes of a tile lie in.
func (l *Ledger[P, H, S]) Find(t kernels.Tile, bytes int64) (*Buffer[P], error) {
	b, ok := kernels.Bare(t.Buf).(*Buffer[P])
	switch {
	case !ok || b == nil || b.of != any(l):
		return nil, errors.New("tile is in no buffer of this device")
	case b.bytes == 0:
		return nil, errors.New("tile is in a freed buffer")
	case t.Off < 0 || t.Off%4 != 0 || bytes > b.bytes-t.Off:
		return nil, fmt.Errorf("%d bytes at offset %d of a buffer of %d", bytes, t.Off, b.bytes)
	}
	return b, nil
}

// AllocHost returns host memory from and to which copies are fast, aligned to 64 bytes or more. It is outside the
// limit.
func (l *Ledger[P, H, S]) AllocHost(bytes int64) ([]byte, error) {
	err := l.Alive()
	if err == nil && bytes <= 0 {
		err = errors.New("want more than 0")
	}
	var b hostBlock[H]
	if err == nil {
		b.data, b.kept, err = l.TakeHost(bytes)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: allocate %d bytes of host memory: %w", l.Name, bytes, err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.host == nil {
		l.host = map[*byte]hostBlock[H]{}
	}
	l.host[&b.data[0]] = b
	return b.data, nil
}

// FreeHost releases what AllocHost returned; any other slice is an error.
func (l *Ledger[P, H, S]) FreeHost(memory []byte) error {
	l.mu.Lock()
	b, ok := l.host[unsafe.SliceData(memory)]
	delete(l.host, unsafe.SliceData(memory))
	l.mu.Unlock()
	err := errors.New("not from AllocHost, or freed twice")
	if ok {
		err = l.GiveHost(b.data, b.kept)
	}
	if err != nil {
		return fmt.Errorf("%s: free host memory: %w", l.Name, err)
	}
	return nil
}

// Host calls do for the blocks of host memory, until it returns true.
func (l *Ledger[P, H, S]) Host(do func(data []byte, kept H) bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, b := range l.host {
		if do(b.data, b.kept) {
			return
		}
	}
}

// Alive returns the error of a device that is closed.
func (l *Ledger[P, H, S]) Alive() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended {
		return l.Closed
	}
	return nil
}

// Opened notes a stream that is open, or is not any more.
func (l *Ledger[P, H, S]) Opened(s S, open bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.streams == nil {
		l.streams = map[S]bool{}
	}
	if delete(l.streams, s); open {
		l.streams[s] = true
	}
}

// End closes the streams that are left, and then the device. It fails if there are streams, buffers or host memory
// left; memory stays for whoever holds it.
func (l *Ledger[P, H, S]) End(release func() error) (err error) {
	l.mu.Lock()
	if l.ended {
		l.mu.Unlock()
		return l.Closed
	}
	l.ended = true
	if n, m := len(l.streams), len(l.host); n+l.buffers+m > 0 {
		err = fmt.Errorf("%s: closed with %d streams, %d buffers and %d host blocks alive", l.Name, n, l.buffers, m)
	}
	left := l.streams
	l.streams = nil
	l.mu.Unlock()
	for s := range left {
		err = errors.Join(err, s.Close())
	}
	return errors.Join(err, release())
}
