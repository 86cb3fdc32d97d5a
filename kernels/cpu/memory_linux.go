package cpu

import "golang.org/x/sys/unix"

// physicalMemory returns the bytes of RAM.
func physicalMemory() int64 {
	var info unix.Sysinfo_t
	if err := unix.Sysinfo(&info); err != nil {
		return unknownMemory
	}
	return int64(uint64(info.Totalram) * uint64(info.Unit))
}
