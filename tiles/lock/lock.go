// Package lock keeps a folder of ours to one process at a time, a store or the queue of a batch, and says which
// process has it and what that does. The lock is flock on the file "lock", so it ends with the process; the text of
// the file names it.
package lock

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"ooc/tiles/class"
	"ooc/tiles/disk"
	"ooc/tiles/internal/hook"
)

// Name is that of the lock's file in its folder.
const Name = "lock"

// magic is the first line of a lock file; it also tells our folders from
// others.
const magic = "ooc lock"

// longest is more than any lock file's length.
const longest = 4096

var (
	// ErrLocked: another process has the lock. The error itself is a
	// *LockedError.
	ErrLocked = class.New(class.Locked, "store is locked")
	// ErrNotStore: the folder holds files that are not ours, such as its "lock".
	ErrNotStore = class.New(class.Input, "not an ooc store")
	// ErrNoLocks: the volume has no locks.
	ErrNoLocks = errors.New("this volume has no locks, and without them nothing keeps two processes from writing one " +
		"store: put the store on another volume, with --out")
)

// errBusy says that a lock is held through another open file.
var errBusy = errors.New("lock is held")

// LockedError says who holds a lock. PID is 0 and Host empty when
// the holder had not yet written them. Volume is not empty where the folder is
// on a network file system, and another host has not given the lock back: it
// may have died there, which cannot be told from here. Ending says that the
// process has ended, or is ending, and what it had is still being taken back:
// the lock comes free with that.
type LockedError struct {
	Dir    string
	PID    int
	Host   string
	Volume string
	Ending bool
}

// Error names the folder, the process that holds the lock, and its host.
func (e *LockedError) Error() string {
	if e.Volume != "" {
		return fmt.Sprintf("%s: %v by process %d on %s, and %s need not tell hosts of one another's locks; if that "+
			"process runs no more, remove %s",
			e.Dir, ErrLocked, e.PID, e.Host, e.Volume, filepath.Join(e.Dir, Name))
	}
	if e.PID == 0 {
		return fmt.Sprintf("%s: %v by another process; wait for it to end", e.Dir, ErrLocked)
	}
	if e.Ending {
		return fmt.Sprintf("%s: %v by process %d on %s, which is ending or has left its lock to one that it started; "+
			"wait until that has ended too",
			e.Dir, ErrLocked, e.PID, e.Host)
	}
	return fmt.Sprintf("%s: %v by process %d on %s; wait for it to end, or stop it",
		e.Dir, ErrLocked, e.PID, e.Host)
}

// Unwrap returns ErrLocked.
func (e *LockedError) Unwrap() error { return ErrLocked }

// Lock is the lock of a folder, which this process has.
type Lock struct {
	Made bool // its file was not there before

	file *os.File
}

// Take takes the lock of a folder, for as long as the process lives or until it
// is given back, and writes who we are into it. It fails with a *LockedError
// while another process has it, and with ErrNoLocks where the volume has none,
// as some network file systems.
// Losing is reported after a moment only: HolderOf holds the lock for an
// instant to see whether somebody else does.
func Take(dir string) (*Lock, error) {
	path := filepath.Join(dir, Name)
	_, before := os.Lstat(path)
	for try := 0; ; {
		f, err := disk.OpenRegular(path, os.O_RDWR|os.O_CREATE)
		if _, missing := os.Stat(dir); errors.Is(err, fs.ErrNotExist) && missing == nil && try < 10 {
			try++ // FUSE looks for the file before it opens it, and somebody removed it in between
			continue
		}
		if err != nil {
			return nil, err
		}
		l := &Lock{file: f}
		err = flock(f, dir, true)
		if err == nil {
			var same bool
			if same, err = disk.InPlace(f); err == nil && same {
				size, serr := disk.FileSize(f)
				// If it holds anything, another process has made it meanwhile.
				l.Made = errors.Is(before, fs.ErrNotExist) && serr == nil && size == 0
				if err = Check(dir); err == nil {
					err = heldElsewhere(f, dir)
				}
				if err == nil {
					writeHolder(f)
					return l, nil
				}
				if l.Made {
					return nil, errors.Join(err, RemoveFile(f))
				}
				f.Close()
				return nil, err
			}
			// A failed import removed this file between our open and our
			// lock: it guards nothing. Its successor's lock does.
		}
		f.Close()
		if errors.Is(err, errBusy) {
			if try++; try < 10 {
				time.Sleep(10 * time.Millisecond)
				continue
			}
			h, _ := HolderOf(dir)
			return nil, lockedBy(dir, h)
		}
		if errors.Is(err, ErrNoLocks) && errors.Is(before, fs.ErrNotExist) {
			os.Remove(path) // we made it, and nobody can hold it
		}
		if err != nil {
			return nil, fmt.Errorf("locking %s: %w", path, err)
		}
	}
}

