package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"ooc/cmd/ooc/exit"
	"ooc/tiles/disk"
)

// checkOutDir fails if the folder for stores is something else. It need not be there.
func (f *solveFlags) checkOutDir() error {
	if f.outDir == "" {
		return nil
	}
	info, err := os.Stat(f.outDir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil && !errors.Is(err, syscall.ENOTDIR):
		return fmt.Errorf("--out-dir: %w", err)
	case err != nil || !info.IsDir():
		return exit.UsageError(fmt.Errorf("--out-dir %s is no folder; name one, or leave it to be made", f.outDir))
	}
	return nil
}

// makeFolder makes a folder and those above it that are not there, so that they outlast a power cut.
func makeFolder(dir string) error {
	up := filepath.Dir(filepath.Clean(dir))
	err := os.Mkdir(dir, 0o777)
	if errors.Is(err, fs.ErrNotExist) && up != dir {
		if err = makeFolder(up); err == nil {
			err = os.Mkdir(dir, 0o777)
		}
	}
	switch {
	case err == nil:
		return disk.SyncDir(up)
	case errors.Is(err, fs.ErrExist):
		return nil // or another process has made it, or the store will say what is there
	}
	return err
}
