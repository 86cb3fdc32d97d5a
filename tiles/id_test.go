package tiles

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestIDText(t *testing.T) {
	id := NewID()
	if id == NewID() || id == (ID{}) {
		t.Fatal("an id that is not its own")
	}
	text, err := json.Marshal(id)
	must(t, err)
	var back ID
	if err := json.Unmarshal(text, &back); err != nil || back != id || len(text) != 34 {
		t.Errorf("%s came back as %v, %v", text, back, err)
	}
	for _, bad := range []string{"", "00", strings.Repeat("0", 31), strings.Repeat("0", 33), strings.Repeat("0", 34), strings.Repeat("g", 32)} {
		if back.UnmarshalText([]byte(bad)) == nil {
			t.Errorf("%q was taken for an id", bad)
		}
	}
}

// TestFilesOfAnotherStore puts each file of a store in the place of that of another, which is the same but for its id, or
// of a version without ids.
func TestFilesOfAnotherStore(t *testing.T) {
	read := func(dir string) error {
		_, _, _, _, err := readAll(dir)
		if err == nil {
			_, err = ReadLive(dir)
		}
		s, oerr := OpenReadOnly(dir)
		if oerr != nil {
			return oerr
		}
		defer s.Close()
		_, _, serr := s.State()
		_, cerr := s.CoreDir()
		return errors.Join(err, serr, cerr)
	}
	for _, version := range []int{FormatVersion, distancesVersion} {
		for _, name := range []string{nameState, nameSums, nameIDs, nameGraph, nameLive, nameCore} {
			here, there := fullStore(t), fullStore(t)
			s, err := OpenReadOnly(there)
			must(t, err)
			core := testMeta(10, 64)
			core.Parent = s.Meta().ID
			must(t, s.Close())
			c, err := Create(filepath.Join(there, nameCore), core, nil, IDs{})
			must(t, err)
			must(t, c.Close())
			must(t, read(there))
			if version != FormatVersion {
				toOldVersion(t, here)
				must(t, read(here))
			}
			path := filepath.Join(here, name)
			must(t, os.RemoveAll(path))
			must(t, os.Rename(filepath.Join(there, name), path))
			err = read(here)
			if name == nameLive && version != FormatVersion && errors.Is(err, errTorn) {
				continue // which is as if it said nothing
			}
			if !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), path+": store is corrupt: it belongs to another store") {
				t.Errorf("version %d, the %s of another store: %v", version, name, err)
			}
		}
	}
}

// TestStateOfAnotherStore: where the state is another's, nothing goes on from it; a restart makes the store anew, and its
// own state is then good for nothing in the other.
func TestStateOfAnotherStore(t *testing.T) {
	here, there := newStore(t, 100, 64), newStore(t, 100, 64)
	must(t, there.Checkpoint(State{Algorithm: "x", Done: 100}))
	must(t, here.Checkpoint(State{Algorithm: "x", Done: 64}))
	must(t, errors.Join(here.Close(), there.Close()))
	b, err := os.ReadFile(there.path(nameState))
	must(t, err)
	must(t, os.WriteFile(here.path(nameState), b, 0o666))
	s, err := Open(here.Dir())
	must(t, err)
	defer s.Close()
	if _, _, err := s.Recover(); !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), "another store") || !strings.Contains(err.Error(), "--restart") {
		t.Errorf("recovered from another's state: %v", err)
	}
	must(t, s.Reset())
	must(t, s.Checkpoint(State{Algorithm: "x", Done: 3}))
	if st, ok, err := s.State(); st.Done != 3 || !ok || err != nil {
		t.Errorf("after a restart: %+v, %v, %v", st, ok, err)
	}
}

// toOldVersion makes a store one of version 1, or 2 if it keeps predecessors, as that version had written it.
func toOldVersion(t *testing.T, dir string) {
	t.Helper()
	s, err := OpenReadOnly(dir)
	must(t, err)
	st, _, err := s.State()
	must(t, err)
	said, err := ReadLive(dir)
	if !errors.Is(err, fs.ErrNotExist) {
		must(t, err)
	}
	m := s.Meta()
	m.Version, m.ID, m.Layout = distancesVersion, ID{}, ""
	if m.Predecessors {
		m.Version = pairsVersion
	}
	write := func(name string, fill func(f *os.File) error) {
		f, err := os.Create(filepath.Join(dir, name))
		must(t, err)
		must(t, errors.Join(fill(f), f.Close()))
	}
	if !m.Dense {
		csr, err := s.CSR()
		must(t, err)
		write(nameGraph, func(f *os.File) error { return m.csr().WriteGraph(f, csr) })
	}
	if m.IDs != "" {
		ids, err := s.IDs()
		must(t, err)
		write(nameIDs, func(f *os.File) error { return m.csr().WriteIDs(f, ids) })
	}
	must(t, s.Close())
	b, err := encodeMeta(m)
	must(t, err)
	must(t, os.WriteFile(filepath.Join(dir, nameStore), b, 0o666))
	write(nameState, func(f *os.File) error { return f.Truncate(stateBytes) })
	write(nameLive, func(f *os.File) error { return f.Truncate(liveBytes) })
	if err := os.Remove(filepath.Join(dir, nameSums)); !errors.Is(err, fs.ErrNotExist) {
		must(t, err)
	}
	s, _, _ = reopen(t, dir)
	must(t, s.Checkpoint(st))
	writeSums(t, s)
	must(t, s.SetLive(said))
	must(t, s.Close())
}

// writeSums stores the checksums of what is there.
func writeSums(t testing.TB, s *Store) {
	t.Helper()
	each, side := s.meta.SumsPerTile(), s.geo.Side()
	sums := make([]uint32, s.geo.Tiles()*each)
	for i := range s.geo.Tiles() {
		must(t, s.TileSums(sums[i*each:][:each], i/side, i%side))
	}
	must(t, s.WriteSums(sums))
}
