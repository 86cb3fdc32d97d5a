package cuda

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"sync/atomic"

	"ooc/kernels"
)

// Options choose what Open opens. The zero value is the first GPU and most of its free memory.
type Options struct {
	Memory  int64 // bytes that the device may take in all, its Scratch included; 0: most of what is free
	Ordinal int   // of the GPU, as CUDA counts
}

// Device is the kernels.Device of one GPU. It has all groups but kernels.HostLaneOps.
type Device struct {
	*books
	driver   driver
	ordinal  int
	model    string
	sms      int
	context  handle
	kernels  table
	priority struct{ least, greatest int }

	broken atomic.Pointer[Error] // the first error that spoiled the context
	taken  bool                  // others held much of its memory

	mu         sync.Mutex
	idleEvents []handle // guarded by mu
	events     []handle // all ever created; guarded by mu

	clock struct {
		sync.Mutex
		stream handle
		result *[2]uint64 // page-locked
	}
}

var (
	_ kernels.Device    = (*Device)(nil)
	_ kernels.TileOps   = (*Device)(nil)
	_ kernels.VectorOps = (*Device)(nil)
	_ kernels.LaneOps   = (*Device)(nil)
)

var errClosed = errors.New("cuda: closed")

// Open opens a GPU. The error wraps ErrNoDevice if there is no driver, no such GPU, or none that is new enough.
func Open(o Options) (*Device, error) {
	drv, err := openDriver()
	if err != nil {
		return nil, fmt.Errorf("cuda: %w", err)
	}
	return open(drv, o)
}

// Count returns how many GPUs CUDA sees. The error wraps ErrNoDevice where there is no driver.
func Count() (int, error) {
	drv, err := openDriver()
	if err != nil {
		return 0, fmt.Errorf("cuda: %w", err)
	}
	n, r := drv.deviceCount()
	if r != success {
		return 0, fmt.Errorf("cuda: %w: %w", ErrNoDevice, newError(drv, "cuDeviceGetCount", r))
	}
	return n, nil
}

// connections is the variable by which CUDA is told how many queues the streams of this process share, 8 otherwise.
const connections = "CUDA_DEVICE_MAX_CONNECTIONS"

// FewConnections makes the GPUs of this process open and close in half the time: their streams share two queues. Where
// more streams work at the same time, as in the rounds of a solve, they wait for each other then. It does nothing if
// the user has set CUDA_DEVICE_MAX_CONNECTIONS, or after CUDA has begun, which reads that once.
func FewConnections() {
	if os.Getenv(connections) == "" {
		_ = os.Setenv(connections, "2") // the time is all that is lost
	}
}

func open(drv driver, o Options) (*Device, error) {
	if o.Memory < 0 || o.Ordinal < 0 {
		return nil, fmt.Errorf("cuda: memory %d, ordinal %d: want 0 or more", o.Memory, o.Ordinal)
	}
	d := &Device{driver: drv, ordinal: o.Ordinal}
	d.books = &books{Name: "cuda", Closed: errClosed, Scratch: kernels.GPUScratch, Take: d.take, Give: d.give,
		TakeHost: d.takeHost, GiveHost: d.giveHost}
	if err := d.identify(); err != nil {
		return nil, fmt.Errorf("cuda: %w", err)
	}
	context, r := drv.primaryContextRetain(o.Ordinal)
	if r == outOfMemory {
		return nil, fmt.Errorf("cuda: GPU %d: %w: other processes hold it: %w", o.Ordinal, kernels.ErrNoMemory,
			newError(drv, "cuDevicePrimaryCtxRetain", r))
	} else if r != success {
		return nil, fmt.Errorf("cuda: GPU %d: %w", o.Ordinal, newError(drv, "cuDevicePrimaryCtxRetain", r))
	}
	d.context = context
	if err := d.start(o.Memory); err != nil {
		drv.primaryContextRelease(o.Ordinal) // the error that counts is err
		return nil, fmt.Errorf("cuda: GPU %d: %w", o.Ordinal, err)
	}
	return d, nil
}

