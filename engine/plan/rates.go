package plan

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"syscall"
	"time"

	"ooc/engine/device"
	"ooc/kernels"
	"ooc/kernels/cpu"
	"ooc/kernels/entry"
	"ooc/tiles/disk"
)

// Rates are the measured rates that plans are made with.
type Rates struct {
	Kernel float64 `json:"kernel_relaxations_per_second"` // relaxations/s of products with large tiles
	// seconds by which a product ends later than that rate says, for each vertex of its depth; 0: the device shares its
	// cores
	Tail float64 `json:"tail_seconds"`
	// seconds that it takes to issue a kernel, or a copy of a tile
	PerOperation float64 `json:"per_operation_seconds"`
	Closure      float64 `json:"closure_seconds"`      // seconds of the closure of a block of edge closureEdge
	In           float64 `json:"in_bytes_per_second"`  // bytes/s from host to device
	Out          float64 `json:"out_bytes_per_second"` // bytes/s from device to host
	// bytes/s from the matrix, where the page cache holds it, to host memory
	Read  float64 `json:"read_bytes_per_second"`
	Write float64 `json:"write_bytes_per_second"` // bytes/s from host memory to the matrix in the page cache
	Disk  float64 `json:"sync_bytes_per_second"`  // bytes/s of a sync; 0: not measured, and left out
	// bytes/s at which host memory is page-locked and given back; 0: it need not be
	Lock float64 `json:"lock_bytes_per_second"`
	// relaxations/s of products on the processor, where that is not the device; 0: it is
	Host float64 `json:"host_relaxations_per_second"`
	// relaxations/s of the levels of an expansion, which wait for memory; 0: the device has none
	Levels float64 `json:"level_relaxations_per_second"`
	// seconds that single-stage rounds take for a pivot on the whole matrix; 0: not measured
	Pivot float64 `json:"pivot_seconds"`
	// bytes that may wait to be written to disk before writers are held up; 0: unknown
	Dirty float64 `json:"dirty_bytes"`
	// bytes/s that a node receives from others while it sends as much; 0: there is one node
	Link     float64 `json:"link_bytes_per_second"`
	Uncached bool    `json:"-"` // no page cache is counted on: what host memory does not hold goes to the disk and back

	threads int // of the processor; 0: as many as this process has
}

// Threads is how many threads of the processor there are.
func (r Rates) Threads() int { return cmp.Or(r.threads, runtime.GOMAXPROCS(0)) }

// closureEdge is the edge of the block whose closure is timed.
const closureEdge = 512

// ClosureSeconds predicts the seconds of a closure of edge b. Its steps follow one another, so below the size that
// fills a device its time grows with the number of steps and the work of one, and not with b³.
func (r Rates) ClosureSeconds(b float64) float64 {
	x := b / closureEdge
	if r.Tail > 0 { // steps of one block of threads, and products of depth 64 between them
		return r.Closure*x + b*b*b/(r.Kernel*r.Efficiency(64))
	}
	return max(r.Closure*x*x, b*b*b/r.Kernel)
}

// Efficiency is the fraction of the rate for large tiles that tiles of edge t reach: each product reads
// and writes t² entries beside its t³ relaxations.
func (r Rates) Efficiency(t int) float64 { return float64(t) / float64(t+24) }

// Copiers is how many goroutines copy in each direction between the mapping and host memory.
func Copiers() int { return min(16, max(2, runtime.GOMAXPROCS(0)/2)) }

// lockRate is the bytes/s at which a GPU's driver page-locks and releases huge pages from several threads: 32 GiB in
// 2.0 s (docs/benchmarks.md). It is not measured, because that would take as long as a small solve.
const lockRate = 16e9

const measureFor = 15 * time.Millisecond

// few is how often something is timed at least: once says nothing where something else held it up.
const few = 3

// sample is what rates are measured with: products of tiles of edge t, for so long each.
type sample struct {
	t, products int
	long        time.Duration
}

// worth is the most seconds that one rate is measured for, for each entry of the matrix. It is a hundredth of what the
// fastest solves in memory take, because several rates are measured.
const worth = 25e-12

// longFor returns how long a rate is measured for n vertices; 0: any number. There are few different times, so that the
// solves of a batch share what is measured.
func longFor(n int) time.Duration {
	long := measureFor
	for n > 0 && long > time.Microsecond && long.Seconds() > worth*float64(n)*float64(n) {
		long /= 4
	}
	return long
}

// sampleFor returns the sample for n vertices; 0: any number. Its tiles are large enough to fill the device, and there
// are enough products of them that a device which runs blocks in waves is not measured in its last, partial wave alone.
func sampleFor(info kernels.Info, n int) sample {
	o := sample{2048, 6, longFor(n)}
	if info.SharedCores {
		o.t, o.products = 512, 1
	}
	for info.SharedCores && o.t > 64 && float64(o.products*o.t*o.t*o.t) > guessRates(info).Kernel*o.long.Seconds() {
		o.t, o.products = o.t/2, min(2*o.products, 4)
	}
	return o
}

