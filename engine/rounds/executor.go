package rounds

import (
	"fmt"
	"sync/atomic"

	"ooc/engine/graph"
	"ooc/kernels"
	"ooc/kernels/entry"
	"ooc/stream"
	"ooc/tiles"
)

// executor maps the slots and pages of a schedule to memory, and submits its steps to the pipeline.
type executor struct {
	*partRun
	device   kernels.Device
	weights  graph.Weights // the source of tiles that are not on disk yet
	geom     tiles.Geometry
	variant  entry.Variant
	pipe     *stream.Pipeline
	slots    []stream.Slot
	pages    []stream.Page
	disk     []stream.Region // each tile's copy on disk
	sent     []stream.Region // by tag: the last tile that was sent under it
	received []stream.Region // and the last one that was received
	exchange exchange
	peers    kernels.PeerOps // copies from slots of other parts; nil: tiles come by pages
	took     func(offerKey)  // called once such a copy is done
	from     []kernels.Tile  // by page: the slot that is to be copied
	streams  turns
	// Closures have their own stream. So no tile has to wait behind a closure that it does not depend on, and a device
	// that keeps scratch memory for closures per stream keeps it once.
	pivotStream int

	buf  kernels.Buffer
	flag flag

	syncing  chan struct{} // holds a token while a checkpoint is in progress
	flushing atomic.Int64  // tiles that a checkpoint is writing during a round
}

// turns gives each new tile of a slot the next stream in turn, so that the tiles that are on their way are spread over
// all streams, whichever slots they are in.
type turns struct{ n, next int }

func (l *turns) take() int {
	now := l.next
	l.next = (l.next + 1) % l.n
	return now
}

// submit hands a step to the pipeline.
func (x *executor) submit(s step) error {
	switch s.kind {
	case stepRead:
		return x.pipe.Submit(x.read(s))
	case stepWrite:
		return x.pipe.Submit(x.write(s))
	case stepCheckpoint:
		return x.pipe.Submit(stream.Op{Stage: stream.Sync, Host: func() error { return x.checkpoint(s.done) }})
	case stepSend:
		page, slot, bytes := &x.pages[s.page], &x.slots[s.slot], x.geom.TileBytes()
		what, where := parcel{data: page.Data}, &page.Region
		if x.peers != nil {
			what, where, bytes = parcel{slot: slot.Tile}, &slot.Region, 0 // they count where they arrive
		}
		return x.pipe.Submit(stream.Op{
			Stage: stream.Send, Bytes: bytes, Name: x.name(s),
			Reads: []*stream.Region{where}, Writes: []*stream.Region{&x.sent[tagOf(s.tile)]},
			Host: func() error { return x.exchange.send(s.to, s.tile, s.done, what) },
		})
	case stepReceive:
		page, bytes := &x.pages[s.page], x.geom.TileBytes()
		if x.peers != nil {
			bytes = 0
		}
		return x.pipe.Submit(stream.Op{
			Stage: stream.Receive, Bytes: bytes, Name: x.name(s),
			Writes: []*stream.Region{&page.Region, &x.received[tagOf(s.tile)]},
			Host: func() error {
				slot, err := x.exchange.receive(s.from, s.tile, s.done, page.Data)
				if err == nil && x.peers != nil {
					x.from[s.page] = slot
				}
				return err
			},
		})
	case stepIn:
		slot, page := &x.slots[s.slot], &x.pages[s.page]
		slot.Stream = x.streams.take()
		op := stream.Op{
			Stage: stream.In, Stream: slot.Stream, Bytes: x.geom.TileBytes(),
			Reads: []*stream.Region{&page.Region}, Writes: []*stream.Region{&slot.Region},
			Device: func(d kernels.Stream) error { return d.CopyIn(slot.Tile, page.Data) },
			Name:   x.name(s),
		}
		if s.received && x.peers != nil {
			op.Device = func(d kernels.Stream) error { return x.peers.CopyPeer(d, slot.Tile, x.from[s.page], op.Bytes) }
			op.Done = func() { x.took(offerKey{s.tile, s.done}) }
		}
		return x.pipe.Submit(op)
	case stepOut:
		if s.to != nil && x.peers != nil { // the slot itself is sent
			return nil
		}
		slot, page := &x.slots[s.slot], &x.pages[s.page]
		return x.pipe.Submit(stream.Op{
			Stage: stream.Out, Stream: slot.Stream, Bytes: x.geom.TileBytes(),
			Reads: []*stream.Region{&slot.Region}, Writes: []*stream.Region{&page.Region},
			Device: func(d kernels.Stream) error { return d.CopyOut(page.Data, slot.Tile) },
			Name:   x.name(s),
		})
	case stepEnd:
		err := x.pipe.Drain()
		x.mu.Lock()
		defer x.mu.Unlock()
		x.ended = x.Control.Now() // of the products of this part's last round
		return err
	default: // stepKernel
		return s.op.submit(x, s)
	}
}

