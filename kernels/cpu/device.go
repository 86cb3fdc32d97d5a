package cpu

import (
	"cmp"
	"errors"
	"fmt"
	"runtime"

	"github.com/klauspost/cpuid/v2"

	"ooc/kernels"
	"ooc/kernels/entry"
	"ooc/kernels/internal/ledger"
)

// Options choose what Open opens. The zero value uses all of the machine.
type Options struct {
	Memory  int64  // bytes that Alloc may hand out; 0: all of the machine's memory
	Threads int    // that run kernels; 0: GOMAXPROCS
	Path    string // avx512, avx2 or portable; "": the environment's OOC_CPU_PATH, else the best that runs
}

// Device is the kernels.Device of the host's processor. It has all groups but kernels.LaneOps, which are for devices
// with memory of their own.
type Device struct {
	*books
	path    *path
	threads int
	pool    *pool
}

var (
	_ kernels.Device      = (*Device)(nil)
	_ kernels.TileOps     = (*Device)(nil)
	_ kernels.VectorOps   = (*Device)(nil)
	_ kernels.HostLaneOps = (*Device)(nil)
)

var errClosed = errors.New("cpu: closed")

// Open starts the worker threads. It fails where a path is asked for that the processor lacks.
func Open(o Options) (*Device, error) {
	p, err := choosePath(o.Path)
	if err != nil {
		return nil, err
	}
	if o.Memory < 0 || o.Threads < 0 {
		return nil, fmt.Errorf("cpu: memory %d, threads %d: want 0 or more", o.Memory, o.Threads)
	}
	d := &Device{path: p, threads: cmp.Or(o.Threads, runtime.GOMAXPROCS(0))}
	d.books = &books{Name: "cpu", Closed: errClosed, Limit: cmp.Or(o.Memory, physicalMemory()),
		Take: d.take, Give: func(p place) error { return p.Unmap() },
		TakeHost: d.takeHost, GiveHost: func(_ []byte, m ledger.Memory) error { return m.Unmap() }}
	if d.pool, err = newPool(d.threads); err != nil {
		return nil, err
	}
	return d, nil
}

// Info describes the processor, the path and the threads in use.
func (d *Device) Info() kernels.Info {
	model := fmt.Sprintf("%s, %d threads", d.path.label, d.threads)
	if d.threads == 1 {
		model = d.path.label + ", 1 thread"
	}
	if brand := cpuid.CPU.BrandName; brand != "" {
		model += ", " + brand
	}
	c := cpuid.CPU
	hardware := fmt.Sprintf("%v family %d model %d stepping %d", c.VendorID, c.Family, c.Model, c.Stepping)
	return kernels.Info{Name: "cpu", Model: model, Hardware: hardware, Memory: d.Limit,
		Scratch: int64(d.threads) * scratchBytes, SharedCores: true}
}

// Path returns the name of the path in use, as in Options.Path.
func (d *Device) Path() string { return d.path.name }

// place is a buffer of a device.
type place struct {
	device *Device
	ledger.Memory
}

type (
	books  = ledger.Ledger[place, ledger.Memory, *stream]
	buffer = ledger.Buffer[place]
)

// take maps memory, in huge pages where the system has them.
func (d *Device) take(bytes int64, _ bool) (place, error) {
	m, err := ledger.Map(bytes, true)
	if err != nil {
		err = fmt.Errorf("%w: %w", kernels.ErrNoMemory, err)
	}
	return place{d, m}, err
}

func (d *Device) takeHost(bytes int64) ([]byte, ledger.Memory, error) {
	m, err := ledger.Map(bytes, true)
	return m.Data, m, err
}

// NewStream starts a stream.
func (d *Device) NewStream() (kernels.Stream, error) { return d.newStream(d.path.distances) }

func (d *Device) newStream(x func(v entry.Variant) (arithmetic, error)) (kernels.Stream, error) {
	if err := d.Alive(); err != nil {
		return nil, err
	}
	s := newStream(d, x)
	d.Opened(s, true)
	return s, nil
}

// Close stops the workers. It fails if there are streams, buffers or host memory left. It closes such streams; memory
// stays mapped for whoever holds it.
func (d *Device) Close() error { return d.End(d.pool.close) }
