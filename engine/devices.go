package engine

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"ooc/kernels"
	"ooc/kernels/cpu"
	"ooc/kernels/cuda"
)

// deviceKinds lists the devices by name, in the order in which "auto" tries them. index is what follows the
// name after a colon.
var deviceKinds = []struct {
	name string
	open func(index int, memory int64) (kernels.Device, error)
}{
	{"cuda", func(index int, memory int64) (kernels.Device, error) {
		return cuda.Open(cuda.Options{Memory: memory, Ordinal: index})
	}},
	{"cpu", func(_ int, memory int64) (kernels.Device, error) {
		if memory == 0 {
			memory = freeMemory() / 2
		}
		return cpu.Open(cpu.Options{Memory: memory})
	}},
}

// DeviceNames lists what OpenDevice takes beside "auto".
func DeviceNames() []string {
	var names []string
	for _, k := range deviceKinds {
		names = append(names, k.name)
	}
	return names
}

// OpenDevice opens a device by name, such as "cpu" or "cuda:1"; "auto" or "" takes the first that works,
// and why says what spoke against those before it. memory, in bytes, limits what the solve may take on it;
// 0 leaves that to the device: on the CPU half of the memory that is free, on a GPU most of what is.
func OpenDevice(name string, memory int64) (d kernels.Device, why string, err error) {
	if name == "" || name == "auto" {
		var reasons []error
		for _, k := range deviceKinds {
			if d, err = k.open(0, memory); err == nil {
				return d, joinLines(reasons), nil
			}
			reasons = append(reasons, err)
		}
		return nil, "", errors.Join(reasons...)
	}
	kind, rest, _ := strings.Cut(name, ":")
	index := 0
	if rest != "" {
		if index, err = strconv.Atoi(rest); err != nil || index < 0 {
			return nil, "", fmt.Errorf("%w: device %q: %q is no number of a device", ErrNoDevice, name, rest)
		}
	}
	for _, k := range deviceKinds {
		if k.name == kind {
			if d, err = k.open(index, memory); err != nil {
				return nil, "", err
			}
			return d, "asked for", nil
		}
	}
	return nil, "", fmt.Errorf("%w: %q: known are auto, %s", ErrNoDevice, name, strings.Join(DeviceNames(), ", "))
}

// ErrNoDevice is wrapped by the error of a device name that means nothing.
var ErrNoDevice = errors.New("no such device")

func joinLines(reasons []error) string {
	var parts []string
	for _, r := range reasons {
		parts = append(parts, r.Error())
	}
	return strings.Join(parts, "; ")
}

// freeMemory returns the bytes that a process may still take without pushing others out: what the system
// has available, or what the process's memory cgroups leave if that is less; 0 where neither can be read.
func freeMemory() int64 {
	free := int64(0)
	if data, err := os.ReadFile("/proc/meminfo"); err == nil {
		for line := range strings.Lines(string(data)) {
			if f := strings.Fields(line); len(f) >= 2 && f[0] == "MemAvailable:" {
				kib, _ := strconv.ParseInt(f[1], 10, 64)
				free = kib << 10
			}
		}
	}
	if room, ok := cgroupRoom("/proc/self/cgroup", "/sys/fs/cgroup"); ok && (free == 0 || room < free) {
		free = max(1, room) // 0 would say that nothing is known
	}
	return free
}

// dirtyLimit returns the bytes of written pages at which Linux begins to hold up writers: halfway between the
// limits at which it starts to write back and at which they wait for the disk (freerun of balance_dirty_pages,
// mm/page-writeback.c); 0 where that cannot be read.
func dirtyLimit() float64 {
	limit := func(name string) float64 {
		if n, err := readInt("/proc/sys/vm/" + name + "_bytes"); err == nil && n > 0 {
			return float64(n)
		}
		if n, err := readInt("/proc/sys/vm/" + name + "_ratio"); err == nil {
			return float64(n) / 100 * float64(freeMemory())
		}
		return 0
	}
	return (limit("dirty_background") + limit("dirty")) / 2
}

func readInt(file string) (int64, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(strings.TrimSpace(string(data)), 10, 64)
}