// timeRates times products and copies on the device, for some 50 ms at most, and for a small part of the time of a
// solve of n vertices; 0: any number. If the device has no room for the sample, it returns rates that are good only for
// comparing plans. All parts of a shared device get the same rates.
func timeRates(d kernels.Device, v entry.Variant, n int) (Rates, error) {
	if m, ok := kernels.As[*modeled](d); ok {
		return m.ratesOf(v, device.Tracks(d))
	}
	o := sampleFor(d.Info(), n)
	return device.Once(d, fmt.Sprint("rates ", v, o),
		func(d kernels.Device) (Rates, error) { return measureRates(d, v, o) })
}

// RatesFor measures the rates that the plans of the listed algorithms need, for n vertices.
func RatesFor(list []Algorithm, d kernels.Device, v entry.Variant, n int) (Rates, error) {
	r, err := timeRates(d, v, n)
	for _, a := range list {
		if err == nil {
			err = a.Measure(&r, d, v, n)
		}
	}
	if err != nil && !errors.Is(err, ErrAlgorithm) {
		err = fmt.Errorf("timing %s: %w", d.Info().Name, err)
	}
	return r, err
}

// guessRates returns rates for a device that has no room for a sample, good only for comparing plans. timeRates
// replaces those that it can measure.
func guessRates(info kernels.Info) Rates {
	r := Rates{Kernel: 50e9, PerOperation: 10e-6, Closure: 10e-3, In: 8e9, Out: 8e9, Read: 8e9, Write: 6e9}
	if !info.SharedCores {
		r.Kernel, r.Tail, r.Closure, r.In, r.Out, r.Host = 5e12, 100e-9, 0.3e-3, 25e9, 25e9, 50e9
		// Measured on an H100's host for each goroutine, while the system wrote back. MeasureDisk replaces them.
		r.Read, r.Write = 2.5e9*float64(Copiers()), 1.7e9*float64(Copiers())
		// On the hosts of an H100 and an H200 (docs/benchmarks.md): some calls of the driver each, all by one
		// goroutine.
		r.PerOperation = 35e-6
		r.Lock = lockRate
	}
	return r
}

func measureRates(d kernels.Device, v entry.Variant, o sample) (r Rates, err error) {
	info := d.Info()
	r = guessRates(info)
	t, products, size := o.t, o.products, int64(device.EntryBytes(d, v))
	room := func() int { return int((info.Memory-info.Scratch)/(int64(t)*int64(t)*size)) - 2 }
	least := min(o.t, closureEdge)
	for t >= least && room() < products { // memory is short
		t /= 2
	}
	if t < least {
		return r, nil
	}
	if t < o.t { // as many blocks
		products = min(room(), products*(o.t/t)*(o.t/t))
	}
	tb := int64(t) * int64(t) * size
	err = Scratch(d, int64(products+2)*tb, func(held *device.Held, buf kernels.Buffer, s kernels.Stream) error {
		host, beside := held.Host(tb), s
		if !info.SharedCores {
			r.Host = hostRate(v)
			beside = held.Stream()
		}
		if held.Err() != nil {
			return held.Err()
		}
		return r.measure(s, beside, v, t, products, buf, host, info.SharedCores, o.long)
	})
	return r, err
}

// timed times something on a device, in memory and on a stream of it.
type timed = func(held *device.Held, buf kernels.Buffer, s kernels.Stream) error

// Scratch times something in memory of a device, and frees that, and what else is held. If others have taken the
// memory, it times nothing.
func Scratch(d kernels.Device, bytes int64, do timed) (err error) {
	held := device.Held{On: d}
	defer func() { err = errors.Join(err, held.Close()) }()
	buf := held.Buffer(bytes)
	if errors.Is(held.Err(), kernels.ErrNoMemory) {
		return nil
	}
	s := held.Stream()
	if held.Err() != nil {
		return held.Err()
	}
	return do(&held, buf, s)
}

// hostRate returns the rate that products may reach on the processor, 0 if unknown.
func hostRate(v entry.Variant) float64 {
	d, err := cpu.Open(cpu.Options{})
	if err != nil {
		return 0
	}
	defer d.Close()
	return 0.8 * device.Ceiling(d, v, 1) // one that was kept will do
}

