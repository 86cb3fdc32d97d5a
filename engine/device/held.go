package device

import (
	"errors"

	"ooc/kernels"
	"ooc/kernels/entry"
)

// Held is what some work holds on a device. Its methods keep the first error; after that they take nothing. It is for
// one goroutine.
type Held struct {
	On kernels.Device

	streams []kernels.Stream
	give    []func() error // back what was taken, in that order
	err     error
}

// Buffer takes memory of the device.
func (h *Held) Buffer(bytes int64) kernels.Buffer {
	return take(h, func() (kernels.Buffer, error) { return h.On.Alloc(bytes) }, kernels.Buffer.Free)
}

// Host takes memory of the host that the device copies from and to.
func (h *Held) Host(bytes int64) []byte {
	return take(h, func() ([]byte, error) { return h.On.AllocHost(bytes) }, h.On.FreeHost)
}

// Put takes memory of the device for data and as many bytes more as slack, and copies the data there by a stream.
func (h *Held) Put(s kernels.Stream, data []byte, slack int) (t kernels.Tile) {
	t.Buf = h.Buffer(int64(max(len(data)+slack, entry.WordBytes)))
	if h.err == nil && len(data) > 0 {
		h.err = errors.Join(s.CopyIn(t, data), s.Sync())
	}
	return t
}

// Stream opens a stream.
func (h *Held) Stream() (s kernels.Stream) {
	if h.err != nil {
		return nil
	}
	if s, h.err = h.On.NewStream(); h.err == nil {
		h.streams = append(h.streams, s)
	}
	return s
}

// Err returns the first error.
func (h *Held) Err() error { return h.err }

// Close closes the streams, which waits for what they do, and then gives back all memory, the last first.
func (h *Held) Close() (err error) {
	for _, s := range h.streams {
		err = errors.Join(err, s.Close())
	}
	for i := len(h.give) - 1; i >= 0; i-- {
		err = errors.Join(err, h.give[i]())
	}
	h.streams, h.give = nil, nil
	return err
}

func take[T any](h *Held, open func() (T, error), give func(T) error) (t T) {
	if h.err != nil {
		return t
	}
	if t, h.err = open(); h.err == nil {
		h.give = append(h.give, func() error { return give(t) })
	}
	return t
}
