package eliminate

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"ooc/engine/device"
	"ooc/engine/rows"
	"ooc/engine/sparse"
	"ooc/kernels"
	"ooc/kernels/entry"
)

// deviceExpansions are an expansion on several devices: each takes batches of sources as it gets done with others.
type deviceExpansions []*deviceExpansion

// deviceExpansion is an expansion on a device. One group of goroutines computes batches of sources, each on its own
// stream. Another writes the rows of tiles that come back. A row of tiles occupies host memory from its copy until it
// is written; when all of it is occupied, the next copy waits.
type deviceExpansion struct {
	rows     *expansion
	device   kernels.Device
	ring     ring
	writers  int
	expander *sparse.DeviceExpander
	batches  []*sparse.Batch
	lanes    int
	room     chan []byte   // host memory for a row of tiles and its sums
	copied   chan tilesRow // as long as room, so that a send never blocks
	busy     atomic.Int32  // batches that may compute more rows
}

// tilesRow is a row of tiles followed by their checksums. It may be read once its event has passed.
type tilesRow struct {
	i     int
	data  []byte
	there kernels.Event
}

// sumsThere is the number of checksums that the device computes of a row of tiles.
func (x *run) sumsThere() int { return x.Geometry.Side() * x.Geometry.T / sparse.SumRows }

// rowBytes is the size of a row of tiles.
func (x *run) rowBytes() int64 { return int64(x.Geometry.Side()) * x.Geometry.TileBytes() }

// rowAndSums is the host memory in bytes for a row of tiles and its checksums, in whole pages.
func (x *run) rowAndSums() int64 {
	const page = 4096
	return x.rowBytes() + int64(entry.CeilDiv(x.sumsThere()*entry.WordBytes, page))*page
}

// parts splits rowAndSums bytes of host memory into the tiles and their checksums.
func (c *deviceExpansion) parts(data []byte) (row []byte, sums []uint32) {
	return data[:c.rows.run.rowBytes()], entry.View[uint32](data[c.rows.run.rowBytes():])[:c.rows.run.sumsThere()]
}

// onDevices allocates device and host memory for an expansion on all devices that turn out to have room. It returns
// none if none is planned: then the processor expands.
func (w *expansion) onDevices() (all deviceExpansions, err error) {
	_, can := kernels.As[kernels.LaneOps](w.run.Device) // the plan may have been made for another device
	wanted := w.run.plan.Lanes > 0 && can
	w.planned(0, 0, 0)
	if !wanted || w.Run.Left() == 0 {
		return nil, nil
	}
	shape := w.e.Shape(w.run.Geometry.T)
	lanes, batches := deviceShape(shape, w.run.Device.Info(), w.Run.Left())
	if lanes == 0 {
		return nil, nil
	}
	devices := device.Each(w.run.Device)
	if w.run.rings == nil {
		w.run.rings = lockRings(devices, w.run.rowAndSums(), w.Run.Left(), w.run.budget())
	}
	shape.Lanes = lanes
	count, bytes := 0, int64(0)
	for i, d := range devices {
		c := &deviceExpansion{rows: w, device: d, ring: w.run.rings[i], lanes: lanes,
			writers: max(1, writers(threads())/len(devices))}
		if err := c.open(batches); err != nil {
			cerr := c.close()
			// others, or the processor, can do it.
			if cerr == nil && (errors.Is(err, kernels.ErrNoMemory) || errors.Is(err, errLaunches)) {
				continue
			}
			return nil, errors.Join(fmt.Errorf("expansion on %s: %w", d.Info().Name, err), cerr, all.close())
		}
		all = append(all, c)
		count += len(c.batches)
		bytes += shape.FixedBytes() + int64(len(c.batches))*shape.BatchBytes()
	}
	if len(all) > 0 {
		w.planned(lanes, count, bytes)
	}
	return all, nil
}

