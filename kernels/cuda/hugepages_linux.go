package cuda

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

const hugePage = 2 << 20

// mapHuge maps memory that starts at a huge page, and asks for huge pages. It returns nothing where the
// system refuses; data is the part of raw to use.
func mapHuge(bytes int64) (raw, data []byte) {
	raw, err := unix.Mmap(-1, 0, int(bytes)+hugePage, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return nil, nil
	}
	_ = unix.Madvise(raw, unix.MADV_HUGEPAGE) // without them it is only slower
	skip := -uintptr(unsafe.Pointer(&raw[0])) & (hugePage - 1)
	return raw, raw[skip:][:bytes:bytes]
}

func unmapHuge(raw []byte) error { return unix.Munmap(raw) }
