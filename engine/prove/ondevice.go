package prove

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"ooc/engine/device"
	"ooc/kernels"
	"ooc/kernels/entry"
)

// mostLanes is how many rows a device proves at a time, one in each lane, where tiles have edges of a multiple of it.
const mostLanes = 128

// readers is how many goroutines read rows for a device at most: reading takes longer than all that the device does.
const readers = 8

// hostShare is the part of free host memory that all rows on their way to one of several devices take at most.
const hostShare = 4

// proverDevice is a device that proves rows, with the arcs in its memory. It takes what the processor proves by
// comparing words alone: rows of integers whose weights are not negative and make no cycle of length 0. There,
// entries that all equal their minima are distances, whatever else they hold: a minimum is at most unreachable, so no
// sum with an entry that equals its own wraps.
type proverDevice struct {
	*prover
	device kernels.Device
	ops    kernels.LaneOps
	tiles  kernels.TileOps
	lanes  int // rows that are proved at a time
	pitch  int // entries of such a row
	held   device.Held

	offsets, ends, weights kernels.Tile
	degree                 int32 // the most arcs of a vertex
	workers                []*deviceWorker
}

// onDevices proves all rows on devices, which take strips of rows in turn, as each gets done. It returns false, and
// has done nothing, where none of them can.
func (pr *prover) onDevices(ctx context.Context, o Options) (done bool, err error) {
	if o.Device == nil || pr.variant != entry.I32 || pr.arcs.group != nil {
		return false, nil
	}
	var all []*proverDevice
	defer func() {
		for _, d := range all {
			err = errors.Join(err, d.close())
		}
	}()
	each, lanes := device.Each(o.Device), pr.deviceLanes()
	strips := entry.CeilDiv(pr.rows, lanes)
	reader, err := pr.memory(lanes)
	if err != nil {
		return false, err
	}
	for _, one := range each {
		d := &proverDevice{
			prover: pr, device: one, lanes: lanes, pitch: entry.RoundUp(pr.width, lanes), held: device.Held{On: one},
		}
		all = append(all, d)
		workers := min(strips, readers, max(2, runtime.GOMAXPROCS(0)/len(each)))
		if room := device.FreeMemory() / hostShare / int64(len(each)); room > 0 { // it is known
			workers = int(min(int64(workers), max(1, room/d.hostBytes(reader))))
		}
		err := d.open(workers)
		if err != nil && !errors.Is(err, kernels.ErrNoMemory) {
			return true, d.failed(err)
		}
		done = done || len(d.workers) > 0
	}
	if !done {
		return false, nil
	}
	g, ctx := errgroup.WithContext(ctx)
	var next atomic.Int64
	for _, d := range all {
		for _, w := range d.workers {
			g.Go(func() error {
				for s := int(next.Add(1) - 1); s < strips; s = int(next.Add(1) - 1) {
					if ctx.Err() != nil {
						return context.Cause(ctx)
					}
					if err := w.strip(s * lanes); err != nil {
						return err
					}
					pr.mu.Lock()
					pr.progress(o, lanes)
					pr.mu.Unlock()
				}
				return nil
			})
		}
	}
	return true, g.Wait()
}

// deviceLanes is how many rows a device takes at a time. None of them are in two rows of tiles.
func (pr *prover) deviceLanes() int {
	lanes := mostLanes
	for pr.edge%lanes != 0 {
		lanes -= kernels.DeviceLaneUnit
	}
	return lanes
}

// failed says on which device an error happened, and how to do without it.
func (d *proverDevice) failed(err error) error {
	return fmt.Errorf("proof on %s: %w; with --device cpu the processor proves", d.device.Info().Name, err)
}

// open copies the arcs to the device, and makes at most so many workers: none on a device that lacks operations or
// memory. It fails with kernels.ErrNoMemory where there may be some.
func (d *proverDevice) open(workers int) (err error) {
	var ops, tiles bool
	d.ops, ops = kernels.As[kernels.LaneOps](d.device)
	d.tiles, tiles = kernels.As[kernels.TileOps](d.device)
	a := d.arcs
	if fixed := int64(len(a.Offsets)+2*len(a.Ends)) * entry.WordBytes; ops && tiles {
		info := d.device.Info()
		workers = int(min(int64(workers), (info.Memory-info.Scratch-fixed)/d.workerBytes()))
	}
	if !ops || !tiles || workers <= 0 || d.pitch > kernels.MostLanes { // a row's entries are lanes
		return nil
	}
	for v := d.width; v < d.width+d.g.N; v++ {
		d.degree = max(d.degree, a.Offsets[v+1]-a.Offsets[v])
	}
	s, err := d.device.NewStream()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	d.offsets = d.held.Put(s, entry.Bytes(entry.As[uint32](a.Offsets)), 0)
	d.ends = d.held.Put(s, entry.Bytes(entry.As[uint32](a.Ends)), 0)
	d.weights = d.held.Put(s, entry.Bytes(a.Weights), 0)
	if d.held.Err() != nil {
		return d.held.Err()
	}
	for range workers {
		w, err := d.newWorker()
		if err != nil {
			return err
		}
		d.workers = append(d.workers, w)
	}
	return nil
}

func (d *proverDevice) close() (err error) {
	for _, w := range d.workers {
		err = errors.Join(err, w.held.Close())
	}
	return errors.Join(err, d.held.Close())
}

