package rounds

import (
	"context"
	"sync"
)

// exchange carries finished tiles of panels between the parts of a run. Its methods are called by many goroutines, for the tiles of
// each part in the order of its steps, and fail once the run has failed.
type exchange interface {
	// send gives a tile to other parts. It returns when data may be written over.
	send(to []int, tile, done int, data []byte) error
	// receive fills data with a tile that another part sends.
	receive(from, tile, done int, data []byte) error
}

// handover is the exchange between parts of one process: who receives a tile copies it from the sender's page.
type handover struct {
	ctx context.Context // ends when a part fails

	mu     sync.Mutex
	offers map[offerKey]*offer // guarded by mu
}

type offerKey struct{ tile, done int }

// offer is a tile that somebody sends or waits for.
type offer struct {
	data  []byte        // of the sender; to be read once ready is closed
	left  int           // parts that have not copied it yet; guarded by handover.mu
	ready chan struct{} // closed by the sender
	taken chan struct{} // closed by the last one who copied it
}

func newHandover(ctx context.Context) *handover {
	return &handover{ctx: ctx, offers: map[offerKey]*offer{}}
}

// offer returns that of a tile, for whoever asks first.
func (h *handover) offer(k offerKey) *offer {
	h.mu.Lock()
	defer h.mu.Unlock()
	o := h.offers[k]
	if o == nil {
		o = &offer{ready: make(chan struct{}), taken: make(chan struct{})}
		h.offers[k] = o
	}
	return o
}

func (h *handover) wait(event chan struct{}) error {
	select {
	case <-event:
		return nil
	case <-h.ctx.Done():
		return context.Cause(h.ctx)
	}
}

func (h *handover) send(to []int, tile, done int, data []byte) error {
	o := h.offer(offerKey{tile, done})
	o.data, o.left = data, len(to)
	close(o.ready)
	return h.wait(o.taken)
}

func (h *handover) receive(_, tile, done int, data []byte) error {
	k := offerKey{tile, done}
	o := h.offer(k)
	if err := h.wait(o.ready); err != nil {
		return err
	}
	copy(data, o.data)
	h.mu.Lock()
	defer h.mu.Unlock()
	if o.left--; o.left == 0 {
		delete(h.offers, k)
		close(o.taken)
	}
	return nil
}
