package tiles

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// CoreDir is where the store keeps a smaller problem while its own solve needs
// that one's distances: a folder that is a store itself.
func (s *Store) CoreDir() string { return filepath.Join(s.dir, nameCore) }

// RemoveCore removes the smaller problem, if there is one.
func (s *Store) RemoveCore() error {
	if !s.writable {
		return fmt.Errorf("%s: %w", s.dir, ErrReadOnly)
	}
	if _, err := ownFiles(s.CoreDir()); errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	if err := os.RemoveAll(s.CoreDir()); err != nil {
		return fmt.Errorf("removing %s: %w", s.CoreDir(), err)
	}
	return s.syncNames()
}
