package cpu

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"unsafe"

	"github.com/klauspost/cpuid/v2"

	"ooc/kernels"
	"ooc/kernels/entry"
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
	path    *path
	threads int
	memory  int64
	pool    *pool

	mu      sync.Mutex
	inUse   int64             // bytes handed out by Alloc; guarded by mu
	buffers int               // alive; guarded by mu
	host    map[*byte]mapping // alive, by first byte; guarded by mu
	streams map[*stream]bool  // open; guarded by mu
	closed  bool              // guarded by mu
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
	if o.Memory == 0 {
		o.Memory = physicalMemory()
	}
	if o.Threads == 0 {
		o.Threads = runtime.GOMAXPROCS(0)
	}
	d := &Device{path: p, threads: o.Threads, memory: o.Memory,
		host: map[*byte]mapping{}, streams: map[*stream]bool{}}
	if d.pool, err = newPool(o.Threads); err != nil {
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
	return kernels.Info{Name: "cpu", Model: model, Hardware: fmt.Sprintf("%v family %d model %d stepping %d", c.VendorID, c.Family, c.Model, c.Stepping), Memory: d.memory,
		Scratch: int64(d.threads) * scratchBytes, SharedCores: true}
}

// Path returns the name of the path in use, as in Options.Path.
func (d *Device) Path() string { return d.path.name }

// buffer is a block of "device" memory.
type buffer struct {
	device *Device
	mapping
}

func (b *buffer) Bytes() int64 { return int64(len(b.data)) }

// Free returns the memory to the machine.
func (b *buffer) Free() error {
	d, bytes := b.device, b.Bytes()
	if bytes == 0 {
		return errors.New("cpu: buffer freed twice")
	}
	err := b.unmap()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.inUse -= bytes
	d.buffers--
	return err
}

// Alloc maps memory, in huge pages where the system has them. It wraps kernels.ErrNoMemory beyond the
// limit, or where the system refuses.
func (d *Device) Alloc(bytes int64) (kernels.Buffer, error) {
	if bytes <= 0 {
		return nil, fmt.Errorf("cpu: allocate %d bytes: want more than 0", bytes)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil, errClosed
	}
	if bytes > d.memory-d.inUse {
		return nil, fmt.Errorf("cpu: allocate %d bytes: %d of %d in use: %w",
			bytes, d.inUse, d.memory, kernels.ErrNoMemory)
	}
	m, err := mapMemory(bytes)
	if err != nil {
		return nil, fmt.Errorf("cpu: allocate %d bytes: %w: %w", bytes, kernels.ErrNoMemory, err)
	}
	d.inUse += bytes
	d.buffers++
	return &buffer{device: d, mapping: m}, nil
}

// AllocHost maps memory outside the device's limit, aligned to 64 bytes or more.
func (d *Device) AllocHost(bytes int64) ([]byte, error) {
	if bytes <= 0 {
		return nil, fmt.Errorf("cpu: allocate %d bytes of host memory: want more than 0", bytes)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil, errClosed
	}
	m, err := mapMemory(bytes)
	if err != nil {
		return nil, fmt.Errorf("cpu: allocate %d bytes of host memory: %w", bytes, err)
	}
	d.host[&m.data[0]] = m
	return m.data, nil
}

// FreeHost releases what AllocHost returned; any other slice is an error.
func (d *Device) FreeHost(b []byte) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	m, ok := d.host[unsafe.SliceData(b)]
	if !ok {
		return errors.New("cpu: free host memory: not from AllocHost, or freed twice")
	}
	delete(d.host, &m.data[0])
	return m.unmap()
}

// NewStream starts a stream.
func (d *Device) NewStream() (kernels.Stream, error) { return d.newStream(d.path.distances) }

func (d *Device) newStream(x func(v entry.Variant) (arithmetic, error)) (kernels.Stream, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil, errClosed
	}
	s := newStream(d, x)
	d.streams[s] = true
	return s, nil
}

// Close stops the workers. It fails if there are streams, buffers or host memory left. It closes such streams; memory
// stays mapped for whoever holds it.
func (d *Device) Close() error {
	d.mu.Lock()
	if d.closed {
		d.mu.Unlock()
		return errClosed
	}
	d.closed = true
	var err error
	if len(d.streams)+d.buffers+len(d.host) > 0 {
		err = fmt.Errorf("cpu: closed with %d streams, %d buffers and %d host blocks alive",
			len(d.streams), d.buffers, len(d.host))
	}
	left := d.streams
	d.streams = nil
	d.mu.Unlock()
	for s := range left {
		err = errors.Join(err, s.Close())
	}
	return errors.Join(err, d.pool.close())
}
