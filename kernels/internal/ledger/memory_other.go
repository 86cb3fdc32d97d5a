//go:build !linux

package ledger

import "unsafe"

// Mapped says that Map does not map memory here.
const Mapped = false

// Map allocates from Go's heap, aligned to cache lines.
func Map(bytes int64, _ bool) (Memory, error) {
	const line = 64
	raw := make([]byte, bytes+line)
	skip := int(-uintptr(unsafe.Pointer(&raw[0])) & (line - 1))
	return Memory{Data: raw[skip:][:bytes:bytes]}, nil
}

// Unmap leaves the memory to Go.
func (m Memory) Unmap() error { return nil }
