//go:build unix && !linux && !darwin

package disk

import "os"

// Boot is the system's id of its current boot; it is not known here.
func Boot() string { return "" }

// reserve only sets the size: this system has no call to allocate ahead that
// works on every volume. The caller has compared it with the free space.
func reserve(f *os.File, size int64) error { return f.Truncate(size) }
