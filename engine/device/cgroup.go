package device

import (
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
)

// cgroupFiles are the names, in one version of cgroups, of the limit of a memory cgroup, of its use, and of the
// entries of memory.stat for files in the page cache, which the kernel drops when memory is short.
type cgroupFiles struct {
	limit, used string
	cache       []string
}

var (
	cgroupV1 = cgroupFiles{"memory.limit_in_bytes", "memory.usage_in_bytes",
		[]string{"total_inactive_file", "total_active_file"}}
	cgroupV2 = cgroupFiles{"memory.max", "memory.current", []string{"inactive_file", "active_file"}}
)

// cgroupRoom returns the bytes that a process's memory cgroup and those above it leave, not counting files that they
// hold in the page cache. list is the process's /proc/PID/cgroup, root where cgroups are mounted. ok is false where
// none has a limit.
func cgroupRoom(list, root string) (room int64, ok bool) {
	data, err := os.ReadFile(list)
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(data)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) < 3 {
			continue
		}
		mount, files := root, cgroupV2
		if parts[1] != "" {
			if !slices.Contains(strings.Split(parts[1], ","), "memory") {
				continue
			}
			mount, files = path.Join(root, "memory"), cgroupV1
		}
		// In a container the path may be the host's while only the root is mounted here: then the loop ends at the
		// root.
		for dir := path.Join("/", parts[2]); ; dir = path.Dir(dir) {
			if left, limited := files.room(path.Join(mount, dir)); limited && (!ok || left < room) {
				room, ok = left, true
			}
			if dir == "/" {
				break
			}
		}
	}
	return room, ok
}

// room returns what one cgroup leaves; false where it is not there or has no limit.
func (f cgroupFiles) room(dir string) (int64, bool) {
	limit, err := readInt(path.Join(dir, f.limit)) // "max" is none
	if err != nil {
		return 0, false
	}
	used, err := readInt(path.Join(dir, f.used))
	if err != nil {
		return 0, false
	}
	if data, err := os.ReadFile(path.Join(dir, "memory.stat")); err == nil {
		for line := range strings.Lines(string(data)) {
			if name, value, _ := strings.Cut(strings.TrimSpace(line), " "); slices.Contains(f.cache, name) {
				if n, err := strconv.ParseInt(value, 10, 64); err == nil {
					used -= n
				}
			}
		}
	}
	return max(0, limit-max(0, used)), true
}