// flock is lockFile of a folder's lock. It fails with ErrNoLocks where the
// volume has none.
func flock(f *os.File, dir string, exclusive bool) (err error) {
	if h := hook.For(dir); h != nil && h.Lock != nil {
		err = h.Lock
	} else {
		err = lockFile(f, exclusive)
	}
	for _, kind := range []error{syscall.ENOLCK, syscall.EOPNOTSUPP, syscall.ENOTSUP, syscall.ENOSYS} {
		if errors.Is(err, kind) {
			return fmt.Errorf("%w: %w", ErrNoLocks, err)
		}
	}
	return err
}

// heldElsewhere refuses a lock that another host has not given back, on a
// volume where that may hold it without our being told: not every network file
// system passes flock on to other hosts.
func heldElsewhere(f *os.File, dir string) error {
	volume := disk.Network(dir)
	if volume == "" {
		return nil
	}
	h, _ := parseHolder(io.NewSectionReader(f, 0, longest))
	if me, err := os.Hostname(); h.PID == 0 || err == nil && h.Host == me {
		return nil
	}
	return &LockedError{Dir: dir, PID: h.PID, Host: h.Host, Volume: volume}
}

// File is the open file of the lock. Where its path leads to it no more, another
// process may have the folder too.
func (l *Lock) File() *os.File { return l.file }

// Release gives the lock back. The file stays: removing it here could remove
// the one that the next process has just locked.
func (l *Lock) Release() error {
	l.forget()
	return l.file.Close() // unlocks
}

// Remove gives the lock back and removes its file.
func (l *Lock) Remove() error {
	l.forget() // in case the file stays
	return RemoveFile(l.file)
}

// RemoveFolder is Remove, and removes the folder, in which nothing else is left. A folder that this user may not
// remove, or on which a volume is mounted, was made by somebody else: it stays, empty.
func (l *Lock) RemoveFolder() error {
	dir := filepath.Dir(l.file.Name())
	if err := l.Remove(); err != nil {
		return err
	}
	err := os.Remove(dir)
	switch {
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EBUSY), errors.Is(err, fs.ErrNotExist),
		errors.Is(err, fs.ErrExist): // ENOTEMPTY is one too: another process is in it, or has open what was removed
		return nil
	}
	return err
}

// forget cuts the file back to its first line: it says of nobody that he has the lock.
func (l *Lock) forget() {
	const first = int64(len(magic) + 1)
	// A shorter file could not be written, and would grow by zeros.
	if size, err := disk.FileSize(l.file); err == nil && size > first {
		_ = l.file.Truncate(first) // who we were is a courtesy, but on network volumes: see heldElsewhere
	}
}

// CheckFree fails with a *LockedError while another process has the folder's
// lock, as far as a look can tell.
func CheckFree(dir string) error {
	h, err := HolderOf(dir)
	if err == nil && h.Running {
		return lockedBy(dir, h)
	}
	return err
}

// Check fails with ErrNotStore where the folder's lock is not one of ours.
// One that cannot be read is an error of its own and says nothing.
func Check(dir string) error {
	b, err := disk.ReadSmall(filepath.Join(dir, Name), longest)
	if errors.Is(err, disk.ErrCorrupt) && !errors.Is(err, syscall.EIO) || err == nil && !isOurs(b) {
		return fmt.Errorf("%s: %w: its file %s is not one of ours; name another folder with --out", dir, ErrNotStore,
			Name)
	}
	return err
}

// isOurs says whether a lock file's content is ours, perhaps only a part of
// it: when the power goes, or the volume is full, any number of its bytes may
// not have been written, and read as zeros if the file was that long already.
// A bit of the first line may be damaged: the next writer mends it.
func isOurs(b []byte) bool {
	const first = magic + "\n"
	text := bytes.TrimRight(b, "\x00")
	return strings.HasPrefix(first, string(text)) || disk.BitsOff(text, []byte(first)) <= 1
}

// Marks says whether a folder has a lock of ours that was written to the end of
// its first line.
func Marks(dir string) bool {
	b, err := disk.ReadSmall(filepath.Join(dir, Name), longest)
	return err == nil && strings.HasPrefix(string(b), magic+"\n")
}

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
