package tiles

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ooc/tiles/disk"
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
	for _, bad := range []string{"", "00", strings.Repeat("0", 31), strings.Repeat("0", 33), strings.Repeat("0", 34),
		strings.Repeat("g", 32)} {
		if back.UnmarshalText([]byte(bad)) == nil {
			t.Errorf("%q was taken for an id", bad)
		}
	}
}

// TestFilesOfAnotherStore puts each file of a store in the place of that of another, which is the same but for its id.
func TestFilesOfAnotherStore(t *testing.T) {
	read := func(dir string) error {
		_, _, _, _, err := readAll(dir)
		if err == nil {
			_, _, err = ReadLive(dir)
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
		path := filepath.Join(here, name)
		must(t, os.RemoveAll(path))
		must(t, os.Rename(filepath.Join(there, name), path))
		err = read(here)
		if !errors.Is(err, disk.ErrCorrupt) ||
			!strings.Contains(err.Error(), path+": store is corrupt: it belongs to another store") {
			t.Errorf("the %s of another store: %v", name, err)
		}
	}
}

// TestStateOfAnotherStore: where the state is another's, nothing goes on from it; a restart makes the store anew, and
// its own state is then good for nothing in the other.
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
	if _, _, err := s.Recover(); !errors.Is(err, disk.ErrCorrupt) || !strings.Contains(err.Error(), "another store") ||
		!strings.Contains(err.Error(), "--restart") {
		t.Errorf("recovered from another's state: %v", err)
	}
	must(t, s.Reset())
	must(t, s.Checkpoint(State{Algorithm: "x", Done: 3}))
	if st, ok, err := s.State(); st.Done != 3 || !ok || err != nil {
		t.Errorf("after a restart: %+v, %v, %v", st, ok, err)
	}
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