func (r *Rates) measure(s, beside kernels.Stream, v entry.Variant, t, products int, buf kernels.Buffer, host []byte,
	shared bool, long time.Duration) (err error) {
	tb := int64(len(host))
	tile := func(i int64) kernels.Tile { return kernels.Tile{Buf: buf, Off: i * tb} }
	clear(host) // zeros are valid in every variant
	for i := range int64(products + 2) {
		if err := s.CopyIn(tile(i), host); err != nil {
			return err
		}
	}
	if err := s.Sync(); err != nil {
		return err
	}
	batch := make([]kernels.Product, products)
	for i := range batch {
		batch[i] = kernels.Product{C: tile(int64(i + 2)), A: []kernels.Tile{tile(0)}, B: []kernels.Tile{tile(1)}}
	}
	work := float64(products) * float64(t) * float64(t) * float64(t)
	multiply := func() error { return s.MinPlus(v, t, batch) }
	edge := min(t, closureEdge)
	closure := func() error { return s.Closure(v, edge, []kernels.Tile{tile(1)}) }
	// A driver may have to compile the kernels before it first runs them, which takes it a second.
	if err := errors.Join(multiply(), closure(), s.Sync()); err != nil {
		return err
	}
	if shared {
		r.Kernel, err = rateFor(long, few, s.Sync, work, multiply)
		r.Kernel *= r.Efficiency(closureEdge) / r.Efficiency(edge) // as of large tiles
	} else {
		err = r.timeProducts(s, beside, v, t, batch, long)
	}
	if err != nil {
		return err
	}
	bytes := float64(tb)
	closures, err := rateFor(long, few, s.Sync, 1, closure)
	if err != nil {
		return err
	}
	r.Closure = float64(closureEdge/edge) * float64(closureEdge/edge) / closures
	if r.In, err = rateFor(long, few, s.Sync, bytes, func() error { return s.CopyIn(tile(0), host) }); err != nil {
		return err
	}
	if r.Out, err = rateFor(long, few, s.Sync, bytes, func() error { return s.CopyOut(host, tile(0)) }); err != nil {
		return err
	}
	if shared {
		r.Read, r.Write = r.In, r.Out*0.7 // the same copies; stores into a mapping also fault
	}
	return nil
}

// timeProducts times products on a device that runs blocks of threads in waves. In two streams, the last wave of a
// batch runs beside the first one of the next, as in a solve. One product alone then shows how long its own last wave
// takes.
func (r *Rates) timeProducts(s, beside kernels.Stream, v entry.Variant, t int, batch []kernels.Product,
	long time.Duration) (err error) {
	work := float64(t) * float64(t) * float64(t)
	half, wait := len(batch)/2, func() error { return errors.Join(s.Sync(), beside.Sync()) }
	r.Kernel, err = rateFor(long, 1, wait, float64(len(batch))*work, func() error {
		return errors.Join(s.MinPlus(v, t, batch[:half]), beside.MinPlus(v, t, batch[half:]))
	})
	if err != nil {
		return err
	}
	alone, err := rateFor(long, 1, s.Sync, work, func() error { return s.MinPlus(v, t, batch[:1]) })
	if err == nil {
		r.Tail = max(leastTail, work/alone-work/r.Kernel) / float64(t)
	}
	return err
}

// leastTail is the least that a product takes longer alone.
const leastTail = 1e-6

// hostSample is the size of the file with which copies to and from a disk are timed, for a matrix that is larger.
const hostSample = 128 << 20

// MeasureDisk times syncs of files in a folder, for a matrix of so many bytes, and, unless cores are shared, copies
// to and from them. If nothing can be written, or there is no room for it, it leaves the rates as they are: a plan
// can be made without them.
func (r *Rates) MeasureDisk(dir string, bytes int64, shared bool) error {
	read, write, sync, err := timeDisk(dir, min(max(1<<20, bytes), hostSample), Copiers())
	if errors.Is(err, syscall.EROFS) || errors.Is(err, fs.ErrPermission) || errors.Is(err, disk.ErrNoSpace) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("timing the disk of %s: %w", dir, err)
	}
	r.Disk, r.Dirty = sync, device.DirtyLimit()
	if !shared { // with shared cores, copies compete with kernels, and the rates measured on the device are better
		r.Read, r.Write = read, write
	}
	return nil
}

// Written returns the bytes/s at which tiles are written to a matrix if the given bytes of it are written over and
// over. The system allows a share of memory to be dirty. Above that share, writing to a clean page waits until the
// disk has written another one; writing to a page that is still dirty does not wait.
func (r Rates) Written(bytes float64) float64 {
	if r.Dirty <= 0 || r.Disk <= 0 || bytes <= r.Dirty {
		return r.Write
	}
	return min(r.Write, r.Disk/(1-r.Dirty/bytes))
}

// Rate times an operation that does a given amount of work, for n vertices, and returns the work per second of its
// fastest batch. wait waits for what was enqueued.
func Rate(n int, wait func() error, work float64, op func() error) (float64, error) {
	return rateFor(longFor(n), few, wait, work, op)
}

// rateFor is Rate for at least so long, and so many batches.
func rateFor(long time.Duration, batches int, wait func() error, work float64, op func() error) (float64, error) {
	batch := 4
	if long < measureFor {
		batch = 1
	}
	best, began := 0.0, time.Now()
	for n := 0; n < batches || time.Since(began) < long; n++ {
		start := time.Now()
		for range batch {
			if err := op(); err != nil {
				return 0, err
			}
		}
		if err := wait(); err != nil {
			return 0, err
		}
		best = max(best, float64(batch)*work/time.Since(start).Seconds())
	}
	return best, nil
}
