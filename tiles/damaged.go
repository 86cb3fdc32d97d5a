package tiles

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"ooc/tiles/disk"
	"ooc/tiles/lock"
)

// OpenDamaged opens a store for Replace, however damaged it is: it counts as closed for everything else. Where its
// store.json is damaged, the rest of the folder has to show that ooc made it. It fails as Open does, but for damage.
func OpenDamaged(dir string) (*Store, error) {
	describe := func() (m Meta, err error) {
		if m, err = findMeta(dir); onlyDamaged(err) {
			m, err = vouched(dir)
		}
		return m, err
	}
	if _, err := describe(); err != nil { // before anything is written to the lock
		return nil, err
	}
	return openLocked(dir, func() (*Store, error) {
		m, err := describe()
		return unopened(dir, m, true), err
	})
}

// onlyDamaged says of the error of reading store.json that it is neither one of another version, nor one that the
// disk cannot read now.
func onlyDamaged(err error) bool { return Damaged(err) && !errors.Is(err, ErrVersion) }

// vouched makes sure that a folder whose store.json is damaged is a store of ours: a lock and other files under our
// names, and nothing else, and in the state, in graph.csr or in ids a head that checks out, which has the store's id.
// It fails with disk.ErrCorrupt.
func vouched(dir string) (m Meta, err error) {
	if _, err := ownNamesIn(dir); err != nil {
		return m, err
	}
	for _, name := range []string{nameState, nameGraph, nameIDs} {
		version, id, ok, err := vouches(dir, name)
		switch {
		case err != nil:
			return m, err
		case !ok:
		case version != formatVersion:
			return m, otherVersion(filepath.Join(dir, name), int64(version))
		case lock.Marks(dir):
			m.ID = id
			return m, nil
		}
	}
	return m, disk.Corrupt(filepath.Join(dir, nameStore),
		"it is damaged, and no other file beside it shows that ooc made this folder; "+
			"name another folder with --out, or remove %s, if nobody needs it, and run again", dir)
}

// vouches reads a head of a file, which need not be there.
func vouches(dir, name string) (version uint32, id ID, ok bool, err error) {
	f, err := disk.OpenRegular(filepath.Join(dir, name), os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, id, false, nil
	}
	if err != nil {
		return 0, id, false, err
	}
	defer f.Close()
	b := make([]byte, stateBytes)
	n, err := f.ReadAt(b, 0)
	if err != nil && err != io.EOF {
		return 0, id, false, disk.ReadError(f.Name(), err)
	}
	if name != nameState {
		h, ok := headOf(b[:n])
		return h.Version, h.ID, ok, nil
	}
	for at := 0; at+stateSector <= n && !ok; at += stateSector {
		var h recordHead
		h, ok = recordIn(b[at:])
		version, id = h.Version, h.ID
	}
	return version, id, ok, nil
}
