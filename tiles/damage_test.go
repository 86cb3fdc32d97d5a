package tiles

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"ooc/kernels/entry"
	"ooc/tiles/crashtest"
	"ooc/tiles/disk"
	"ooc/tiles/lock"
)

// resealState gives a sector a version and a checksum that matches.
func resealState(sector []byte, version uint32) {
	copy(sector, stateMagic)
	binary.LittleEndian.PutUint32(sector[8:], version)
	binary.LittleEndian.PutUint32(sector[stateRecord-4:], disk.Checksum(sector[:stateRecord-4]))
}

// sealMeta gives a store.json the checksum of what it says.
func sealMeta(t *testing.T, text string) []byte {
	t.Helper()
	var compact bytes.Buffer
	must(t, json.Compact(&compact, []byte(text)))
	description, _, ok := unwrap(compact.Bytes())
	if !ok {
		t.Fatalf("%s has no mark", text)
	}
	return fmt.Appendf(nil, `{"format":"ooc store",%s,"checksum":%q}`, description[1:len(description)-1],
		sumText(description))
}

// fullStore makes a closed store that has every file.
func fullStore(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "a.ooc")
	m := testMeta(5, 64)
	m.Arcs = 5
	s, err := Create(dir, m, ring(5), IDs{Text: []string{"a", "bb", "", "d", "e"}})
	must(t, err)
	must(t, s.WriteTile(0, 0, bytes.Repeat([]byte{7}, 16384)))
	must(t, s.Checkpoint(State{Done: 5}))
	writeSums(t, s)
	must(t, s.SetLive([]byte(`{"type":"status"}`)))
	must(t, s.Close())
	return dir
}

// readAll reads everything but the matrix.
func readAll(dir string) (Meta, *CSR, IDs, []uint32, error) {
	s, err := OpenReadOnly(dir)
	if err != nil {
		return Meta{}, nil, IDs{}, nil, err
	}
	defer s.Close()
	csr, err := s.CSR()
	if err != nil {
		return Meta{}, nil, IDs{}, nil, err
	}
	ids, err := s.IDs()
	if err != nil {
		return Meta{}, nil, IDs{}, nil, err
	}
	sums, err := s.Sums()
	return s.Meta(), csr, ids, sums, err
}

// TestEveryByteOfTheSmallFiles: each byte damaged in turn, and each length.
// The result is a refusal of the right kind; a change that does not matter
// (JSON has a few: a space turned into a tab) gives the same content.
func TestEveryByteOfTheSmallFiles(t *testing.T) {
	crashtest.Slow(t)
	dir := fullStore(t)
	m, csr, ids, sums, err := readAll(dir)
	must(t, err)
	check := func(what string, at int) bool {
		m2, csr2, ids2, sums2, err := readAll(dir)
		if err == nil {
			return reflect.DeepEqual(m, m2) && reflect.DeepEqual(csr, csr2) && reflect.DeepEqual(ids, ids2) &&
				reflect.DeepEqual(sums, sums2)
		}
		if !errors.Is(err, disk.ErrCorrupt) || errors.Is(err, ErrVersion) ||
			strings.Contains(err.Error(), "another store") ||
			!strings.Contains(err.Error(), "solve") { // the remedy is missing
			t.Errorf("%s %d: %v", what, at, err)
		}
		return true
	}
	for _, name := range []string{nameStore, nameGraph, nameIDs, nameSums} {
		path := filepath.Join(dir, name)
		good, err := os.ReadFile(path)
		must(t, err)
		for at := range good {
			for flip := byte(1); flip != 0; flip <<= 1 {
				b := bytes.Clone(good)
				b[at] ^= flip
				must(t, os.WriteFile(path, b, 0o666))
				if !check(name+": byte", at) {
					t.Fatalf("%s: damage of byte %d goes unseen", name, at)
				}
			}
			must(t, os.WriteFile(path, good[:at], 0o666))
			if _, _, _, _, err := readAll(dir); err == nil && at < len(good)-1 {
				t.Fatalf("%s: cut to %d bytes unseen", name, at)
			}
		}
		must(t, os.WriteFile(path, append(bytes.Clone(good), 'x'), 0o666))
		if _, _, _, _, err := readAll(dir); !errors.Is(err, disk.ErrCorrupt) {
			t.Errorf("%s: a byte too many: %v", name, err)
		}
		must(t, os.WriteFile(path, good, 0o666))
	}
}

