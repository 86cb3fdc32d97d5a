package rounds

import (
	"context"
	"sync"

	"ooc/kernels"
)

// exchange carries finished tiles of panels between the parts of a run. Its methods are called by many goroutines,
// for the tiles of each part in the order of its steps, and fail once the run has failed.
type exchange interface {
	// send gives a tile to other parts. It returns when data may be written over.
	send(to []int, tile, done int, data []byte) error
	// receive fills data with a tile that another part sends.
	receive(from, tile, done int, data []byte) error
}

// handover is the exchange between parts of one process: who receives a tile copies it from the sender's page, or
// from its slot where the devices reach each other.
type handover struct {
	ctx context.Context // ends when a part fails

	mu     sync.Mutex
	offers map[offerKey]*offer // guarded by mu
}

type offerKey struct{ tile, done int }

// offer is a tile that somebody sends or waits for.
type offer struct {
	data  []byte        // the sender's page, or
	slot  kernels.Tile  // its slot; both are to be read once ready is closed
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
	return h.give(to, offerKey{tile, done}, offer{data: data})
}

func (h *handover) receive(_, tile, done int, data []byte) error {
	k := offerKey{tile, done}
	o, err := h.await(k)
	if err == nil {
		copy(data, o.data)
		h.took(k)
	}
	return err
}

// give offers a page or a slot, and returns when as many parts have taken it.
func (h *handover) give(to []int, k offerKey, what offer) error {
	o := h.offer(k)
	o.data, o.slot, o.left = what.data, what.slot, len(to)
	close(o.ready)
	return h.wait(o.taken)
}

// await returns an offer once it is there.
func (h *handover) await(k offerKey) (*offer, error) {
	o := h.offer(k)
	return o, h.wait(o.ready)
}

// took tells the sender that a part has copied what it offered.
func (h *handover) took(k offerKey) {
	h.mu.Lock()
	defer h.mu.Unlock()
	o := h.offers[k]
	if o.left--; o.left == 0 {
		delete(h.offers, k)
		close(o.taken)
	}
}
