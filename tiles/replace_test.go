package tiles

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"ooc/tiles/crashtest"
	"ooc/tiles/disk"
	"ooc/tiles/internal/hook"
	"ooc/tiles/lock"
)

// steps runs something that changes the files of a store in dir, and returns
// copies of the folder as a kill would leave it before each operation, and after
// the last. If fail is not 0, that operation fails with kind, as do all behind
// it where it stays, and nothing is copied. Files are only changed in between.
type steps struct {
	fail  int
	stays bool
	kind  error

	mu     sync.Mutex
	count  int
	copies []string
	copy   func() string
}

func (s *steps) before(op, name string) error {
	if op == "open" || op == "read" || op == "map" { // which change nothing, and are done while a folder is looked at
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count++
	switch {
	case s.fail == 0:
		s.copies = append(s.copies, s.copy())
	case s.count == s.fail, s.count > s.fail && s.stays:
		return fmt.Errorf("%s %s: %w", op, name, s.kind)
	}
	return nil
}

// watchSteps stands between a store that is opened at dir next and the system.
func watchSteps(t *testing.T, dir string, s *steps) *steps {
	t.Helper()
	s.copy = func() string {
		to := filepath.Join(t.TempDir(), "copy.ooc")
		must(t, os.CopyFS(to, os.DirFS(dir)))
		return to
	}
	hook.Set(dir, &hook.Hooks{Before: s.before})
	t.Cleanup(func() { hook.Set(dir, nil) })
	return s
}

// withCore makes a closed store of all files and a core that is one too.
func withCore(t *testing.T) string {
	t.Helper()
	dir := fullStore(t)
	s, err := OpenReadOnly(dir)
	must(t, err)
	must(t, s.Close())
	m := testMeta(5, 64)
	m.Arcs, m.Parent = 5, s.Meta().ID
	c, err := Create(filepath.Join(dir, nameCore), m, ring(5), IDs{Text: []string{"a", "bb", "", "d", "e"}})
	must(t, err)
	must(t, c.Checkpoint(State{Done: 5}))
	must(t, c.WriteSums([]uint32{42}))
	must(t, c.Close())
	return dir
}

// removeCore opens a store and removes its core.
func removeCore(dir string) error {
	s, err := Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(s.RemoveCore(), s.Close())
}

// TestRemovalStops kills the removal of a core before each operation, and fails
// each. What is left is a store whose core is whole or gone, and the same call
// ends what was begun.
func TestRemovalStops(t *testing.T) {
	crashtest.Slow(t)
	whole := withCore(t)
	names := listing(t, filepath.Join(whole, nameCore))
	check := func(what, dir string) {
		t.Helper()
		hook.Set(dir, nil)
		left, err := ownFiles(dir)
		if err != nil {
			t.Errorf("%s: the folder: %v", what, err)
		}
		if slices.Contains(left, nameCore) && !slices.Equal(listing(t, filepath.Join(dir, nameCore)), names) {
			t.Errorf("%s: of the core %v are left", what, listing(t, filepath.Join(dir, nameCore)))
		}
		r, err := OpenReadOnly(dir)
		must(t, err)
		must(t, r.Close())
		s, _, ok := reopen(t, dir)
		if !ok {
			t.Errorf("%s: the store is not what it was", what)
		}
		if slices.Contains(listing(t, dir), nameCoreGone) {
			t.Errorf("%s: what was left of the core was not removed", what)
		}
		must(t, s.RemoveCore())
		m := testMeta(10, 64)
		m.Parent = s.Meta().ID
		c, err := Create(filepath.Join(dir, nameCore), m, nil, IDs{})
		must(t, err)
		must(t, c.Close())
		must(t, s.RemoveCore())
		must(t, s.Close())
		if after := listing(t, dir); slices.Contains(after, nameCore) || slices.Contains(after, nameCoreGone) {
			t.Errorf("%s: left: %v", what, after)
		}
	}
	dir := withCore(t)
	clean := watchSteps(t, dir, &steps{})
	must(t, removeCore(dir))
	if clean.count < len(names)+3 { // rename, sync, each file, the folder, sync
		t.Fatalf("%d operations", clean.count)
	}
	for k, dir := range clean.copies {
		check(fmt.Sprintf("killed before operation %d", k+1), dir)
	}
	for k := 1; k <= clean.count; k++ {
		for _, stays := range []bool{false, true} {
			kind := []error{syscall.EIO, syscall.ENOSPC}[k%2]
			dir := withCore(t)
			watchSteps(t, dir, &steps{fail: k, stays: stays, kind: kind})
			if err := removeCore(dir); !errors.Is(err, kind) || !strings.Contains(err.Error(), nameCore) {
				t.Errorf("operation %d fails: %v", k, err)
			}
			check(fmt.Sprintf("operation %d failed with %v", k, kind), dir)
		}
	}
	t.Logf("%d operations", clean.count)
}

// TestHalfACore: any part of a core may be all that an older version left, which
// removed it in no order; it is removed still, and started over with the store.
func TestHalfACore(t *testing.T) {
	rng := seeded(t)
	for k := range 30 {
		dir := withCore(t)
		core := filepath.Join(dir, nameCore)
		for _, name := range listing(t, core) {
			if rng.IntN(2) == 0 || k == 0 && name == nameLock {
				must(t, os.Remove(filepath.Join(core, name)))
			}
		}
		if rng.IntN(2) == 0 {
			must(t, os.WriteFile(filepath.Join(core, nameLock), make([]byte, 9), 0o666))
		}
		left := listing(t, core)
		if k%2 == 0 {
			must(t, os.Remove(filepath.Join(dir, nameStore)))
			s, err := Create(dir, testMeta(10, 64), nil, IDs{})
			if err != nil {
				t.Fatalf("with %v of the core: %v", left, err)
			}
			must(t, s.Close())
		} else if err := removeCore(dir); err != nil {
			t.Fatalf("with %v: %v", left, err)
		}
		if slices.Contains(listing(t, dir), nameCore) {
			t.Errorf("%v of the core are still there", left)
		}
	}
}

// TestForeignCoreIsKept: what is not ours in a core is not removed, nor anything
// beside it.
func TestForeignCoreIsKept(t *testing.T) {
	for _, core := range []string{nameCore, nameCoreGone} {
		for name, add := range map[string]func(path string) error{
			"notes.txt": func(path string) error { return os.WriteFile(path, []byte("x"), 0o666) },
			"link":      func(path string) error { return os.Symlink("/etc/hostname", path) },
			nameLock:    func(path string) error { return os.WriteFile(path, []byte("pid 7\n"), 0o666) },
			nameSums: func(path string) error {
				return errors.Join(os.Remove(path),
					os.Symlink("/etc/hostname", path))
			},
			nameIDs: func(path string) error {
				return errors.Join(os.Remove(path), os.Link(filepath.Join(filepath.Dir(path), nameGraph), path))
			},
		} {
			dir, other := withCore(t), withCore(t)
			s, err := Open(other) // a store that is open already when it happens
			must(t, err)
			for _, dir := range []string{dir, other} {
				if core != nameCore {
					must(t, os.Rename(filepath.Join(dir, nameCore), filepath.Join(dir, core)))
				}
				must(t, add(filepath.Join(dir, core, name)))
			}
			for what, err := range map[string]error{"an open store": s.RemoveCore(), "Open": second(Open(dir)),
				"Replace": second(s.Replace(testMeta(10, 64), nil, IDs{}))} {
				if !errors.Is(err, lock.ErrNotStore) && !errors.Is(err, disk.ErrCorrupt) ||
					!strings.Contains(err.Error(), core) {
					t.Errorf("%s/%s: %s: %v", core, name, what, err)
				}
			}
			must(t, s.Close())
			for _, dir := range []string{dir, s.Dir()} {
				if left := listing(t, filepath.Join(dir, core)); len(left) < 8 {
					t.Errorf("%s/%s: left: %v", core, name, left)
				}
			}
		}
	}
}

// TestRemovedButOpen keeps names as NFS and FUSE give them to removed files that a process has open: they are in
// nobody's way, and the next writer removes the folder that they kept.
func TestRemovedButOpen(t *testing.T) {
	for _, name := range []string{".nfs00000000000a1b2c0000001d", ".fuse_hidden0000001200000003"} {
		dir := withCore(t)
		left := filepath.Join(dir, nameCore, name)
		must(t, os.WriteFile(left, []byte("x"), 0o666))
		must(t, os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o666))
		s, err := Open(dir)
		must(t, err)
		must(t, s.RemoveCore())
		gone := filepath.Join(dir, nameCoreGone)
		if left := listing(t, gone); !slices.Equal(left, []string{name}) {
			t.Errorf("%s: left: %v", name, left)
		}
		m := testMeta(10, 64)
		s, err = s.Replace(m, nil, IDs{})
		must(t, err)
		must(t, os.Remove(filepath.Join(gone, name)))
		must(t, s.RemoveCore())
		if _, err := os.Lstat(gone); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", name, err)
		}
		must(t, s.Close())
		must(t, os.WriteFile(filepath.Join(dir, ".nfs-notes"), []byte("x"), 0o666))
		if _, err := ownFiles(dir); !errors.Is(err, lock.ErrNotStore) {
			t.Errorf("another name: %v", err)
		}
	}
}