// rowBytes, laneBytes and noteBytes are the device memory of a worker: for rows as they are stored, for lanes of them
// and of their minima, and for columns, sources and the flag. The first and the last are as much host memory.
func (d *proverDevice) rowBytes() int64 { return int64(d.lanes) * int64(d.pitch) * entry.WordBytes }
func (d *proverDevice) laneBytes() int64 {
	return int64(d.lanes) * int64(max(d.pitch, d.width+d.g.N)) * entry.WordBytes
}
func (d *proverDevice) noteBytes() int64 { return int64(2*d.lanes+1) * entry.WordBytes }

// hostBytes is the host memory of a worker, with that of its reader.
func (d *proverDevice) hostBytes(reader int64) int64 { return d.rowBytes() + d.noteBytes() + reader }

func (d *proverDevice) workerBytes() int64 { return d.rowBytes() + d.laneBytes() + d.noteBytes() }

// deviceWorker proves strips of rows on a device. It is for one goroutine.
type deviceWorker struct {
	d                 *proverDevice
	read              pieceReader
	held              device.Held
	stream            kernels.Stream
	rows, lanes, note kernels.Buffer
	hostRows          []byte
	hostNote          []byte
}

func (d *proverDevice) newWorker() (*deviceWorker, error) {
	w := &deviceWorker{d: d, read: d.pieces(d.lanes), held: device.Held{On: d.device}}
	h := &w.held
	w.rows, w.lanes, w.note = h.Buffer(d.rowBytes()), h.Buffer(d.laneBytes()), h.Buffer(d.noteBytes())
	w.hostRows, w.hostNote, w.stream = h.Host(d.rowBytes()), h.Host(d.noteBytes()), h.Stream()
	if h.Err() != nil {
		return nil, errors.Join(h.Err(), h.Close())
	}
	return w, nil
}

// strip proves the rows from first on, as many as there are lanes, or those that are left. Where the device finds an
// entry that is not its minimum, the processor decides, and names it.
func (w *deviceWorker) strip(first int) error {
	d := w.d
	count := min(d.lanes, d.prover.rows-first)
	d.ahead(first)
	err := w.read(first, count, func(column int, piece []byte, width int) {
		for l := range count {
			copy(w.hostRows[4*(l*d.pitch+column):], piece[4*l*width:4*(l+1)*width])
		}
	})
	if err != nil {
		return err
	}
	differ, err := w.differ(first, count)
	if err != nil {
		return d.failed(err)
	}
	if !differ {
		return nil
	}
	processor := d.prover.newWorker()
	for at := first; at < first+count; at += lanesAtOnce {
		if err := processor.block(at); err != nil {
			return err
		}
	}
	return d.failed(fmt.Errorf("rows %d to %d break a relation with their arcs there, but not on the processor: a "+
		"fault of the device, or a bug", first, first+count-1))
}

// differ has the device compare the entries of the rows that were read with their minima.
func (w *deviceWorker) differ(first, count int) (bool, error) {
	d := w.d
	note := entry.As[int32](entry.View[uint32](w.hostNote))
	columns, sources, flag := note[:d.lanes], note[d.lanes:2*d.lanes], note[2*d.lanes:]
	for l := range columns { // lanes without a row are unreachable from everywhere
		columns[l], sources[l] = -1, -1
		if l < count {
			columns[l], sources[l] = int32(l), int32(d.width+d.vertex(first+l))
		}
	}
	flag[0] = 0
	at := func(word int) kernels.Tile { return kernels.Tile{Buf: w.note, Off: int64(word) * entry.WordBytes} }
	lanes := kernels.Tile{Buf: w.lanes}
	line := int64(d.lanes) * entry.WordBytes
	minima := kernels.Tile{Buf: w.lanes, Off: int64(d.width) * line}
	for _, do := range []func() error{
		func() error {
			return w.stream.CopyIn(kernels.Tile{Buf: w.rows}, w.hostRows[:count*d.pitch*entry.WordBytes])
		},
		func() error { return w.stream.CopyIn(at(0), w.hostNote) },
		func() error {
			return d.ops.LaneTranspose(w.stream, d.variant,
				kernels.LaneTranspose{Dst: lanes, Edge: d.lanes, Side: 1, Lanes: kernels.Tile{Buf: w.rows},
					Width: d.pitch, Columns: at(0)})
		},
		func() error {
			return d.ops.Level(w.stream, d.variant,
				kernels.Level{Lanes: lanes, Width: d.lanes, Offsets: d.offsets, Ends: d.ends, Weights: d.weights,
					Sources: at(d.lanes), Fresh: true,
					Ranges: []kernels.LevelRange{{Lo: int32(d.width), Hi: int32(d.width + d.g.N), Degree: d.degree}}})
		},
		func() error { return d.tiles.Differ(w.stream, at(2*d.lanes), lanes, minima, int64(d.g.N)*line) },
		func() error { return w.stream.CopyOut(w.hostNote[2*line:], at(2*d.lanes)) },
	} {
		if err := do(); err != nil {
			return false, errors.Join(err, w.stream.Sync())
		}
	}
	if err := w.stream.Sync(); err != nil {
		return false, err
	}
	return flag[0] != 0, nil
}
