package tiles

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"ooc/tiles/internal/hook"
	"ooc/tiles/lock"
)

// TestRemove wants a store to go with its folder, and to stay whole where something else is in it.
func TestRemove(t *testing.T) {
	s := newStore(t, 100, 64)
	dir := s.Dir()
	mine := filepath.Join(dir, "mine")
	must(t, os.WriteFile(mine, []byte("x"), 0o600))
	before, err := os.ReadDir(dir)
	must(t, err)
	if err := s.Remove(); !errors.Is(err, lock.ErrNotStore) {
		t.Errorf("with a file of somebody else: %v", err)
	}
	if after, err := os.ReadDir(dir); err != nil || len(after) != len(before) || !IsStore(dir) {
		t.Errorf("%d files of %d are left: %v", len(after), len(before), err)
	}
	must(t, os.Remove(mine))
	must(t, s.Close())
	r, err := OpenReadOnly(dir)
	must(t, err)
	if err := r.Remove(); !errors.Is(err, errReadOnly) || !IsStore(dir) {
		t.Errorf("a store that is only read: %v", err)
	}
	must(t, r.Close())
	s, err = Open(dir)
	must(t, err)
	must(t, s.Remove())
	if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it is still there: %v", err)
	}
	must(t, s.Close())
}

// TestRemoveFails has each step of a removal fail, of a store with a core and all other files. What is left is the
// whole store, or what Create and then Remove go on with.
func TestRemoveFails(t *testing.T) {
	steps := 0
	for failing := 0; failing <= steps; failing++ {
		dir := filepath.Join(t.TempDir(), "a.ooc")
		m := testMeta(100, 64)
		m.Dense, m.Arcs = false, 100
		make := func() *Store {
			s, err := Create(dir, m, ring(100), IDs{})
			must(t, err)
			return s
		}
		s := make()
		core := testMeta(64, 64)
		core.Parent = s.Meta().ID
		c, err := Create(filepath.Join(dir, nameCore), core, nil, IDs{})
		must(t, err)
		must(t, c.Close())
		step := 0
		s.hooks = &hook.Hooks{Before: func(op, name string) error {
			if step++; step == failing {
				return syscall.EIO
			}
			return nil
		}}
		err = s.Remove()
		if steps = max(steps, step); failing > 0 != errors.Is(err, syscall.EIO) {
			t.Fatalf("step %d of %d fails: %v", failing, steps, err)
		}
		must(t, s.Close())
		switch half, err := Incomplete(dir); {
		case err != nil:
			t.Fatalf("step %d: %v", failing, err)
		case failing == 0: // nothing is left
		case half:
			must(t, make().Remove())
		default:
			s, err := Open(dir)
			must(t, err)
			must(t, s.Remove())
		}
		if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("step %d: it is still there: %v", failing, err)
		}
	}
	if steps < 15 {
		t.Errorf("it took %d steps", steps)
	}
}