// TestMissingOrCutFiles: said when the store is opened, by name.
func TestMissingOrCutFiles(t *testing.T) {
	for _, name := range []string{nameGraph, nameIDs, nameDist, nameState} {
		for _, spoil := range []func(string) error{os.Remove, func(p string) error { return os.Truncate(p, 50) }} {
			dir := fullStore(t)
			path := filepath.Join(dir, name)
			must(t, spoil(path))
			s, err := Open(dir)
			if err == nil {
				_, _, err = s.Recover()
				s.Close()
			}
			if !errors.Is(err, disk.ErrCorrupt) || !strings.Contains(err.Error(), path) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	dir := fullStore(t)
	path := filepath.Join(dir, nameDist)
	must(t, os.Truncate(path, 4096+16384+1))
	if _, err := OpenReadOnly(dir); !errors.Is(err, disk.ErrCorrupt) {
		t.Errorf("a matrix that is a byte too long: %v", err)
	}
}

func TestEveryByteOfTheHeader(t *testing.T) {
	dir := fullStore(t)
	f, err := os.OpenFile(filepath.Join(dir, nameDist), os.O_RDWR, 0)
	must(t, err)
	defer f.Close()
	for at := range int64(npyHeaderLen) {
		var b [1]byte
		_, err := f.ReadAt(b[:], at)
		must(t, err)
		_, err = f.WriteAt([]byte{b[0] ^ 1}, at)
		must(t, err)
		if _, err := OpenReadOnly(dir); !errors.Is(err, disk.ErrCorrupt) {
			t.Fatalf("byte %d: %v", at, err)
		}
		_, err = f.WriteAt(b[:], at)
		must(t, err)
	}
}

// TestVersions: a store of another version, before or after this one, is not called corrupt.
func TestVersions(t *testing.T) {
	dir := fullStore(t)
	reseal := func(name string, at int) {
		path := filepath.Join(dir, name)
		b, err := os.ReadFile(path)
		must(t, err)
		good := bytes.Clone(b)
		b[8] = 2
		binary.LittleEndian.PutUint32(b[at:], disk.Checksum(b[:at]))
		must(t, os.WriteFile(path, b, 0o666))
		if _, _, _, _, err := readAll(dir); !errors.Is(err, ErrVersion) || errors.Is(err, disk.ErrCorrupt) {
			t.Errorf("%s of version 2: %v", name, err)
		}
		must(t, os.WriteFile(path, good, 0o666))
	}
	reseal(nameGraph, 60)
	reseal(nameIDs, 60)
	reseal(nameSums, 60)
	path := filepath.Join(dir, nameStore)
	present := fmt.Sprintf(`"version":%d`, formatVersion)
	for news, sign := range map[string]string{
		`"version":6,"news":true`:                           "format version 6, this program reads 5",
		`"version":4,"layout":"square","kind":"i32"`:        "format version 4, this program reads 5",
		present + `,"layout":"triangle","kind":"i32"`:       `does not know layout "triangle"`,
		present + `,"layout":"square","kind":"u128","n2":1`: `does not know kind "u128"`,
	} {
		must(t, os.WriteFile(path, sealMeta(t, `{"format":"ooc store",`+news+`}`), 0o666))
		if _, err := Open(dir); !errors.Is(err, ErrVersion) || errors.Is(err, disk.ErrCorrupt) ||
			!strings.Contains(err.Error(), sign) {
			t.Errorf("%s: %v", news, err)
		}
	}
	if h, err := lock.HolderOf(dir); h.Running || err != nil {
		t.Errorf("the refused Open kept the lock: %v, %v", h.Running, err)
	}
}

// TestHostileStoreJSON: descriptions with matching checksums that lie.
func TestHostileStoreJSON(t *testing.T) {
	for name, spoil := range map[string]func(*Meta){
		"huge n":      func(m *Meta) { m.N = maxN },
		"f64 pairs":   func(m *Meta) { m.Kind, m.Predecessors = entry.KindF64, true },
		"n beyond":    func(m *Meta) { m.N = 1 << 62 },
		"negative n":  func(m *Meta) { m.N = -5 },
		"zero tile":   func(m *Meta) { m.T = 0 },
		"odd tile":    func(m *Meta) { m.T = 100 },
		"other tile":  func(m *Meta) { m.T = 128 },
		"other kind":  func(m *Meta) { m.Kind = entry.KindF32 },
		"arcs":        func(m *Meta) { m.Arcs = 1 << 60 },
		"fewer arcs":  func(m *Meta) { m.Arcs = 4 },
		"ids":         func(m *Meta) { m.IDs = "numeric" },
		"strange ids": func(m *Meta) { m.IDs = "../../etc" },
		"scale":       func(m *Meta) { m.Scale = 0 },
		"id base":     func(m *Meta) { m.IDBase = math.MaxInt64 },
		"pairs":       func(m *Meta) { m.Predecessors = true },
		"no id":       func(m *Meta) { m.ID = ID{} },
		"another id":  func(m *Meta) { m.ID[3]++ },
		"layout":      func(m *Meta) { m.Layout = "rows" },
	} {
		dir := fullStore(t)
		path := filepath.Join(dir, nameStore)
		b, err := os.ReadFile(path)
		must(t, err)
		m, err := decodeMeta(path, b)
		must(t, err)
		spoil(&m)
		b, err = encodeMeta(m)
		must(t, err)
		must(t, os.WriteFile(path, b, 0o666))
		if _, err := Open(dir); !errors.Is(err, disk.ErrCorrupt) {
			t.Errorf("%s: %v", name, err)
		}
	}
	dir := fullStore(t)
	must(t, os.WriteFile(filepath.Join(dir, nameStore), make([]byte, maxStoreJSON+1), 0o666))
	if _, err := Open(dir); !errors.Is(err, disk.ErrCorrupt) {
		t.Errorf("a store.json without end: %v", err)
	}
}

func FuzzStoreJSON(f *testing.F) {
	m := testMeta(5, 64)
	m.Version, m.ID, m.Layout, m.Scale = formatVersion, NewID(), "square", 1
	m, err := normalMeta(m)
	must(f, err)
	good, err := encodeMeta(m)
	must(f, err)
	f.Add(good)
	f.Add([]byte(`{"format":"ooc store","version":1,"n":1e300}`))
	f.Add([]byte(`[]`))
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := decodeMeta("store.json", b)
		if err != nil {
			if !errors.Is(err, disk.ErrCorrupt) && !errors.Is(err, ErrVersion) {
				t.Fatalf("an error without a kind: %v", err)
			}
			return
		}
		again, err := encodeMeta(m)
		must(t, err)
		if m2, err := decodeMeta("store.json", again); err != nil || !reflect.DeepEqual(m, m2) {
			t.Fatalf("%+v comes back as %+v, %v", m, m2, err)
		}
	})
}
