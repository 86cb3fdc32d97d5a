//go:build !gorgonia

package cuda

import (
	"cmp"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"
)

// library holds the addresses of the functions of libcuda, by the names under which it exports them.
type library struct {
	cuInit                      uintptr
	cuDriverGetVersion          uintptr
	cuDeviceGetCount            uintptr
	cuDeviceGet                 uintptr
	cuDeviceGetName             uintptr
	cuDeviceGetAttribute        uintptr
	cuDevicePrimaryCtxRetain    uintptr
	cuDevicePrimaryCtxRelease   uintptr `symbol:"cuDevicePrimaryCtxRelease_v2"`
	cuCtxSetCurrent             uintptr
	cuCtxGetStreamPriorityRange uintptr
	cuGetErrorName              uintptr
	cuGetErrorString            uintptr
	cuMemGetInfo                uintptr `symbol:"cuMemGetInfo_v2"`
	cuMemAlloc                  uintptr `symbol:"cuMemAlloc_v2"`
	cuMemFree                   uintptr `symbol:"cuMemFree_v2"`
	cuMemHostAlloc              uintptr
	cuMemFreeHost               uintptr
	cuMemHostRegister           uintptr `symbol:"cuMemHostRegister_v2"`
	cuMemHostUnregister         uintptr
	cuMemcpyHtoDAsync           uintptr `symbol:"cuMemcpyHtoDAsync_v2"`
	cuMemcpyDtoHAsync           uintptr `symbol:"cuMemcpyDtoHAsync_v2"`
	cuMemcpyPeerAsync           uintptr
	cuDeviceCanAccessPeer       uintptr
	cuCtxEnablePeerAccess       uintptr
	cuStreamCreateWithPriority  uintptr
	cuStreamDestroy             uintptr `symbol:"cuStreamDestroy_v2"`
	cuStreamSynchronize         uintptr
	cuStreamWaitEvent           uintptr
	cuEventCreate               uintptr
	cuEventDestroy              uintptr `symbol:"cuEventDestroy_v2"`
	cuEventRecord               uintptr
	cuEventSynchronize          uintptr
	cuEventQuery                uintptr
	cuEventElapsedTime          uintptr
	cuModuleLoadDataEx          uintptr
	cuModuleUnload              uintptr
	cuModuleGetFunction         uintptr
	cuLaunchKernel              uintptr
}

// openDriver loads libcuda and initialises it, once for all devices.
var openDriver = sync.OnceValues(func() (driver, error) {
	lib, err := openLibrary()
	if err != nil {
		return nil, fmt.Errorf("%w: the NVIDIA driver's library cannot be loaded: %w", ErrAbsent, err)
	}
	l := &library{}
	fields := reflect.ValueOf(l).Elem()
	for i := range fields.NumField() {
		field := fields.Type().Field(i)
		name := cmp.Or(field.Tag.Get("symbol"), field.Name)
		at, err := findSymbol(lib, name)
		if err != nil {
			return nil, fmt.Errorf("%w: the NVIDIA driver is too old: it has no %s: %w", ErrNoDevice, name, err)
		}
		*(*uintptr)(fields.Field(i).Addr().UnsafePointer()) = at
	}
	if r := l.call(l.cuInit, 0); r != success {
		return nil, fmt.Errorf("%w: %w", none(r), newError(l, "cuInit", r))
	}
	return l, nil
})

// call calls a function that returns a CUresult. Objects whose addresses are converted in the arguments
// are kept on the heap and alive until it returns.
//
//go:uintptrescapes
func (l *library) call(fn uintptr, args ...uintptr) Result {
	r, _, _ := purego.SyscallN(fn, args...)
	return Result(int32(r))
}

func (l *library) binding() string { return "purego" }

func (l *library) version() (v int, r Result) { return l.number(l.cuDriverGetVersion, 0, 0) }

func (l *library) deviceCount() (int, Result) { return l.number(l.cuDeviceGetCount, 0, 0) }

// number calls a function that gives a C int, the address of which is its first argument. Functions with fewer
// arguments look at no more.
func (l *library) number(fn, a, b uintptr) (int, Result) {
	var n int32
	r := l.call(fn, uintptr(unsafe.Pointer(&n)), a, b)
	return int(n), r
}

