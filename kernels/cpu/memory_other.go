//go:build !linux

package cpu

import "unsafe"

// mapMemory allocates from Go's heap, aligned to cache lines.
func mapMemory(bytes int64) (mapping, error) {
	const line = 64
	raw := make([]byte, bytes+line)
	skip := int(-uintptr(unsafe.Pointer(&raw[0])) & (line - 1))
	return mapping{data: raw[skip:][:bytes:bytes]}, nil
}

func (m *mapping) unmap() error {
	m.data = nil
	return nil
}
