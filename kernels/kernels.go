// Package kernels owns the arithmetic of ooc: the (min,+) product and the closure of square tiles of
// 4-byte entries, and the devices that run them. It knows nothing of disks, graphs or schedules.
//
// # Units and layout
//
// A tile is T×T entries of 4 bytes, row-major and contiguous, T a multiple of 64. All sizes are bytes.
// A relaxation is one add and one min: c = min(c, a+b). A product of T×T by T×T tiles is T³ relaxations.
//
// # Invariants
//
//   - Unreachable is Inf32 in the integer variants and +Inf in the float ones.
//   - No entry is NaN, −Inf or −0.0, and no integer entry exceeds Inf32.
//   - In the non-negative variants every entry is ≥ 0; in I32Signed every entry other than Inf32 has a
//     magnitude below Limit32.
//   - Operations on one Stream run in the order they were given; operations on different streams run in
//     any order unless an Event orders them.
package kernels

import (
	"errors"
	"math"
	"time"
)

// Inf32 marks "unreachable" in the integer variants. Twice Inf32 does not wrap an int32.
const Inf32 int32 = 0x3f3f3f3f

// Limit32 is the magnitude that every real distance of an I32Signed problem stays below, and the value
// from which I32Signed kernels reset an entry to Inf32. It is half of Inf32: a sum of Inf32 and any
// negative distance stays at or above it, so that an unreachable entry cannot drift into a distance.
const Limit32 int32 = Inf32 / 2

// PosInf is the unreachable entry of the float variants.
var PosInf = float32(math.Inf(1))

// EntryBytes is the size of a matrix entry of every variant.
const EntryBytes = 4

// Variant names the arithmetic of an operation.
type Variant uint8

const (
	I32       Variant = iota // int32, entries ≥ 0 or Inf32
	I32Signed                // int32, negative entries allowed; entries ≥ Limit32 are reset to Inf32
	F32                      // float32, entries ≥ 0 or +Inf
	F32Signed                // float32, negative entries allowed
)

// Variants lists every variant, for tables and tests.
var Variants = []Variant{I32, I32Signed, F32, F32Signed}

// String returns the variant's name as printed by the command.
func (v Variant) String() string {
	return [...]string{"i32", "i32-signed", "f32", "f32-signed"}[v]
}

// MarshalText returns the name.
func (v Variant) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// Float reports whether entries are float32.
func (v Variant) Float() bool { return v == F32 || v == F32Signed }

// ErrNoMemory is wrapped by the error of an allocation that passes the device's memory limit.
var ErrNoMemory = errors.New("device memory exhausted")

// Info describes a device.
type Info struct {
	Name    string // "cpu", "cuda:0"
	Model   string // "AVX-512, 2 threads", "NVIDIA H100 80GB HBM3"
	Memory  int64  // bytes that Alloc may hand out in all: the user's limit, or what the device has
	Scratch int64  // bytes of Memory that the device itself uses beside what Alloc hands out
	// SharedCores says that copies and kernels compete for the same cores, so that overlapping them
	// hides latency but not work; a planner then adds their times instead of taking the larger.
	SharedCores bool
}

// Buffer is a block of device memory. Free releases it; the device must be idle on it.
type Buffer interface {
	Bytes() int64
	Free() error
}

// Tile is one T×T tile inside a Buffer, starting at byte Off.
type Tile struct {
	Buf Buffer
	Off int64
}

// Product is one (min,+) product of tiles: C = min(C, A[0]⊗B[0], …, A[m-1]⊗B[m-1]), or, where Fresh is
// set, the same without the old content of C, which is then not read. C is none of A and B, and no two
// products of one call share a C or read another's C.
type Product struct {
	C     Tile
	A, B  []Tile
	Fresh bool
	// Before is of a fresh product in a stream that keeps predecessors, and one of A or B: what C begins as. See
	// Tracker. Other streams do not look at it.
	Before Tile
}

// Event marks a point in a stream.
type Event interface {
	// Sync blocks until the stream has passed the event, and returns the stream's first error.
	Sync() error
	// Since returns the time that passed on the device between start and this event. Both have passed.
	Since(start Event) (time.Duration, error)
}

// Stream runs operations in order. Its methods only enqueue: they return before the operation ran, and
// an error of the operation itself is returned by the next Sync of the stream or of a later event.
// A stream has one owner: its methods are not called concurrently. Operands stay valid, and src and dst
// untouched by the host, until an event recorded after the operation has passed.
type Stream interface {
	// CopyIn copies one tile, len(src) bytes, from host memory.
	CopyIn(dst Tile, src []byte) error
	// CopyOut copies one tile, len(dst) bytes, to host memory.
	CopyOut(dst []byte, src Tile) error
	// Closure replaces the square pivot block of m×m tiles of edge t, given row-major, by its closure:
	// the shortest distances over walks inside the block (Floyd–Warshall). Its diagonal is ≤ 0.
	Closure(v Variant, t int, pivot []Tile) error
	// MinPlus runs a batch of independent products of tiles of edge t.
	MinPlus(v Variant, t int, products []Product) error
	// Record enqueues an event.
	Record() (Event, error)
	// Wait makes later operations of this stream wait for an event of any stream of the device.
	Wait(Event) error
	// Sync blocks until the stream is empty and returns its first error.
	Sync() error
	// Close waits for the stream and releases it.
	Close() error
}

// Device allocates memory and streams. Its methods may be called concurrently.
type Device interface {
	Info() Info
	// Alloc reserves device memory; the content is undefined. It wraps ErrNoMemory beyond Info().Memory.
	Alloc(bytes int64) (Buffer, error)
	// AllocHost returns host memory that copies run from and to at full speed (page-locked on a GPU).
	AllocHost(bytes int64) ([]byte, error)
	// FreeHost releases memory of AllocHost.
	FreeHost([]byte) error
	NewStream() (Stream, error)
	// Close releases the device; its streams and buffers are closed before.
	Close() error
}

// Ceiler is a device that knows the highest rate its arithmetic units can reach, in relaxations per
// second over all of them, measured with operands in registers or derived from the clock.
type Ceiler interface {
	Ceiling(v Variant) float64
}

// As returns what a device can do beyond Device, or what the device can that it wraps: a wrapper has a method Unwrap.
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
