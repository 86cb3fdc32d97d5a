// Package feed carries the arcs of a graph to a device, block by block and pass after pass, for methods that visit
// all arcs many times: Bellman–Ford, Borůvka. Blocks that fit the device's memory stay there. The others stream
// through; reading, copying and computing overlap.
package feed

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"github.com/dustin/go-humanize"

	"ooc/engine/device"
	"ooc/engine/graph"
	"ooc/kernels"
	"ooc/kernels/entry"
	"ooc/stream"
)

// Matrix is where pieces of a matrix come from: a *graph.Graph or a *dense.Matrix.
type Matrix interface {
	Facts() graph.Facts
	FillTile(dst []byte, t, i, j int) error
}

// Options say how arcs go to a device.
type Options struct {
	Device     kernels.Device
	Memory     int64 // bytes of the device's memory for the caller: Feed.Memory
	Edge       int   // columns of a piece of a matrix, a multiple of 64; 0: Open decides
	Transposed bool  // pieces are stored column by column
}

// blockSpec is a block that is not on the device: where its arcs are and how many bytes they take.
type blockSpec struct {
	lo, hi, row, rows int
	bytes             int64
}

// source knows the blocks of a graph.
type source interface {
	blocks() []blockSpec
	fill(dst []byte, b blockSpec) error               // by several goroutines
	place(b blockSpec, at kernels.Tile) kernels.Block // of a block whose memory begins at at
}

// Feed streams the arcs of a graph through a device, pass after pass. Its methods are called by one goroutine.
type Feed struct {
	Memory kernels.Buffer // the caller's
	Stream kernels.Stream // likewise

	held    device.Held
	source  source
	specs   []blockSpec
	columns []stream.Region // by block: what its vertices' entries are ordered by
	column  []int           // of a block, in columns
	slots   []slot
	fixed   int // blocks that stay in their slots; the others take turns
	pages   []stream.Page
	pipe    *stream.Pipeline
}

type slot struct {
	stream.Slot
	holds int // block, −1 for none
}

// The sizes of blocks. Large ones are worth the launches; several have to fit the device to overlap.
const (
	largestBlock = 32 << 20
	leastSlots   = 2
	spareSlots   = 3
	streams      = 3
	align        = 256 // of vectors in device memory
)

// room is what blocks may take of the device, and how large they should be.
func (o Options) room() (room, block int64) {
	info := o.Device.Info()
	room = info.Memory - info.Scratch - o.Memory
	return room, min(largestBlock, max(room/8, 1))
}

