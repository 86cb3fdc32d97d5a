// Package registry opens devices by name. It alone imports every kind of device, so that what only computes on one
// compiles without the others. A new device is one line in its table.
package registry

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"ooc/engine/device"
	"ooc/kernels"
	"ooc/kernels/cpu"
	"ooc/kernels/cuda"
)

// kinds is the table of devices by name, in the order in which "auto" tries them. index is the number after the colon
// of a name such as cuda:1, and count says how many there are of a kind that may have several; nil: there is one. A new
// device is one more line.
var kinds = []kind{
	{"cuda", cuda.Count, func(index int, memory int64) (kernels.Device, error) {
		return cuda.Open(cuda.Options{Memory: memory, Ordinal: index})
	}},
	{"cpu", nil, func(_ int, memory int64) (kernels.Device, error) {
		if memory == 0 {
			memory = device.FreeMemory() / 2
		}
		return cpu.Open(cpu.Options{Memory: memory})
	}},
}

type kind struct {
	name  string
	count func() (int, error)
	open  func(index int, memory int64) (kernels.Device, error)
}

// All lists the devices that there are, by names that Open takes: each of a kind that has several. A kind of which none is
// found stands there by its own name, and Open says why.
func All() []string {
	var names []string
	for _, k := range kinds {
		n := 0
		if k.count != nil {
			n, _ = k.count()
		}
		if n == 0 {
			names = append(names, k.name)
		}
		for index := range n {
			names = append(names, k.name+":"+strconv.Itoa(index))
		}
	}
	return names
}

// Names lists the names of kinds that Open takes, apart from "auto".
func Names() []string {
	var names []string
	for _, k := range kinds {
		names = append(names, k.name)
	}
	return names
}

// Open opens a device by name, such as "cpu" or "cuda:1"; "auto" or "" takes the first that works, and why says what is
// wrong with those before it; "" where they are merely not there. memory limits the bytes that a solve may use on it. 0 is half of the
// free memory on the CPU, and most of the free memory on a GPU.
func Open(name string, memory int64) (d kernels.Device, why string, err error) {
	if name == "" || name == "auto" {
		var failed, reasons []error
		for _, k := range kinds {
			if d, err = k.open(0, memory); err == nil {
				return d, joinLines(reasons), nil
			}
			failed = append(failed, err)
			if !errors.Is(err, cuda.ErrAbsent) {
				reasons = append(reasons, err)
			}
		}
		return nil, "", errors.Join(failed...)
	}
	k, index, err := find(name)
	if err != nil {
		return nil, "", err
	}
	if d, err = k.open(index, memory); err != nil {
		return nil, "", err
	}
	return d, "", nil
}

// Known fails with device.ErrUnknown for a name that Open takes for no device, whether that is there or not.
func Known(name string) error {
	if name == "auto" {
		return nil
	}
	_, _, err := find(name)
	return err
}

// find returns the kind that a name begins with, and the number that follows.
func find(name string) (k kind, index int, err error) {
	prefix, rest, numbered := strings.Cut(name, ":")
	if numbered {
		if index, err = strconv.Atoi(rest); err != nil || index < 0 {
			return k, 0, fmt.Errorf("%w: device %q: %q is no number of a device", device.ErrUnknown, name, rest)
		}
	}
	for _, k := range kinds {
		switch {
		case k.name != prefix:
		case index > 0 && k.count == nil:
			return k, 0, fmt.Errorf("%w: %q: there is one %s", device.ErrUnknown, name, prefix)
		default:
			return k, index, nil
		}
	}
	return k, 0, fmt.Errorf("%w: %q: known are auto, %s", device.ErrUnknown, name, strings.Join(Names(), ", "))
}

func joinLines(reasons []error) string {
	var parts []string
	for _, r := range reasons {
		parts = append(parts, r.Error())
	}
	return strings.Join(parts, "; ")
}