// TestReplaceRefuses: whatever Replace can refuse it refuses with the old store
// as it was, and open.
func TestReplaceRefuses(t *testing.T) {
	for name, spoil := range map[string]func(dir string, m *Meta) error{
		"no such tile": func(_ string, m *Meta) error { m.T = 63; return nil },
		"too large":    func(_ string, m *Meta) error { m.N = 1 << 28; return nil },
		"notes.txt": func(dir string,
			_ *Meta) error {
			return os.WriteFile(filepath.Join(dir, "notes.txt"), nil, 0o666)
		},
		"a folder": func(dir string, _ *Meta) error { return os.Mkdir(filepath.Join(dir, "photos"), 0o777) },
		"live is a link": func(dir string, _ *Meta) error {
			return errors.Join(os.Remove(filepath.Join(dir, nameLive)),
				os.Symlink("/etc/hostname", filepath.Join(dir, nameLive)))
		},
		"sums is a hard link": func(dir string, _ *Meta) error {
			return os.Link(filepath.Join(dir, nameSums), filepath.Join(t.TempDir(), "outside"))
		},
		"core is another's": func(dir string, _ *Meta) error {
			return errors.Join(os.RemoveAll(filepath.Join(dir, nameCore)),
				os.CopyFS(filepath.Join(dir, nameCore), os.DirFS(fullStore(t))))
		},
		"core/notes.txt": func(dir string, _ *Meta) error {
			return os.WriteFile(filepath.Join(dir, nameCore, "notes.txt"), nil, 0o666)
		},
	} {
		dir, m := withCore(t), testMeta(10, 64)
		s, err := Open(dir)
		must(t, err)
		must(t, spoil(dir, &m))
		before := contents(t, dir)
		if _, err := s.Replace(m, nil, IDs{}); err == nil {
			t.Errorf("%s: not refused", name)
		}
		if after := contents(t, dir); !maps.Equal(before, after) {
			t.Errorf("%s: it was\n%v\nand is\n%v", name, slices.Sorted(maps.Keys(before)),
				slices.Sorted(maps.Keys(after)))
		}
		if _, err := s.ReadAt(1, 1); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		must(t, s.Close())
	}
}

