package opencl

import (
	"fmt"
	"reflect"
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"
)

// handle is an object of OpenCL: a platform, device, context, queue, program, kernel, memory object or event.
type handle uintptr

// library is libOpenCL.
type library struct {
	functions
	meddle func(fn uintptr, args []uintptr) uintptr // in a test's hands: makes each call; nil: all are made
}

// functions holds the addresses of the functions of libOpenCL.
type functions struct {
	clGetPlatformIDs             uintptr
	clGetPlatformInfo            uintptr
	clGetDeviceIDs               uintptr
	clGetDeviceInfo              uintptr
	clCreateContext              uintptr
	clReleaseContext             uintptr
	clCreateCommandQueue         uintptr
	clReleaseCommandQueue        uintptr
	clCreateProgramWithSource    uintptr
	clBuildProgram               uintptr
	clGetProgramBuildInfo        uintptr
	clReleaseProgram             uintptr
	clCreateKernel               uintptr
	clReleaseKernel              uintptr
	clSetKernelArg               uintptr
	clCreateBuffer               uintptr
	clReleaseMemObject           uintptr
	clEnqueueWriteBuffer         uintptr
	clEnqueueReadBuffer          uintptr
	clEnqueueCopyBuffer          uintptr
	clEnqueueMapBuffer           uintptr
	clEnqueueUnmapMemObject      uintptr
	clEnqueueNDRangeKernel       uintptr
	clEnqueueBarrierWithWaitList uintptr
	clFlush                      uintptr
	clFinish                     uintptr
	clWaitForEvents              uintptr
	clGetEventInfo               uintptr
	clGetEventProfilingInfo      uintptr
	clRetainEvent                uintptr
	clReleaseEvent               uintptr
}

// load opens the library once for the whole process: drivers cannot be unloaded.
var load = sync.OnceValues(func() (*library, error) {
	var l *library
	err := keepingSignals(func() (err error) {
		l, err = openFunctions()
		return err
	})
	return l, err
})

func openFunctions() (*library, error) {
	lib, err := openLibrary()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrAbsent, err)
	}
	l := &library{}
	fields := reflect.ValueOf(&l.functions).Elem()
	for i := range fields.NumField() {
		name := fields.Type().Field(i).Name
		at, err := findSymbol(lib, name)
		if err != nil {
			return nil, fmt.Errorf("%w: libOpenCL is older than OpenCL 1.2: it has no %s: %w", ErrNoDevice, name, err)
		}
		*(*uintptr)(fields.Field(i).Addr().UnsafePointer()) = at
	}
	return l, nil
}

// call calls a function that returns a cl_int. Objects whose addresses are converted in the arguments are kept on the
// heap and alive until it returns.
//
//go:uintptrescapes
func (l *library) call(fn uintptr, args ...uintptr) clCode {
	return clCode(int32(l.made(fn, args)))
}

// create calls a function that returns an object, and takes the address of an error code after its arguments.
//
//go:uintptrescapes
func (l *library) create(name string, fn uintptr, args ...uintptr) (handle, error) {
	code := new(clCode)
	h := handle(l.madeWith(fn, args, uintptr(unsafe.Pointer(code))))
	return h, check(name, *code)
}

// madeWith is made with one more argument, an address of what is kept on the heap: a stack may move before the call.
//
//go:uintptrescapes
func (l *library) madeWith(fn uintptr, args []uintptr, last uintptr) uintptr {
	return l.made(fn, append(args, last))
}

func (l *library) made(fn uintptr, args []uintptr) uintptr {
	if l.meddle != nil {
		return l.meddle(fn, args)
	}
	r, _, _ := purego.SyscallN(fn, args...)
	return r
}

// info asks one of the functions clGet…Info for a value of whatever size.
func (l *library) info(fn uintptr, of handle, what uint32) ([]byte, clCode) {
	var size uintptr
	if c := l.call(fn, uintptr(of), uintptr(what), 0, 0, uintptr(unsafe.Pointer(&size))); c != success || size == 0 {
		return nil, c
	}
	value := make([]byte, size)
	c := l.call(fn, uintptr(of), uintptr(what), size, uintptr(unsafe.Pointer(&value[0])), 0)
	return value, c
}
