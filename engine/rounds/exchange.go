package rounds

import (
	"context"
	"sync"

	"ooc/kernels"
)

// exchange carries finished tiles of panels between the parts of a run. Its methods are called by many goroutines,
// for the tiles of each part in the order of its steps, and fail once the run has failed.
type exchange interface {
	// send gives a tile to other parts. It returns when what it is in may be written over.
	send(to []int, tile, done int, what parcel) error
	// receive fills data with a tile that another part sends, or returns the slot that it is to be copied from.
	receive(from, tile, done int, data []byte) (kernels.Tile, error)
}

// parcel is a tile that is sent: a page, or else a slot that the devices of other parts reach.
type parcel struct {
	data []byte
	slot kernels.Tile
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
	parcel               // to be read once ready is closed
	left   int           // parts that have not copied it yet; guarded by handover.mu
	ready  chan struct{} // closed by the sender
	taken  chan struct{} // closed by the last one who copied it
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

// send returns when as many parts have taken the tile.
func (h *handover) send(to []int, tile, done int, what parcel) error {
	o := h.offer(offerKey{tile, done})
	o.parcel, o.left = what, len(to)
	close(o.ready)
	return h.wait(o.taken)
}

// receive returns a slot before it is copied; took says when it has been.
func (h *handover) receive(_, tile, done int, data []byte) (kernels.Tile, error) {
	k := offerKey{tile, done}
	o := h.offer(k)
	if err := h.wait(o.ready); err != nil { // its sender may be writing what it offers
		return kernels.Tile{}, err
	}
	if o.data != nil {
		copy(data, o.data)
		h.took(k)
	}
	return o.slot, nil
}

// connect has the parts of one process hand each other slots where every device reaches every other's memory: a tile
// then passes by no page. The steps are the same; a page holds no tile, and stands for the slot of another part.
func (h *handover) connect(parts []*partRun) {
	all := make([]kernels.PeerOps, len(parts))
	for i, p := range parts {
		can, ok := kernels.As[kernels.PeerOps](p.x.device)
		for _, q := range parts {
			ok = ok && can.Reaches(q.x.buf)
		}
		if all[i] = can; !ok {
			return
		}
	}
	for i, p := range parts {
		p.x.peers, p.x.took, p.x.from = all[i], h.took, make([]kernels.Tile, len(p.x.pages))
	}
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
