package lock

import (
	"errors"
	"os"
)

// RemoveFile removes an open file whose lock this process has, and gives the lock back. An open file cannot be
// removed here, so it is closed first; if another process has opened it since, removing fails, and the file is that
// one's.
func RemoveFile(f *os.File) error { return errors.Join(f.Close(), os.Remove(f.Name())) }
