//go:build unix && !linux && !darwin

package system

import "os"

// Reserve only sets the size: this system has no call to allocate ahead that
// works on every volume. The caller has compared it with the free space.
func Reserve(f *os.File, size int64) error { return f.Truncate(size) }
