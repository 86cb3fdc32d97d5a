package opencl

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"ooc/kernels"
	"ooc/kernels/entry"
)

// Options choose what Open opens. The zero value is the first device and most of its memory.
type Options struct {
	Memory int64 // bytes that the device may take in all, its Scratch included; 0: most of what it has
	// Host: the same for a device whose memory is the host's; of others, how much host memory may be page-locked (0:
	// any).
	Host     int64
	Index    int       // of the device in List
	piece    int64     // bytes of a piece of a buffer at most; 0: what the driver allows
	tunables *tunables // nil: those that were kept, or those of the table
	asGPU    string    // a vendor: a processor computes as a GPU of that vendor does
}

// device is the kernels.Device of one device of a driver.
type device struct {
	*books
	lib      *library
	found    Found
	index    int
	tunables tunables
	context  handle
	queue    handle        // for what is done at once
	shared   []handle      // for products of all streams; none: they go to the streams' own
	next     atomic.Uint32 // of shared
	piece    int64         // bytes of a piece of a buffer, at most

	lockable int64        // bytes of host memory that may be page-locked; 0: any
	mapped   atomic.Int64 // bytes of host memory that are

	building sync.Mutex
	programs map[program]handle // guarded by building

	mu       sync.Mutex
	events   map[uint64]handle         // recorded and not released yet, by number; guarded by mu
	recorded uint64                    // events so far; guarded by mu
	ceilings map[entry.Variant]float64 // guarded by mu
}

var _ kernels.Device = (*device)(nil)

var errClosed = errors.New("opencl: closed")

// Open opens a device. The error wraps ErrNoDevice if there is no driver, no such device, or if the kernels do not
// run on it.
func Open(o Options) (*device, error) {
	d, err := open(o)
	if err != nil {
		return nil, fmt.Errorf("opencl: %w", err)
	}
	return d, nil
}

func open(o Options) (*device, error) {
	l, err := load()
	if err != nil {
		return nil, err
	}
	return l.open(o)
}

func (l *library) open(o Options) (*device, error) {
	if o.Memory < 0 || o.Host < 0 || o.Index < 0 {
		return nil, fmt.Errorf("memory %d, host memory %d, index %d: want 0 or more", o.Memory, o.Host, o.Index)
	}
	all, err := l.list()
	if err != nil {
		return nil, err
	}
	if o.Index >= len(all) {
		broken := append([]string{""}, brokenDrivers()...)
		return nil, fmt.Errorf("%w: device %d: there are %d, counted from 0%s", ErrNoDevice, o.Index, len(all),
			strings.Join(broken, "; "))
	}
	if o.asGPU != "" {
		all[o.Index].cpu, all[o.Index].Vendor = false, o.asGPU
	}
	d := &device{lib: l, found: all[o.Index], index: o.Index, programs: map[program]handle{},
		ceilings: map[entry.Variant]float64{}, events: map[uint64]handle{}, lockable: o.Host}
	d.books = &books{Name: "opencl", Closed: errClosed, Scratch: kernels.GPUScratch, Take: d.take, Give: d.give,
		TakeHost: d.takeHost, GiveHost: d.giveHost}
	if err := d.start(o); err != nil {
		return nil, fmt.Errorf("device %d, %s: %w", o.Index, d.found.Name, errors.Join(err, d.release()))
	}
	return d, nil
}

// start makes the context and finds the limits.
func (d *device) start(o Options) (err error) {
	l, id := d.lib, d.found.id
	for _, what := range []uint32{deviceAvailable, deviceCompiler} {
		if integer(l.info(l.clGetDeviceInfo, id, what)) == 0 {
			return fmt.Errorf("%w: the driver says that it is not available, or has no compiler", ErrNoDevice)
		}
	}
	if o.tunables != nil {
		d.tunables = *o.tunables
	} else if d.tunables, err = kept.of(&d.found); err != nil {
		return err
	}
	err = keepingSignals(func() (err error) {
		ids := [1]handle{id}
		d.context, err = l.create("clCreateContext", l.clCreateContext, 0, 1, uintptr(unsafe.Pointer(&ids[0])), 0, 0)
		return err
	})
	if err != nil {
		return outOfMemory(err)
	}
	if d.queue, err = d.newQueue(); err != nil {
		return err
	}
	for range d.tunables.queues {
		q, err := d.newQueue()
		if err != nil {
			return err
		}
		d.shared = append(d.shared, q)
	}
	switch {
	case o.Memory > 0:
		d.Limit = o.Memory
	case d.found.Shares && o.Host > 0:
		d.Limit = min(o.Host, d.found.memory)
	default: // OpenCL does not tell what is free
		d.Limit = d.found.memory - max(d.found.memory/16, 512<<20)
	}
	d.piece = cmp.Or(o.piece, d.found.largest)
	if d.Limit <= 0 || d.piece <= 0 {
		return fmt.Errorf("%w: it has %d bytes of memory, %d of them in one piece", ErrNoDevice, d.found.memory,
			d.found.largest)
	}
	return nil
}

// newQueue creates a queue that runs commands in order and notes when.
func (d *device) newQueue() (handle, error) {
	const profiling = 1 << 1
	l, id := d.lib, uintptr(d.found.id)
	q, err := l.create("clCreateCommandQueue", l.clCreateCommandQueue, uintptr(d.context), id, profiling)
	return q, outOfMemory(err)
}

// productQueue is where the products of a stream go. Without priorities, a short launch of a closure, on which the
// rest of a solve waits, has to wait for all launches that are ready before it. So products of all streams share a
// few queues, of each of which one launch is ready.
func (d *device) productQueue(s *stream) handle {
	if len(d.shared) == 0 {
		return s.queue
	}
	return d.shared[d.next.Add(1)%uint32(len(d.shared))]
}

// outOfMemory makes kernels.ErrNoMemory of an error that means it.
func outOfMemory(err error) error {
	if noMemory(err) {
		return fmt.Errorf("%w: %w", kernels.ErrNoMemory, err)
	}
	return err
}

// Info describes the device. Memory is the limit of Options.
func (d *device) Info() kernels.Info {
	return kernels.Info{Name: fmt.Sprintf("opencl:%d", d.index), Model: d.found.Name + ", " + d.found.Platform,
		Hardware: d.found.Version,
		Memory:   d.Limit, Scratch: kernels.GPUScratch, SharedCores: d.found.cpu}
}

// Driver returns the driver and its version.
func (d *device) Driver() string { return "OpenCL, " + d.found.Platform + " " + d.found.Version }

// Close releases the device. It fails if there are streams, buffers or host memory left. It closes such streams;
// memory stays for whoever holds it.
func (d *device) Close() error { return d.End(d.release) }

// release undoes start.
func (d *device) release() error {
	var err error
	d.mu.Lock()
	for _, h := range d.events {
		err = errors.Join(err, check("clReleaseEvent", d.lib.call(d.lib.clReleaseEvent, uintptr(h))))
	}
	d.events = nil
	d.mu.Unlock()
	d.building.Lock()
	defer d.building.Unlock()
	for _, p := range d.programs {
		err = errors.Join(err, check("clReleaseProgram", d.lib.call(d.lib.clReleaseProgram, uintptr(p))))
	}
	d.programs = nil
	for _, q := range append(d.shared, d.queue) {
		if q != 0 {
			err = errors.Join(err, check("clReleaseCommandQueue", d.lib.call(d.lib.clReleaseCommandQueue, uintptr(q))))
		}
	}
	if d.context != 0 {
		err = errors.Join(err, check("clReleaseContext", d.lib.call(d.lib.clReleaseContext, uintptr(d.context))))
	}
	return err
}
