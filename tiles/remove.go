package tiles

import (
	"errors"
	"fmt"
	"slices"

	"ooc/tiles/disk"
)

// Remove removes a store that is open for writing, with its folder, and closes it. It refuses, with all still there,
// where the folder holds what is not ours. What stops it later leaves an import that died, or an empty folder: Create
// goes on with both.
func (s *Store) Remove() error {
	if !s.writable {
		return fmt.Errorf("%s: %w", s.dir, errReadOnly)
	}
	err := s.CheckOwn()
	if err != nil {
		return err
	}
	held, err := s.giveUp()
	if err != nil {
		return fmt.Errorf("removing %s: %w; it is as it was", s.dir, err)
	}
	// The lock goes last, durably: without it, what is left would not be known for ours.
	if err = s.removeFiles(); err == nil {
		err = s.syncNames()
	}
	if err != nil {
		err = errors.Join(err, held.Release())
	} else {
		err = held.RemoveFolder()
	}
	if err != nil {
		return fmt.Errorf("%w; what is left of %s counts for nothing", disk.Classify(err), s.dir)
	}
	return nil
}

// removeFiles removes all that is in the folder but the lock, which this process has. The first error ends it.
func (s *Store) removeFiles() error {
	names, err := ownFiles(s.dir)
	if err != nil {
		return err
	}
	if slices.Contains(names, nameStore) { // first, and durably: without the rest it would be called a damaged store
		if err = s.remove(nameStore); err == nil {
			err = s.syncNames()
		}
	}
	for _, name := range names {
		remove := s.remove
		switch {
		case name == nameLock:
			continue
		case isCore(name):
			remove = s.removeFolder
		}
		if err == nil {
			err = remove(name)
		}
	}
	return err
}
