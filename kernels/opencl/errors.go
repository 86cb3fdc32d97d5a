package opencl

import (
	"errors"
	"fmt"
)

// ErrNoDevice is wrapped by Open's error where there is no driver, no such device, or none that the kernels run on.
var ErrNoDevice = errors.New("no OpenCL device")

// ErrAbsent is the ErrNoDevice of a machine without a driver, or whose drivers find no device: nothing there is broken.
var ErrAbsent = fmt.Errorf("%w", ErrNoDevice)

// clCode is a cl_int, the error code of OpenCL; 0 is success.
type clCode int32

// The codes that are told apart.
const (
	success          clCode = 0
	deviceNotFound   clCode = -1
	noObjectMemory   clCode = -4
	noResources      clCode = -5
	noHostMemory     clCode = -6
	noProfile        clCode = -7
	mapFailed        clCode = -12
	eventFailed      clCode = -14
	invalidValue     clCode = -30
	tooLarge         clCode = -61
	noPlatform       clCode = -1001
	buildFailed      clCode = -11
	compilerNotThere clCode = -3
)

// names are those of the codes that a user may see.
var names = map[clCode]string{
	deviceNotFound: "DEVICE_NOT_FOUND", -2: "DEVICE_NOT_AVAILABLE", compilerNotThere: "COMPILER_NOT_AVAILABLE",
	noObjectMemory: "MEM_OBJECT_ALLOCATION_FAILURE",
	noResources:    "OUT_OF_RESOURCES", noHostMemory: "OUT_OF_HOST_MEMORY", noProfile: "PROFILING_INFO_NOT_AVAILABLE",
	buildFailed: "BUILD_PROGRAM_FAILURE",
	mapFailed:   "MAP_FAILURE", eventFailed: "EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST", invalidValue: "INVALID_VALUE",
	-33: "INVALID_DEVICE", -34: "INVALID_CONTEXT",
	-36: "INVALID_COMMAND_QUEUE", -38: "INVALID_MEM_OBJECT", -43: "INVALID_BUILD_OPTIONS", -44: "INVALID_PROGRAM",
	-45: "INVALID_PROGRAM_EXECUTABLE",
	-46: "INVALID_KERNEL_NAME", -48: "INVALID_KERNEL", -51: "INVALID_ARG_SIZE", -52: "INVALID_KERNEL_ARGS",
	-54: "INVALID_WORK_GROUP_SIZE",
	-55: "INVALID_WORK_ITEM_SIZE", -58: "INVALID_EVENT", tooLarge: "INVALID_BUFFER_SIZE",
	noPlatform: "PLATFORM_NOT_FOUND",
}

// clError is a failed call of OpenCL.
type clError struct {
	Call string // as in clCreateBuffer
	Code clCode
	Log  string // what the driver's compiler says
}

// Error returns all that is known of the error.
func (e *clError) Error() string {
	text := fmt.Sprintf("%s: CL_%s (%d)", e.Call, names[e.Code], e.Code)
	if names[e.Code] == "" {
		text = fmt.Sprintf("%s: OpenCL error %d", e.Call, e.Code)
	}
	if e.Log != "" {
		text += ": the driver's compiler says: " + e.Log
	}
	return text
}

// check turns the result of a call into an error.
func check(call string, c clCode) error {
	if c == success {
		return nil
	}
	return &clError{Call: call, Code: c}
}

// noMemory reports whether an error says that there is not enough memory.
func noMemory(err error) bool {
	var e *clError
	if !errors.As(err, &e) {
		return false
	}
	switch e.Code {
	case noObjectMemory, noResources, noHostMemory, mapFailed, tooLarge:
		return true
	}
	return false
}

// in says what an error ended, if there is one.
func in(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("opencl: %s: %w", what, err)
}
