package tiles

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// CoreDir is where the store keeps a smaller problem while its own solve needs
// that one's distances: a folder that is a store itself, whose Parent is this
// one. It fails with ErrCorrupt where anything but a folder has that name: a
// link in a store from elsewhere could aim our writes at another store of the
// user. So it does where the folder is a store of its own, or another one's core.
func (s *Store) CoreDir() (string, error) {
	dir := s.path(nameCore)
	if fi, err := os.Lstat(dir); err == nil && !fi.IsDir() {
		return "", corrupt(dir, "it is a %s, not a folder; remove it", fi.Mode().Type())
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

// RemoveCore removes the smaller problem, if there is one.
func (s *Store) RemoveCore() error {
	if !s.writable {
		return fmt.Errorf("%s: %w", s.dir, ErrReadOnly)
	}
	dir, err := s.CoreDir()
	if err != nil {
		return err
	}
	if _, err := ownFiles(dir); errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("removing %s: %w", dir, err)
	}
	return s.syncNames()
}
