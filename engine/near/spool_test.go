package near

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"ooc/kernels/entry"
	"ooc/tiles/disk"
)

// TestForgedRecords opens spools with records whose checksums match and that no run writes: they and what follows are
// dropped.
func TestForgedRecords(t *testing.T) {
	type forged struct {
		*head
		*record
		all *[parts][]byte
	}
	for name, forge := range map[string]func(f forged){
		"nothing":               func(forged) {},
		"fewer than no rows":    func(f forged) { f.rows = -1 },
		"no end":                func(f forged) { f.rows, f.pairs, f.bytes[counts] = -1, 0, recordBytes },
		"rows before the first": func(f forged) { f.row = -3 },
		"rows after the last":   func(f forged) { f.row = 8 },
		"more pairs":            func(f forged) { f.pairs = 1 << 61 },
		"fewer pairs":           func(f forged) { f.pairs = 2 },
		"entries of nothing":    func(f forged) { f.bytes[columns] = 0 },
		"entries of much":       func(f forged) { f.bytes[distances] = 1<<32 - 1 },
		"narrow counts":         func(f forged) { f.bytes[counts] = narrowBytes },
		"narrow floats":         func(f forged) { f.Kind = string(entry.KindF32) },
		"other counts":          func(f forged) { f.all[counts] = entry.Bytes([]uint32{2, 1, 1}) },
		"column below 0":        func(f forged) { f.all[columns] = entry.Bytes([]uint16{1<<16 - 4, 1, 1}) },
		"column 10":             func(f forged) { f.all[columns] = entry.Bytes([]uint16{0, 7, 1}) },
	} {
		h := head{Format: spoolFormat, Version: spoolVersion, Vertices: 10, Kind: string(entry.KindI32)}
		b := &batch{row: 3, counts: []uint32{2, 0, 1}, columns: []int32{1, 4, 9},
			distances: entry.Bytes([]int32{7, 8, 9})}
		b.pack(entry.KindI32)
		forge(forged{&h, &b.record, &b.parts})
		path := filepath.Join(t.TempDir(), "x.near")
		s, err := openSpool(path, h)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(s.append(b.record, b.parts), s.close()); err != nil {
			t.Fatal(err)
		}
		if s, err = openSpool(path, h); err != nil {
			t.Fatal(err)
		}
		if whole := name == "nothing"; whole != (len(s.records) == 1) || whole != (s.dropped == 0) {
			t.Errorf("%s: %d records, %d bytes dropped", name, len(s.records), s.dropped)
		}
		if err := s.close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestSpoolChanges damages a record of a spool that is open.
func TestSpoolChanges(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.near")
	s, err := openSpool(path,
		head{Format: spoolFormat, Version: spoolVersion, Vertices: 10, Kind: string(entry.KindI32)})
	if err != nil {
		t.Fatal(err)
	}
	b := &batch{counts: []uint32{1}, columns: []int32{4}, distances: entry.Bytes([]int32{7})}
	b.pack(entry.KindI32)
	if err := s.append(b.record, b.parts); err != nil {
		t.Fatal(err)
	}
	for which := range parts {
		if _, err := s.read(&s.records[0], which, nil); err != nil {
			t.Error(err)
		}
	}
	at, _ := s.records[0].part(counts)
	if _, err := s.file.WriteAt([]byte{2}, at); err != nil {
		t.Fatal(err)
	}
	for which, want := range [parts]error{disk.ErrCorrupt, disk.ErrCorrupt, nil} {
		if _, err := s.read(&s.records[0], which, nil); !errors.Is(err, want) {
			t.Errorf("part %d: %v", which, err)
		}
	}
	if err := errors.Join(s.close(), os.Remove(path)); err != nil {
		t.Fatal(err)
	}
}
