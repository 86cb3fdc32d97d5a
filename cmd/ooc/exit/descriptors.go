package exit

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// StartPoller has Go's runtime open the files that it waits for others with. Where it has no room for them when it
// comes to need them, it ends the process with a trace; once it has them, each file that cannot be opened is an
// error.
func StartPoller() error {
	if err := roomForFiles(3); err != nil { // two to wait with, and the one below
		return err
	}
	f, err := os.Open(os.DevNull)
	if err != nil {
		return nil // there is none, and so nothing to try with
	}
	return f.Close()
}

// roomForFiles tries whether so many more files can be open at once.
func roomForFiles(n int) error {
	for range n {
		fd, err := syscall.Open(os.DevNull, syscall.O_RDWR|syscall.O_CLOEXEC, 0)
		if tooManyFiles(err) {
			return err
		}
		if err == nil {
			defer syscall.Close(fd)
		}
	}
	return nil
}

func tooManyFiles(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}

// MoreFiles adds the way out to an error of too many open files.
func MoreFiles(err error) error {
	if tooManyFiles(err) {
		return fmt.Errorf("%w\nallow this process more open files: ulimit -n 256", err)
	}
	return err
}