func (x *executor) tilesOf(slots []int) []kernels.Tile {
	out := make([]kernels.Tile, len(slots))
	for i, s := range slots {
		out[i] = x.slots[s].Tile
	}
	return out
}

func (x *executor) regions(slots []int) []*stream.Region {
	out := make([]*stream.Region, len(slots))
	for i, s := range slots {
		out[i] = &x.slots[s].Region
	}
	return out
}

// name returns the name of a step for errors and timelines; it is built only when needed.
func (x *executor) name(s step) func() string {
	return func() string {
		i, j := x.geom.TileAt(s.tile)
		what := [...]string{stepRead: "read", stepIn: "copy to the device", stepOut: "copy from the device",
			stepWrite: "write", stepKernel: "",
			stepSend: "send to other parts", stepReceive: "receive"}[s.kind]
		if s.kind == stepKernel {
			what = s.op.name(x, s)
		}
		return fmt.Sprintf("%s: tile (%d,%d), %s", x.Store.Dir(), i, j, what)
	}
}

func (x *executor) read(s step) stream.Op {
	page := &x.pages[s.page]
	i, j := x.geom.TileAt(s.tile)
	if !s.fromGraph {
		x.Store.Prefetch(i, j) // this runs ahead of the copy by the pipeline's window
	}
	return stream.Op{
		Stage: stream.Read, Bytes: x.geom.TileBytes(), Name: x.name(s),
		Reads: []*stream.Region{&x.disk[s.tile]}, Writes: []*stream.Region{&page.Region},
		Host: func() error {
			if s.fromGraph {
				return x.weights.FillTile(page.Data, x.geom.T, i, j)
			}
			err := x.Store.ReadTile(page.Data, i, j)
			if i == j && x.geom.Upper { // a power cut may have left parts of two writes in it, whose rounding differs
				x.geom.Mirror(page.Data)
			}
			return err
		},
	}
}

func (x *executor) write(s step) stream.Op {
	page := &x.pages[s.page]
	i, j := x.geom.TileAt(s.tile)
	if s.checkpoint {
		x.flushing.Add(1)
	}
	return stream.Op{
		Stage: stream.Write, Bytes: x.geom.TileBytes(), Name: x.name(s),
		Reads: []*stream.Region{&page.Region}, Writes: []*stream.Region{&x.disk[s.tile]},
		Host: func() error {
			if s.checkpoint {
				defer x.flushing.Add(-1)
			}
			final, write := s.done == x.algorithm.iterations(x.geom), x.Store.WriteTile
			if final || s.checkpoint { // a sync follows, and no other write before it: the disk may begin
				write = x.Store.WriteTiles
			}
			if err := write(i, j, page.Data); err != nil {
				return err
			}
			if final {
				x.track.sum(s.tile, page.Data)
			}
			if least, rose := x.track.wrote(s.tile, s.done); rose {
				return x.Store.Note(x.state(least))
			}
			return nil
		},
	}
}

func (x *executor) checkpoint(done int) error {
	defer func() {
		select {
		case <-x.syncing:
		default:
		}
		x.Control.Touch() // a solve in a pause may begin the next one
	}()
	return x.save(done)
}

// newExecutor divides device and host memory into the slots and pages of a plan.
func newExecutor(p *partRun, d kernels.Device, w graph.Weights, buf kernels.Buffer, host []byte) *executor {
	g, plan := p.Geometry, &p.plan
	tb, tags := g.TileBytes(), min(Tags, g.Tiles())
	x := &executor{
		partRun: p, device: d, weights: w, geom: g, variant: p.Meta.Variant(),
		slots: make([]stream.Slot, plan.Slots), pages: make([]stream.Page, plan.Pages),
		disk: make([]stream.Region, g.Tiles()), sent: make([]stream.Region, tags),
		received: make([]stream.Region, tags),
		syncing:  make(chan struct{}, 1), buf: buf,
		streams: turns{n: plan.Streams}, pivotStream: plan.Streams,
	}
	for i := range x.slots {
		x.slots[i].Tile = kernels.Tile{Buf: buf, Off: int64(i) * tb}
	}
	for i := range x.pages {
		x.pages[i].Data = host[int64(i)*tb : int64(i+1)*tb : int64(i+1)*tb]
	}
	return x
}
