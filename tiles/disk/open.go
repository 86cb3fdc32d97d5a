// Package disk opens the files that must outlast a crash and keeps room for them on their volumes. It opens regular
// files only, since a link could aim our writes at any file of the user, and its errors tell a full volume and damage
// from all other failures. What operating systems do differently with files and volumes is here.
package disk

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"ooc/tiles/internal/hook"
)

// OpenRegular opens a regular file and nothing else: a symbolic link in a
// store from elsewhere could aim our writes at any file of the user, a FIFO
// would block for ever. For writing the file may have no other name either,
// for the same reason as links.
func OpenRegular(path string, flag int) (*os.File, error) {
	if err := hook.AskPath("open", path); err != nil {
		return nil, Classify(err)
	}
	f, err := openNoFollow(path, flag, 0o666)
	if err != nil {
		if fi, lerr := os.Lstat(path); lerr == nil && !fi.Mode().IsRegular() {
			return nil, notRegular(path, fi)
		}
		return nil, Classify(err)
	}
	fi, err := f.Stat()
	switch {
	case err != nil:
	case flag&(os.O_WRONLY|os.O_RDWR) != 0:
		err = CheckWritable(path, fi)
	case !fi.Mode().IsRegular():
		err = notRegular(path, fi)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// CheckWritable fails where OpenRegular would for writing: what is at path is
// no regular file, or one that has other names.
func CheckWritable(path string, fi fs.FileInfo) error {
	if !fi.Mode().IsRegular() {
		return notRegular(path, fi)
	}
	if linkCount(path, fi) > 1 {
		return Corrupt(path, "it is a hard link, and writing to it would change the file under its other names too; "+
			"copy the store (cp -r) and continue with the copy")
	}
	return nil
}

func notRegular(path string, fi fs.FileInfo) error {
	return Corrupt(path, "it is a %s; put the file itself in its place", TypeName(fi))
}

// TypeName says what is there, in a word.
func TypeName(fi fs.FileInfo) string {
	switch m := fi.Mode(); {
	case m.IsDir():
		return "folder"
	case m&fs.ModeSymlink != 0:
		return "link"
	case m&fs.ModeNamedPipe != 0:
		return "pipe"
	case m.IsRegular():
		return "file"
	}
	return "special file"
}

// ReadSmall reads a whole file of at most max bytes.
func ReadSmall(path string, max int64) ([]byte, error) {
	f, err := OpenRegular(path, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var b []byte
	if err = hook.AskPath("read", path); err == nil {
		b, err = io.ReadAll(io.LimitReader(f, max+1))
	}
	if err != nil {
		return nil, ReadError(path, err)
	}
	if int64(len(b)) > max {
		return nil, Corrupt(path, "it is longer than %d bytes", max)
	}
	return b, nil
}

// Replace makes the file at path hold what fill writes to a file, all of it or none of it, durably. Until that is whole
// it has its name and ".tmp" beside it, where it may hold what was left of an earlier one.
func Replace(path string, fill func(f *os.File) error) error {
	dir, name := filepath.Split(path)
	hooks, spare := hook.For(dir), name+".tmp"
	f, err := OpenRegular(filepath.Join(dir, spare), os.O_RDWR|os.O_CREATE)
	if err != nil {
		return err
	}
	if err = fill(f); err == nil {
		err = hooks.Synced(spare, f.Sync)
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = hooks.Ask("rename", name)
	}
	if err == nil {
		err = os.Rename(path+".tmp", path)
	}
	if err == nil {
		err = hooks.Synced(".", func() error { return SyncDir(filepath.Clean(dir)) })
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, Classify(err))
	}
	return nil
}

// InPlace says whether the path of an open file still leads to it.
func InPlace(f *os.File) (bool, error) {
	a, err := f.Stat()
	if err != nil {
		return false, err
	}
	b, err := os.Lstat(f.Name())
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return os.SameFile(a, b), nil
}

// Nameless makes a file in dir that is there for as long as it is open. Where the system knows files without a name
// it never has one, so that not even a kill leaves it; elsewhere it has one like pattern, for an instant if open
// files can be removed. Call remove after Close.
func Nameless(dir, pattern string) (f *os.File, remove func() error, err error) {
	if f, err = openNameless(dir); err == nil {
		return f, func() error { return nil }, nil
	}
	if f, err = os.CreateTemp(dir, pattern); err != nil {
		return nil, nil, Classify(err)
	}
	if os.Remove(f.Name()) == nil {
		return f, func() error { return nil }, nil
	}
	return f, func() error { return os.Remove(f.Name()) }, nil
}

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
