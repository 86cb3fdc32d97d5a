//go:build unix

package lock

import (
	"errors"
	"os"
)

// RemoveFile removes an open file whose lock this process has, and gives the lock back, in that order, so that nobody
// can lock the file in between and lose it.
func RemoveFile(f *os.File) error { return errors.Join(os.Remove(f.Name()), f.Close()) }
