package tiles

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"ooc/tiles/internal/hook"
	"ooc/tiles/internal/system"
)

// Names of the files of a store.
const (
	nameStore = "store.json"
	nameGraph = "graph.csr"
	nameIDs   = "ids"
	nameDist  = "dist.npy"
	nameState = "state"
	nameLive  = "live"
	nameSums  = "sums"
	nameLock  = "lock"
	nameCore  = "core" // a store in the store, see CoreDir

	nameCoreGone = "core.gone" // what is left of one that is being removed

	// The spare holds the space of sums from Create on, so that writing them
	// in the last second of a solve cannot run out of it.
	nameSumsSpare = "sums.tmp"
	nameStoreTmp  = "store.json.tmp"
)

var ownNames = map[string]bool{
	nameStore: true, nameGraph: true, nameIDs: true, nameDist: true, nameState: true,
	nameLive: true, nameSums: true, nameLock: true, nameSumsSpare: true, nameStoreTmp: true,
}

// OpenRegular opens a regular file of a store and nothing else: a symbolic
// link in a store from elsewhere could aim our writes at any file of the user,
// a FIFO would block for ever. For writing the file may have no other name
// either, for the same reason.
func OpenRegular(path string, flag int) (*os.File, error) {
	if err := hook.AskPath("open", path); err != nil {
		return nil, classify(err)
	}
	f, err := system.OpenNoFollow(path, flag, 0o666)
	if err != nil {
		if fi, lerr := os.Lstat(path); lerr == nil && !fi.Mode().IsRegular() {
			return nil, notRegular(path, fi)
		}
		return nil, classify(err)
	}
	fi, err := f.Stat()
	switch {
	case err != nil:
	case !fi.Mode().IsRegular():
		err = notRegular(path, fi)
	case flag&(os.O_WRONLY|os.O_RDWR) != 0 && system.LinkCount(path, fi) > 1:
		err = hardLink(path)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func notRegular(path string, fi fs.FileInfo) error {
	return corrupt(path, "it is a %s; put the file itself in its place", typeName(fi))
}

// typeName says what is there that is no regular file.
func typeName(fi fs.FileInfo) string {
	switch m := fi.Mode(); {
	case m.IsDir():
		return "folder"
	case m&fs.ModeSymlink != 0:
		return "link"
	case m&fs.ModeNamedPipe != 0:
		return "pipe"
	case m.IsRegular():
		return "file"
	}
	return "special file"
}

func hardLink(path string) error {
	return corrupt(path, "it is a hard link, and writing to it would change the file under its other names too; copy the store (cp -r) and continue with the copy")
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

// removeFolder removes a folder of the store and what is in it, if it is there.
func (s *Store) removeFolder(name string) error {
	entries, err := os.ReadDir(s.path(name))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		remove := s.remove
		if e.IsDir() {
			remove = s.removeFolder
		}
		if err := remove(filepath.Join(name, e.Name())); err != nil {
			return err
		}
	}
	return s.remove(name)
}

// readSmall reads a whole file of at most max bytes.
func readSmall(path string, max int64) ([]byte, error) {
	f, err := OpenRegular(path, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var b []byte
	if err = hook.AskPath("read", path); err == nil {
		b, err = io.ReadAll(io.LimitReader(f, max+1))
	}
	if err != nil {
		return nil, readErr(path, err)
	}
	if int64(len(b)) > max {
		return nil, corrupt(path, "it is longer than %d bytes", max)
	}
	return b, nil
}

// replaceFile makes the file name hold data, all of it or none of it: it fills
// tmp, syncs it, renames it, syncs the folder.
func (s *Store) replaceFile(name, tmp string, data []byte) error {
	path := s.path(tmp)
	f, err := OpenRegular(path, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return err
	}
	// No truncation first: the spare's blocks are the reservation.
	err = s.writeAt(f, tmp, data, 0)
	if err == nil {
		err = f.Truncate(int64(len(data)))
	}
	if err == nil {
		err = s.sync(tmp, f.Sync)
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = s.hooks.Ask("rename", name)
	}
	if err == nil {
		err = os.Rename(path, s.path(name))
	}
	if err == nil {
		err = s.syncNames()
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", s.path(name), classify(err))
	}
	return nil
}

// Room fails with ErrNoSpace if the volume of the folder dir is known to lack size bytes for file, before anything
// is done for it. Reserve is what makes sure.
func Room(dir, file string, size int64) error {
	if free, err := system.FreeSpace(dir); err == nil && free < size {
		return noSpace(file, size, free)
	}
	return nil
}

// RoomInPlace is Room for a store at dir: what is there of a store that is replaced, or of an import that is started over,
// gives its space back first.
func RoomInPlace(dir, file string, size int64) error {
	if free, err := FreeInPlace(dir); err == nil && free < size {
		return noSpace(file, size, free)
	}
	return nil
}

// FreeInPlace is how many bytes this user may still allocate on the volume of a store at dir, once what is there of one
// has given its space back. The folder may be missing.
func FreeInPlace(dir string) (int64, error) {
	free, err := system.FreeSpace(standing(dir))
	return free + held(dir), err
}

// standing is a folder, or the nearest above it that is there.
func standing(dir string) string {
	for {
		up := filepath.Dir(filepath.Clean(dir))
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) || up == dir {
			return dir
		}
		dir = up
	}
}

// FreeBeside is how many bytes this user may still allocate on the volume of the store, once a core has given its
// space back.
func (s *Store) FreeBeside() (int64, error) {
	free, err := system.FreeSpace(s.dir)
	return free + s.CoreBytes(), err
}

// CoreBytes is how much of its volume a core of the store takes now.
func (s *Store) CoreBytes() int64 {
	return held(s.path(nameCore)) + held(s.path(nameCoreGone))
}

// held is how much of its volume the files of ours in dir take. It asks of no file that it be sound.
func held(dir string) (sum int64) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return 0 // what cannot be seen gives nothing back
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if isCore(e.Name()) && e.IsDir() {
			sum += held(path)
		} else if fi, err := e.Info(); err == nil && ownNames[e.Name()] && fi.Mode().IsRegular() && system.LinkCount(path, fi) <= 1 {
			sum += system.DiskBytes(fi)
		}
	}
	return sum
}

// noSpace builds an ErrNoSpace found by looking rather than by failing.
func noSpace(file string, need, free int64) error {
	return fmt.Errorf("%s: %w: %w: %s needed, %s free on the volume; free some, or choose another volume with --out",
		file, ErrNoSpace, syscall.ENOSPC, sizeString(need), sizeString(free))
}

// SyncDir makes created, renamed and removed names in a folder durable.
func SyncDir(dir string) error { return system.SyncDir(dir) }

func sizeString(n int64) string {
	const units = "KMGTPE"
	if n < 1024 {
		return fmt.Sprintf("%d B", n)
	}
	v, u := float64(n)/1024, 0
	for v >= 1024 && u < len(units)-1 {
		v, u = v/1024, u+1
	}
	return fmt.Sprintf("%.1f %ciB", v, units[u])
}

// Volume tells the volumes of folders apart, and says how many bytes this user may still allocate on that of dir.
func Volume(dir string) (id string, free int64, err error) {
	dir = standing(dir)
	if id, err = system.Volume(dir); err != nil {
		return "", 0, err
	}
	free, err = system.FreeSpace(dir)
	return id, free, err
}
