package lock

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

	"ooc/tiles/disk"
)

// holder is the process that has a lock, or was the last to.
type holder struct {
	PID      int // 0: it ended cleanly, or is unknown
	Host     string
	Running  bool   // it has the lock
	identity string // as the text of a birth; "" if unknown
}

// State says what the process does, by whatever is known of it beside its number.
func (h holder) State() ProcessState {
	state := stateOf(h.PID, h.identity)
	if me, err := os.Hostname(); state == processUnknown && err == nil && h.PID != 0 && h.Host != me {
		state = ProcessElsewhere
	}
	return state
}

// HolderOf says which process has, or was the last to have, the lock of the
// folder dir, and whether it still runs, that is, holds the lock. It takes no
// lock of its own beyond an instant, and works on read-only media.
func HolderOf(dir string) (holder, error) {
	path := filepath.Join(dir, Name)
	f, err := disk.OpenRegular(path, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return holder{}, nil
	}
	if err != nil {
		return holder{}, err
	}
	defer f.Close()
	err = flock(f, dir, false)
	running := errors.Is(err, errBusy)
	if err != nil && !running && !errors.Is(err, ErrNoLocks) { // nobody writes where there are none
		return holder{}, fmt.Errorf("locking %s: %w", path, err)
	}
	h, err := parseHolder(f)
	h.Running = running
	return h, err
}

// lockedBy is the error of a lock that another process holds, of which PID may be 0.
func lockedBy(dir string, h holder) error {
	e := &LockedError{Dir: dir, PID: h.PID, Host: h.Host}
	if me, err := os.Hostname(); err == nil && h.Host == me && h.PID != 0 {
		e.Ending = ending(h.PID)
	}
	return e
}

// writeHolder says who we are. The lock holds without it, as it must on a full
// volume, so that whoever makes a store gets as far as saying so.
func writeHolder(f *os.File) {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	text := fmt.Sprintf("%s\npid %d\nhost %s\n", magic, os.Getpid(), host)
	if me, known := self(); known {
		text += fmt.Sprintf("process %s\n", me)
	}
	if _, err := f.WriteAt([]byte(text), 0); err == nil {
		_ = f.Truncate(int64(len(text)))
	}
}

// parseHolder parses the text of a lock; PID is 0 if it names none.
func parseHolder(lock io.Reader) (h holder, err error) {
	b, err := io.ReadAll(io.LimitReader(lock, longest))
	if err != nil {
		return h, err
	}
	lines := strings.Split(string(b), "\n")
	if len(lines) < 3 || lines[0] != magic {
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