// on calls do with the CUdevice of an ordinal.
func (l *library) on(ordinal int, do func(dev uintptr) Result) Result {
	dev, r := l.number(l.cuDeviceGet, uintptr(ordinal), 0)
	if r != success {
		return r
	}
	return do(uintptr(dev))
}

func (l *library) deviceName(ordinal int) (string, Result) {
	name := make([]byte, 256)
	r := l.on(ordinal, func(dev uintptr) Result {
		return l.call(l.cuDeviceGetName, uintptr(unsafe.Pointer(&name[0])), uintptr(len(name)), dev)
	})
	text, _, _ := strings.Cut(string(name), "\x00")
	return text, r
}

func (l *library) deviceAttribute(a attribute, ordinal int) (v int, r Result) {
	r = l.on(ordinal, func(dev uintptr) (r Result) {
		v, r = l.number(l.cuDeviceGetAttribute, uintptr(a), dev)
		return r
	})
	return v, r
}

func (l *library) primaryContextRetain(ordinal int) (h handle, r Result) {
	r = l.on(ordinal, func(dev uintptr) Result {
		return l.call(l.cuDevicePrimaryCtxRetain, uintptr(unsafe.Pointer(&h)), dev)
	})
	return h, r
}

func (l *library) primaryContextRelease(ordinal int) Result {
	return l.on(ordinal, func(dev uintptr) Result { return l.call(l.cuDevicePrimaryCtxRelease, dev) })
}

func (l *library) setCurrent(context handle) Result {
	return l.call(l.cuCtxSetCurrent, uintptr(context))
}

func (l *library) errorText(r Result) (name, text string) {
	var n, t *byte
	if l.call(l.cuGetErrorName, uintptr(r), uintptr(unsafe.Pointer(&n))) == success {
		name = cString(n)
	}
	if l.call(l.cuGetErrorString, uintptr(r), uintptr(unsafe.Pointer(&t))) == success {
		text = cString(t)
	}
	return name, text
}

// cString copies a string of C, which is not in Go's memory.
func cString(p *byte) string {
	if p == nil {
		return ""
	}
	n := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(p), n)) != 0 {
		n++
	}
	return string(unsafe.Slice(p, n))
}

func (l *library) memoryInfo() (free, total int64, r Result) {
	r = l.call(l.cuMemGetInfo, uintptr(unsafe.Pointer(&free)), uintptr(unsafe.Pointer(&total)))
	return free, total, r
}

func (l *library) memAlloc(bytes int64) (address, Result) {
	var a address
	r := l.call(l.cuMemAlloc, uintptr(unsafe.Pointer(&a)), uintptr(bytes))
	return a, r
}

func (l *library) memFree(a address) Result { return l.call(l.cuMemFree, uintptr(a)) }

// portable is CU_MEMHOSTALLOC_PORTABLE and CU_MEMHOSTREGISTER_PORTABLE.
const portable = 1

func (l *library) hostAlloc(bytes int64) (unsafe.Pointer, Result) {
	var p unsafe.Pointer
	r := l.call(l.cuMemHostAlloc, uintptr(unsafe.Pointer(&p)), uintptr(bytes), portable)
	return p, r
}

func (l *library) hostFree(p unsafe.Pointer) Result { return l.call(l.cuMemFreeHost, uintptr(p)) }

func (l *library) hostRegister(p unsafe.Pointer, bytes int64) Result {
	return l.call(l.cuMemHostRegister, uintptr(p), uintptr(bytes), portable)
}

func (l *library) hostUnregister(p unsafe.Pointer) Result {
	return l.call(l.cuMemHostUnregister, uintptr(p))
}

func (l *library) priorityRange() (least, greatest int, r Result) {
	var lo, hi int32
	r = l.call(l.cuCtxGetStreamPriorityRange, uintptr(unsafe.Pointer(&lo)), uintptr(unsafe.Pointer(&hi)))
	return int(lo), int(hi), r
}

func (l *library) streamCreate(priority int) (handle, Result) {
	const nonBlocking = 1 // CU_STREAM_NON_BLOCKING
	var h handle
	r := l.call(l.cuStreamCreateWithPriority, uintptr(unsafe.Pointer(&h)), nonBlocking, uintptr(priority))
	return h, r
}

func (l *library) streamDestroy(s handle) Result { return l.call(l.cuStreamDestroy, uintptr(s)) }