// run computes all rows that are left.
func (all deviceExpansions) run(ctx context.Context) error {
	var hands []func() (rows.Hand, error)
	var writers []func(context.Context) error
	for _, c := range all {
		c.busy.Store(int32(len(c.batches)))
		for _, b := range c.batches {
			hands = append(hands, func() (rows.Hand, error) { return &batch{c, b}, nil })
		}
		for range min(c.writers, cap(c.copied)) {
			writers = append(writers, c.write)
		}
	}
	w := all[0].rows
	w.Run.AtOnce = func(int) int { return all[0].lanes / w.run.Geometry.T }
	return w.Run.Do(ctx, hands, writers...)
}

func (all deviceExpansions) close() error {
	var err error
	for _, c := range all {
		err = errors.Join(err, c.close())
	}
	return err
}

// errLaunches says that the launches alone would take twice the planned time. That happens if the levels have only a
// row or two each, as when the graph is a long path.
var errLaunches = errors.New("an expansion of too many levels")

// planned corrects the plan to what could be allocated.
func (w *expansion) planned(lanes, batches int, bytes int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.run.plan.Lanes, w.run.plan.Batches, w.run.plan.DeviceBytes = lanes, batches, bytes
}

// open allocates the memory.
func (c *deviceExpansion) open(batches int) (err error) {
	if c.expander, err = c.rows.e.NewDeviceExpander(c.device, c.rows.core, c.rows.run.Geometry.T); err != nil {
		return err
	}
	left := c.rows.Run.Left()
	launches := float64(c.expander.Launches()) * float64(entry.CeilDiv(left*c.rows.run.Geometry.T, c.lanes))
	if launches*launchSeconds > max(1, 2*c.rows.run.plan.ExpandSeconds*float64(left)/float64(c.rows.Run.Units())) {
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
	host, err := c.ring.wait()
	if err != nil {
		// So that the processor expands: it needs no page-locked memory.
		return fmt.Errorf("%w: %w", kernels.ErrNoMemory, err)
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
	wait   func() ([]byte, error) // returns the memory once it is there
}

// lockRings begins to take host memory for each device: for the rows of tiles that are left, or as many of them as are
// useful, or allowed.
func lockRings(devices []kernels.Device, each int64, left int, budget int64) []ring {
	rows, budget := int64(min(tileRowsAtOnce(threads()), left)), budget/int64(len(devices))
	if budget > 0 {
		rows = min(rows, budget/each)
	}
	rings := make([]ring, len(devices))
	for i, d := range devices {
		rings[i] = ring{d, sync.OnceValues(func() ([]byte, error) {
			if rows == 0 {
				const says = "%w: host memory %d bytes; a row of tiles with its checksums has %d"
				return nil, fmt.Errorf(says, device.ErrMemory, budget, each)
			}
			return d.AllocHost(rows * each)
		})}
		go rings[i].wait()
	}
	return rings
}

// freeRings gives the memory of all rings back.
func (x *run) freeRings() (err error) {
	for _, r := range x.rings {
		if memory, _ := r.wait(); memory != nil {
			err = errors.Join(err, r.device.FreeHost(memory))
		}
	}
	x.rings = nil
	return err
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

// batch is a stream of a device that computes batches of sources.
type batch struct {
	c *deviceExpansion
	*sparse.Batch
}

// Close says that the stream computes no more. Its memory stays, from which rows may still be copied.
func (b *batch) Close() error {
	if b.c.busy.Add(-1) == 0 {
		close(b.c.copied)
	}
	return nil
}

// Do computes rows of tiles, and has them copied. When ctx ends it does not wait for the copies that are in flight.
func (b *batch) Do(ctx context.Context, first, count int) error {
	c := b.c
	if err := b.Rows(c.rows.Sources(first, count)); err != nil {
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
	return nil
}

// write writes rows of tiles as they come.
func (c *deviceExpansion) write(context.Context) error {
	for row := range c.copied {
		if err := row.there.Sync(); err != nil {
			return fmt.Errorf("tile row %d: %w", row.i, err)
		}
		data, sums := c.parts(row.data)
		if err := c.rows.Put(row.i, data, sums); err != nil {
			return err
		}
		c.room <- row.data
	}
	return nil
}
