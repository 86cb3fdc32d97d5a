package arrays_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"ooc/tiles/arrays"
	"ooc/tiles/disk"
)

func seeded(t *testing.T) *rand.Rand {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}

// written writes random arrays, some of them empty, and returns them with the file's path.
func written(t *testing.T, r *rand.Rand, id [16]byte) (string, [][]byte) {
	t.Helper()
	list := make([][]byte, 1+r.IntN(8))
	for i := range list {
		list[i] = make([]byte, r.IntN(2)*r.IntN(200_000))
		for k := range list[i] {
			list[i][k] = byte(r.Uint32())
		}
	}
	path := filepath.Join(t.TempDir(), "arrays")
	if err := arrays.Write(path, id, list, new(atomic.Int64)); err != nil {
		t.Fatal(err)
	}
	return path, list
}

func TestArrays(t *testing.T) {
	r := seeded(t)
	for range 10 {
		id := [16]byte{byte(r.Uint32()), 1}
		path, list := written(t, r, id)
		f, err := arrays.Open(path, id)
		if err != nil {
			t.Fatal(err)
		}
		if f.Len() != len(list) {
			t.Fatalf("%d arrays, want %d", f.Len(), len(list))
		}
		for i, want := range list {
			got := f.Array(i)
			if err := f.Guard(func() error { return f.Need(got) }); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Fatalf("array %d of %d bytes is not what was written", i, len(want))
			}
		}
		if info, err := os.Stat(path); err != nil || info.Size() != f.Bytes() {
			t.Errorf("Bytes says %d: %v, %v", f.Bytes(), info, err)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
		if _, err := arrays.Open(path, [16]byte{}); !errors.Is(err, disk.ErrCorrupt) {
			t.Errorf("the file of another store gives %v", err)
		}
	}
}

// TestDamage flips bits and cuts files: each is noticed when the file is opened, or by whoever needs the damaged part.
func TestDamage(t *testing.T) {
	r := seeded(t)
	id := [16]byte{7}
	path, list := written(t, r, id)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	look := func() error {
		f, err := arrays.Open(path, id)
		if err != nil {
			return err
		}
		defer f.Close()
		var needed, checked error
		for i := range list {
			needed = errors.Join(needed, f.Guard(func() error { return f.Need(f.Array(i)) }))
		}
		for b := range f.Blocks() {
			checked = errors.Join(checked, f.Check(b))
		}
		if needed != nil && checked == nil {
			t.Errorf("Need finds %v, and Check nothing", needed)
		}
		return checked
	}
	for range 150 {
		bad := bytes.Clone(whole)
		if at := r.IntN(len(bad)); r.IntN(4) == 0 {
			bad = bad[:at]
		} else {
			bad[at] ^= 1 << r.IntN(8)
		}
		if err := os.WriteFile(path, bad, 0o666); err != nil {
			t.Fatal(err)
		}
		if err := look(); !errors.Is(err, disk.ErrCorrupt) {
			t.Fatalf("damage gives %v", err)
		}
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := look(); !errors.Is(err, disk.ErrCorrupt) {
		t.Errorf("a missing file gives %v", err)
	}
}

// TestCut cuts a file that is mapped.
func TestCut(t *testing.T) {
	id := [16]byte{9}
	path := filepath.Join(t.TempDir(), "arrays")
	if err := arrays.Write(path, id, [][]byte{make([]byte, 1<<20)}, new(atomic.Int64)); err != nil {
		t.Fatal(err)
	}
	f, err := arrays.Open(path, id)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := os.Truncate(path, 4096); err != nil {
		t.Skip("this system does not cut files that are mapped: ", err)
	}
	if err := f.Guard(func() error { return f.Need(f.Array(0)) }); !errors.Is(err, disk.ErrCorrupt) {
		t.Errorf("a file that was cut gives %v", err)
	}
}
