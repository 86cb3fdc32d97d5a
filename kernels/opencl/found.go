package opencl

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unsafe"

	"ooc/kernels/internal/ledger"
)

// Found is a device that a driver offers.
type Found struct {
	Name     string // of the device, as in "gfx1100"
	Platform string // as in "AMD Accelerated Parallel Processing"
	Vendor   string
	Version  string // of the driver
	GPU      bool   // and not a processor or anything else
	Shares   bool   // its memory is the host's

	id      handle
	cpu     bool // its kernels are to use vectors
	doubles bool // it has float64
	memory  int64
	largest int64 // bytes of an allocation
	local   int64 // bytes of local memory of a group
	group   int64 // items of a group, at most
	units   int   // of computing
	lanes   int   // 32-bit integers in a vector of the processor
}

// NVIDIA reports whether the device is one that CUDA offers too.
func (f *Found) NVIDIA() bool { return strings.Contains(f.Vendor, "NVIDIA") }

// What is asked of platforms, devices, programs and events.
const (
	platformName = 0x0902

	deviceType          = 0x1000
	deviceUnits         = 0x1002
	deviceGroup         = 0x1004
	deviceLanesInt      = 0x1038
	deviceLargest       = 0x1010
	deviceMemory        = 0x101F
	deviceLocal         = 0x1023
	deviceAvailable     = 0x1027
	deviceCompiler      = 0x1028
	deviceName          = 0x102B
	deviceVendor        = 0x102C
	deviceDriverVersion = 0x102D
	deviceDoubles       = 0x1032
	deviceSharesMemory  = 0x1035

	programLog = 0x1183

	eventStatus = 0x11D3
	eventEnd    = 0x1283

	typeCPU, typeGPU, typeAny = 1 << 1, 1 << 2, 0xFFFFFFFF
)

// List returns the devices of all platforms: GPUs first, or else in the drivers' order. The error wraps ErrAbsent
// where there are none.
func List() ([]Found, error) {
	list, err := list()
	if err != nil {
		return nil, fmt.Errorf("opencl: %w", err)
	}
	return list, nil
}

func list() ([]Found, error) {
	l, err := load()
	if err != nil {
		return nil, err
	}
	return l.list()
}

func (l *library) list() (all []Found, err error) {
	var failed error // of a platform
	err = keepingSignals(func() error {
		platforms, err := l.handles("clGetPlatformIDs", func(n uintptr, list, count unsafe.Pointer) clCode {
			return l.call(l.clGetPlatformIDs, n, uintptr(list), uintptr(count))
		}, noPlatform)
		if err != nil {
			return err
		}
		for _, p := range platforms {
			devices, err := l.handles("clGetDeviceIDs", func(n uintptr, list, count unsafe.Pointer) clCode {
				return l.call(l.clGetDeviceIDs, uintptr(p), typeAny, n, uintptr(list), uintptr(count))
			}, deviceNotFound)
			if err != nil { // others may work
				failed = err
				continue
			}
			name := text(l.info(l.clGetPlatformInfo, p, platformName))
			for _, id := range devices {
				if f, err := l.look(id, name); err != nil {
					failed = err
				} else {
					all = append(all, f)
				}
			}
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrNoDevice, err)
	case len(all) == 0 && failed != nil:
		return nil, fmt.Errorf("%w: %w", ErrNoDevice, failed)
	case len(all) == 0 && len(brokenDrivers()) > 0:
		return nil, fmt.Errorf("%w: %s", ErrNoDevice, strings.Join(brokenDrivers(), "; "))
	case len(all) == 0:
		return nil, fmt.Errorf("%w: libOpenCL finds no driver with a device; is the driver's package for OpenCL "+
			"installed?", ErrAbsent)
	}
	slices.SortStableFunc(all, func(a, b Found) int { return ledger.OneIf[int](b.GPU) - ledger.OneIf[int](a.GPU) })
	return all, nil
}

// handles calls a function that lists objects, first for their number. none is how it says that there are none.
func (l *library) handles(name string, get func(n uintptr, list, count unsafe.Pointer) clCode, none clCode) ([]handle,
	error) {
	count := new(uint32)
	if c := get(0, nil, unsafe.Pointer(count)); c == none || c == success && *count == 0 {
		return nil, nil
	} else if c != success {
		return nil, check(name, c)
	}
	list := make([]handle, *count)
	return list, check(name, get(uintptr(*count), unsafe.Pointer(&list[0]), nil))
}

// look asks a device for what it is.
func (l *library) look(id handle, platform string) (Found, error) {
	var err error
	value := func(what uint32) ([]byte, clCode) {
		value, c := l.info(l.clGetDeviceInfo, id, what)
		if c != success && c != invalidValue { // which it is where the driver does not know the question
			err = errors.Join(err, check("clGetDeviceInfo", c))
		}
		return value, c
	}
	number := func(what uint32) int64 { return integer(value(what)) }
	words := func(what uint32) string { return text(value(what)) }
	kind := number(deviceType)
	f := Found{Name: words(deviceName), Platform: platform, Vendor: words(deviceVendor),
		Version: words(deviceDriverVersion), GPU: kind&typeGPU != 0,
		Shares: kind&typeCPU != 0 || number(deviceSharesMemory) != 0, id: id, cpu: kind&typeCPU != 0,
		doubles: number(deviceDoubles) != 0,
		memory:  number(deviceMemory), largest: number(deviceLargest), local: number(deviceLocal),
		group: number(deviceGroup), units: max(1, int(number(deviceUnits))), lanes: int(number(deviceLanesInt))}
	return f, err
}

// text is a value that is a string.
func text(value []byte, _ clCode) string {
	value, _, _ = bytes.Cut(value, []byte{0})
	return strings.Join(strings.Fields(string(value)), " ")
}

// integer is a value of 4 or 8 bytes, 0 if it was not to be had.
func integer(value []byte, _ clCode) int64 {
	switch len(value) {
	case 4:
		return int64(binary.LittleEndian.Uint32(value))
	case 8:
		return int64(binary.LittleEndian.Uint64(value))
	}
	return 0
}
