package tiles

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"ooc/tiles/disk"
	"ooc/tiles/lock"
)

// TestCutUnderTheMapping truncates the matrix of an open store at every kind
// of place within a tile and touches the tile in every way.
func TestCutUnderTheMapping(t *testing.T) {
	const tile = 16384
	cuts := []int64{0, 1, 511, 4095, 4096, 4097, 8191, 8192, 12288, 12289, tile - 4096, tile - 4, tile - 1}
	rng := seeded(t)
	for range 10 {
		cuts = append(cuts, rng.Int64N(tile))
	}
	for _, cut := range cuts {
		s := newStore(t, 150, 64)
		b := randomTile(s.Geometry(), rng)
		must(t, s.WriteTile(1, 1, b))
		must(t, s.Checkpoint(State{Done: 1}))
		must(t, os.Truncate(s.path(nameDist), s.geo.TileOffset(1, 1)+cut))
		line := make([]byte, 600)
		for op, err := range map[string]error{
			"read": s.ReadTile(b, 1, 1), "write": s.WriteTile(1, 1, b), "sum": s.TileSums(make([]uint32, 1), 1, 1),
			"row": s.ReadRow(line, 127), "column": s.ReadCol(line, 127), "entry": second(s.ReadAt(127, 127)),
		} {
			var f *FaultError
			if !errors.As(err, &f) || !errors.Is(err, disk.ErrCorrupt) || f.I != 1 || f.J != 1 ||
				f.File != s.path(nameDist) {
				t.Fatalf("cut at %d, %s: %v", cut, op, err)
			}
			if !strings.Contains(err.Error(), "tile (1,1)") || !strings.Contains(err.Error(), "cut to") {
				t.Errorf("cut at %d, %s: the message is %q", cut, op, err)
			}
		}
		must(t, s.ReadTile(b, 1, 0)) // the tiles before the cut are fine
		must(t, s.WriteTile(0, 2, b))
		s.Prefetch(2, 2)
		if err := s.Checkpoint(State{Done: 2}); !errors.Is(err, disk.ErrCorrupt) {
			t.Errorf("cut at %d: checkpoint: %v", cut, err)
		}
		if st, _, err := s.State(); st.Done != 1 || err != nil {
			t.Errorf("cut at %d: state %+v, %v", cut, st, err)
		}
		must(t, s.Close())
		if _, err := Open(s.Dir()); !errors.Is(err, disk.ErrCorrupt) {
			t.Errorf("cut at %d: Open: %v", cut, err)
		}
	}
}

// TestFaultSettingIsRestored: what the caller's goroutine does on a fault is
// its own affair.
func TestFaultSettingIsRestored(t *testing.T) {
	s := newStore(t, 64, 64)
	b := make([]byte, 16384)
	for _, want := range []bool{false, true} {
		old := debug.SetPanicOnFault(want)
		must(t, s.ReadTile(b, 0, 0))
		if got := debug.SetPanicOnFault(want); got != want {
			t.Errorf("after a read: %v, was %v", got, want)
		}
		must(t, os.Truncate(s.path(nameDist), 4096))
		if s.ReadTile(b, 0, 0) == nil {
			t.Error("a read of nothing succeeds")
		}
		if got := debug.SetPanicOnFault(old); got != want {
			t.Errorf("after a fault: %v, was %v", got, want)
		}
		must(t, os.Truncate(s.path(nameDist), npyHeaderLen+s.geo.MatrixBytes()))
	}
}

// TestForeignPanicsGoOn: only faults on the mapping are ours to explain.
func TestForeignPanicsGoOn(t *testing.T) {
	s := newStore(t, 64, 64)
	for name, use := range map[string]func([]byte){
		"bug":          func([]byte) { panic("bug") },
		"nil pointer":  func([]byte) { var p *int; *p = 1 },
		"out of range": func(b []byte) { _ = b[len(b)+int(b[0])] },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: swallowed", name)
				}
			}()
			t.Errorf("%s: returned %v", name, s.touch("read", 0, 0, 0, s.geo.TileBytes(), use))
		}()
	}
	must(t, s.Close()) // no lock was left held
}

// TestRemovedMatrix: hours of work must not go into a file without a name.
func TestRemovedMatrix(t *testing.T) {
	for _, name := range []string{nameDist, nameState, nameLock} { // without that lock another process may write
		s := newStore(t, 64, 64)
		must(t, os.Remove(s.path(name)))
		if err := s.Checkpoint(State{Done: 1}); !errors.Is(err, disk.ErrCorrupt) ||
			!strings.Contains(err.Error(), name) {
			t.Errorf("%s removed: %v", name, err)
		}
		must(t, os.WriteFile(s.path(name), make([]byte, 4096+16384), 0o666))
		if err := s.Checkpoint(State{Done: 1}); !errors.Is(err, disk.ErrCorrupt) {
			t.Errorf("%s replaced: %v", name, err)
		}
	}
}

