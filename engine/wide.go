package engine

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sync/errgroup"

	"ooc/engine/sparse"
	"ooc/kernels"
)

// conveyor is an expansion on a device. Some goroutines each see batches of sources through it, on a stream of their
// own; others write the rows of tiles that come back. A row of tiles is in host memory from its copy until it is
// written, and the next copy waits for room.
type conveyor struct {
	*expansion
	wide    *sparse.Wide
	batches []*sparse.Batch
	lanes   int
	room    chan []byte   // host memory for a row of tiles and its sums
	copied  chan tilesRow // of as much room as there is host memory: whoever sends never waits
}

// tilesRow is a row of tiles, and behind them their checksums, that is there once its event has passed.
type tilesRow struct {
	i     int
	data  []byte
	there kernels.Event
}

// rowAndSums is the bytes of host memory of a row of tiles and its checksums, whole pages.
func (x *elimination) rowAndSums() int64 {
	const page = 4096
	return x.rowBytes() + int64(ceilDiv(x.p.geom.Side()*kernels.EntryBytes, page))*page
}

// parts returns the tiles and the checksums of host memory of rowAndSums.
func (c *conveyor) parts(data []byte) (row []byte, sums []uint32) {
	return data[:c.rowBytes()], words32(data[c.rowBytes():])[:c.p.geom.Side()]
}

// widely takes device and host memory for an expansion on the device, if that is planned. It returns nil where it is
// not, or the device has no room after all: then the processor does it.
func (w *expansion) widely() (*conveyor, error) {
	_, can := kernels.As[kernels.Leveller](w.o.Device) // the plan may be of another
	wanted := w.plan.Lanes > 0 && can
	w.planned(0, 0, 0)
	if !wanted || w.first == len(w.done) {
		return nil, nil
	}
	shape := w.e.Shape(w.p.geom.T)
	lanes, batches := widely(shape, w.o.Device.Info(), len(w.done)-w.first)
	if lanes == 0 {
		return nil, nil
	}
	if w.ring.locked == nil {
		w.ring.lock(w.o.Device, w.rowAndSums(), len(w.done)-w.first, w.budget())
	}
	c := &conveyor{expansion: w, lanes: lanes}
	if err := c.open(batches); err != nil {
		cerr := c.close()
		if errors.Is(err, kernels.ErrNoMemory) || errors.Is(err, errLaunches) { // others use the device too; or see there
			return nil, cerr
		}
		return nil, fmt.Errorf("expansion on %s: %w", w.o.Device.Info().Name, err)
	}
	shape.Lanes = lanes
	w.planned(lanes, len(c.batches), shape.FixedBytes()+int64(len(c.batches))*shape.BatchBytes())
	return c, nil
}

// errLaunches says that launches alone would take twice what was planned: elimination has left levels of a row or two, as
// of a path.
var errLaunches = errors.New("an expansion of too many levels")

// planned corrects the plan to what is there.
func (w *expansion) planned(lanes, batches int, bytes int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.plan.Lanes, w.plan.Batches, w.plan.DeviceBytes = lanes, batches, bytes
}

// open takes the memory.
func (c *conveyor) open(batches int) (err error) {
	if c.wide, err = c.e.NewWide(c.o.Device, c.core, c.p.geom.T); err != nil {
		return err
	}
	left := len(c.done) - c.first
	launches := float64(c.wide.Launches()) * float64(ceilDiv(left*c.p.geom.T, c.lanes))
	if launches*launchSeconds > max(1, 2*c.plan.ExpandSeconds*float64(left)/float64(len(c.done))) {
		return errLaunches
	}
	for range batches {
		b, err := c.wide.NewBatch(c.lanes)
		if err != nil {
			if len(c.batches) > 0 && errors.Is(err, kernels.ErrNoMemory) {
				break
			}
			return err
		}
		c.batches = append(c.batches, b)
	}
	host, err := c.ring.wait()
	if err != nil {
		return fmt.Errorf("%w: %w", kernels.ErrNoMemory, err) // the processor needs none that is page-locked
	}
	rows := int64(len(host)) / c.rowAndSums()
	c.room, c.copied = make(chan []byte, rows), make(chan tilesRow, rows)
	for i := range rows {
		at := i * c.rowAndSums()
		c.room <- host[at : at+c.rowAndSums() : at+c.rowAndSums()]
	}
	return nil
}

