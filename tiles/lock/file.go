package lock

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"ooc/tiles/disk"
)

// File takes the lock of an open file itself, for as long as it is open: alone, or together with others that share
// it. It fails as Take does. Whoever removes the file does that before it closes it; who gets the lock of a file
// without a name opens the file anew.
func File(f *os.File, alone bool) error {
	err := flock(f, f.Name(), alone)
	if errors.Is(err, errBusy) {
		return &LockedError{Dir: f.Name()}
	}
	if err != nil {
		return fmt.Errorf("locking %s: %w", f.Name(), err)
	}
	return nil
}

// OpenFile opens a regular file for writing, or makes it, and takes its lock, for as long as it is open. made says
// that it was not there before. It fails with a *LockedError while another process has the lock.
func OpenFile(path string) (f *os.File, made bool, err error) {
	for {
		_, was := os.Lstat(path)
		if f, err = disk.OpenRegular(path, os.O_RDWR|os.O_CREATE); err != nil {
			return nil, false, err
		}
		made = errors.Is(was, fs.ErrNotExist)
		same := false
		if err = File(f, true); err == nil {
			same, err = disk.InPlace(f) // else who had it has removed it, and this one guards nothing
		}
		if err == nil && same {
			return f, made, nil
		}
		f.Close()
		if errors.Is(err, ErrNoLocks) && made {
			os.Remove(path) // we made it, and nobody can hold it
		}
		if err != nil {
			return nil, false, err
		}
	}
}
