// Package newfile makes the files that commands write. Each is there whole or not at all, replaces another only where
// that is asked for, and never an input or what belongs to a store or a batch.
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
	"strings"
	"sync"

	"ooc/engine/text"
	"ooc/tiles"
	"ooc/tiles/class"
	"ooc/tiles/disk"
)

// File is a file to be made. Where Path is a link, it is the file that the link leads to. Where it is a device or a
// pipe, what is written goes there, and nothing is made or replaced. A pipe without a reader is an error.
type File struct {
	Path      string
	Overwrite bool // replace what is there, and keep its mode and, where the system lets us, its owner
	// Keep: files, and folders with all in them, that must stay as they are, whether they are there yet or not.
	Keep []string
}

// errKept is wrapped by the error of a file that must not be made where it is to be, whatever Overwrite says.
var errKept = class.New(class.Usage, "nothing is written there")

// ErrNoFormat is wrapped by the error of a file whose extension names no format that it can have.
var ErrNoFormat = class.New(class.Usage, "no format")

// Check fails where Write would, as far as that can be seen before: with fs.ErrExist where the file is there and is
// not to be replaced, and where it is one of Keep, in a store or in the folder of a batch.
func (f File) Check() error {
	_, err := f.look()
	return f.named(err)
}

// Write makes the file hold what fill writes. It is filled beside its place, under a hidden name that no other
// process uses, synced, and renamed when it is complete; an error or Abandon leaves nothing behind, and only a kill
// leaves the hidden file, which nobody uses again. Check's refusals come before fill runs, and again should the file
// appear meanwhile. Of two that write one file, the last to end has it. Errors of fill are returned as they are.
func (f File) Write(fill func(w io.Writer) error) error {
	at, err := f.look()
	if err != nil {
		return f.named(err)
	}
	if at.stream {
		return f.pour(fill)
	}
	part, err := at.begin()
	if err != nil {
		return f.named(err)
	}
	defer ended(part.Name())
	if err := fill(&writer{file: part, name: f.Path}); err != nil {
		return errors.Join(err, f.named(errors.Join(part.Close(), os.Remove(part.Name()))))
	}
	err = part.Sync()
	if closing := part.Close(); err == nil {
		err = closing
	}
	if err == nil {
		_, err = f.look()
	}
	if err == nil {
		err = os.Rename(part.Name(), at.path)
	}
	if err != nil {
		err = errors.Join(err, os.Remove(part.Name()))
	}
	return f.named(err)
}

func (f File) named(err error) error {
	if err != nil {
		err = fmt.Errorf("write %s: %w", f.Path, err)
	}
	return err
}

// place is where a file is to be made.
type place struct {
	path   string      // absolute and without links
	was    fs.FileInfo // nil where there is nothing yet
	stream bool
}

// look finds the place, and says why no file may be made there.
func (f File) look() (at place, err error) {
	at.was, err = os.Stat(f.Path)
	switch {
	case err == nil && at.was.Mode()&(fs.ModeCharDevice|fs.ModeNamedPipe) != 0:
		at.stream = true
		return at, writable(f.Path, false)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return at, err
	}
	if at.path, err = resolved(f.Path); err != nil {
		dir := filepath.Dir(f.Path)
		if _, missing := os.Stat(dir); errors.Is(missing, fs.ErrNotExist) {
			err = text.ErrorOf(fs.ErrNotExist, "there is no folder %s; make that first", dir)
		}
		return at, err
	}
	switch {
	case at.was == nil:
	case at.was.IsDir():
		return at, fmt.Errorf("%w: it is a folder", errKept)
	case !at.was.Mode().IsRegular():
		return at, fmt.Errorf("%w: it is no file", errKept)
	}
	for _, keep := range f.Keep {
		if at.in(keep) {
			return at, fmt.Errorf("%w: the command itself uses %s; name another file", errKept, keep)
		}
	}
	if owner := tiles.Owner(at.path); owner != "" {
		return at, fmt.Errorf("%w: it is in %s, and only ooc itself writes in a store or a batch; name another file",
			errKept, owner)
	}
	if at.was != nil && !f.Overwrite {
		return at, fmt.Errorf("%w; replace it with --overwrite", fs.ErrExist)
	}
	return at, writable(filepath.Dir(at.path), true)
}

