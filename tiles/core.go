package tiles

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"ooc/tiles/disk"
)

// CoreDir is where the store keeps a smaller problem while its own solve needs
// that one's distances: a folder that is a store itself, whose Parent is this
// one. It fails with disk.ErrCorrupt where anything but a folder has that name: a
// link in a store from elsewhere could aim our writes at another store of the
// user. So it does where the folder is a store of its own, or another one's core.
func (s *Store) CoreDir() (string, error) {
	dir := s.path(nameCore)
	if fi, err := os.Lstat(dir); err == nil && !fi.IsDir() {
		return "", disk.Corrupt(dir, "it is a %s, not a folder; remove it", disk.TypeName(fi))
	}
	m, err := readMeta(dir)
	switch {
	case err == nil && m.Parent != s.meta.ID:
		return "", strange(dir, "put it where it belongs, or remove it")
	case err != nil && !errors.Is(err, fs.ErrNotExist) && !Damaged(err):
		return "", err
	}
	return dir, nil
}

// RemoveCore removes the smaller problem, if there is one. It refuses, with all
// still there, where that is not ours. It is given another name first, durably:
// what stops the rest leaves no half of a core, and what is left is removed by
// the next writer.
func (s *Store) RemoveCore() error {
	if !s.writable {
		return fmt.Errorf("%s: %w", s.dir, errReadOnly)
	}
	if err := s.removeGone(); err != nil {
		return err
	}
	if _, err := s.CoreDir(); err != nil {
		return err
	}
	if err := checkName(s.dir, nameCore); errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	if err := s.rename(nameCore, nameCoreGone); err != nil {
		return fmt.Errorf("removing %s: %w; the same command tries again", s.path(nameCore), err)
	}
	return s.removeGone()
}

// removeGone removes what an earlier removal left of a core.
func (s *Store) removeGone() error {
	if err := checkName(s.dir, nameCoreGone); errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	err := s.removeFolder(nameCoreGone)
	if err == nil {
		err = s.syncNames()
	}
	if err != nil {
		return fmt.Errorf("removing a core: %w; the same command continues with that", err)
	}
	return nil
}
