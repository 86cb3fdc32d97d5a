package opencl

import (
	"sync"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"
)

// TestWaitMovesStack has a stream wait for an event, and moves the stack before the driver looks at the list of
// events: what was on the stack is overwritten by then.
func TestWaitMovesStack(t *testing.T) {
	index := testedDevice(t)
	l, err := load()
	if err != nil {
		t.Fatal(err)
	}
	waits := 0
	var want handle
	move := func(fn uintptr, args []uintptr) uintptr {
		if fn == l.clEnqueueBarrierWithWaitList && args[1] > 0 {
			waits++
			fill(64, func() {})
			var ready, others sync.WaitGroup
			for i := range 200 { // together they need all the stacks that are free
				ready.Add(1)
				others.Go(func() {
					fill(i%20, func() {
						ready.Done()
						ready.Wait()
					})
				})
			}
			others.Wait()
			if list := *(**handle)(unsafe.Pointer(&args[2])); *list != want {
				t.Errorf("it waits for %#x, not for %#x", *list, want)
				*list = want // a driver would crash
			}
		}
		r, _, _ := purego.SyscallN(fn, args...)
		return r
	}
	d, err := (&library{functions: l.functions, meddle: move}).open(Options{Index: index})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	s, err := d.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	e, err := s.Record()
	if err != nil {
		t.Fatal(err)
	}
	want = e.(*event).handle
	failed := make(chan error)
	go func() { failed <- s.Wait(e) }() // on a stack that is small yet
	if err := <-failed; err != nil {
		t.Fatal(err)
	}
	if waits == 0 {
		t.Error("no wait was seen")
	}
}

// fill writes to so many KiB of the stack, and then calls a function.
//
//go:noinline
func fill(depth int, then func()) (sum int) {
	var page [128]int
	for i := range page {
		page[i] = depth + i
	}
	if depth > 0 {
		sum = fill(depth-1, then)
	} else {
		then()
	}
	for _, v := range page {
		sum += v
	}
	return sum
}
