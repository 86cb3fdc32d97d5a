package tiles

import (
	"errors"
	"fmt"
	"os"
)

// Remove removes a store that is open for writing, with its folder, and closes it. It refuses, with all still there, where the
// folder holds what is not ours. What stops it later leaves what Create starts over.
func (s *Store) Remove() error {
	if !s.writable {
		return fmt.Errorf("%s: %w", s.dir, ErrReadOnly)
	}
	names, err := ownFiles(s.dir)
	if err == nil {
		err = s.RemoveCore()
	}
	if err != nil {
		return err
	}
	held := s.lock
	s.lock = nil
	errs := []error{s.Close(), os.Remove(s.path(nameStore))} // first: the rest is no store without it
	for _, name := range names {
		if name != nameStore && name != nameLock && !isCore(name) {
			errs = append(errs, os.Remove(s.path(name)))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return errors.Join(fmt.Errorf("removing %s: %w", s.dir, err), held.Release())
	}
	held.Remove()
	return os.Remove(s.dir)
}
