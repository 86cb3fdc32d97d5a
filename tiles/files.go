package tiles

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"ooc/kernels/entry"
	"ooc/tiles/disk"
	"ooc/tiles/lock"
)

// Names of the files of a store.
const (
	nameStore   = "store.json"
	nameGraph   = "graph.csr"
	nameIDs     = "ids"
	nameDist    = "dist.npy"
	nameState   = "state"
	nameLive    = "live"
	nameSums    = "sums"
	nameLock    = lock.Name
	nameFactors = "factors" // in the place of dist.npy, see FactorsPath
	nameCore    = "core"    // a store in the store, see CoreDir

	nameCoreGone = "core.gone" // what is left of one that is being removed

	// The spare holds the space of sums from Create on, so that writing them
	// in the last second of a solve cannot run out of it.
	nameSumsSpare = "sums.tmp"
	nameStoreTmp  = "store.json.tmp"
	// What disk.Replace calls the file of factors until it is whole.
	nameFactorsTmp = "factors.tmp"
)

var ownNames = map[string]bool{
	nameStore: true, nameGraph: true, nameIDs: true, nameDist: true, nameState: true,
	nameLive: true, nameSums: true, nameFactors: true, nameFactorsTmp: true, nameLock: true, nameSumsSpare: true,
	nameStoreTmp: true,
}

// remove removes a file or an empty folder of the store, if it is there.
func (s *Store) remove(name string) error {
	err := s.hooks.Ask("remove", name)
	if err == nil {
		err = os.Remove(s.path(name))
	}
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return fmt.Errorf("removing %s: %w", s.path(name), err)
}

// rename gives a file or a folder of the store another name, durably.
func (s *Store) rename(name, to string) error {
	err := s.hooks.Ask("rename", name)
	if err == nil {
		err = os.Rename(s.path(name), s.path(to))
	}
	if err == nil {
		err = s.syncNames()
	}
	return err
}

// removeFolder removes a folder of the store and what is in it, if it is there.
// A folder stays that holds what was removed and is still open: the next writer
// removes it.
func (s *Store) removeFolder(name string) error {
	entries, err := os.ReadDir(s.path(name))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	stays := false
	for _, e := range entries {
		if isRemoved(e) {
			stays = true
			continue
		}
		remove := s.remove
		if e.IsDir() {
			remove = s.removeFolder
		}
		if err := remove(filepath.Join(name, e.Name())); err != nil {
			return err
		}
	}
	if err := s.remove(name); !stays || !errors.Is(err, fs.ErrExist) { // ENOTEMPTY is one too
		return err
	}
	return nil
}

// replaceFile makes the file name hold data, all of it or none of it, see disk.Replace.
func (s *Store) replaceFile(name string, data []byte) error {
	return disk.Replace(s.path(name), func(f *os.File) error {
		// No truncation first: the spare's blocks are the reservation.
		if err := s.writeAt(f, name+".tmp", data, 0); err != nil {
			return err
		}
		return f.Truncate(int64(len(data)))
	})
}

// FreeBeside is how many bytes this user may still allocate on the volume of the store, once a core has given its
// space back.
func (s *Store) FreeBeside() (int64, error) {
	free, err := disk.Free(s.dir)
	return free + s.CoreBytes(), err
}

// InMemory reports whether the volume of the store is in memory. See disk.InMemory.
func (s *Store) InMemory() bool { return disk.InMemory(s.dir) }

// CoreBytes is how much of its volume a core of the store takes now.
func (s *Store) CoreBytes() int64 {
	return GivesBack(s.path(nameCore)) + GivesBack(s.path(nameCoreGone))
}

// GivesBack is how much of its volume the files of ours in dir take, which it has again when a store is made in their
// place: of a store that is replaced, or an import that is started over. It asks of no file that it be sound, and dir
// may be missing.
func GivesBack(dir string) (sum int64) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return 0 // what cannot be seen gives nothing back
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if isCore(e.Name()) && e.IsDir() {
			sum += GivesBack(path)
		} else if fi, err := e.Info(); err == nil && ownNames[e.Name()] && disk.CheckWritable(path, fi) == nil {
			sum += disk.DiskBytes(fi)
		}
	}
	return sum
}

// FactorsPath is where a store of layout Factors keeps what answers questions, in arrays of package arrays. The engine
// that the state names writes and reads the file; it counts once the state says that all is done.
func (s *Store) FactorsPath() string { return s.path(nameFactors) }

// FactorsBytes is how long that file is, 0 before it is there.
func (s *Store) FactorsBytes() int64 {
	info, err := os.Stat(s.FactorsPath())
	if err != nil {
		return 0
	}
	return info.Size()
}

// Variant returns the arithmetic that the matrix's entries need.
func (m *Meta) Variant() entry.Variant { return m.Kind.Variant(m.Negative) }

// Distance returns the bits of an entry of Kind.Wide as a distance in the input's units; unreachable is +Inf.
func (m *Meta) Distance(bits uint64) float64 { return m.Kind.Wide().Distance(bits, m.Scale) }

// MatrixName is the matrix's name in the store, for people.
const MatrixName = nameDist

// MatrixPath is where the matrix of the store in a folder is.
func MatrixPath(dir string) string { return filepath.Join(dir, nameDist) }

// CorePath is where the matrix of the smaller problem of the store in a folder is, see CoreDir.
func CorePath(dir string) string { return MatrixPath(filepath.Join(dir, nameCore)) }
