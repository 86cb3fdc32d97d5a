package tiles

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"path/filepath"

	"ooc/tiles/disk"
	"ooc/tiles/lock"
)

// OpenDamaged opens a store for Replace, however damaged it is: it counts as closed for everything else. Where its store.json is damaged, the
// rest of the folder has to show that ooc made it. It fails as Open does, but for damage.
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

// onlyDamaged says of the error of reading store.json that it is neither one of another version, nor one that the disk cannot read now.
func onlyDamaged(err error) bool { return Damaged(err) && !errors.Is(err, ErrVersion) }

// vouched makes sure that a folder whose store.json is damaged is a store of ours: a lock and other files under our names, and nothing else, and in the
// state a record that checks out, which has the store's id. It fails with ErrCorrupt.
func vouched(dir string) (m Meta, err error) {
	if _, err := ownNamesIn(dir); err != nil {
		return m, err
	}
	state, err := disk.ReadSmall(filepath.Join(dir, nameState), stateBytes)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return m, err
	}
	if lock.Marks(dir) {
		for len(state) >= stateSector {
			sector := state[:stateSector]
			state = state[stateSector:]
			if version, ok := recordVersion(sector); ok && version > FormatVersion {
				return m, fmt.Errorf("%s: %w: format version %d", filepath.Join(dir, nameState), ErrVersion, version)
			} else if ok {
				m.ID = ID(sector[stateID:])
				return m, nil
			}
		}
	}
	return m, disk.Corrupt(filepath.Join(dir, nameStore), "it is damaged, and no restore point beside it shows that ooc made this folder; name another folder with --out, or remove %s, if nobody needs it, and run again", dir)
}

// recordVersion is the version of a record of the state, if it checks out.
func recordVersion(sector []byte) (version uint32, ok bool) {
	le := binary.LittleEndian
	ok = string(sector[:8]) == stateMagic && le.Uint32(sector[stateCRC:]) == crc32.Checksum(sector[:stateCRC], castagnoli)
	return le.Uint32(sector[8:]), ok
}
