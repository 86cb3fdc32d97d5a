package ledger

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// Mapped says that Map maps memory, in huge pages where there are such.
const Mapped = true

const hugePage = 2 << 20

// Map maps zeroed pages. From one huge page on it aligns to huge pages and asks for them: at power-of-two strides each
// row of a tile is on another 4 KiB page, and the TLB would miss on all. lazy: the system need not have as much.
func Map(bytes int64, lazy bool) (Memory, error) {
	pad, flags := 0, unix.MAP_ANON|unix.MAP_PRIVATE
	if bytes >= hugePage {
		pad = hugePage
	}
	if lazy {
		flags |= unix.MAP_NORESERVE
	}
	raw, err := unix.Mmap(-1, 0, int(bytes)+pad, unix.PROT_READ|unix.PROT_WRITE, flags)
	if err != nil {
		return Memory{}, err
	}
	skip := 0
	if pad > 0 {
		skip = int(-uintptr(unsafe.Pointer(&raw[0])) & (hugePage - 1))
		// Refused on kernels without huge pages: slower, and no error.
		_ = unix.Madvise(raw, unix.MADV_HUGEPAGE)
	}
	return Memory{raw[skip:][:bytes:bytes], raw}, nil
}

// Unmap gives the memory back.
func (m Memory) Unmap() error { return unix.Munmap(m.raw) }
