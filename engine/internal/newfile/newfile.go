// Package newfile makes files that are there whole or not at all.
package newfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
)

// Write makes the file path hold what fill writes. The file is filled beside path, under a hidden name,
// synced, and renamed when it is complete; an error leaves nothing behind, and only a kill leaves the
// hidden file. Unless overwrite is set, a path that is there fails with fs.ErrExist: before fill runs,
// and again should it appear meanwhile.
func Write(path string, overwrite bool, fill func(w io.Writer) error) error {
	if err := write(path, overwrite, fill); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

func write(path string, overwrite bool, fill func(w io.Writer) error) error {
	if err := free(path, overwrite); err != nil {
		return err
	}
	f, err := os.OpenFile(beside(path), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	err = fill(&writer{file: f})
	if err == nil {
		err = f.Sync()
	}
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err == nil {
		err = free(path, overwrite)
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// writer writes to a file, and has the system follow it to the disk.
type writer struct {
	file           *os.File
	written, begun int64
}

const behind = 16 << 20

func (w *writer) Write(p []byte) (int, error) {
	n, err := w.file.Write(p)
	w.written += int64(n)
	if w.written >= w.begun+behind {
		startWriting(w.file, w.begun, w.written-w.begun)
		w.begun = w.written
	}
	return n, err
}

// free says why path must not be written.
func free(path string, overwrite bool) error {
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return nil // if it is not just missing, making the file says why
	case info.IsDir():
		return errors.New("it is a folder")
	case !overwrite:
		return fs.ErrExist
	}
	return nil
}

// beside returns a new name in the folder of path, and so on the same file system.
func beside(path string) string {
	dir, name := filepath.Split(path)
	return dir + "." + name + "." + strconv.FormatUint(rand.Uint64(), 36) + ".tmp"
}
