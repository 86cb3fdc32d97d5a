package tiles

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"ooc/tiles/internal/hook"
	"ooc/tiles/internal/system"
)

// lockMagic is the first line of a lock file; it also tells our folders from
// others.
const lockMagic = "ooc lock"

// maxLock is more than any lock file's length.
const maxLock = 4096

// ErrNoLocks: the volume has no locks.
var ErrNoLocks = errors.New("this volume has no locks, and without them nothing keeps two processes from writing one store: put the store on another volume, with --out")

// lock is lockFile of a folder's lock. It fails with ErrNoLocks where the volume
// has none, as some network file systems.
func lock(f *os.File, dir string, exclusive bool) (err error) {
	if h := hook.For(dir); h != nil && h.Lock != nil {
		err = h.Lock
	} else {
		err = system.Lock(f, exclusive)
	}
	for _, kind := range []error{syscall.ENOLCK, syscall.EOPNOTSUPP, syscall.ENOTSUP, syscall.ENOSYS} {
		if errors.Is(err, kind) {
			return fmt.Errorf("%w: %w", ErrNoLocks, err)
		}
	}
	return err
}

// acquire takes the writer's lock of a store and writes who we are into it. made
// says that the file was not there before.
// Losing is reported after a moment only: LockHolder holds the lock for an
// instant to see whether somebody else does.
func acquire(dir string) (f *os.File, made bool, err error) {
	path := filepath.Join(dir, nameLock)
	_, before := os.Lstat(path)
	for try := 0; ; {
		f, err = OpenRegular(path, os.O_RDWR|os.O_CREATE)
		if _, missing := os.Stat(dir); errors.Is(err, fs.ErrNotExist) && missing == nil && try < 10 {
			try++ // FUSE looks for the file before it opens it, and somebody removed it in between
			continue
		}
		if err != nil {
			return nil, false, err
		}
		err = lock(f, dir, true)
		if err == nil {
			var same bool
			if same, err = sameFile(f, path); err == nil && same {
				size, serr := system.FileSize(f)
				made = errors.Is(before, fs.ErrNotExist) && serr == nil && size == 0 // else another process has made it meanwhile
				if err = checkLock(dir); err == nil {
					err = heldElsewhere(dir)
				}
				if err == nil {
					writeHolder(f)
					return f, made, nil
				}
				if made {
					removeLock(f, path)
				} else {
					f.Close()
				}
				return nil, false, err
			}
			// A failed Create removed this file between our open and our
			// lock: it guards nothing. Its successor's lock does.
		}
		f.Close()
		if errors.Is(err, system.ErrBusy) {
			if try++; try < 10 {
				time.Sleep(10 * time.Millisecond)
				continue
			}
			return nil, false, lockedBy(dir, readHolder(path))
		}
		if errors.Is(err, ErrNoLocks) && errors.Is(before, fs.ErrNotExist) {
			os.Remove(path) // we made it, and nobody can hold it
		}
		if err != nil {
			return nil, false, fmt.Errorf("locking %s: %w", path, err)
		}
	}
}

// lockedBy is the error of a lock that another process holds.
func lockedBy(dir string, h Holder) error {
	e := &LockedError{Dir: dir, PID: h.PID, Host: h.Host}
	if me, err := os.Hostname(); err == nil && h.Host == me && h.PID != 0 {
		e.Ending = system.Ending(h.PID)
	}
	return e
}

// heldElsewhere refuses a lock that another host has not given back, on a
// volume where that may hold it without our being told: not every network file
// system passes flock on to other hosts.
func heldElsewhere(dir string) error {
	volume := NetworkVolume(dir)
	if volume == "" {
		return nil
	}
	h := readHolder(filepath.Join(dir, nameLock))
	if me, err := os.Hostname(); h.PID == 0 || err == nil && h.Host == me {
		return nil
	}
	return &LockedError{Dir: dir, PID: h.PID, Host: h.Host, Volume: volume}
}

// NetworkVolume names the network file system that dir is on, "nfs" or the
// like; "" where it is on none, or the system does not say.
func NetworkVolume(dir string) string {
	if h := hook.For(dir); h != nil && h.Volume != "" {
		return h.Volume
	}
	return system.Network(dir)
}

// sameFile says whether path still leads to f.
func sameFile(f *os.File, path string) (bool, error) {
	a, err := f.Stat()
	if err != nil {
		return false, err
	}
	b, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return os.SameFile(a, b), nil
}

