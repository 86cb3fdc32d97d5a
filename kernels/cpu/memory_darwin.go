package cpu

import "golang.org/x/sys/unix"

// physicalMemory returns the bytes of RAM.
func physicalMemory() int64 {
	bytes, err := unix.SysctlUint64("hw.memsize")
	if err != nil {
		return unknownMemory
	}
	return int64(bytes)
}
