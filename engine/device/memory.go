package device

import (
	"os"
	"strconv"
	"strings"
)

// FreeMemory returns the bytes that a process may still take without pushing others out: what the system
// has available, or what the process's memory cgroups leave if that is less; 0 where neither can be read.
func FreeMemory() int64 {
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
		free = max(1, room) // 0 would mean unknown
	}
	return free
}

// DirtyLimit returns the bytes of written pages at which Linux begins to hold up writers: halfway between the
// limits at which it starts to write back and at which they wait for the disk (freerun of balance_dirty_pages,
// mm/page-writeback.c); 0 where that cannot be read.
func DirtyLimit() float64 {
	limit := func(name string) float64 {
		if n, err := readInt("/proc/sys/vm/" + name + "_bytes"); err == nil && n > 0 {
			return float64(n)
		}
		if n, err := readInt("/proc/sys/vm/" + name + "_ratio"); err == nil {
			return float64(n) / 100 * float64(FreeMemory())
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