func (l *library) streamSynchronize(s handle) Result {
	return l.call(l.cuStreamSynchronize, uintptr(s))
}

func (l *library) streamWaitEvent(s, e handle) Result {
	return l.call(l.cuStreamWaitEvent, uintptr(s), uintptr(e), 0)
}

func (l *library) eventCreate() (handle, Result) {
	const blockingSync = 1 // CU_EVENT_BLOCKING_SYNC
	var h handle
	r := l.call(l.cuEventCreate, uintptr(unsafe.Pointer(&h)), blockingSync)
	return h, r
}

func (l *library) eventDestroy(e handle) Result { return l.call(l.cuEventDestroy, uintptr(e)) }

func (l *library) eventRecord(e, s handle) Result {
	return l.call(l.cuEventRecord, uintptr(e), uintptr(s))
}

func (l *library) eventSynchronize(e handle) Result {
	return l.call(l.cuEventSynchronize, uintptr(e))
}

func (l *library) eventQuery(e handle) Result { return l.call(l.cuEventQuery, uintptr(e)) }

func (l *library) eventElapsed(start, end handle) (ms float32, r Result) {
	r = l.call(l.cuEventElapsedTime, uintptr(unsafe.Pointer(&ms)), uintptr(start), uintptr(end))
	return ms, r
}

func (l *library) copyIn(dst address, src unsafe.Pointer, bytes int64, s handle) Result {
	return l.call(l.cuMemcpyHtoDAsync, uintptr(dst), uintptr(src), uintptr(bytes), uintptr(s))
}

func (l *library) copyOut(dst unsafe.Pointer, src address, bytes int64, s handle) Result {
	return l.call(l.cuMemcpyDtoHAsync, uintptr(dst), uintptr(src), uintptr(bytes), uintptr(s))
}

func (l *library) canAccessPeer(ordinal, peer int) (bool, Result) {
	can := 0
	r := l.on(ordinal, func(dev uintptr) Result {
		return l.on(peer, func(of uintptr) (r Result) {
			can, r = l.number(l.cuDeviceCanAccessPeer, dev, of)
			return r
		})
	})
	return can != 0, r
}

func (l *library) enablePeerAccess(peer handle) Result {
	return l.call(l.cuCtxEnablePeerAccess, uintptr(peer), 0)
}

func (l *library) copyPeer(dst address, to handle, src address, from handle, bytes int64, s handle) Result {
	return l.call(l.cuMemcpyPeerAsync, uintptr(dst), uintptr(to), uintptr(src), uintptr(from), uintptr(bytes),
		uintptr(s))
}

func (l *library) moduleLoad(image []byte) (module handle, log string, r Result) {
	// CU_JIT_ERROR_LOG_BUFFER and its size; a value is passed in the place of a pointer.
	options := [2]int32{5, 6}
	text := make([]byte, 8<<10)
	values := struct {
		text  unsafe.Pointer
		bytes uintptr
	}{unsafe.Pointer(&text[0]), uintptr(len(text))}
	r = l.call(l.cuModuleLoadDataEx, uintptr(unsafe.Pointer(&module)), uintptr(unsafe.Pointer(&image[0])),
		uintptr(len(options)), uintptr(unsafe.Pointer(&options[0])), uintptr(unsafe.Pointer(&values)))
	runtime.KeepAlive(text)
	log, _, _ = strings.Cut(string(text), "\x00")
	return module, strings.TrimSpace(log), r
}

func (l *library) moduleUnload(module handle) Result {
	return l.call(l.cuModuleUnload, uintptr(module))
}

func (l *library) moduleFunction(module handle, name string) (handle, Result) {
	var h handle
	terminated := append([]byte(name), 0)
	r := l.call(l.cuModuleGetFunction, uintptr(unsafe.Pointer(&h)), uintptr(module),
		uintptr(unsafe.Pointer(&terminated[0])))
	return h, r
}

func (l *library) launch(function handle, blocks, threads int, s handle, param unsafe.Pointer, _ uintptr) Result {
	params := [1]unsafe.Pointer{param}
	return l.call(l.cuLaunchKernel, uintptr(function), uintptr(blocks), 1, 1, uintptr(threads), 1, 1, 0,
		uintptr(s), uintptr(unsafe.Pointer(&params[0])), 0)
}