// TestForeignFolders: what is not ours is neither opened nor changed.
func TestForeignFolders(t *testing.T) {
	for name, fill := range map[string]func(dir string) error{
		"a file of the user": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "thesis.tex"),
				[]byte("x"), 0o666)
		},
		"a matrix alone": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, nameDist), []byte("x"),
				0o666)
		},
		"a foreign lock": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, nameLock), []byte("yarn 1.0\n"), 0o666)
		},
		"ours and more": func(dir string) error {
			must(t, os.WriteFile(filepath.Join(dir, nameLock), nil, 0o666))
			return os.WriteFile(filepath.Join(dir, "notes.txt"), []byte("x"), 0o666)
		},
		"a folder": func(dir string) error {
			must(t, os.WriteFile(filepath.Join(dir, nameLock), nil, 0o666))
			return os.Mkdir(filepath.Join(dir, nameGraph), 0o777)
		},
		"a link": func(dir string) error {
			must(t, os.WriteFile(filepath.Join(dir, nameLock), nil, 0o666))
			return os.Symlink("/etc/hostname", filepath.Join(dir, nameState))
		},
		"a hard link": func(dir string) error {
			must(t, os.WriteFile(filepath.Join(dir, nameLock), nil, 0o666))
			return os.Link(filepath.Join(dir, nameLock), filepath.Join(dir, nameState))
		},
	} {
		dir := t.TempDir()
		must(t, fill(dir))
		before := contents(t, dir)
		_, cerr := Create(dir, testMeta(64, 64), nil, IDs{})
		_, oerr := Open(dir)
		_, rerr := OpenReadOnly(dir)
		_, ierr := Incomplete(dir)
		for what, err := range map[string]error{"Create": cerr, "Open": oerr, "OpenReadOnly": rerr,
			"Incomplete": ierr} {
			if !errors.Is(err, lock.ErrNotStore) && !(name == "a hard link" && errors.Is(err, disk.ErrCorrupt)) {
				t.Errorf("%s, %s: %v", name, what, err)
			}
		}
		if after := contents(t, dir); !maps.Equal(before, after) {
			t.Errorf("%s: %v became %v", name, before, after)
		}
	}
}

// TestFileForAFolder: a store cannot be made in the place of a file, nor in one.
func TestFileForAFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "notes.txt")
	must(t, os.WriteFile(file, []byte("x"), 0o666))
	for what, err := range map[string]error{
		"Create": second(Create(file, testMeta(64, 64), nil, IDs{})), "Vacant": Vacant(file),
		"Open": second(Open(file)), "Vacant in it": Vacant(filepath.Join(file, "a.ooc")),
	} {
		if !errors.Is(err, lock.ErrNotStore) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if b, err := os.ReadFile(file); err != nil || string(b) != "x" {
		t.Errorf("it became %q, %v", b, err)
	}
}

// TestForeignStoreJSON: a folder of another program that has a store.json too.
// Its lock is neither made nor written to.
func TestForeignStoreJSON(t *testing.T) {
	for _, store := range []string{"", "{}", `{"format": "pantry", "version": 1}`, "not JSON"} {
		for _, locked := range []string{"none", "", "yarn 1.0\n", lockMagic + "\n"} {
			dir := t.TempDir()
			must(t, os.WriteFile(filepath.Join(dir, nameStore), []byte(store), 0o666))
			if locked != "none" {
				must(t, os.WriteFile(filepath.Join(dir, nameLock), []byte(locked), 0o666))
			}
			before := contents(t, dir)
			for what, err := range map[string]error{
				"Create": second(Create(dir, testMeta(64, 64), nil, IDs{})), "Open": second(Open(dir)),
				"OpenReadOnly": second(OpenReadOnly(dir)), "Vacant": Vacant(dir),
			} {
				if !errors.Is(err, lock.ErrNotStore) && !errors.Is(err, disk.ErrCorrupt) ||
					!strings.Contains(err.Error(), dir) || !strings.Contains(err.Error(), "--out") {
					t.Errorf("%q, lock %q: %s: %v", store, locked, what, err)
				}
			}
			if after := contents(t, dir); !maps.Equal(before, after) {
				t.Errorf("%v became %v", before, after)
			}
		}
	}
}

