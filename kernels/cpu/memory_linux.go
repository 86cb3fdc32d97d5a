package cpu

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

const hugePage = 2 << 20

// mapMemory maps zeroed pages. From one huge page on it aligns to huge pages and asks for them: at
// power-of-two strides each row of a tile is on another 4 KiB page, and the TLB would miss on all.
func mapMemory(bytes int64) (mapping, error) {
	pad := 0
	if bytes >= hugePage {
		pad = hugePage
	}
	raw, err := unix.Mmap(-1, 0, int(bytes)+pad, unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_ANON|unix.MAP_PRIVATE|unix.MAP_NORESERVE)
	if err != nil {
		return mapping{}, err
	}
	skip := 0
	if pad > 0 {
		skip = int(-uintptr(unsafe.Pointer(&raw[0])) & (hugePage - 1))
		// Refused on kernels without huge pages: slower, and no error.
		_ = unix.Madvise(raw, unix.MADV_HUGEPAGE)
	}
	return mapping{data: raw[skip:][:bytes:bytes], raw: raw}, nil
}

func (m *mapping) unmap() error {
	raw := m.raw
	m.data, m.raw = nil, nil
	return unix.Munmap(raw)
}

// physicalMemory returns the bytes of RAM.
func physicalMemory() int64 {
	var info unix.Sysinfo_t
	if err := unix.Sysinfo(&info); err != nil {
		return unknownMemory
	}
	return int64(uint64(info.Totalram) * uint64(info.Unit))
}
