package cuda

import (
	"errors"
	"fmt"
	"unsafe"
)

// ErrNoDevice is wrapped by Open's error where there is no driver, no GPU, or none new enough.
var ErrNoDevice = errors.New("no CUDA device")

// ErrAbsent is the ErrNoDevice of a machine without a driver, or whose driver finds no GPU: nothing there is broken.
var ErrAbsent = fmt.Errorf("%w", ErrNoDevice)

// none is the kind of a result with which CUDA says that it has no GPU, or none that works.
func none(r Result) error {
	if r == noDevice {
		return ErrAbsent
	}
	return ErrNoDevice
}

// Result is a CUresult, the error code of the driver API; 0 is success.
type Result int32

// The results that are told apart.
const (
	success           Result = 0
	invalidValue      Result = 1
	outOfMemory       Result = 2
	noDevice          Result = 100
	invalidDevice     Result = 101
	notFound          Result = 500
	notReady          Result = 600
	peerAccessEnabled Result = 704 // already
	hostRegistered    Result = 712
	hostNotRegister   Result = 713
	notPermitted      Result = 800
	notSupported      Result = 801
)

// harmless reports whether the context is still usable after a call that returned r. An error that is not known to be
// harmless is kept as the error of the device.
func (r Result) harmless() bool {
	switch r {
	case success, invalidValue, outOfMemory, notFound, notReady, hostRegistered, hostNotRegister, notPermitted,
		notSupported:
		return true
	}
	return false
}

// Error is a failed call of the driver API.
type Error struct {
	Call   string // as in cuMemAlloc
	Result Result
	Name   string // as in CUDA_ERROR_OUT_OF_MEMORY, from cuGetErrorName
	Text   string // from cuGetErrorString
}

// Error returns all that CUDA says of the error.
func (e *Error) Error() string {
	if e.Name == "" {
		return fmt.Sprintf("%s: CUDA error %d", e.Call, e.Result)
	}
	return fmt.Sprintf("%s: %s (%d): %s", e.Call, e.Name, e.Result, e.Text)
}

// handle is a context, module, function, stream or event of CUDA.
type handle uintptr

// address is one in device memory.
type address uint64

// attribute is a CUdevice_attribute.
type attribute int32

const (
	clockKHz       attribute = 13
	multiprocessor attribute = 16
	major          attribute = 75
	minor          attribute = 76
	doubleRatio    attribute = 87 // of float32 to float64 instructions
)

// driver is the part of the CUDA driver API that is used. Its methods are the calls of the same names. All need a
// current context, except those that take a context or the number of a device.
type driver interface {
	// binding says by what means CUDA is called.
	binding() string
	version() (int, Result)
	deviceCount() (int, Result)
	deviceName(ordinal int) (string, Result)
	deviceAttribute(a attribute, ordinal int) (int, Result)
	primaryContextRetain(ordinal int) (handle, Result)
	primaryContextRelease(ordinal int) Result
	setCurrent(context handle) Result
	errorText(r Result) (name, text string)

	memoryInfo() (free, total int64, r Result)
	memAlloc(bytes int64) (address, Result)
	memFree(address) Result
	hostAlloc(bytes int64) (unsafe.Pointer, Result) // page-locked, for every context
	hostFree(unsafe.Pointer) Result
	hostRegister(p unsafe.Pointer, bytes int64) Result
	hostUnregister(unsafe.Pointer) Result

	priorityRange() (least, greatest int, r Result)
	streamCreate(priority int) (handle, Result) // without ties to the default stream
	streamDestroy(stream handle) Result
	streamSynchronize(stream handle) Result
	streamWaitEvent(stream, event handle) Result
	eventCreate() (handle, Result) // timed; synchronising sleeps rather than spins
	eventDestroy(event handle) Result
	eventRecord(event, stream handle) Result
	eventSynchronize(event handle) Result
	eventQuery(event handle) Result
	eventElapsed(start, end handle) (milliseconds float32, r Result)
	copyIn(dst address, src unsafe.Pointer, bytes int64, stream handle) Result
	copyOut(dst unsafe.Pointer, src address, bytes int64, stream handle) Result
	canAccessPeer(ordinal, peer int) (bool, Result)
	enablePeerAccess(peer handle) Result // from the current context
	copyPeer(dst address, to handle, src address, from handle, bytes int64, stream handle) Result

	// moduleLoad returns what the driver's compiler says where it refuses. image ends with a zero byte.
	moduleLoad(image []byte) (module handle, log string, r Result)
	moduleUnload(module handle) Result
	moduleFunction(module handle, name string) (handle, Result)
	// launch starts blocks of threads, in one dimension, with one parameter, a struct of so many bytes.
	launch(function handle, blocks, threads int, stream handle, param unsafe.Pointer, bytes uintptr) Result
}