// TestReplaceKeepsTheLock: a replacement that fails leaves an import that died, with
// its lock, also of a store that this process has made, lock and all.
func TestReplaceKeepsTheLock(t *testing.T) {
	s := newStore(t, 64, 64)
	dir := s.Dir()
	hook.Set(dir, &hook.Hooks{Before: func(op, _ string) error {
		if op == "reserve" {
			return syscall.EIO
		}
		return nil
	}})
	defer hook.Set(dir, nil)
	if _, err := s.Replace(testMeta(100, 64), nil, IDs{}); !errors.Is(err, syscall.EIO) {
		t.Errorf("nothing can be reserved: %v", err)
	}
	if half, err := Incomplete(dir); !half || err != nil {
		t.Errorf("what is left: %v, of an import that died: %v, %v", listing(t, dir), half, err)
	}
}

// TestReplaceStops kills the replacement of a store before each operation, and
// fails each: what is left is the old store, the new one, or an import that died
// and is started over. The lock is held from the beginning to the end.
func TestReplaceStops(t *testing.T) {
	crashtest.Slow(t)
	graph := testMeta(100, 64)
	graph.Arcs = 100
	replace := func(dir string) error {
		s, err := Open(dir)
		if err != nil {
			return err
		}
		defer s.Close()
		n, err := s.Replace(graph, ring(100), IDs{})
		if err == nil {
			err = n.Close()
		}
		return err
	}
	ends := map[string]int{}
	check := func(what, dir string) {
		t.Helper()
		hook.Set(dir, nil)
		half, err := Incomplete(dir)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		end := "started over"
		if half {
			s, err := Create(dir, graph, ring(100), IDs{})
			if err != nil {
				t.Fatalf("%s: starting over: %v", what, err)
			}
			must(t, s.Close())
		} else {
			m, _, _, sums, err := readAll(dir)
			switch {
			case m.N == 5 && err == nil && len(sums) == 1:
				end = "the old store"
			case m.N == 100:
				end = "the new store"
			default:
				t.Errorf("%s: %+v, %v, %v", what, m, sums, err)
			}
			must(t, replace(dir))
		}
		ends[end]++
		if left, err := ownFiles(dir); err != nil || slices.Contains(left, nameCore) ||
			slices.Contains(left, nameSums) {
			t.Errorf("%s: left of the old one: %v, %v", what, left, err)
		}
	}
	dir := withCore(t)
	clean := watchSteps(t, dir, &steps{})
	copied := clean.copy
	clean.copy = func() string {
		f, err := os.Open(filepath.Join(dir, nameLock))
		must(t, err)
		defer f.Close()
		if err := lock.File(f, false); !errors.Is(err, lock.ErrLocked) {
			t.Errorf("before operation %d nobody has the lock: %v", clean.count, err)
		}
		return copied()
	}
	must(t, replace(dir))
	for k, dir := range clean.copies {
		check(fmt.Sprintf("killed before operation %d", k+1), dir)
	}
	for k := 1; k <= clean.count; k++ {
		kind := []error{syscall.EIO, syscall.ENOSPC}[k/2%2]
		dir := withCore(t)
		watchSteps(t, dir, &steps{fail: k, stays: k%2 == 0, kind: kind})
		if err := replace(dir); !errors.Is(err, kind) {
			t.Errorf("operation %d fails: %v", k, err)
		}
		check(fmt.Sprintf("operation %d failed with %v", k, kind), dir)
	}
	t.Logf("%d operations: %v", clean.count, ends)
	if len(ends) != 3 {
		t.Errorf("it only ever ended as %v", ends)
	}
}