// identify finds the GPU and refuses what the kernels do not run on.
func (d *Device) identify() error {
	n, r := d.driver.deviceCount()
	if r != success || n == 0 {
		r = cmp.Or(r, noDevice)
		return fmt.Errorf("%w: %w", none(r), newError(d.driver, "cuDeviceGetCount", r))
	}
	if d.ordinal >= n {
		return fmt.Errorf("%w: GPU %d: there are %d, counted from 0", ErrNoDevice, d.ordinal, n)
	}
	name, r := d.driver.deviceName(d.ordinal)
	if r != success {
		return newError(d.driver, "cuDeviceGetName", r)
	}
	values := map[attribute]int{}
	for _, a := range []attribute{major, minor, multiprocessor} {
		if values[a], r = d.driver.deviceAttribute(a, d.ordinal); r != success {
			return newError(d.driver, "cuDeviceGetAttribute", r)
		}
	}
	capability := 10*values[major] + values[minor]
	architecture, err := architectureFor(capability)
	if err != nil {
		return fmt.Errorf("%w: GPU %d, %s: %w", ErrNoDevice, d.ordinal, name, err)
	}
	if err := checkKernels(architecture); err != nil {
		return err
	}
	d.model, d.sms, d.kernels.architecture = name, values[multiprocessor], architecture
	return nil
}

// start loads the kernels and finds the limit of memory, in the context.
func (d *Device) start(limit int64) error {
	if _, err := d.kernel(forAll, clockRate); err != nil {
		return err
	}
	var free, total int64
	err := d.call("cuMemGetInfo", func() (r Result) {
		free, total, r = d.driver.memoryInfo()
		return r
	})
	if err != nil {
		return err
	}
	d.taken = free < total-total/4
	err = d.call("cuCtxGetStreamPriorityRange", func() (r Result) {
		d.priority.least, d.priority.greatest, r = d.driver.priorityRange()
		return r
	})
	if err != nil {
		return err
	}
	if d.Limit = limit; limit == 0 {
		// The driver allocates in pieces of 2 MiB and for itself when kernels first run.
		d.Limit = free - max(free/64, 256<<20)
	}
	return nil
}

// Info describes the GPU. Memory is the limit of Options, or what was free when it was opened.
func (d *Device) Info() kernels.Info {
	return kernels.Info{Name: fmt.Sprintf("cuda:%d", d.ordinal), Model: d.model,
		Memory: d.Limit, Scratch: kernels.GPUScratch}
}

// Taken reports whether others held more than a quarter of the GPU's memory when it was opened.
func (d *Device) Taken() bool { return d.taken }

// Driver returns the version of CUDA that the driver offers, and the means by which the driver is called, as in "CUDA
// 13.0 through purego".
func (d *Device) Driver() string {
	version := "unknown"
	if v, r := d.driver.version(); r == success {
		version = fmt.Sprintf("%d.%d", v/1000, v%1000/10)
	}
	return "CUDA " + version + " through " + d.driver.binding()
}

// call runs f, which calls the driver, with the device's context current, unless the context is spoiled. It sets the
// context each time, because Go may move a goroutine to another thread between two calls.
func (d *Device) call(name string, f func() Result) error {
	if e := d.broken.Load(); e != nil {
		return e
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if r := d.driver.setCurrent(d.context); r != success {
		return d.check("cuCtxSetCurrent", r)
	}
	return d.check(name, f())
}

// got runs f as call does, and returns what it gives.
func got[T any](d *Device, name string, f func() (T, Result)) (x T, err error) {
	err = d.call(name, func() (r Result) {
		x, r = f()
		return r
	})
	return x, err
}

// check turns the result of a call into an error, and keeps the first that spoils the context.
func (d *Device) check(name string, r Result) error {
	if r == success {
		return nil
	}
	e := newError(d.driver, name, r)
	if !r.harmless() && !d.broken.CompareAndSwap(nil, e) {
		return d.broken.Load()
	}
	return e
}

func newError(drv driver, call string, r Result) *Error {
	e := &Error{Call: call, Result: r}
	e.Name, e.Text = drv.errorText(r)
	return e
}

// Close releases the GPU. It fails if there are streams, buffers or host memory left. It closes such streams; host
// memory stays for whoever holds it.
func (d *Device) Close() error { return d.End(d.release) }

// release undoes open. A spoiled context can only be released as a whole.
func (d *Device) release() error {
	d.mu.Lock()
	events := d.events
	d.events, d.idleEvents = nil, nil
	d.mu.Unlock()
	var err error
	if d.broken.Load() == nil {
		for _, e := range events {
			err = errors.Join(err, d.call("cuEventDestroy", func() Result { return d.driver.eventDestroy(e) }))
		}
		err = errors.Join(err, d.closeClock(), d.unload())
	}
	if r := d.driver.primaryContextRelease(d.ordinal); r != success && d.broken.Load() == nil {
		err = errors.Join(err, newError(d.driver, "cuDevicePrimaryCtxRelease", r))
	}
	return err
}
