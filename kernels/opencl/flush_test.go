package opencl

import (
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"

	"ooc/kernels"
	"ooc/kernels/conformance"
)

// flushes watches a driver's queues. A driver may wait without end for a command of a queue that was not flushed
// after it.
type flushes struct {
	names map[uintptr]string

	mu      sync.Mutex
	at      map[uintptr]turn // of events; guarded by mu, as the rest
	begun   map[uintptr]int  // commands of each queue
	flushed map[uintptr]int  // of them, with the last flush
	crossed int              // waits for another queue
	early   string           // a command that waits for one that was not flushed
}

// turn is the queue of an event's command, and its number there.
type turn struct {
	queue  uintptr
	number int
}

// call makes a call. Commands end with the number of events that they wait for, these, and where their own event goes.
func (f *flushes) call(fn uintptr, args []uintptr) uintptr {
	name := f.names[fn]
	f.mu.Lock()
	defer f.mu.Unlock()
	if name == "clFlush" || name == "clFinish" {
		f.flushed[args[0]] = f.begun[args[0]]
	}
	commands := strings.HasPrefix(name, "clEnqueue") && name != "clEnqueueMapBuffer"
	if commands {
		if n := args[len(args)-3]; n > 0 {
			for _, event := range unsafe.Slice(*(**uintptr)(unsafe.Pointer(&args[len(args)-2])), n) {
				p := f.at[event]
				if p.queue == args[0] {
					continue
				}
				if f.crossed++; f.flushed[p.queue] < p.number {
					f.early = name
				}
			}
		}
	}
	r, _, _ := purego.SyscallN(fn, args...)
	if commands && int32(r) == 0 {
		f.begun[args[0]]++
		if event := *(**uintptr)(unsafe.Pointer(&args[len(args)-1])); event != nil {
			f.at[*event] = turn{args[0], f.begun[args[0]]}
		}
	}
	return r
}

// TestFlush wants every queue to be flushed before another one waits for it: with streams that share queues, as those
// of GPUs do, products in several launches, and tiles across pieces.
func TestFlush(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes seconds")
	}
	l, err := load()
	if err != nil {
		t.Fatal(err)
	}
	index := testedDevice(t)
	all, err := List()
	if err != nil {
		t.Fatal(err)
	}
	shared, err := choose(&all[index])
	if err != nil {
		t.Fatal(err)
	}
	shared.queues, shared.launch = 2, 1
	f := &flushes{names: namesOf(l.functions), at: map[uintptr]turn{}, begun: map[uintptr]int{},
		flushed: map[uintptr]int{}}
	conformance.Group[kernels.TileOps](t, func(memory int64) (kernels.Device, error) {
		return (&library{functions: l.functions, meddle: f.call}).open(Options{Index: index, Memory: memory,
			tunables: &shared, piece: 170 << 10})
	})
	if f.early != "" || f.crossed == 0 {
		t.Errorf("%d commands waited for another queue; one of them, %q, for what was not flushed", f.crossed, f.early)
	}
}