// resolved is a path without links, of which the last part need not be there.
func resolved(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	if _, err := os.Lstat(path); err == nil {
		return filepath.EvalSymlinks(path) // a link that leads nowhere is an error
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(path))
	return filepath.Join(dir, filepath.Base(path)), err
}

// in reports whether the place is a file or folder, or in that folder.
func (at place) in(keep string) bool {
	if info, err := os.Stat(keep); err == nil && at.was != nil && os.SameFile(info, at.was) {
		return true
	}
	path, err := resolved(keep)
	if err != nil {
		return false
	}
	way, err := filepath.Rel(path, at.path)
	return err == nil && filepath.IsLocal(way)
}

// begin makes the file that is filled, beside the place and so on the same file system.
func (at place) begin() (*os.File, error) {
	dir, name := filepath.Split(at.path)
	mode := fs.FileMode(0o666)
	if at.was != nil {
		mode = 0o600 // until it has those of the other
	}
	rest := "." + strconv.FormatUint(rand.Uint64(), 36) + ".tmp"
	if most := longest - len(".") - len(rest); len(name) > most {
		name = strings.ToValidUTF8(name[:most], "") // for a letter may be cut in two, which some file systems refuse
	}
	parts.Lock()
	defer parts.Unlock()
	part, err := os.OpenFile(dir+"."+name+rest, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return nil, err
	}
	if at.was != nil {
		if err := keepAccess(part, at.was); err != nil {
			return nil, errors.Join(err, part.Close(), os.Remove(part.Name()))
		}
	}
	parts.names[part.Name()] = true
	return part, nil
}

// Folder makes a hidden folder in dir for what is needed for a while. remove removes it with all in it, and so does
// Abandon.
func Folder(dir, pattern string) (path string, remove func() error, err error) {
	parts.Lock()
	defer parts.Unlock()
	if path, err = os.MkdirTemp(dir, pattern); err != nil {
		return "", nil, err
	}
	parts.names[path] = true
	return path, func() error {
		defer ended(path)
		return os.RemoveAll(path)
	}, nil
}

// parts are the hidden files that are being filled, and hidden folders.
var parts = struct {
	sync.Mutex
	names map[string]bool // guarded by the mutex
}{names: map[string]bool{}}

// ended records that a hidden file or folder is renamed or removed.
func ended(name string) {
	parts.Lock()
	defer parts.Unlock()
	delete(parts.names, name)
}

// Abandon removes all files that are being filled and all folders of Folder, for a process that ends at once. No
// other is begun after that.
func Abandon() {
	parts.Lock() // for good
	for name := range parts.names {
		_ = os.RemoveAll(name) // nobody is left to tell
	}
}

// longest is how many bytes a name has at most on nearly all file systems.
const longest = 255

// pour fills a device or a pipe.
func (f File) pour(fill func(w io.Writer) error) error {
	out, err := openStream(f.Path)
	if err != nil {
		return f.named(err)
	}
	return errors.Join(fill(out), out.Close())
}

// writer writes to a file, and has the system follow it to the disk.
type writer struct {
	file           *os.File
	name           string // for errors: the file that is to be
	written, begun int64
}

const behind = 16 << 20

func (w *writer) Write(p []byte) (int, error) {
	n, err := w.file.Write(p)
	if hidden := (*fs.PathError)(nil); errors.As(err, &hidden) {
		err = &fs.PathError{Op: "write", Path: w.name, Err: hidden.Err}
	}
	w.written += int64(n)
	if w.written >= w.begun+behind {
		disk.StartWriting(w.file, w.begun, w.written-w.begun)
		w.begun = w.written
	}
	return n, err
}
