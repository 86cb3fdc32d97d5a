// Package registry opens devices by name. It alone imports every kind of device, so that what only computes on one
// compiles without the others. A new device is one line in its table.
package registry

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"ooc/engine/device"
	"ooc/kernels"
	"ooc/kernels/cpu"
	"ooc/kernels/cuda"
	"ooc/kernels/opencl"
)

// kinds is the table of devices by name, in the order in which "auto" tries them. A new device is one more line.
var kinds = []kind{
	{name: "cuda", count: cuda.Count, taken: takenGPU,
		open: func(index int, _ Local, memory int64) (kernels.Device, error) {
			d, err := cuda.Open(cuda.Options{Memory: memory, Ordinal: index})
			if err != nil {
				return nil, err
			}
			return d, nil
		}},
	{name: "opencl", count: countOpenCL, listed: listedOpenCL, first: firstOpenCL, gpu: isGPU,
		open: func(index int, l Local, memory int64) (kernels.Device, error) {
			d, err := opencl.Open(opencl.Options{Memory: memory, Host: device.FreeMemory() / 2 / int64(l.Of),
				Index: index})
			if err != nil {
				return nil, err
			}
			return d.Offered(), nil
		}},
	{name: "cpu", open: func(_ int, l Local, memory int64) (kernels.Device, error) {
		if memory == 0 {
			memory = device.FreeMemory() / 2 / int64(l.Of)
		}
		o := cpu.Options{Memory: memory}
		if l.Cores > 1 { // they share the cores
			o.Threads = max(1, runtime.GOMAXPROCS(0)/l.Cores)
		}
		return cpu.Open(o)
	}},
}

// kind is one sort of devices.
type kind struct {
	name   string
	count  func() (int, error)           // how many there are of a kind that may have several; nil: there is one
	listed func(index int) bool          // whether All lists a device of several; nil: it lists all
	first  func() (index int, err error) // the one that "auto" tries; nil: that of index 0
	gpu    func(index int) bool          // whether a device of several is a GPU; nil: all are
	taken  func(d kernels.Device) bool   // whether others use a device of several; nil: nobody knows
	// open opens the device of an index, the number after the colon of a name such as cuda:1, as one of several that
	// share host memory and cores.
	open func(index int, l Local, memory int64) (kernels.Device, error)
}

func countOpenCL() (int, error) {
	all, err := opencl.List()
	return len(all), err
}

func takenGPU(d kernels.Device) bool {
	gpu, ok := d.(*cuda.Device)
	return ok && gpu.Taken()
}

// listedOpenCL leaves out GPUs that are listed as those of CUDA.
func listedOpenCL(index int) bool {
	all, err := opencl.List()
	if err != nil || index >= len(all) || !all[index].NVIDIA() {
		return err == nil
	}
	n, _ := cuda.Count()
	return n == 0
}

func isGPU(index int) bool {
	all, err := opencl.List()
	return err == nil && index < len(all) && all[index].GPU
}

// firstOpenCL finds a GPU: on processors our own kernels are as fast, and need no driver. Those of NVIDIA are for CUDA.
func firstOpenCL() (int, error) {
	if !opencl.MayHaveGPU() {
		return 0, fmt.Errorf("opencl: %w: the machine has no device file of a GPU", opencl.ErrAbsent)
	}
	all, err := opencl.List()
	if err != nil {
		return 0, err
	}
	i := slices.IndexFunc(all, func(f opencl.Found) bool { return f.GPU && !f.NVIDIA() })
	if i < 0 {
		return 0, fmt.Errorf("opencl: %w: none is a GPU that CUDA has not", opencl.ErrAbsent)
	}
	return i, nil
}

// openFirst opens the device of a kind that "auto" tries.
func (k kind) openFirst(memory int64) (kernels.Device, error) {
	index := 0
	if k.first != nil {
		var err error
		if index, err = k.first(); err != nil {
			return nil, err
		}
	}
	return k.open(index, Local{Of: 1, Cores: 1}, memory)
}

// All lists the devices that there are, by names that Open takes: each of a kind that has several. A kind of which
// none is found stands there by its own name, and Open says why.
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
			if k.listed == nil || k.listed(index) {
				names = append(names, k.name+":"+strconv.Itoa(index))
			}
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

// Open opens a device by name, such as "cpu" or "cuda:1", or several that share the rounds of a solve, such as
// "cuda:0,cuda:1", "cuda:0-3" or "cpu,cpu"; "auto" or "" takes the first that works, and why says what is wrong with
// those before it; "" where they are merely not there. memory limits the bytes that a solve may use on each. 0 is
// half of the free memory on the CPU, and on what shares it, and most of the free memory on a GPU.
func Open(name string, memory int64) (d kernels.Device, why string, err error) {
	if name == "" || name == "auto" {
		var failed []error
		var reasons []string
		for _, k := range kinds {
			if d, err = k.openFirst(memory); err == nil {
				return d, strings.Join(reasons, "; "), nil
			}
			failed = append(failed, err)
			if !errors.Is(err, cuda.ErrAbsent) && !errors.Is(err, opencl.ErrAbsent) {
				reasons = append(reasons, err.Error())
			}
		}
		return nil, "", errors.Join(failed...)
	}
	named, err := find(name)
	if err != nil {
		return nil, "", err
	}
	of := map[string]int{} // by kind
	for _, n := range named {
		of[n.kind.name]++
	}
	all, errs := openAll(len(named), func(i int) (kernels.Device, error) {
		share := of[named[i].kind.name]
		return named[i].kind.open(named[i].index, Local{Of: share, Cores: share}, memory)
	})
	if err := errors.Join(errs...); err != nil {
		for _, d := range all {
			err = errors.Join(err, d.Close())
		}
		return nil, "", err
	}
	return device.Several(all), "", nil
}

