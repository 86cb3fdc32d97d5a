package tiles

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// TestRemove wants a store to go with its folder, and to stay whole where something else is in it.
func TestRemove(t *testing.T) {
	s := newStore(t, 100, 64)
	dir := s.Dir()
	mine := filepath.Join(dir, "mine")
	must(t, os.WriteFile(mine, []byte("x"), 0o600))
	before, err := os.ReadDir(dir)
	must(t, err)
	if err := s.Remove(); !errors.Is(err, ErrNotStore) {
		t.Errorf("with a file of somebody else: %v", err)
	}
	if after, err := os.ReadDir(dir); err != nil || len(after) != len(before) || !IsStore(dir) {
		t.Errorf("%d files of %d are left: %v", len(after), len(before), err)
	}
	must(t, os.Remove(mine))
	must(t, s.Close())
	r, err := OpenReadOnly(dir)
	must(t, err)
	if err := r.Remove(); !errors.Is(err, ErrReadOnly) || !IsStore(dir) {
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
