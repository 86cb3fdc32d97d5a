package eliminate

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sync/errgroup"

	"ooc/engine/device"
	"ooc/engine/sparse"
	"ooc/kernels"
	"ooc/kernels/entry"
)

// deviceExpansion is an expansion on a device. One group of goroutines computes batches of sources, each on its own stream.
// Another writes the rows of tiles that come back. A row of tiles occupies host memory from its copy until it is written;
// when all of it is occupied, the next copy waits.
type deviceExpansion struct {
	rows     *expansion
	expander *sparse.DeviceExpander
	batches  []*sparse.Batch
	lanes    int
	room     chan []byte   // host memory for a row of tiles and its sums
	copied   chan tilesRow // as long as room, so that a send never blocks
}

// tilesRow is a row of tiles followed by their checksums. It may be read once its event has passed.
type tilesRow struct {
	i     int
	data  []byte
	there kernels.Event
}

// sumsThere is the number of checksums that the device computes of a row of tiles.
func (x *run) sumsThere() int { return x.Geometry.Side() * x.Geometry.T / sparse.SumRows }

// rowAndSums is the host memory in bytes for a row of tiles and its checksums, in whole pages.
func (x *run) rowAndSums() int64 {
	const page = 4096
	return x.rowBytes() + int64(entry.CeilDiv(x.sumsThere()*entry.WordBytes, page))*page
}

// parts splits rowAndSums bytes of host memory into the tiles and their checksums.
func (c *deviceExpansion) parts(data []byte) (row []byte, sums []uint32) {
	return data[:c.rows.run.rowBytes()], entry.View[uint32](data[c.rows.run.rowBytes():])[:c.rows.run.sumsThere()]
}

// onDevice allocates device and host memory for an expansion on the device. It returns nil if none is planned, or if the
// device turns out to have no room: then the processor expands.
func (w *expansion) onDevice() (*deviceExpansion, error) {
	_, can := kernels.As[kernels.LaneOps](w.run.Device) // the plan may have been made for another device
	wanted := w.run.plan.Lanes > 0 && can
	w.planned(0, 0, 0)
	if !wanted || w.first == len(w.done) {
		return nil, nil
	}
	shape := w.e.Shape(w.run.Geometry.T)
	lanes, batches := deviceShape(shape, w.run.Device.Info(), len(w.done)-w.first)
	if lanes == 0 {
		return nil, nil
	}
	if w.run.ring.locked == nil {
		w.run.ring.lock(w.run.Device, w.run.rowAndSums(), len(w.done)-w.first, w.run.budget())
	}
	c := &deviceExpansion{rows: w, lanes: lanes}
	if err := c.open(batches); err != nil {
		cerr := c.close()
		if errors.Is(err, kernels.ErrNoMemory) || errors.Is(err, errLaunches) { // the processor can still do it
			return nil, cerr
		}
		return nil, fmt.Errorf("expansion on %s: %w", w.run.Device.Info().Name, err)
	}
	shape.Lanes = lanes
	w.planned(lanes, len(c.batches), shape.FixedBytes()+int64(len(c.batches))*shape.BatchBytes())
	return c, nil
}

// errLaunches says that the launches alone would take twice the planned time. That happens if the levels have only a row or
// two each, as when the graph is a long path.
var errLaunches = errors.New("an expansion of too many levels")

// planned corrects the plan to what could be allocated.
func (w *expansion) planned(lanes, batches int, bytes int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.run.plan.Lanes, w.run.plan.Batches, w.run.plan.DeviceBytes = lanes, batches, bytes
}

// open allocates the memory.
func (c *deviceExpansion) open(batches int) (err error) {
	if c.expander, err = c.rows.e.NewDeviceExpander(c.rows.run.Device, c.rows.core, c.rows.run.Geometry.T); err != nil {
		return err
	}
	left := len(c.rows.done) - c.rows.first
	launches := float64(c.expander.Launches()) * float64(entry.CeilDiv(left*c.rows.run.Geometry.T, c.lanes))
	if launches*launchSeconds > max(1, 2*c.rows.run.plan.ExpandSeconds*float64(left)/float64(len(c.rows.done))) {
		return errLaunches
	}
	for range batches {
		b, err := c.expander.NewBatch(c.lanes)
		if err != nil {
			if len(c.batches) > 0 && errors.Is(err, kernels.ErrNoMemory) {
				break
			}
			return err
		}
		c.batches = append(c.batches, b)
	}
	host, err := c.rows.run.ring.wait()
	if err != nil {
		return fmt.Errorf("%w: %w", kernels.ErrNoMemory, err) // so that the processor expands: it needs no page-locked memory
	}
	rows := int64(len(host)) / c.rows.run.rowAndSums()
	c.room, c.copied = make(chan []byte, rows), make(chan tilesRow, rows)
	for i := range rows {
		at := i * c.rows.run.rowAndSums()
		c.room <- host[at : at+c.rows.run.rowAndSums() : at+c.rows.run.rowAndSums()]
	}
	return nil
}

// ring is host memory for rows of tiles that are copied and written. Page-locking it takes a while, so it begins before
// the memory is needed.
type ring struct {
	device kernels.Device
	locked chan struct{} // closed when data and err are there; nil: none is allocated
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
			r.err = fmt.Errorf("%w: host memory %d bytes; a row of tiles with its checksums has %d", device.ErrMemory, budget, each)
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
func (c *deviceExpansion) close() error {
	var err error
	for _, b := range c.batches {
		err = errors.Join(err, b.Close())
	}
	if c.expander != nil {
		err = errors.Join(err, c.expander.Close())
	}
	return err
}

// start starts all goroutines in the expansion's group.
func (c *deviceExpansion) start(ctx context.Context) {
	c.rows.group.Go(func() error {
		defer close(c.copied)
		batches, one := errgroup.WithContext(ctx) // an error of one ends the others
		for _, b := range c.batches {
			batches.Go(func() error { return c.compute(one, b) })
		}
		return batches.Wait()
	})
	for range min(writers(), cap(c.copied)) {
		c.rows.group.Go(c.write)
	}
}

// compute computes one batch after another until none is left or ctx ends. When ctx ends it does not wait for the copies
// that are in flight.
func (c *deviceExpansion) compute(ctx context.Context, b *sparse.Batch) error {
	for {
		if err := c.rows.run.Control.Hold(ctx, c.rows.checkpointInPause); err != nil {
			return err
		}
		first, count := c.rows.take(c.lanes / c.rows.run.Geometry.T)
		if count == 0 || ctx.Err() != nil {
			return nil
		}
		var sources []int32
		for i := range count {
			sources = append(sources, c.rows.sources(first+i)...)
		}
		if err := b.Rows(sources); err != nil {
			return fmt.Errorf("tile row %d: %w", first, err)
		}
		// Wait before taking host memory: rows that are computed already need it more.
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
			there, err := b.TileRow(row, sums, i, c.rows.run.Geometry.First(first+i))
			if err != nil {
				return fmt.Errorf("tile row %d: %w", first+i, err)
			}
			c.copied <- tilesRow{first + i, data, there}
		}
	}
}

// write writes rows of tiles as they come.
func (c *deviceExpansion) write() error {
	for row := range c.copied {
		if err := row.there.Sync(); err != nil {
			return fmt.Errorf("tile row %d: %w", row.i, err)
		}
		data, sums := c.parts(row.data)
		if err := c.rows.put(row.i, data, sums); err != nil {
			return err
		}
		c.room <- row.data
	}
	return nil
}
