package tiles

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"syscall"

	"ooc/tiles/disk"
	"ooc/tiles/lock"
)

// Incomplete says whether dir holds a store whose import died before
// store.json was written; Create on it starts over. A missing or empty folder
// and a complete store are not incomplete. A folder with files that are not
// ours fails with lock.ErrNotStore.
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
	if lock.Marks(dir) {
		return true
	}
	_, err := readMeta(dir)
	return err == nil
}

// Vacant fails where Create would, as far as a look can tell: the folder holds
// what is not ours, or another process writes the store in it, or imports it
// (a *lock.LockedError). It is for whoever has much to do before Create.
func Vacant(dir string) error {
	if _, err := ownFiles(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return lock.CheckFree(dir)
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
		return nil, fmt.Errorf("%s: %w: it has no lock file of ours; name another folder with --out", dir,
			lock.ErrNotStore)
	}
	if slices.Contains(names, nameStore) {
		_, err := readMeta(dir)
		if onlyDamaged(err) {
			_, err = vouched(dir)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	return names, nil
}

// ownNamesIn lists a folder that holds nothing but what is ours by its name, a
// regular file that has no other name, and if it is a lock by its text too.
func ownNamesIn(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, syscall.ENOTDIR) {
		return nil, fmt.Errorf("%s: %w: it is a file, or lies in one; name another folder with --out", dir,
			lock.ErrNotStore)
	}
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if isRemoved(e) {
			continue
		}
		err := checkName(dir, e.Name())
		if !(ownNames[e.Name()] && e.Type().IsRegular() || isCore(e.Name()) && e.IsDir()) {
			err = fmt.Errorf(
				"%s: %w: it holds %s, which is not ours; move that away, or name another folder with --out",
				dir, lock.ErrNotStore, e.Name())
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

// removedName is what NFS and FUSE call a file that was removed while a process
// has it open: it goes when that one closes it, and cannot go before.
var removedName = regexp.MustCompile(`^\.(nfs[0-9a-fA-F.]{8,}|fuse_hidden[0-9a-fA-F]{8,})$`)

// isRemoved says whether a file was removed, and is still open somewhere.
func isRemoved(e fs.DirEntry) bool { return e.Type().IsRegular() && removedName.MatchString(e.Name()) }

// isCore says whether a name is that of a store in the store.
func isCore(name string) bool { return name == nameCore || name == nameCoreGone }

// checkName fails where a name of ours leads to something else than our writers
// make. A core may lack its lock: it may be half removed.
func checkName(dir, name string) error {
	path := filepath.Join(dir, name)
	fi, err := os.Lstat(path)
	switch {
	case err != nil:
		return err
	case isCore(name) && fi.IsDir():
		_, err := ownNamesIn(path)
		return err
	case isCore(name):
		return disk.Corrupt(path, "it is a %s, not a folder; remove it", disk.TypeName(fi))
	}
	if err := disk.CheckWritable(path, fi); err != nil || name != nameLock {
		return err
	}
	return lock.Check(dir)
}

// checkNames is checkName of all that is there in a folder under names of ours.
// Other names are none of its business.
func checkNames(dir string) error {
	for _, name := range append(slices.Sorted(maps.Keys(ownNames)), nameCore, nameCoreGone) {
		if err := checkName(dir, name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// CheckOwn fails where the store's folder holds anything but the store, which
// Replace would refuse.
func (s *Store) CheckOwn() error {
	_, err := ownFiles(s.dir)
	if err == nil {
		_, err = s.CoreDir()
	}
	return err
}