// openAll opens so many devices at the same time. It returns those that open, in order, and the errors of the others.
func openAll(count int, open func(i int) (kernels.Device, error)) (opened []kernels.Device, errs []error) {
	opened, errs = make([]kernels.Device, count), make([]error, count)
	var group sync.WaitGroup
	for i := range count {
		group.Go(func() {
			if d, err := open(i); err != nil { // then d may be a nil pointer
				errs[i] = err
			} else {
				opened[i] = d
			}
		})
	}
	group.Wait()
	return slices.DeleteFunc(opened, func(d kernels.Device) bool { return d == nil }), errs
}

// OpenFree is Open for what several devices can share. Where the name is that of a kind alone, as "cuda" is, it opens
// all of that kind that open and that others do not use, and that are of one model with the first of these; or else
// the first that opens.
func OpenFree(name string, memory int64) (d kernels.Device, why string, err error) {
	i := slices.IndexFunc(kinds, func(k kind) bool { return k.name == name && k.taken != nil && k.there() > 1 })
	if i < 0 {
		return Open(name, memory)
	}
	there := kinds[i].there()
	opened, errs := openAll(there, func(index int) (kernels.Device, error) {
		return kinds[i].open(index, Local{Of: there, Cores: there}, memory)
	})
	if len(opened) == 0 {
		return nil, "", errors.Join(errs...)
	}
	free := slices.DeleteFunc(slices.Clone(opened), kinds[i].taken)
	if len(free) == 0 {
		free = opened[:1]
	}
	model := free[0].Info().Model
	// The others would wait for a slower one.
	free = slices.DeleteFunc(slices.Clone(free), func(d kernels.Device) bool { return d.Info().Model != model })
	for _, d := range opened {
		if !slices.Contains(free, d) {
			err = errors.Join(err, d.Close())
		}
	}
	d = device.Several(free)
	if err != nil {
		return nil, "", errors.Join(err, d.Close())
	}
	return d, "", nil
}

// WithoutRounds says that no device of this process does the rounds of a solve: GPUs open sooner. It comes before any
// device is opened.
func WithoutRounds() { cuda.FewConnections() }

// worthOpening is how many distances take the processor about as long as it takes to open a GPU.
const worthOpening = 2e9

// OpenFaster opens a device for work that the processor does, too: so many distances. It returns nil where that
// should, as it has the name, or nothing better is there, or "auto" finds that a device is not worth opening.
func OpenFaster(name string, memory int64, distances float64) (kernels.Device, error) {
	if name == "auto" && distances < worthOpening {
		return nil, nil
	}
	d, _, err := OpenFree(name, memory)
	if err == nil && d.Info().SharedCores {
		return nil, d.Close()
	}
	return d, err
}

// Count returns how many devices a name that Open takes stands for, whether they are there or not. It fails with
// device.ErrUnknown for another name.
func Count(name string) (int, error) {
	if name == "auto" {
		return 1, nil
	}
	named, err := find(name)
	return len(named), err
}

// named is a device by its kind and its number.
type named struct {
	kind  kind
	index int
}

// mostDevices is how many devices a name may list.
const mostDevices = 64

// find returns the devices that a name lists. After a kind and a colon, a list goes on with numbers: cuda:0,2.
func find(name string) (list []named, err error) {
	kind := ""
	for _, item := range strings.Split(name, ",") {
		if _, err := strconv.Atoi(item[:min(1, len(item))]); err == nil && kind != "" {
			item = kind + ":" + item
		}
		prefix, rest, numbered := strings.Cut(item, ":")
		if numbered {
			kind = prefix
		}
		from, to, isRange := strings.Cut(rest, "-")
		first, err := number(name, from, numbered)
		last := first
		if err == nil && isRange {
			last, err = number(name, to, true)
		}
		if err == nil && (last < first || last-first >= mostDevices) {
			err = fmt.Errorf("%w: device %q: %q is no range of numbers", device.ErrUnknown, name, rest)
		}
		if err != nil {
			return nil, err
		}
		for index := first; index <= last; index++ {
			k, err := kindOf(prefix, index)
			if err != nil {
				return nil, err
			}
			if list = append(list, named{k, index}); len(list) > mostDevices {
				return nil, fmt.Errorf("%w: device %q: more than %d devices", device.ErrUnknown, name, mostDevices)
			}
		}
	}
	return list, nil
}

// number parses the number of a device in a name, 0 if there is none.
func number(name, text string, numbered bool) (int, error) {
	if !numbered {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%w: device %q: %q is no number of a device", device.ErrUnknown, name, text)
	}
	return n, nil
}

// kindOf returns the kind of a name, which has a device of that number.
func kindOf(prefix string, index int) (kind, error) {
	for _, k := range kinds {
		switch {
		case k.name != prefix:
		case index > 0 && k.count == nil:
			return k, fmt.Errorf("%w: \"%s:%d\": there is one %s", device.ErrUnknown, prefix, index, prefix)
		default:
			return k, nil
		}
	}
	return kind{}, fmt.Errorf("%w: %q: known are auto, %s", device.ErrUnknown, prefix, strings.Join(Names(), ", "))
}
