package device

import (
	"errors"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

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
		h.err = h.Copy(s, t, data)
	}
	return t
}

// stage is how many bytes a goroutine stages at a time, stagers how many do, and leastStaged of how many bytes on.
const stage, stagers, leastStaged = 256 << 10, 6, 16 << 20

// Copy copies data to the device by a stream, and waits for that. A GPU copies faster from page-locked memory than its
// driver does from any other: so much data goes through some of that, which goroutines fill in turn.
func (h *Held) Copy(s kernels.Stream, t kernels.Tile, data []byte) error {
	room, err := []byte(nil), kernels.ErrNoMemory
	if len(data) >= leastStaged && !h.On.Info().SharedCores {
		room, err = h.On.AllocHost(2 * stage * stagers)
	}
	if errors.Is(err, kernels.ErrNoMemory) {
		return errors.Join(s.CopyIn(t, data), s.Sync())
	} else if err != nil {
		return err
	}
	var next atomic.Int64
	var enqueuing sync.Mutex
	var all errgroup.Group
	for i := range stagers {
		all.Go(func() (err error) {
			var passed [2]kernels.Event // those of the copies from its two stages
			for k := 2 * i; err == nil; k ^= 1 {
				at := next.Add(stage) - stage
				if at >= int64(len(data)) {
					break
				}
				if e := passed[k-2*i]; e != nil {
					if err = e.Sync(); err != nil {
						break
					}
				}
				from := room[k*stage:][:copy(room[k*stage:][:stage], data[at:])]
				enqueuing.Lock()
				if err = s.CopyIn(kernels.Tile{Buf: t.Buf, Off: t.Off + at}, from); err == nil {
					passed[k-2*i], err = s.Record()
				}
				enqueuing.Unlock()
			}
			if err != nil { // the others end, too
				next.Store(int64(len(data)))
			}
			return err
		})
	}
	return errors.Join(all.Wait(), s.Sync(), h.On.FreeHost(room))
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
