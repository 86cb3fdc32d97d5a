package tiles

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"time"

	"ooc/tiles/disk"
)

// tornTries is how often a reader looks again at a slot that does not check
// out: it may have caught a running solve in the middle of writing it.
const tornTries = 5

// loadState reads and decodes the state file.
func (s *Store) loadState() (sf stateFile, err error) {
	for try := 0; ; try++ {
		var b []byte
		if b, err = disk.ReadSmall(s.path(nameState), 2*stateBytes); err == nil {
			if sf, err = decodeState(s.path(nameState), b, &s.meta); err != nil {
				return sf, err
			}
		} else if errors.Is(err, fs.ErrNotExist) {
			err = disk.Corrupt(s.path(nameState),
				"it is missing; restore the file, or solve the graph again with --restart")
		}
		if err != nil || !sf.anyDamaged || try == tornTries {
			return sf, err
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// State gives the newest synced restore point. false means that there is none
// yet: the matrix does not count. It fails with disk.ErrCorrupt where slots were
// written but none checks out.
func (s *Store) State() (State, bool, error) { return s.reached(false) }

// Ahead is what Recover would give: State, or a note that is ahead of it where
// that is to be believed. It writes nothing, and readers may ask too.
func (s *Store) Ahead() (State, bool, error) { return s.reached(true) }

// reached is State, or with notes Ahead.
func (s *Store) reached(notes bool) (State, bool, error) {
	if s.joined != nil {
		return s.leastState(notes)
	}
	sf, best, err := s.restorePoint()
	switch {
	case err != nil:
		return State{}, false, err
	case notes && sf.trusted(best, s.incarnation()):
		return sf.note.state, true, nil
	case best < 0:
		return State{}, false, nil
	}
	return sf.slot[best].state, true, nil
}

// restorePoint reads the state file and says which slot counts, -1 if none.
func (s *Store) restorePoint() (sf stateFile, best int, err error) {
	if sf, err = s.loadState(); err != nil {
		return sf, -1, s.anew(err)
	}
	if best, err = sf.newest(); err != nil {
		err = fmt.Errorf("%s: %w", s.path(nameState), err)
	}
	return sf, best, s.anew(err)
}

// Recover is State for a writer: it says where to go on, and makes the store
// ready to be written. If the last run was killed and left a note that is
// ahead of the slots, on this same run of the system, then everything that run
// wrote is in the page cache or on disk: Recover syncs it, and the note
// becomes a slot.
func (s *Store) Recover() (State, bool, error) {
	s.syncMu.Lock()
	defer s.syncMu.Unlock()
	if err := s.writeError(); err != nil {
		return State{}, false, err
	}
	sf, best, err := s.restorePoint()
	if err != nil {
		return State{}, false, err
	}
	s.best = best
	var st State
	if best >= 0 {
		st = sf.slot[best].state
		s.seq = st.Seq
	}
	if sf.trusted(best, s.here) {
		if st, err = s.checkpoint(sf.note.state); err != nil {
			return State{}, false, fmt.Errorf("recovering %s: %w", s.dir, err)
		}
	} else if err := s.writeSector(noteSector, zeroSector); err != nil {
		// A note that was not believed is to be forgotten, lest it be believed when the matrix has been filled anew.
		return State{}, false, err
	}
	if st.Done < int64(s.geo.RowCount()) {
		// A slot of a solved matrix was lost. What is computed again may differ in rounding from what was summed.
		if err := s.dropSums(); err != nil {
			return State{}, false, err
		}
		s.changed()
	}
	s.ready.Store(true)
	return st, s.best >= 0, nil
}

// Checkpoint makes a restore point: it syncs the matrix, then writes and syncs
// the next slot. The caller vouches that every entry has finished st.Done;
// writes that run meanwhile do no harm. st.Seq is ignored. When a sync fails,
// the last checkpoint stays, and every later Checkpoint and Note fails with
// ErrSyncFailed: the kernel forgets what it could not write, so trying again
// would "succeed" without it.
func (s *Store) Checkpoint(st State) error {
	s.syncMu.Lock()
	defer s.syncMu.Unlock()
	if err := s.recordError(st); err != nil {
		return err
	}
	if _, err := s.checkpoint(st); err != nil {
		return fmt.Errorf("checkpoint of %s: %w", s.dir, err)
	}
	return nil
}

// checkpoint is Checkpoint under syncMu.
func (s *Store) checkpoint(st State) (State, error) {
	if err := s.syncMatrix(); err != nil {
		return st, err
	}
	st.Seq = s.seq + 1
	slot := (s.best + 1) % stateSlots // never the one that counts
	if err := s.writeRecord(slot, record{kind: recordSlot, state: st}); err != nil {
		return st, err
	}
	if err := s.hooks.Synced(nameState, s.state.Sync); err != nil {
		return st, s.fail(nameState, err)
	}
	s.best, s.seq = slot, st.Seq
	return st, nil
}

// syncMatrix makes what was written to the matrix durable. What goes to a
// matrix that was cut is not, nor what goes to one that was removed.
func (s *Store) syncMatrix() error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.mem == nil {
		return errClosed
	}
	if err := s.checkMatrix(); err != nil {
		return err
	}
	if s.dist == nil {
		return nil // what is written there is synced before it has its name
	}
	err := s.hooks.Synced(nameDist, func() error {
		if len(s.mem) > 0 {
			if err := s.mem.Flush(); err != nil {
				return err
			}
		}
		return s.dist.Sync()
	})
	if err != nil {
		return s.fail(nameDist, err)
	}
	return s.checkMatrix()
}

// checkMatrix says whether the files that we write are still those of the store.
func (s *Store) checkMatrix() error {
	files := []*os.File{s.state}
	if s.lock != nil { // without the lock file that we hold, another process could be writing too
		files = append(files, s.lock.File())
	}
	if s.dist != nil {
		if err := checkLen(s.dist, s.distBytes()); err != nil {
			return err
		}
		files = append(files, s.dist)
	}
	for _, f := range files {
		same, err := disk.InPlace(f)
		if err != nil {
			return err
		}
		if !same {
			return disk.Corrupt(f.Name(),
				"it was removed or replaced while in use; put it back, or solve again with --restart")
		}
	}
	return nil
}

// fail remembers a failed sync of a file, for good. The mark in place of the
// note tells the next run that the page cache may differ from the disk.
func (s *Store) fail(name string, err error) error {
	err = fmt.Errorf("syncing %s: %w", s.path(name), disk.Classify(err))
	if s.failed == nil {
		s.failed = err
	}
	// Best effort: where it cannot be written, neither can the store.
	_ = s.writeRecord(noteSector, record{kind: recordFailed, inc: s.here})
	return fmt.Errorf("%w; the last checkpoint stands; see to the disk, then solve again, which resumes from there",
		err)
}

// Note records, without a sync, that every entry in the mapping has finished
// st.Done. It helps the next run after a mere kill, see Recover. st.Seq is
// ignored. While a checkpoint is in progress there is no note: nobody should
// wait for a sync to write one.
func (s *Store) Note(st State) error {
	if !s.syncMu.TryLock() {
		return nil
	}
	defer s.syncMu.Unlock()
	if err := s.recordError(st); err != nil {
		return err
	}
	if s.here == (incarnation{}) {
		return nil // nobody would trust it
	}
	st.Seq = s.seq
	return s.writeRecord(noteSector, record{kind: recordNote, state: st, inc: s.here})
}

// Reset makes the matrix count for nothing, durably, before it is filled
// again: it removes the checksums, the slots and the note. It also makes a
// store with a damaged state file ready to be written.
func (s *Store) Reset() error {
	s.syncMu.Lock()
	defer s.syncMu.Unlock()
	if err := s.writeError(); err != nil {
		return err
	}
	if err := s.dropSums(); err != nil {
		return err
	}
	s.changed()
	err := s.state.Truncate(stateBytes)
	if err == nil {
		err = s.writeAt(s.state, nameState, make([]byte, stateBytes), 0)
	}
	if err != nil {
		return fmt.Errorf("resetting %s: %w", s.state.Name(), disk.Classify(err))
	}
	if err := s.hooks.Synced(nameState, s.state.Sync); err != nil {
		return s.fail(nameState, err)
	}
	s.best, s.seq = -1, 0
	s.ready.Store(true)
	return nil
}

// writeError says why nothing may be recorded. Call it under syncMu.
func (s *Store) writeError() error {
	switch {
	case !s.writable, s.lock == nil && !s.closed(): // the process with the lock keeps the state
		return fmt.Errorf("%s: %w", s.dir, errReadOnly)
	case s.closed():
		return fmt.Errorf("%s: %w", s.dir, errClosed)
	case s.failed != nil:
		return fmt.Errorf("%s: %w: %w", s.dir, ErrSyncFailed, s.failed)
	}
	return nil
}

func (s *Store) closed() bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.mem == nil
}

// recordError says why st may not be recorded.
func (s *Store) recordError(st State) error {
	if err := s.writeError(); err != nil {
		return err
	}
	if err := s.mayWrite(); err != nil {
		return err
	}
	if st.Done < 0 || st.Done > int64(s.geo.N) || st.Elapsed < 0 || len(st.Algorithm) > maxAlgorithm ||
		len(st.Closer) > maxCloser {
		return fmt.Errorf("%s: impossible state %+v", s.dir, st)
	}
	return nil
}

// writeRecord fills a sector of the state file, whole: that also mends a file
// that was cut.
func (s *Store) writeRecord(sector int, r record) error {
	return s.writeSector(sector, encodeRecord(r, &s.meta))
}

func (s *Store) writeSector(sector int, data []byte) error {
	if err := s.writeAt(s.state, nameState, data, int64(sector)*stateSector); err != nil {
		return fmt.Errorf("writing %s: %w", s.state.Name(), disk.Classify(err))
	}
	return nil
}

// writeAt writes to a file of the store, with the hook of tests before it.
func (s *Store) writeAt(f *os.File, name string, data []byte, off int64) error {
	if err := s.hooks.Ask("write", name); err != nil {
		return err
	}
	_, err := f.WriteAt(data, off)
	return err
}

// incarnation names the run of the system, as notes do.
func (s *Store) incarnation() incarnation {
	if s.dist == nil {
		return incarnation{}
	}
	boot := disk.Boot()
	if s.hooks != nil && s.hooks.BootID != "" {
		boot = s.hooks.BootID
	}
	return disk.Incarnation(s.dist, boot)
}

// forgetFailed drops the cached pages of a matrix whose last writer saw a sync
// fail on this run of the system. Such pages are marked clean but never
// reached the disk; a later sync would succeed without them. A state that is
// damaged has no say; one that cannot be read might.
func (s *Store) forgetFailed() error {
	sf, err := s.loadState()
	if err != nil && !errors.Is(err, ErrVersion) && (!errors.Is(err, disk.ErrCorrupt) || errors.Is(err, syscall.EIO)) {
		return err
	}
	if err == nil && s.dist != nil && sf.note.kind == recordFailed && sf.note.inc == s.here {
		_ = s.dist.Sync() // reports the old failure once more
		disk.DropCache(s.dist)
	}
	return nil
}

var pageSize = int64(os.Getpagesize())