// writeHolder says who we are. The lock holds without it, as it must on a full
// volume, so that Create gets as far as saying so.
func writeHolder(f *os.File) {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	text := fmt.Sprintf("%s\npid %d\nhost %s\n", lockMagic, os.Getpid(), host)
	if self := system.Self(); self != "" {
		text += "process " + self + "\n"
	}
	if _, err := f.WriteAt([]byte(text), 0); err == nil {
		_ = f.Truncate(int64(len(text)))
	}
}

// release gives the lock back. The file stays: removing it here could remove
// the one that the next writer has just locked.
func release(f *os.File) error {
	const first = int64(len(lockMagic) + 1)
	if size, err := system.FileSize(f); err == nil && size > first { // else it could not be written, and would grow by zeros
		_ = f.Truncate(first) // who we were is a courtesy, but on network volumes: see heldElsewhere
	}
	return f.Close() // unlocks
}

// ProcessState is what a process does, as far as this system tells.
type ProcessState = system.ProcessState

// The states of a process. "" is unknown.
const (
	ProcessRuns      = system.ProcessRuns
	ProcessStopped   = system.ProcessStopped // by SIGSTOP, Ctrl-Z or a debugger
	ProcessEnded     = system.ProcessEnded   // and something else keeps its lock
	ProcessElsewhere = system.ProcessElsewhere
	ProcessContained = system.ProcessContained
)

// Holder is the process that writes a store, or was the last to.
type Holder struct {
	PID      int // 0: it ended cleanly, or is unknown
	Host     string
	Running  bool   // it has the lock
	identity string // as system.Self gives it; "" if unknown
}

// State says what the process does, by whatever is known of it beside its number.
func (h Holder) State() ProcessState {
	state := system.StateOf(h.PID, h.identity)
	if me, err := os.Hostname(); state == system.ProcessUnknown && err == nil && h.PID != 0 && h.Host != me {
		state = ProcessElsewhere
	}
	return state
}

// readHolder parses a lock file; PID is 0 if it names none, or cannot be read.
func readHolder(path string) (h Holder) {
	f, err := OpenRegular(path, os.O_RDONLY)
	if err != nil {
		return h
	}
	defer f.Close()
	h, _ = parseHolder(f)
	return h
}

// parseHolder parses the text of a lock; PID is 0 if it names none.
func parseHolder(lock io.Reader) (h Holder, err error) {
	b, err := io.ReadAll(io.LimitReader(lock, maxLock))
	if err != nil {
		return h, err
	}
	lines := strings.Split(string(b), "\n")
	if len(lines) < 3 || lines[0] != lockMagic {
		return h, nil
	}
	pid, err := strconv.Atoi(strings.TrimPrefix(lines[1], "pid "))
	if err != nil || pid <= 0 {
		return h, nil
	}
	h.PID, h.Host = pid, strings.TrimPrefix(lines[2], "host ")
	if len(lines) > 3 {
		h.identity = strings.TrimPrefix(lines[3], "process ")
	}
	return h, nil
}

// LockHolder says which process is, or was last, the writer of the store in
// dir, and whether it still runs, that is, holds the lock. It takes no lock of
// its own beyond an instant, and works on read-only media.
func LockHolder(dir string) (Holder, error) {
	path := filepath.Join(dir, nameLock)
	f, err := OpenRegular(path, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return Holder{}, nil
	}
	if err != nil {
		return Holder{}, err
	}
	defer f.Close()
	err = lock(f, dir, false)
	running := errors.Is(err, system.ErrBusy)
	if err != nil && !running && !errors.Is(err, ErrNoLocks) { // nobody writes where there are none
		return Holder{}, fmt.Errorf("locking %s: %w", path, err)
	}
	h, err := parseHolder(f)
	h.Running = running
	return h, err
}

// FolderLock is the lock of a folder of ours that is no store.
type FolderLock struct {
	file *os.File
	path string
}

// LockFolder takes the lock of a folder, for as long as the process lives or until it is given back. It fails with a
// *LockedError while another process has it; LockHolder names that one.
func LockFolder(dir string) (*FolderLock, error) {
	f, _, err := acquire(dir)
	if err != nil {
		return nil, err
	}
	return &FolderLock{f, filepath.Join(dir, nameLock)}, nil
}

// Release gives the lock back.
func (l *FolderLock) Release() error { return release(l.file) }

// Remove gives the lock back and takes its file away.
func (l *FolderLock) Remove() { removeLock(l.file, l.path) }
