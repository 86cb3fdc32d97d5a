//go:build gorgonia && cgo

package cuda

/*
#cgo LDFLAGS: -lcuda
#cgo linux CFLAGS: -I/usr/local/cuda/include
#cgo linux LDFLAGS: -L/usr/local/cuda/lib64 -L/usr/local/cuda/lib64/stubs
#include <stdlib.h>
#include <string.h>
#include <cuda.h>

// What gorgonia.org/cu has no call for: page-locked host memory, parameters of more than 8 bytes, the
// driver's own words for an error, and what its compiler says.

static CUresult oocLaunch(CUfunction f, unsigned blocks, unsigned threads, CUstream s, void *param) {
	void *params[1] = {param};
	return cuLaunchKernel(f, blocks, 1, 1, threads, 1, 1, 0, s, params, NULL);
}

static CUresult oocModuleLoad(CUmodule *m, void *image, char *log, size_t size) {
	CUjit_option options[2] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
	void *values[2] = {log, (void *)size};
	return cuModuleLoadDataEx(m, image, 2, options, values);
}

static const char *oocErrorName(CUresult r) {
	const char *s = NULL;
	return cuGetErrorName(r, &s) == CUDA_SUCCESS ? s : NULL;
}

static const char *oocErrorString(CUresult r) {
	const char *s = NULL;
	return cuGetErrorString(r, &s) == CUDA_SUCCESS ? s : NULL;
}
*/
import "C"

import (
	"reflect"
	"strings"
	"unsafe"

	"gorgonia.org/cu"
)

// gorgonia calls CUDA through gorgonia.org/cu. That package initialises CUDA before main, and ends the
// program where there is no driver: a limit of this binding.
type gorgonia struct{}

func openDriver() (driver, error) { return gorgonia{}, nil }

func (gorgonia) binding() string { return "gorgonia.org/cu" }

// resultOf returns the CUresult that an error of the package stands for; its type is not exported.
func resultOf(err error) Result {
	if err == nil {
		return success
	}
	if v := reflect.ValueOf(err); v.CanInt() {
		return Result(v.Int())
	}
	const unknown Result = 999
	return unknown
}

// as reads a handle as one of the package's types, all of which hold the pointer of CUDA and nothing else.
func as[T cu.CUContext | cu.Stream | cu.Event | cu.Module | cu.Function](h handle) T {
	return *(*T)(unsafe.Pointer(&h))
}

func handleOf[T cu.CUContext | cu.Stream | cu.Event | cu.Module | cu.Function](v T) handle {
	return *(*handle)(unsafe.Pointer(&v))
}

func (gorgonia) version() (int, Result) {
	v := cu.Version()
	if v < 0 {
		return 0, invalidValue
	}
	return v, success
}

func (gorgonia) deviceCount() (int, Result) {
	n, err := cu.NumDevices()
	return n, resultOf(err)
}

// deviceName calls CUDA itself: the package passes it a buffer that its answer may overrun.
func (gorgonia) deviceName(ordinal int) (string, Result) {
	var dev C.CUdevice
	if r := C.cuDeviceGet(&dev, C.int(ordinal)); r != C.CUDA_SUCCESS {
		return "", Result(r)
	}
	var name [256]C.char
	r := C.cuDeviceGetName(&name[0], C.int(len(name)), dev)
	return C.GoString(&name[0]), Result(r)
}

func (gorgonia) deviceAttribute(a attribute, ordinal int) (int, Result) {
	v, err := cu.Device(ordinal).Attribute(cu.DeviceAttribute(a))
	return v, resultOf(err)
}

func (gorgonia) primaryContextRetain(ordinal int) (handle, Result) {
	c, err := cu.Device(ordinal).RetainPrimaryCtx()
	return handleOf(c), resultOf(err)
}

func (gorgonia) primaryContextRelease(ordinal int) Result {
	return resultOf(cu.Device(ordinal).ReleasePrimaryCtx())
}

func (gorgonia) setCurrent(context handle) Result {
	return resultOf(cu.SetCurrentContext(as[cu.CUContext](context)))
}

func (gorgonia) errorText(r Result) (name, text string) {
	return C.GoString(C.oocErrorName(C.CUresult(r))), C.GoString(C.oocErrorString(C.CUresult(r)))
}

func (gorgonia) memoryInfo() (free, total int64, r Result) {
	free, total, err := cu.MemInfo()
	return free, total, resultOf(err)
}

func (gorgonia) memAlloc(bytes int64) (address, Result) {
	p, err := cu.MemAlloc(bytes)
	return address(p), resultOf(err)
}

func (gorgonia) memFree(a address) Result { return resultOf(cu.MemFree(cu.DevicePtr(a))) }

func (gorgonia) hostAlloc(bytes int64) (unsafe.Pointer, Result) {
	var p unsafe.Pointer
	r := C.cuMemHostAlloc(&p, C.size_t(bytes), C.CU_MEMHOSTALLOC_PORTABLE)
	return p, Result(r)
}

func (gorgonia) hostFree(p unsafe.Pointer) Result { return Result(C.cuMemFreeHost(p)) }