// TestHardLinks: a file with a second name is not written, under any of the
// names of a store.
func TestHardLinks(t *testing.T) {
	for name := range ownNames {
		dir, outside := fullStore(t), filepath.Join(t.TempDir(), "outside")
		path := filepath.Join(dir, name)
		if _, err := os.Lstat(path); err != nil { // store.json.tmp and sums.tmp, which a solve writes anew
			must(t, os.WriteFile(path, []byte("x"), 0o666))
		}
		must(t, os.Link(path, outside))
		before, err := os.ReadFile(outside)
		must(t, err)
		_, lerr := ownFiles(dir)
		_, werr := disk.OpenRegular(path, os.O_RDWR)
		for what, err := range map[string]error{"the look": lerr, "for writing": werr} {
			if !errors.Is(err, disk.ErrCorrupt) || !strings.Contains(err.Error(), path) ||
				!strings.Contains(err.Error(), "hard link") {
				t.Errorf("%s: %s: %v", name, what, err)
			}
		}
		if err := useEverything(dir); !errors.Is(err, disk.ErrCorrupt) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", name, err)
		}
		if after, err := os.ReadFile(outside); err != nil || string(after) != string(before) {
			t.Errorf("%s: the other name's content changed: %v", name, err)
		}
	}
}

// TestFoldersThatBecomeStores: missing, empty, dead.
func TestFoldersThatBecomeStores(t *testing.T) {
	missing, empty, dead := filepath.Join(t.TempDir(), "x"), t.TempDir(), t.TempDir()
	for _, name := range []string{nameLock, nameDist, nameGraph, nameStoreTmp} {
		must(t, os.WriteFile(filepath.Join(dead, name), []byte(lockMagic), 0o666))
	}
	for dir, want := range map[string]bool{missing: false, empty: false, dead: true} {
		if half, err := Incomplete(dir); half != want || err != nil {
			t.Errorf("Incomplete: %v, %v", half, err)
		}
		if _, err := Open(dir); err == nil || errors.Is(err, ErrIncomplete) != want {
			t.Errorf("Open: %v", err)
		}
		s, err := Create(dir, testMeta(64, 64), nil, IDs{})
		must(t, err)
		must(t, s.Close())
		if _, err := os.Lstat(filepath.Join(dir, nameGraph)); err == nil {
			t.Error("a graph of the dead import is left")
		}
	}
}

// TestLinksInAStore: each file replaced by a link to a file outside, and by a
// FIFO. Nothing follows the one or waits on the other.
func TestLinksInAStore(t *testing.T) {
	for name := range ownNames {
		// This store has none of these.
		if name == nameStoreTmp || name == nameSumsSpare || name == nameFactors || name == nameFactorsTmp {
			continue
		}
		dir := fullStore(t)
		path, outside := filepath.Join(dir, name), filepath.Join(t.TempDir(), "outside")
		must(t, os.Rename(path, outside))
		before, err := os.ReadFile(outside)
		must(t, err)
		must(t, os.Symlink(outside, path))
		if err := useEverything(dir); !errors.Is(err, disk.ErrCorrupt) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s is a link: %v", name, err)
		}
		if after, err := os.ReadFile(outside); err != nil || string(after) != string(before) {
			t.Errorf("%s: the file outside changed: %v", name, err)
		}
		must(t, os.Remove(path))
		if !mkfifo(t, path) {
			continue
		}
		if err := useEverything(dir); !errors.Is(err, disk.ErrCorrupt) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s is a FIFO: %v", name, err)
		}
	}
}

// TestLinkForACore: a link to another store in the place of the core is neither
// followed nor removed.
func TestLinkForACore(t *testing.T) {
	s, outside := newStore(t, 64, 64), fullStore(t)
	must(t, os.Symlink(outside, s.path(nameCore)))
	before := fmt.Sprint(listing(t, outside))
	if _, err := s.CoreDir(); !errors.Is(err, disk.ErrCorrupt) || !strings.Contains(err.Error(), s.path(nameCore)) {
		t.Errorf("CoreDir: %v", err)
	}
	if err := s.RemoveCore(); !errors.Is(err, disk.ErrCorrupt) {
		t.Errorf("RemoveCore: %v", err)
	}
	if after := fmt.Sprint(listing(t, outside)); after != before {
		t.Errorf("%s became %s", before, after)
	}
	must(t, os.Remove(s.path(nameCore)))
	must(t, os.Mkdir(s.path(nameCore), 0o777))
	if _, err := s.CoreDir(); err != nil {
		t.Error(err)
	}
}

// useEverything opens a store for writing and uses each of its files.
func useEverything(dir string) error {
	if _, _, _, _, err := readAll(dir); err != nil {
		return err
	}
	if _, _, err := ReadLive(dir); err != nil {
		return err
	}
	s, err := Open(dir)
	if err != nil {
		return err
	}
	defer s.Close()
	if _, _, err := s.Recover(); err != nil {
		return err
	}
	return errors.Join(s.SetLive([]byte("x")), s.Checkpoint(State{Done: 1}), s.WriteSums([]uint32{1}))
}
