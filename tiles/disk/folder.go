package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// MakeFolder makes a folder and those above it that are not there, so that they outlast a power cut.
func MakeFolder(dir string) error {
	up := filepath.Dir(filepath.Clean(dir))
	err := os.Mkdir(dir, 0o777)
	if errors.Is(err, fs.ErrNotExist) && up != dir {
		if err = MakeFolder(up); err == nil {
			err = os.Mkdir(dir, 0o777)
		}
	}
	switch {
	case err == nil:
		return SyncDir(up)
	case errors.Is(err, fs.ErrExist):
		return nil // or another process has made it, or the store will say what is there
	}
	return err
}
