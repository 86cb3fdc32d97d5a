package tiles

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// Incomplete says whether dir holds a store whose import died before
// store.json was written; Create on it starts over. A missing or empty folder
// and a complete store are not incomplete. A folder with files that are not
// ours fails with ErrNotStore.
func Incomplete(dir string) (bool, error) {
	names, err := ownFiles(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return len(names) > 0 && !slices.Contains(names, nameStore), nil
}

// IsStore reports whether dir holds a store that was imported to the end.
func IsStore(dir string) bool {
	info, err := os.Stat(filepath.Join(dir, nameStore))
	return err == nil && info.Mode().IsRegular()
}

// Owner returns the folder of ours that path is in, at any depth, "" if there
// is none: a store, complete or not, or a batch. What anybody else puts there
// makes it none.
func Owner(path string) string {
	for dir := filepath.Dir(path); ; path, dir = dir, filepath.Dir(dir) {
		if dir == path {
			return ""
		}
		if ours(dir) {
			return dir
		}
	}
}

// ours tells our folders by their lock or by store.json.
func ours(dir string) bool {
	b, err := readSmall(filepath.Join(dir, nameLock), maxLock)
	if err == nil && strings.HasPrefix(string(b), lockMagic+"\n") {
		return true
	}
	_, err = readMeta(dir)
	return err == nil
}

// Vacant fails where Create would, as far as a look can tell: the folder holds
// what is not ours, or another process writes the store in it, or imports it
// (a *LockedError). It is for whoever has much to do before Create.
func Vacant(dir string) error {
	if _, err := ownFiles(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	pid, host, running, err := LockHolder(dir)
	if err == nil && running {
		err = &LockedError{Dir: dir, PID: pid, Host: host}
	}
	return err
}

// ownFiles lists a folder that is empty or a store of ours, complete or not:
// files of ours only, among them our lock, which is always made first. Nothing
// is made, opened for writing or removed in a folder before this has said so.
func ownFiles(dir string) ([]string, error) {
	names, err := ownNamesIn(dir)
	if err != nil || len(names) == 0 {
		return nil, err
	}
	if !slices.Contains(names, nameLock) {
		return nil, fmt.Errorf("%s: %w: it has no lock file of ours; name another folder with --out", dir, ErrNotStore)
	}
	if slices.Contains(names, nameStore) {
		if _, err := readMeta(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	return names, nil
}

// ownNamesIn lists a folder that holds nothing but what is ours by its name, a
// regular file that has no other name, and if it is a lock by its text too.
func ownNamesIn(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if e.Name() == nameCore && e.IsDir() {
			_, err = ownFiles(path)
		} else if !ownNames[e.Name()] || !e.Type().IsRegular() {
			err = fmt.Errorf("%s: %w: it holds %s, which is not ours; move that away, or name another folder with --out", dir, ErrNotStore, e.Name())
		} else if err = onlyName(path); err == nil && e.Name() == nameLock {
			err = checkLock(dir)
		}
		switch {
		case errors.Is(err, fs.ErrNotExist): // it has gone meanwhile
		case err != nil:
			return nil, err
		default:
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// onlyName fails where the file has another name as well: what is written to
// it would change under that name too.
func onlyName(path string) error {
	fi, err := os.Lstat(path)
	if err == nil && linkCount(path, fi) > 1 {
		err = hardLink(path)
	}
	return err
}

// checkLock fails with ErrNotStore where the folder's lock is not one of ours.
// One that cannot be read is an error of its own and says nothing.
func checkLock(dir string) error {
	b, err := readSmall(filepath.Join(dir, nameLock), maxLock)
	if errors.Is(err, ErrCorrupt) && !errors.Is(err, syscall.EIO) || err == nil && !ownLock(b) {
		return fmt.Errorf("%s: %w: its file %s is not one of ours; name another folder with --out", dir, ErrNotStore, nameLock)
	}
	return err
}

// ownLock says whether a lock file's content is ours, perhaps only a part of
// it: when the power goes, or the volume is full, any number of its bytes may
// not have been written, and read as zeros if the file was that long already.
func ownLock(b []byte) bool {
	text := string(bytes.TrimRight(b, "\x00"))
	return strings.HasPrefix(text, lockMagic+"\n") || strings.HasPrefix(lockMagic+"\n", text)
}
