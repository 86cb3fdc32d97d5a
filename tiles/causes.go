package tiles

import (
	"errors"
	"io/fs"
	"syscall"
)

// Absent says of the error of opening a store that none is there yet.
func Absent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, ErrIncomplete)
}

// Damaged says of the error of opening a store, or of reading a file of one, that what is there is of no use, and not
// that the disk cannot be read now.
func Damaged(err error) bool {
	return (errors.Is(err, ErrCorrupt) || errors.Is(err, ErrVersion)) && !errors.Is(err, syscall.EIO)
}
