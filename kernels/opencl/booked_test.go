package opencl

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"
)

// booked keeps books of what a driver gave and was not given back, and has calls fail.
type booked struct {
	fail             func(call string) bool
	names            map[uintptr]string
	device, platform uintptr // those tested

	mu    sync.Mutex
	alive map[string]int // by what it is; guarded by mu
}

// leaks names what is alive.
func (b *booked) leaks() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	maps.DeleteFunc(b.alive, func(_ string, n int) bool { return n == 0 })
	if len(b.alive) == 0 {
		return ""
	}
	return fmt.Sprint(b.alive)
}

// What a call that fails comes to: memory is at its end, or what NVIDIA's driver says of any fault.
const anyFault clCode = -9999

// HostBuffer is the name that campaigns know clCreateBuffer by where it takes page-locked memory.
const HostBuffer = "clCreateBuffer of the host"

// OtherDevice is the name that campaigns know calls by which ask about another device or platform.
const OtherDevice = "a call about another device"

// call makes a call, or has it fail. One that gives something back or waits does so all the same.
func (b *booked) call(fn uintptr, args []uintptr) uintptr {
	name := b.names[fn]
	asked, code := name, anyFault
	if name == "clCreateBuffer" {
		if code = noObjectMemory; strings.Contains(string(debug.Stack()), "mapHost") {
			asked = HostBuffer
		}
	} else if name == "clBuildProgram" {
		code = buildFailed
	} else if name == "clGetDeviceInfo" && args[0] != b.device || name == "clGetDeviceIDs" && args[0] != b.platform {
		asked = OtherDevice
	}
	fails := b.fail(asked)
	// It returns one, and its code in the last argument.
	object := strings.HasPrefix(name, "clCreate") || name == "clEnqueueMapBuffer"
	ends := strings.HasPrefix(name, "clRelease") || name == "clFinish" || name == "clFlush" ||
		name == "clWaitForEvents" || name == "clEnqueueUnmapMemObject"
	r := uintptr(0)
	if !fails || ends {
		r, _, _ = purego.SyscallN(fn, args...)
	}
	if fails && object {
		**(**clCode)(unsafe.Pointer(&args[len(args)-1])) = code
	} else if !fails && object && r != 0 || !object && int32(r) == 0 && (!fails || ends) {
		b.book(name, args)
	}
	if fails && !object {
		return uintptr(code)
	}
	return r
}

// book counts what a call took, or gave back.
func (b *booked) book(name string, args []uintptr) {
	what, change := "", 1
	switch {
	case name == "clEnqueueMapBuffer":
		what = "maps"
	case name == "clEnqueueUnmapMemObject":
		what, change = "maps", -1
	case name == "clRetainEvent", strings.HasPrefix(name, "clEnqueue") && args[len(args)-1] != 0:
		what = "events"
	case strings.HasPrefix(name, "clRelease"):
		what, change = name[len("clRelease"):], -1
	case strings.HasPrefix(name, "clCreate"):
		what = name[len("clCreate"):]
	default:
		return
	}
	for of, as := range map[string]string{"Context": "contexts", "Event": "events", "Buffer": "memory",
		"MemObject": "memory", "ProgramWithSource": "programs", "Program": "programs"} {
		if what == of {
			what = as
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.alive[what] += change
}

// namesOf are the names of a driver's functions.
func namesOf(f functions) map[uintptr]string {
	names, fields := map[uintptr]string{}, reflect.ValueOf(f)
	for i := range fields.NumField() {
		names[uintptr(fields.Field(i).Uint())] = fields.Type().Field(i).Name
	}
	return names
}

var errAnother = errors.New("another device was opened")

const devicePlatform = 0x1031 // asked of a device

// OpenBooked opens the tested device, or one that computes as a GPU of a vendor does, on a driver whose calls fail
// where fail says so.
func OpenBooked(t testing.TB, o Options, fail func(call string) bool) (d *device, leaks func() string, err error) {
	o.Index = testedDevice(t)
	l, err := load()
	if err != nil {
		t.Fatal(err)
	}
	all, err := List()
	if err != nil {
		t.Fatal(err)
	}
	device := all[o.Index].id
	platform, code := l.info(l.clGetDeviceInfo, device, devicePlatform)
	if code != success || len(platform) != 8 {
		t.Fatalf("the device's platform: %v, %v", platform, code)
	}
	b := &booked{fail: fail, names: namesOf(l.functions), device: uintptr(device),
		platform: uintptr(binary.NativeEndian.Uint64(platform)), alive: map[string]int{}}
	d, err = (&library{functions: l.functions, meddle: b.call}).open(o)
	if err == nil && d.found.id != device { // a failure hid that one, and another has its number
		err = errors.Join(errAnother, d.Close())
		d = nil
	}
	return d, b.leaks, err
}