// newFeed opens a feed. It fails with device.ErrMemory where two blocks do not fit what the device has beside the
// caller's memory.
func newFeed(s source, o Options) (f *Feed, err error) {
	f = &Feed{held: device.Held{On: o.Device}, source: s, specs: s.blocks()}
	room, _ := o.room()
	largest, total := int64(0), int64(0)
	for i, b := range f.specs {
		largest, total = max(largest, b.bytes), total+b.bytes
		if i == 0 || b.lo != f.specs[i-1].lo {
			f.columns = append(f.columns, stream.Region{})
		}
		f.column = append(f.column, len(f.columns)-1)
	}
	if need := min(total, leastSlots*largest); need > room {
		need += o.Memory + o.Device.Info().Scratch
		return nil, fmt.Errorf("%w: device memory %d bytes; this graph needs at least %d bytes (%s) for its vectors "+
			"and blocks",
			device.ErrMemory, o.Device.Info().Memory, need, humanize.IBytes(uint64(need)))
	}
	if err := f.open(total, largest, room, o.Memory); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// open takes the memory and starts the pipeline.
func (f *Feed) open(total, largest, room, memory int64) (err error) {
	count, bytes := len(f.specs), total
	if f.fixed = count; total > room {
		count = int(min(room/largest, int64(count)))
		bytes, f.fixed = int64(count)*largest, max(0, count-spareSlots)
	}
	name, buf := f.held.On.Info().Name, f.held.Buffer(bytes)
	if err := f.held.Err(); err != nil {
		return fmt.Errorf("%s: %d bytes of blocks: %w", name, bytes, err)
	}
	f.slots = make([]slot, count)
	at := int64(0)
	for i := range f.slots {
		f.slots[i] = slot{Slot: stream.Slot{Tile: kernels.Tile{Buf: buf, Off: at}, Stream: i % streams}, holds: -1}
		if f.Resident() {
			at += f.specs[i].bytes
		} else {
			at += largest
		}
	}
	pages := min(count, streams+1)
	host := f.held.Host(int64(pages) * largest)
	if err := f.held.Err(); err != nil {
		return fmt.Errorf("%s: %d pages of %d bytes: %w", name, pages, largest, err)
	}
	for i := range pages {
		f.pages = append(f.pages, stream.Page{Data: host[int64(i)*largest : int64(i+1)*largest : int64(i+1)*largest]})
	}
	f.Memory, f.Stream = f.held.Buffer(memory), f.held.Stream()
	if err := f.held.Err(); err != nil {
		return err
	}
	readers := min(pages, max(1, runtime.GOMAXPROCS(0)))
	f.pipe, err = stream.New(context.Background(), f.held.On, stream.Options{Streams: streams, Readers: readers})
	return err
}

// Open opens the feed of a graph that into is, with every arc reversed, in compressed rows; nil: of a matrix, in
// pieces. Errors: device.ErrMemory, kernels.ErrNoMemory.
func Open(into *graph.Graph, m Matrix, o Options) (*Feed, error) {
	if into != nil {
		return newFeed(&compressed{into, o}, o)
	}
	return newFeed(newPieces(m, o), o)
}

// Resident reports whether all blocks stay on the device.
func (f *Feed) Resident() bool { return f.fixed == len(f.specs) }

// step works on a block, on a stream of the device. first says that no earlier block of the pass leads to the block's
// vertices. Blocks that lead to the same vertices come in the order of the vertices that their arcs begin at, and are
// worked on one after another.
type step func(s kernels.Stream, b kernels.Block, first bool) error

// Pass enqueues a step for every block, and returns when all are done.
func (f *Feed) Pass(do step) error {
	for i, b := range f.specs {
		at := i
		if i >= f.fixed {
			at = f.fixed + (i-f.fixed)%(len(f.slots)-f.fixed)
		}
		s := &f.slots[at]
		if s.holds != i {
			if err := f.load(s, i); err != nil {
				return err
			}
		}
		block, first := f.source.place(b, s.Tile), i == 0 || f.column[i-1] != f.column[i]
		err := f.pipe.Submit(stream.Op{
			Stage: stream.Kernel, Stream: s.Stream,
			Reads: []*stream.Region{&s.Region}, Writes: []*stream.Region{&f.columns[f.column[i]]},
			Device: func(d kernels.Stream) error { return do(d, block, first) },
		})
		if err != nil {
			return err
		}
	}
	return f.pipe.Drain()
}

// load brings a block into a slot.
func (f *Feed) load(s *slot, i int) error {
	b, page := f.specs[i], &f.pages[i%len(f.pages)]
	s.holds = i
	err := f.pipe.Submit(stream.Op{
		Stage: stream.Read, Bytes: b.bytes, Writes: []*stream.Region{&page.Region},
		Host: func() error { return f.source.fill(page.Data[:b.bytes], b) },
	})
	if err != nil {
		return err
	}
	return f.pipe.Submit(stream.Op{
		Stage: stream.In, Stream: s.Stream, Bytes: b.bytes,
		Reads: []*stream.Region{&page.Region}, Writes: []*stream.Region{&s.Region},
		Device: func(d kernels.Stream) error { return d.CopyIn(s.Tile, page.Data[:b.bytes]) },
	})
}

// Close gives the memory back.
func (f *Feed) Close() (err error) {
	if f.pipe != nil {
		err = f.pipe.Close()
	}
	return errors.Join(err, f.held.Close())
}

// CheckKind fails where the entries of a matrix do not have 4 bytes: vectors on devices hold no others.
func CheckKind(f *graph.Facts) error {
	if f.Kind.Bytes() != entry.WordBytes {
		return fmt.Errorf("%w: weights are read in kind i32 or f32 for this, not in %s", graph.ErrBadInput, f.Kind)
	}
	return nil
}

// Stride is the bytes from a vector of n entries in device memory to the next.
func Stride(n int) int64 { return (int64(n)*entry.WordBytes + align - 1) / align * align }
