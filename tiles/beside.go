package tiles

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"ooc/tiles/disk"
	"ooc/tiles/lock"
)

// OpenBeside opens the store of an id that another process has the lock of, and which has asked for it: to read the
// graph and to write tiles that nobody else does. That process keeps the state, and makes restore points once
// SyncTiles has returned here. For as long as the store is open nobody else gets it for writing, also where the
// process with the lock dies. Errors are those of Open.
func OpenBeside(dir string, id ID) (*Store, error) {
	s, err := openStore(dir, true, true)
	if err == nil && s.geo.Factors {
		err = errors.Join(fmt.Errorf("%s: %w", dir, ErrNoMatrix), s.Close())
	}
	if err != nil {
		return nil, err
	}
	if s.meta.ID != id {
		return nil, errors.Join(disk.Corrupt(s.path(nameStore), "it is another store than the one that is solved"),
			s.Close())
	}
	s.ready.Store(true)
	s.changed()
	return s, nil
}

// nobodyBeside fails with a *lock.LockedError while a process has the store open beside one that had the lock before.
// It is asked with the lock held.
func nobodyBeside(dir string) error {
	s := unopened(dir, Meta{}, true)
	f, err := disk.OpenRegular(s.path(nameState), os.O_RDWR)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close() // gives the lock back
	if err = lock.File(f, true); errors.Is(err, lock.ErrLocked) {
		return &lock.LockedError{Dir: dir}
	}
	return err
}

// SyncTiles makes durable what this process has written to the matrix.
func (s *Store) SyncTiles() error {
	s.syncMu.Lock()
	defer s.syncMu.Unlock()
	if s.failed != nil {
		return fmt.Errorf("%s: %w: %w", s.dir, ErrSyncFailed, s.failed)
	}
	if err := s.syncMatrix(); err != nil {
		return fmt.Errorf("syncing tiles of %s: %w", s.dir, err)
	}
	return nil
}
