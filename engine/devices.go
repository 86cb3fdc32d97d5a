package engine

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"ooc/engine/graph"
	"ooc/kernels"
	"ooc/kernels/cpu"
)

// deviceKinds lists the devices by name, in the order in which "auto" tries them.
var deviceKinds = []struct {
	name string
	open func(memory int64) (kernels.Device, error)
}{
	{"cpu", func(memory int64) (kernels.Device, error) {
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

// OpenDevice opens a device by name; "auto" or "" takes the first that works. memory, in bytes, limits
// what tiles on it may take; 0 leaves that to the device: on the CPU half of the memory that is free.
func OpenDevice(name string, memory int64) (kernels.Device, error) {
	for _, k := range deviceKinds {
		if name == "" || name == "auto" || name == k.name {
			return k.open(memory)
		}
	}
	return nil, fmt.Errorf("no device %q: known are auto, %s", name, strings.Join(DeviceNames(), ", "))
}

// PlanTile returns the tile edge for a new store of g on a device.
func PlanTile(g *graph.Graph, d kernels.Device, l Limits) (int, error) {
	rates, err := MeasureRates(d, variantOf(string(g.Kind), g.Negative))
	if err != nil {
		return 0, err
	}
	return ChooseTile(g.N, d.Info(), rates, l)
}

// freeMemory returns the bytes that a process may still take without pushing others out: what the system
// has available, or what the process's memory cgroup leaves if that is less; 0 where neither can be read.
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
	limit, err1 := readInt("/sys/fs/cgroup/memory.max")
	used, err2 := readInt("/sys/fs/cgroup/memory.current")
	if err1 == nil && err2 == nil && (free == 0 || limit-used < free) {
		free = max(0, limit-used)
	}
	return free
}

func readInt(file string) (int64, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(strings.TrimSpace(string(data)), 10, 64)
}