// TestResetStops fails each operation of a Reset and kills before each: the
// store is what it was, lacks its checksums only, or counts for nothing.
func TestResetStops(t *testing.T) {
	reset := func(dir string) error {
		s, err := Open(dir)
		if err != nil {
			return err
		}
		return errors.Join(s.Reset(), s.Close())
	}
	dir := fullStore(t)
	clean := watchSteps(t, dir, &steps{})
	must(t, reset(dir))
	dirs := clean.copies
	for k := 1; k <= clean.count; k++ {
		dir := fullStore(t)
		watchSteps(t, dir, &steps{fail: k, kind: syscall.EIO})
		if err := reset(dir); !errors.Is(err, syscall.EIO) {
			t.Errorf("operation %d fails: %v", k, err)
		}
		hook.Set(dir, nil)
		dirs = append(dirs, dir)
	}
	for k, dir := range dirs {
		s, st, ok := reopen(t, dir)
		if _, err := s.Sums(); ok && st.Done != 5 || !ok && err == nil {
			t.Errorf("%d: state %+v, %v, but checksums %v", k, st, ok, err)
		}
		must(t, s.Reset())
		must(t, s.Close())
	}
}

// TestStoreThatComesAndGoes looks for a store whose store.json goes and comes back, as where it is begun again: that
// may be between two looks, and is no folder of something else.
func TestStoreThatComesAndGoes(t *testing.T) {
	s := newStore(t, 64, 64)
	file, beside := s.path(nameStore), s.path(nameStoreTmp)
	stop, ended := make(chan struct{}), make(chan error)
	go func() {
		for {
			select {
			case <-stop:
				ended <- nil
				return
			default:
			}
			if err := errors.Join(os.Rename(file, beside), os.Rename(beside, file)); err != nil {
				ended <- err
				return
			}
		}
	}()
	found, gone, bad := 0, 0, error(nil)
	for bad == nil && (found+gone < 500 || (found == 0 || gone == 0) && found+gone < 1e6) {
		switch _, err := findMeta(s.Dir()); {
		case err == nil:
			found++
		case errors.Is(err, ErrIncomplete):
			gone++
		default:
			bad = err
		}
	}
	close(stop)
	must(t, bad)
	must(t, <-ended)
	if gone == 0 {
		t.Errorf("%d times it was there, %d times not", found, gone)
	}
}

// TestReadersWhileReplaced puts another store in the place of one right before a reader opens each of its files. The
// reader sees that store, or is told to ask again; never that a file is damaged or another store's.
func TestReadersWhileReplaced(t *testing.T) {
	for _, name := range []string{nameGraph, nameDist, nameState, nameSums} {
		s := newStore(t, 128, 64)
		replace := func(n int) {
			t.Helper()
			m := testMeta(n, 64)
			m.Arcs = int64(5 * n)
			var err error
			s, err = s.Replace(m, multi(n, 5), IDs{})
			must(t, err)
		}
		replace(128)
		dir, replaced := s.Dir(), false
		hook.Set(dir, &hook.Hooks{Before: func(op, file string) error {
			if op == "open" && file == name && !replaced {
				replaced = true
				replace(129)
			}
			return nil
		}})
		r, err := OpenReadOnly(dir)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		_, _, err = r.State()
		if err == nil {
			_, err = r.Sums()
		}
		again := err != nil && strings.Contains(err.Error(), "ask again") && !errors.Is(err, disk.ErrCorrupt)
		if name == nameGraph || name == nameDist { // open by then
			if !errors.Is(err, fs.ErrNotExist) || r.Meta().N != 129 {
				t.Errorf("%s: a reader of %d vertices is told: %v", name, r.Meta().N, err)
			}
		} else if !again {
			t.Errorf("%s: a reader is told: %v", name, err)
		}
		if !replaced {
			t.Errorf("%s: nobody opened it", name)
		}
		hook.Set(dir, nil)
		must(t, r.Close())
		must(t, s.Close())
	}
}
