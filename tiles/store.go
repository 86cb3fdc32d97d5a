package tiles

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/edsrzf/mmap-go"

	"ooc/tiles/disk"
	"ooc/tiles/internal/hook"
	"ooc/tiles/lock"
)

// Store is an open store. Its methods may be called from many goroutines;
// callers keep two goroutines from writing one tile, or writing a tile that
// another reads, at a time.
type Store struct {
	matrix

	dir      string
	meta     Meta
	geo      Geometry
	writable bool
	hooks    *hook.Hooks // nil outside tests
	here     incarnation // of a writer: where its unsynced writes count
	places   []int32     // of a part store: where its tiles are, see Meta.places
	held     int         // and how many
	joined   []*Store    // all parts of a store, by their index, where that is in parts
	dist     *os.File    // the matrix; open as long as the mapping; nil in layout Factors
	lock     *lock.Lock  // nil for readers, and beside the process that has it

	// ready: a writer knows what the matrix is worth (Create, Recover or
	// Reset), so it may change it.
	ready atomic.Bool

	mu  sync.RWMutex // guards mem and byFile: readers use them, Close unmaps
	mem mmap.MMap    // nil once closed; empty in layout Factors, and byFile
	// byFile says that there is no mapping, because the volume is not only this host's.
	byFile bool

	syncMu sync.Mutex // one checkpoint, note or reset at a time; guards the rest
	state  *os.File   // nil for readers
	best   int        // the slot that counts, -1 if none
	seq    uint64     // its sequence number, 0 if none
	failed error      // the first failed sync

	liveMu  sync.Mutex // guards the rest
	live    *os.File   // nil until SetLive
	liveSeq uint64

	checks atomic.Pointer[checks] // nil until they are looked for
}

// unopened returns a store that has nothing open yet.
func unopened(dir string, m Meta, writable bool) *Store {
	s := &Store{dir: dir, meta: m, geo: m.Geometry(), writable: writable, hooks: hook.For(dir), best: -1}
	if m.Part != nil {
		s.places, s.held = m.places()
	}
	s.matrix = matrix{s: s}
	return s
}

// Meta describes the store.
func (s *Store) Meta() Meta { return s.meta }

// Geometry is the shape of the store's matrix.
func (s *Store) Geometry() Geometry { return s.geo }

// Dir is the store's folder, as it was given to Create or Open.
func (s *Store) Dir() string { return s.dir }

func (s *Store) path(name string) string { return filepath.Join(s.dir, name) }

// Open opens a complete store as its one writer. It fails with a *lock.LockedError
// while another process has it, with ErrIncomplete where an import died, with
// lock.ErrNotStore for other folders, with disk.ErrCorrupt or ErrVersion where the files
// are not what store.json says. Call Recover or Reset before writing.
func Open(dir string) (*Store, error) {
	// The lock of another program's folder is neither made nor written to.
	if _, err := findMeta(dir); err != nil {
		return nil, err
	}
	return openLocked(dir, func() (*Store, error) { return openStore(dir, true, false) })
}

// openLocked has open open a store with its lock held. What some step would refuse in the end is refused now.
func openLocked(dir string, open func() (*Store, error)) (*Store, error) {
	if err := checkNames(dir); err != nil {
		return nil, err
	}
	held, err := lock.Take(dir)
	if err != nil {
		return nil, err
	}
	s, err := (*Store)(nil), nobodyBeside(dir)
	if err == nil {
		s, err = open()
	}
	if err != nil {
		held.Release()
		return nil, err
	}
	s.lock = held
	return s, nil
}

