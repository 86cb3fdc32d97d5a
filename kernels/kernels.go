// Package kernels owns the arithmetic of ooc: the (min,+) product and the closure of square tiles,
// and the devices that run them. It knows nothing of disks, graphs or schedules.
//
// # Units and layout
//
// A tile is T×T entries of entry.Variant.Bytes, row-major and contiguous, T a multiple of 64. All sizes are bytes.
// A relaxation is one add and one min: c = min(c, a+b). A product of T×T by T×T tiles is T³ relaxations.
//
// # Invariants
//
//   - Unreachable is what entry.Variant.Unreachable says: +Inf in the float variants.
//   - No entry is NaN, −Inf or −0.0, and no integer entry exceeds unreachable.
//   - In the non-negative variants every entry is ≥ 0; in I32Signed every entry other than Inf32 has a
//     magnitude below Limit32.
//   - Operations on one Stream run in the order they were given; operations on different streams run in
//     any order unless an Event orders them.
package kernels

import (
	"errors"
	"sync/atomic"
	"time"

	"ooc/kernels/entry"
)

// ErrNoMemory is wrapped by the error of an allocation that passes the device's memory limit.
var ErrNoMemory = errors.New("device memory exhausted")

// GPUScratch is Info.Scratch of CUDA and OpenCL. Panels that a closure copies take most of it, 128 entries for each
// vertex. It is as much where the limit is small: a plan could not say what limit is enough if it grew with that.
const GPUScratch = 16 << 20

// Info describes a device.
type Info struct {
	Name     string // "cpu", "cuda:0"
	Model    string // "AVX-512, 2 threads", "NVIDIA H100 80GB HBM3"
	Hardware string // tells it from others that go by the same Model; "": Model does
	Memory   int64  // bytes that Alloc may hand out in all: the user's limit, or what the device has
	Scratch  int64  // bytes of Memory that the device itself uses beside what Alloc hands out; the same for any Memory
	// SharedCores says that copies and kernels compete for the same cores, so that overlapping them
	// hides latency but not work; a planner then adds their times instead of taking the larger.
	SharedCores bool
	Devices     int // that share the rounds of a solve; 0: this one alone
}

// Buffer is a block of device memory. Free releases it; the device must be idle on it.
type Buffer interface {
	Bytes() int64
	Free() error
}

// Bare returns the buffer that the device itself made, of a buffer that may be wrapped. A wrapper has a method Unwrap.
func Bare(b Buffer) Buffer {
	for {
		w, wraps := b.(interface{ Unwrap() Buffer })
		if !wraps {
			return b
		}
		b = w.Unwrap()
	}
}

// Tile is one T×T tile inside a Buffer, starting at byte Off.
type Tile struct {
	Buf Buffer
	Off int64
}

// Product is one (min,+) product of tiles: C = min(C, A[0]⊗B[0], …, A[m-1]⊗B[m-1]). If Fresh is set, the old content
// of C is not read and takes no part in the minimum. C is neither in A nor in B, and no two products of one call have
// the same C or read another's C.
type Product struct {
	C     Tile
	A, B  []Tile
	Fresh bool
	// Before is set in fresh products of a stream that keeps predecessors: it is one of A or B, and what C begins as
	// (see TileOps.NewTrackingStream). Other streams ignore it.
	Before Tile
}

// Event marks a point in a stream.
type Event interface {
	// Sync blocks until the stream has passed the event, and returns the stream's first error.
	Sync() error
	// Since returns the time that passed on the device between start and this event. Both have passed.
	Since(start Event) (time.Duration, error)
}

// Stream runs operations in order. Its methods only enqueue: they return before the operation ran. If an operation
// fails, the next Sync of the stream, or of a later event, returns the error. A stream has one owner: its methods are
// not called concurrently. Until an event recorded after the operation has passed, operands stay valid and the host
// touches neither src nor dst.
type Stream interface {
	// CopyIn copies one tile, len(src) bytes, from host memory.
	CopyIn(dst Tile, src []byte) error
	// CopyOut copies one tile, len(dst) bytes, to host memory.
	CopyOut(dst []byte, src Tile) error
	// Closure replaces the square pivot block of m×m tiles of edge t, given row-major, by its closure: the shortest
	// distances over walks inside the block (Floyd–Warshall). Its diagonal is ≤ 0. The closure of a symmetric block
	// is symmetric, bit for bit.
	Closure(v entry.Variant, t int, pivot []Tile) error
	// MinPlus runs a batch of independent products of tiles of edge t.
	MinPlus(v entry.Variant, t int, products []Product) error
	// Record enqueues an event.
	Record() (Event, error)
	// Wait makes later operations of this stream wait for an event of any stream of the device.
	Wait(Event) error
	// Sync blocks until the stream is empty and returns its first error.
	Sync() error
	// Close waits for the stream and releases it.
	Close() error
}

// ClosureCounter is a Stream that counts the relaxations of its closures in done, as they are done. It is for one large
// closure, since each begins to count anew.
type ClosureCounter interface {
	Stream
	CountClosures(done *atomic.Int64)
}

// Device allocates memory and streams. Its methods may be called concurrently.
type Device interface {
	Info() Info
	// Alloc reserves device memory; the content is undefined. It wraps ErrNoMemory beyond Info().Memory.
	Alloc(bytes int64) (Buffer, error)
	// AllocHost returns host memory from and to which copies run at full speed (page-locked for a GPU).
	AllocHost(bytes int64) ([]byte, error)
	// FreeHost releases memory of AllocHost.
	FreeHost([]byte) error
	NewStream() (Stream, error)
	// Close releases the device; its streams and buffers are closed before.
	Close() error
}

// As returns what a device offers beyond Device: one of the groups TileOps, VectorOps, LaneOps, LaneStats, HostLaneOps,
// BitOps, SearchOps and PathOps. A device has all of a group or none of it. A device that wraps another has a method
// Unwrap; As then also finds the groups of the other.
func As[T any](d Device) (can T, ok bool) {
	for {
		if can, ok = d.(T); ok {
			return can, true
		}
		w, wraps := d.(interface{ Unwrap() Device })
		if !wraps {
			return can, false
		}
		d = w.Unwrap()
	}
}
