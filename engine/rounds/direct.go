package rounds

import (
	"ooc/kernels"
	"ooc/stream"
)

// direct moves tiles from the slots of one part to those of another, where all devices of a process reach each
// other's memory. The steps are those by which tiles pass through pages. A page holds no tile then, and stands for
// the slot of another part.
type direct struct {
	handover *handover
	device   kernels.PeerOps
	from     []kernels.Tile // by page
}

// connect lets parts of one process hand each other tiles, directly if every device reaches every other.
func connect(parts []*partRun, between *handover) {
	all := make([]*direct, len(parts))
	for i, p := range parts {
		can, ok := kernels.As[kernels.PeerOps](p.x.device)
		for _, q := range parts {
			ok = ok && can.Reaches(q.x.buf)
		}
		if !ok {
			return
		}
		all[i] = &direct{between, can, make([]kernels.Tile, len(p.x.pages))}
	}
	for i, p := range parts {
		p.x.direct = all[i]
	}
}

// submit submits a step that sends or receives.
func (d *direct) submit(x *executor, s step) error {
	page, slot, k := &x.pages[s.page], &x.slots[s.slot], offerKey{s.tile, s.done}
	switch s.kind {
	case stepSend:
		return x.pipe.Submit(stream.Op{
			Stage: stream.Send, Name: x.name(s), // its bytes count where they arrive
			Reads: []*stream.Region{&slot.Region}, Writes: []*stream.Region{&x.sent[tagOf(s.tile)]},
			Host: func() error { return d.handover.give(s.to, k, offer{slot: slot.Tile}) },
		})
	case stepReceive:
		return x.pipe.Submit(stream.Op{
			Stage: stream.Receive, Name: x.name(s),
			Writes: []*stream.Region{&page.Region, &x.received[tagOf(s.tile)]},
			Host: func() error {
				o, err := d.handover.await(k)
				if err == nil { // else its sender may be writing what it offers
					d.from[s.page] = o.slot
				}
				return err
			},
		})
	case stepIn:
		slot.Stream = x.streams.take()
		return x.pipe.Submit(stream.Op{
			Stage: stream.In, Stream: slot.Stream, Bytes: x.geom.TileBytes(),
			Reads: []*stream.Region{&page.Region}, Writes: []*stream.Region{&slot.Region},
			Device: func(on kernels.Stream) error {
				return d.device.CopyPeer(on, slot.Tile, d.from[s.page], x.geom.TileBytes())
			},
			Done: func() { d.handover.took(k) },
			Name: x.name(s),
		})
	}
	return nil // the step out: the slot itself is sent
}