// ring is host memory for rows of tiles on their way. Page-locking it takes a while, so it begins before the memory is
// needed.
type ring struct {
	device kernels.Device
	locked chan struct{} // closed when data and err are there; nil: none is taken
	data   []byte
	err    error
}

// lock begins to take host memory for the rows of tiles that are left, or as many of them as are useful, or allowed.
func (r *ring) lock(d kernels.Device, each int64, left int, budget int64) {
	rows := int64(min(tileRowsAtOnce(), left))
	if budget > 0 {
		rows = min(rows, budget/each)
	}
	r.device, r.locked = d, make(chan struct{})
	go func() {
		defer close(r.locked)
		if rows == 0 {
			r.err = fmt.Errorf("%w: host memory %d bytes; a row of tiles with its checksums has %d", ErrMemory, budget, each)
			return
		}
		r.data, r.err = d.AllocHost(rows * each)
	}()
}

// wait returns the memory once it is there.
func (r *ring) wait() ([]byte, error) {
	<-r.locked
	return r.data, r.err
}

// free gives the memory back, if any was taken.
func (r *ring) free() error {
	if r.locked == nil {
		return nil
	}
	<-r.locked
	data := r.data
	r.locked, r.data = nil, nil
	if data == nil {
		return nil
	}
	return r.device.FreeHost(data)
}

// close gives everything on the device back, once all streams are idle: then nothing is copied to the ring any more.
func (c *conveyor) close() error {
	var err error
	for _, b := range c.batches {
		err = errors.Join(err, b.Close())
	}
	if c.wide != nil {
		err = errors.Join(err, c.wide.Close())
	}
	return err
}

// start starts all goroutines in the expansion's group.
func (c *conveyor) start(ctx context.Context) {
	c.group.Go(func() error {
		defer close(c.copied)
		batches, one := errgroup.WithContext(ctx) // an error of one ends the others
		for _, b := range c.batches {
			batches.Go(func() error { return c.compute(one, b) })
		}
		return batches.Wait()
	})
	for range min(writers(), cap(c.copied)) {
		c.group.Go(c.write)
	}
}

// compute sees batches through the device until there are no more, or ctx ends: what is on its way then is not
// waited for.
func (c *conveyor) compute(ctx context.Context, b *sparse.Batch) error {
	for {
		if err := c.o.Control.hold(ctx, c.checkpointInPause); err != nil {
			return err
		}
		first, count := c.take(c.lanes / c.p.geom.T)
		if count == 0 || ctx.Err() != nil {
			return nil
		}
		var sources []int32
		for i := range count {
			sources = append(sources, c.sources(first+i)...)
		}
		if err := b.Rows(sources); err != nil {
			return fmt.Errorf("tile row %d: %w", first, err)
		}
		// Room for a row that is not computed yet would be missing to those that are.
		if err := b.Sync(); err != nil {
			return fmt.Errorf("tile row %d: %w", first, err)
		}
		for i := range count {
			var data []byte
			select {
			case data = <-c.room:
			case <-ctx.Done():
				return nil
			}
			row, sums := c.parts(data)
			there, err := b.TileRow(row, sums, i)
			if err != nil {
				return fmt.Errorf("tile row %d: %w", first+i, err)
			}
			c.copied <- tilesRow{first + i, data, there}
		}
	}
}

// write writes rows of tiles as they come.
func (c *conveyor) write() error {
	for row := range c.copied {
		if err := row.there.Sync(); err != nil {
			return fmt.Errorf("tile row %d: %w", row.i, err)
		}
		data, sums := c.parts(row.data)
		if err := c.put(row.i, data, sums); err != nil {
			return err
		}
		c.room <- row.data
	}
	return nil
}