// OpenReadOnly opens a complete store for reading. It takes no lock, so it
// works while a solve runs, and on media that cannot be written; entries read
// during a solve are upper bounds. Errors are those of Open, but never
// lock.ErrLocked.
//
// A folder that holds all part stores of a solve is opened as one store. See OpenParts.
func OpenReadOnly(dir string) (*Store, error) {
	if !IsStore(dir) {
		if parts := partStores(dir); parts != nil {
			return OpenParts(dir, parts)
		}
	}
	for try := 0; ; try++ {
		s, err := openStore(dir, false, false)
		if err == nil {
			return s, nil
		}
		if s == nil || try == anewTries || !s.madeAnew() {
			return nil, err
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// anewTries is how often a reader opens a store that others make anew meanwhile.
const anewTries = 100

// madeAnew says whether another store is in the place of this one by now, or
// is being made there.
func (s *Store) madeAnew() bool {
	if s.joined != nil {
		return slices.ContainsFunc(s.joined, (*Store).madeAnew)
	}
	m, err := readMeta(s.dir)
	return err == nil && m.ID != s.meta.ID || errors.Is(err, fs.ErrNotExist)
}

// anew explains an error of a reader whose store another took the place of.
func (s *Store) anew(err error) error {
	if err != nil && !s.writable && !errors.Is(err, errClosed) && s.madeAnew() {
		return fmt.Errorf("%s: another graph was solved into it while it was read, or the same again; ask again", s.dir)
	}
	return err
}

// findMeta reads store.json, or explains why there is none. In a store that is
// begun again it goes and comes back, which may be between two looks.
func findMeta(dir string) (Meta, error) {
	for try := 0; ; try++ {
		m, err := readMeta(dir)
		if err == nil {
			return m, nil
		}
		if err = notOpen(dir, err); !errors.Is(err, errAppeared) || try == anewTries {
			return m, err
		}
	}
}

// errAppeared says that store.json was not there, and now is.
var errAppeared = fmt.Errorf("%w: its %s goes and comes", lock.ErrNotStore, nameStore)

// notOpen explains a folder without store.json, and leaves other errors as they
// are.
func notOpen(dir string, err error) error {
	if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
		return err
	}
	info, serr := os.Stat(dir)
	switch {
	case errors.Is(serr, fs.ErrNotExist):
		return fmt.Errorf("%s: %w; ooc solve GRAPH makes a store", dir, fs.ErrNotExist)
	case serr != nil:
		return serr
	case !info.IsDir():
		return fmt.Errorf("%s: %w: it is a file; if that is a graph, ooc solve makes a store of it", dir,
			lock.ErrNotStore)
	}
	names, ierr := ownFiles(dir)
	switch {
	// The error at hand says it all. What follows is advice for whoever wants to make a store.
	case errors.Is(ierr, lock.ErrNotStore), errors.Is(ierr, fs.ErrNotExist):
	case ierr != nil:
		return ierr
	case slices.Contains(names, nameStore):
		return fmt.Errorf("%s: %w", dir, errAppeared)
	case len(names) > 0:
		h, err := lock.HolderOf(dir)
		if err != nil {
			return err
		}
		if h.Running {
			return fmt.Errorf("%s: %w: process %d on %s imports its graph now; follow it with: ooc watch %s", dir,
				ErrIncomplete, h.PID, h.Host, dir)
		}
		return fmt.Errorf("%s: %w: its import died; solve the graph again, which starts it over", dir, ErrIncomplete)
	}
	if err := notInParts(dir); err != nil {
		return err
	}
	return fmt.Errorf("%s: %w: it has no %s", dir, lock.ErrNotStore, nameStore)
}

// readMeta reads store.json.
func readMeta(dir string) (Meta, error) {
	path := filepath.Join(dir, nameStore)
	data, err := disk.ReadSmall(path, maxStoreJSON)
	if err != nil {
		return Meta{}, err
	}
	return decodeMeta(path, data)
}

// openStore opens the files of a complete store, which checks them against
// store.json. If only that fails, there is a store, which is closed. beside: it is open for writing beside the
// process that has its lock.
func openStore(dir string, writable, beside bool) (*Store, error) {
	m, err := findMeta(dir)
	if err != nil {
		return nil, err
	}
	s := unopened(dir, m, writable)
	if err := s.openFiles(beside); err != nil {
		s.closeFiles()
		return s, err
	}
	return s, nil
}

func (s *Store) openFiles(beside bool) error {
	if err := s.checkInputs(); err != nil {
		return err
	}
	flag, prot := os.O_RDONLY, mmap.RDONLY
	if s.writable {
		flag, prot = os.O_RDWR, mmap.RDWR
	}
	var err error
	if !s.geo.Factors {
		if s.dist, err = s.mustOpen(nameDist, flag); err != nil {
			return err
		}
		if err = s.checkNPY(); err != nil {
			return err
		}
	}
	if s.writable {
		if s.state, err = s.mustOpen(nameState, flag); err != nil {
			return err
		}
		s.here = s.incarnation()
		if beside {
			err = lock.File(s.state, false)
		} else if err = s.forgetFailed(); err == nil {
			err = s.removeGone()
		}
		if err != nil {
			return err
		}
	}
	return s.mapMatrix(prot)
}

// mustOpen opens a file that a complete store has.
func (s *Store) mustOpen(name string, flag int) (*os.File, error) {
	f, err := disk.OpenRegular(s.path(name), flag)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, disk.Corrupt(s.path(name),
			"it is missing; restore the file, or solve the graph again with --restart")
	}
	return f, err
}

func (s *Store) mapMatrix(prot int) error {
	s.byFile = s.dist != nil && (disk.Network(s.dir) != "" || hook.ByFile || s.hooks != nil && s.hooks.ByFile)
	if s.dist == nil || s.byFile {
		s.mem = mmap.MMap{}
		return nil
	}
	var err error
	s.mem, err = disk.Map(s.dist, s.distBytes(), prot)
	return err
}

// Close waits for accesses in flight, unmaps the matrix and gives the lock
// back. It syncs nothing. A second Close does nothing.
func (s *Store) Close() error {
	s.syncMu.Lock()
	defer s.syncMu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.mem == nil && s.lock == nil {
		return nil
	}
	s.liveMu.Lock()
	defer s.liveMu.Unlock()
	return s.closeFiles()
}

// closeFiles releases whatever is open. The lock goes last: whoever gets it
// next must find nothing of ours mapped.
func (s *Store) closeFiles() error {
	var errs []error
	if len(s.mem) > 0 {
		errs = append(errs, s.mem.Unmap())
	}
	s.mem = nil
	for _, f := range []*os.File{s.dist, s.state, s.live} {
		if f != nil {
			errs = append(errs, f.Close())
		}
	}
	if s.lock != nil {
		errs = append(errs, s.lock.Release())
	}
	for _, p := range s.joined {
		errs = append(errs, p.Close())
	}
	s.lock, s.live = nil, nil
	return errors.Join(errs...)
}

// syncNames makes created, renamed and removed names of the store durable.
func (s *Store) syncNames() error {
	return s.hooks.Synced(".", func() error { return disk.SyncDir(s.dir) })
}

// mayWrite says why this store may not be written, nil if it may.
func (s *Store) mayWrite() error {
	switch {
	case !s.writable:
		return fmt.Errorf("%s: %w", s.dir, errReadOnly)
	case !s.ready.Load():
		return fmt.Errorf("%s: %w", s.dir, errNotRecovered)
	}
	return nil
}