func (gorgonia) hostRegister(p unsafe.Pointer, bytes int64) Result {
	return Result(C.cuMemHostRegister(p, C.size_t(bytes), C.CU_MEMHOSTREGISTER_PORTABLE))
}

func (gorgonia) hostUnregister(p unsafe.Pointer) Result { return Result(C.cuMemHostUnregister(p)) }

func (gorgonia) priorityRange() (least, greatest int, r Result) {
	least, greatest, err := cu.StreamPriorityRange()
	return least, greatest, resultOf(err)
}

func (gorgonia) streamCreate(priority int) (handle, Result) {
	s, err := cu.MakeStreamWithPriority(priority, cu.NonBlocking)
	return handleOf(s), resultOf(err)
}

func (gorgonia) streamDestroy(h handle) Result {
	s := as[cu.Stream](h)
	return resultOf(s.Destroy())
}

func (gorgonia) streamSynchronize(h handle) Result {
	return resultOf(as[cu.Stream](h).Synchronize())
}

func (gorgonia) streamWaitEvent(s, e handle) Result {
	return resultOf(as[cu.Stream](s).Wait(as[cu.Event](e), 0))
}

func (gorgonia) eventCreate() (handle, Result) {
	e, err := cu.MakeEvent(cu.BlockingSyncEvent)
	return handleOf(e), resultOf(err)
}

func (gorgonia) eventDestroy(h handle) Result {
	e := as[cu.Event](h)
	return resultOf(cu.DestroyEvent(&e))
}

func (gorgonia) eventRecord(e, s handle) Result {
	return resultOf(as[cu.Event](e).Record(as[cu.Stream](s)))
}

func (gorgonia) eventSynchronize(e handle) Result { return resultOf(as[cu.Event](e).Synchronize()) }

func (gorgonia) eventQuery(e handle) Result { return resultOf(as[cu.Event](e).Query()) }

func (gorgonia) eventElapsed(start, end handle) (float32, Result) {
	ms, err := as[cu.Event](start).Elapsed(as[cu.Event](end))
	return float32(ms), resultOf(err)
}

func (gorgonia) copyIn(dst address, src unsafe.Pointer, bytes int64, s handle) Result {
	return resultOf(cu.MemcpyHtoDAsync(cu.DevicePtr(dst), src, bytes, as[cu.Stream](s)))
}

func (gorgonia) copyOut(dst unsafe.Pointer, src address, bytes int64, s handle) Result {
	return resultOf(cu.MemcpyDtoHAsync(dst, cu.DevicePtr(src), bytes, as[cu.Stream](s)))
}

func (gorgonia) canAccessPeer(ordinal, peer int) (bool, Result) {
	var can C.int
	r := C.cuDeviceCanAccessPeer(&can, C.CUdevice(ordinal), C.CUdevice(peer))
	return can != 0, Result(r)
}

// contextOf is a context as C has it.
func contextOf(h handle) C.CUcontext {
	c := as[cu.CUContext](h)
	return *(*C.CUcontext)(unsafe.Pointer(&c))
}

func (gorgonia) enablePeerAccess(peer handle) Result {
	return Result(C.cuCtxEnablePeerAccess(contextOf(peer), 0))
}

func (gorgonia) copyPeer(dst address, to handle, src address, from handle, bytes int64, s handle) Result {
	on := as[cu.Stream](s)
	return Result(C.cuMemcpyPeerAsync(C.CUdeviceptr(dst), contextOf(to), C.CUdeviceptr(src), contextOf(from),
		C.size_t(bytes), *(*C.CUstream)(unsafe.Pointer(&on))))
}

func (gorgonia) moduleLoad(image []byte) (module handle, log string, r Result) {
	const size = 8 << 10
	text, data := C.calloc(1, size), C.CBytes(image)
	defer C.free(text)
	defer C.free(data)
	var m C.CUmodule
	r = Result(C.oocModuleLoad(&m, data, (*C.char)(text), size))
	return handle(unsafe.Pointer(m)), strings.TrimSpace(C.GoString((*C.char)(text))), r
}

func (gorgonia) moduleUnload(module handle) Result {
	m := as[cu.Module](module)
	return Result(C.cuModuleUnload(*(*C.CUmodule)(unsafe.Pointer(&m))))
}

func (gorgonia) moduleFunction(module handle, name string) (handle, Result) {
	f, err := as[cu.Module](module).Function(name)
	return handleOf(f), resultOf(err)
}

// launch copies the parameter, which may hold addresses in page-locked memory, out of Go's memory first.
func (gorgonia) launch(function handle, blocks, threads int, s handle, param unsafe.Pointer, bytes uintptr) Result {
	p := C.malloc(C.size_t(bytes))
	defer C.free(p)
	C.memcpy(p, param, C.size_t(bytes))
	f, stream := as[cu.Function](function), as[cu.Stream](s)
	return Result(C.oocLaunch(*(*C.CUfunction)(unsafe.Pointer(&f)), C.uint(blocks), C.uint(threads),
		*(*C.CUstream)(unsafe.Pointer(&stream)), p))
}
