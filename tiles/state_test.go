package tiles

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ooc/tiles/crashtest"
	"ooc/tiles/disk"
	"ooc/tiles/internal/hook"
	"ooc/tiles/lock"
)

var testStore = Meta{Version: formatVersion, ID: ID{1, 2, 3}, N: 1000, T: 64}

// stateImage builds a state file of up to two slots and a note.
func stateImage(slots []State, note *State, inc incarnation) []byte {
	b := make([]byte, stateBytes)
	for i, st := range slots {
		if st.Seq != 0 {
			copy(b[i*stateSector:], encodeRecord(record{kind: recordSlot, state: st}, &testStore))
		}
	}
	if note != nil {
		copy(b[noteSector*stateSector:], encodeRecord(record{kind: recordNote, state: *note, inc: inc}, &testStore))
	}
	return b
}

var (
	older = State{Algorithm: "blocked", Done: 128, Seq: 4, Elapsed: time.Minute}
	newer = State{Algorithm: "blocked", Done: 256, Seq: 5, Elapsed: 2 * time.Minute, Stop: 301,
		Closer: "a kind of 16 byt"}
	ahead = State{Algorithm: "blocked", Done: 512, Seq: 5, Elapsed: 3 * time.Minute}
	here  = incarnation{1, 2, 3}
)

// best reads a state file image: the slot that counts, whether the note would
// be trusted, and the refusal.
func best(b []byte) (st State, ok, note bool, err error) {
	sf, err := decodeState(nameState, b, &testStore)
	if err != nil {
		return st, false, false, err
	}
	i, err := sf.newest()
	if err != nil {
		return st, false, false, err
	}
	if i >= 0 {
		st = sf.slot[i].state
	}
	return st, i >= 0, sf.trusted(i, here), nil
}

// TestEveryBitFlip flips each bit of a state file in turn. What is hit no
// longer counts; what is not hit still does.
func TestEveryBitFlip(t *testing.T) {
	good := stateImage([]State{older, newer}, &ahead, here)
	if st, _, note, err := best(good); st != newer || !note || err != nil {
		t.Fatalf("the undamaged file: %+v, %v, %v", st, note, err)
	}
	single := stateImage([]State{newer, {}}, nil, here)
	r := seeded(t)
	for i := range stateBytes * crashtest.Repeats(1, 8) { // one of each byte, in a campaign all
		bit := i
		if crashtest.Repeats(1, 8) == 1 {
			bit = 8*i + r.IntN(8)
		}
		sector := bit / 8 / stateSector
		b := bytes.Clone(good)
		b[bit/8] ^= 1 << (bit % 8)
		want := newer
		if sector == 1 {
			want = older
		}
		st, ok, note, err := best(b)
		if err != nil || !ok || st != want || note != (sector != noteSector) {
			t.Fatalf("bit %d: %+v, %v, note %v, %v", bit, st, ok, note, err)
		}
		b = bytes.Clone(single)
		b[bit/8] ^= 1 << (bit % 8)
		st, ok, _, err = best(b)
		switch {
		case sector == 0 && !errors.Is(err, disk.ErrCorrupt):
			t.Fatalf("bit %d of the only slot: %+v, %v, %v", bit, st, ok, err)
		case sector != 0 && (err != nil || st != newer):
			t.Fatalf("bit %d outside the only slot: %+v, %v, %v", bit, st, ok, err)
		}
	}
}

func TestEveryTruncation(t *testing.T) {
	good := stateImage([]State{older, newer}, &ahead, here)
	for n := range stateBytes {
		st, ok, note, err := best(good[:n])
		switch {
		case n < stateSector && !errors.Is(err, disk.ErrCorrupt),
			n >= stateSector && n < 2*stateSector && (st != older || err != nil),
			n >= 2*stateSector && (st != newer || err != nil),
			err == nil && (!ok || note && n < stateBytes-stateSector):
			t.Fatalf("%d bytes: %+v, %v, note %v, %v", n, st, ok, note, err)
		}
	}
	if _, _, _, err := best(append(good, 0)); !errors.Is(err, disk.ErrCorrupt) {
		t.Errorf("one byte too many: %v", err)
	}
	blank := make([]byte, stateBytes)
	if _, ok, _, err := best(blank); ok || err != nil {
		t.Errorf("a blank file: %v, %v", ok, err)
	}
	for n := range 2 * stateSector { // a slot may have been in what is gone
		if _, _, _, err := best(blank[:n]); !errors.Is(err, disk.ErrCorrupt) {
			t.Fatalf("%d bytes of a blank file: %v", n, err)
		}
	}
}

// TestTornSlot mixes the sectors of an old and a new slot in every way a power
// cut can.
func TestTornSlot(t *testing.T) {
	before := stateImage([]State{older, newer}, nil, here)
	next := ahead
	next.Seq = 6
	after := stateImage([]State{next, newer}, nil, here)
	for mask := range 1 << (stateSector / 512) {
		b := bytes.Clone(before)
		for k := range stateSector / 512 {
			if mask>>k&1 == 1 {
				copy(b[512*k:512*k+512], after[512*k:])
			}
		}
		want := newer
		if mask&1 == 1 {
			want = next
		}
		if st, _, _, err := best(b); st != want || err != nil {
			t.Fatalf("mask %b: %+v, %v", mask, st, err)
		}
	}
}

func TestForeignState(t *testing.T) {
	b := stateImage([]State{newer}, nil, here)
	other := testStore
	other.T = 128
	if sf, err := decodeState(nameState, b, &other); err != nil || sf.slot[0].status != damaged {
		t.Errorf("the state of a store with another tile: %+v, %v", sf.slot[0], err)
	}
	other = testStore
	other.ID[15]++
	for what, b := range map[string][]byte{"slot": b, "note": stateImage(nil, &ahead, here)} {
		if _, err := decodeState(nameState, b, &other); !errors.Is(err, disk.ErrCorrupt) ||
			!strings.Contains(err.Error(), "it belongs to another store") {
			t.Errorf("another store's %s: %v", what, err)
		}
	}
	note := stateImage(nil, &ahead, here) // a note where a slot belongs
	copy(note, note[noteSector*stateSector:])
	if _, _, _, err := best(note); !errors.Is(err, disk.ErrCorrupt) {
		t.Errorf("a note in a slot: %v", err)
	}
}

func TestNoteTrust(t *testing.T) {
	lower, stale := ahead, ahead
	lower.Done = newer.Done
	stale.Seq = 4
	for name, c := range map[string]struct {
		slots []State
		note  State
		inc   incarnation
		want  bool
	}{
		"ahead":       {[]State{older, newer}, ahead, here, true},
		"no slot yet": {nil, State{Done: 64}, here, true},
		"not ahead":   {[]State{older, newer}, lower, here, false},
		"overtaken":   {[]State{older, newer}, stale, here, false},
		"rebooted":    {[]State{older, newer}, ahead, incarnation{9}, false},
		"nameless":    {[]State{older, newer}, ahead, incarnation{}, false},
	} {
		if _, _, got, err := best(stateImage(c.slots, &c.note, c.inc)); got != c.want || err != nil {
			t.Errorf("%s: trusted %v, %v", name, got, err)
		}
	}
	sf, err := decodeState(nameState, stateImage([]State{newer}, &ahead, incarnation{}), &testStore)
	if err != nil || sf.trusted(0, incarnation{}) {
		t.Error("a note without a name is trusted by a system without one")
	}
}

func TestStateRoundTrip(t *testing.T) {
	rng := seeded(t)
	for range 1000 {
		st := State{Algorithm: strings.Repeat("a", rng.IntN(65)), Done: rng.Int64N(1001), Seq: 1 + rng.Uint64N(1<<60),
			Elapsed: time.Duration(rng.Int64())}
		r, status, err := decodeRecord(nameState, encodeRecord(record{kind: recordSlot, state: st}, &testStore),
			&testStore)
		if status != intact || err != nil || r.state != st {
			t.Fatalf("%+v came back as %+v, %v, %v", st, r.state, status, err)
		}
	}
}

func TestCheckpoints(t *testing.T) {
	s := newStore(t, 1000, 64)
	if _, ok, err := s.State(); ok || err != nil {
		t.Errorf("a new matrix counts: %v, %v", ok, err)
	}
	for k := range int64(5) {
		want := State{Algorithm: "blocked", Done: 64 * k, Elapsed: time.Duration(k), Seq: uint64(k + 1)}
		must(t, s.Checkpoint(want))
		if st, ok, err := s.State(); st != want || !ok || err != nil {
			t.Fatalf("state %+v, %v, %v; want %+v", st, ok, err, want)
		}
	}
	must(t, s.Close())
	s, st, ok := reopen(t, s.Dir())
	if !ok || st.Done != 256 || st.Seq != 5 {
		t.Errorf("reopened: %+v, %v", st, ok)
	}
	must(t, s.Checkpoint(State{Done: 300}))
	if st, _, err := s.State(); st.Seq != 6 || err != nil {
		t.Errorf("the count starts over: %+v, %v", st, err)
	}
	must(t, s.Note(State{Done: 400}))
	must(t, s.Reset())
	must(t, s.Close())
	if _, _, ok := reopen(t, s.Dir()); ok {
		t.Error("the matrix counts after Reset")
	}
}

// TestNoteAfterKill: without a reboot the note is worth a slot, and becomes one.
func TestNoteAfterKill(t *testing.T) {
	needsNotes(t)
	for _, slot := range []bool{false, true} {
		s := newStore(t, 1000, 64)
		if slot {
			must(t, s.Checkpoint(State{Algorithm: "blocked", Done: 64}))
		}
		want := State{Algorithm: "blocked", Done: 128, Elapsed: 7}
		must(t, s.Note(want))
		must(t, s.Close())
		foreseen := foresee(t, s.Dir())
		s, st, ok := reopen(t, s.Dir())
		if foreseen.Done != st.Done || foreseen.Elapsed != st.Elapsed {
			t.Errorf("slot %v: foreseen %+v, recovered %+v", slot, foreseen, st)
		}
		want.Seq = st.Seq
		if !ok || st != want {
			t.Errorf("slot %v: recovered %+v, %v", slot, st, ok)
		}
		if got, ok, err := s.State(); got != want || !ok || err != nil {
			t.Errorf("slot %v: the note is no slot: %+v, %v, %v", slot, got, ok, err)
		}
	}
}

// foresee returns what a reader says that the next run will go on from, and
// wants it to write nothing.
func foresee(t *testing.T, dir string) State {
	t.Helper()
	before, err := os.ReadFile(filepath.Join(dir, nameState))
	must(t, err)
	s, err := OpenReadOnly(dir)
	must(t, err)
	defer s.Close()
	st, ok, err := s.Ahead()
	if err != nil || !ok {
		t.Errorf("%v, %v", ok, err)
	}
	after, err := os.ReadFile(filepath.Join(dir, nameState))
	must(t, err)
	if !bytes.Equal(before, after) {
		t.Error("looking has written")
	}
	return st
}

// TestNoteAfterReboot: with another boot id, and in a copy, only slots count,
// and the note that was not believed is gone for good.
func TestNoteAfterReboot(t *testing.T) {
	s := newStore(t, 1000, 64)
	must(t, s.Checkpoint(State{Algorithm: "blocked", Done: 64}))
	must(t, s.Note(State{Algorithm: "blocked", Done: 128}))
	must(t, s.Close())
	moved := filepath.Join(t.TempDir(), "copy.ooc")
	must(t, os.CopyFS(moved, os.DirFS(s.Dir())))
	if st := foresee(t, moved); st.Done != 64 {
		t.Errorf("in a copy: foreseen %+v", st)
	}
	if _, st, ok := reopen(t, moved); !ok || st.Done != 64 {
		t.Errorf("in a copy: %+v, %v", st, ok)
	}
	hook.Set(s.Dir(), &hook.Hooks{BootID: "another"})
	s, st, ok := reopen(t, s.Dir())
	if !ok || st.Done != 64 {
		t.Errorf("after a reboot: %+v, %v", st, ok)
	}
	must(t, s.Close())
	hook.Set(s.Dir(), nil)
	if _, st, _ := reopen(t, s.Dir()); st.Done != 64 {
		t.Errorf("a note that was refused came back: %+v", st)
	}
}

// TestFailedSync: the last checkpoint stands, nothing is recorded after it and
// no sync is tried again.
func TestFailedSync(t *testing.T) {
	for _, file := range []string{nameDist, nameState} {
		dir := filepath.Join(t.TempDir(), "a.ooc")
		failing, calls := false, 0
		hook.Set(dir, &hook.Hooks{Sync: func(name string, do func() error) error {
			calls++
			if failing && name == file {
				return errors.New("medium is gone")
			}
			return do()
		}})
		s, err := Create(dir, testMeta(1000, 64), nil, IDs{})
		must(t, err)
		defer s.Close()
		must(t, s.Checkpoint(State{Algorithm: "blocked", Done: 64}))
		must(t, s.Note(State{Algorithm: "blocked", Done: 100}))
		failing = true
		if err := s.Checkpoint(State{Algorithm: "blocked", Done: 128}); err == nil || errors.Is(err, ErrSyncFailed) {
			t.Errorf("%s: the failing checkpoint: %v", file, err)
		}
		failing, calls = false, 0
		for name, err := range map[string]error{
			"checkpoint": s.Checkpoint(State{Done: 128}), "note": s.Note(State{Done: 128}),
			"reset": s.Reset(), "sums": s.WriteSums(make([]uint32, 256)),
			"recover": func() error { _, _, err := s.Recover(); return err }(),
		} {
			if !errors.Is(err, ErrSyncFailed) {
				t.Errorf("%s: %s after a failed sync: %v", file, name, err)
			}
		}
		if calls != 0 {
			t.Errorf("%s: %d syncs after the failed one", file, calls)
		}
		must(t, s.Close())
		hook.Set(dir, nil)
		_, st, ok := reopen(t, dir)
		// A slot whose own sync failed may count: its matrix is on disk.
		if !ok || st.Done != 64 && !(file == nameState && st.Done == 128) {
			t.Errorf("%s: resumed from %+v, %v", file, st, ok)
		}
	}
}

// TestUnreadable: a file that cannot be read now says nothing about the store.
// A state may hold the mark of a failed sync, so nobody writes without having
// seen it; a lock may be ours, and a folder that was made for it goes again.
func TestUnreadable(t *testing.T) {
	s := newStore(t, 64, 64)
	must(t, s.Close())
	fresh := filepath.Join(t.TempDir(), "b.ooc")
	for _, dir := range []string{s.Dir(), fresh} {
		failed := false // once: the lock is opened to be locked, and then to be looked at
		hook.Set(dir, &hook.Hooks{Before: func(op, name string) error {
			if op == "read" && (name == nameState || name == nameLock) && !failed {
				failed = true
				return syscall.EIO
			}
			return nil
		}})
		defer hook.Set(dir, nil)
	}
	if _, err := Open(s.Dir()); !errors.Is(err, syscall.EIO) {
		t.Errorf("Open without having read the state: %v", err)
	}
	if h, err := lock.HolderOf(s.Dir()); h.Running || err != nil {
		t.Errorf("the refused Open kept the lock: %v, %v", h.Running, err)
	}
	reopen(t, s.Dir())
	if _, err := Create(fresh, testMeta(64, 64), nil, IDs{}); !errors.Is(err, syscall.EIO) ||
		errors.Is(err, lock.ErrNotStore) {
		t.Errorf("Create without having read the lock: %v", err)
	}
	if _, err := os.Lstat(fresh); err == nil {
		t.Errorf("left behind: %v", listing(t, fresh))
	}
}

// TestDamagedStateOnDisk: refused by name, mended by Reset only.
func TestDamagedStateOnDisk(t *testing.T) {
	s := newStore(t, 1000, 64)
	must(t, s.Checkpoint(State{Done: 64}))
	must(t, s.Close())
	path := s.path(nameState)
	must(t, os.Truncate(path, 100))
	s, err := Open(s.Dir())
	must(t, err)
	defer s.Close()
	if _, _, err := s.State(); !errors.Is(err, disk.ErrCorrupt) || !strings.Contains(err.Error(), path) {
		t.Errorf("state: %v", err)
	}
	if _, _, err := s.Recover(); !errors.Is(err, disk.ErrCorrupt) || !strings.Contains(err.Error(), "--restart") {
		t.Errorf("recover: %v", err)
	}
	must(t, s.Reset())
	if _, ok, err := s.State(); ok || err != nil {
		t.Errorf("after Reset: %v, %v", ok, err)
	}
}

// TestShortStateIsMended: with one slot lost the other carries on, and the
// next checkpoints make the file whole.
func TestShortStateIsMended(t *testing.T) {
	s := newStore(t, 1000, 64)
	must(t, s.Checkpoint(State{Done: 64}))
	must(t, s.Checkpoint(State{Done: 128}))
	must(t, s.Close())
	must(t, os.Truncate(s.path(nameState), stateSector+77))
	s, st, ok := reopen(t, s.Dir())
	if !ok || st.Done != 64 {
		t.Fatalf("with the newer slot cut off: %+v, %v", st, ok)
	}
	must(t, s.Checkpoint(State{Done: 200}))
	if st, _, err := s.State(); st.Done != 200 || st.Seq != 2 || err != nil {
		t.Errorf("after mending: %+v, %v", st, err)
	}
}

func TestStateVersion(t *testing.T) {
	b := stateImage([]State{newer}, nil, here)
	resealState(b[:stateSector], 2)
	if _, _, _, err := best(b); !errors.Is(err, ErrVersion) {
		t.Errorf("state of version 2: %v", err)
	}
}

// FuzzState lays three records into a file of a given length. Whole sectors
// would be mostly zeros, which fuzzing only wastes time on.
func FuzzState(f *testing.F) {
	img := stateImage([]State{older, newer}, &ahead, here)
	rec := func(i int) []byte { return img[i*stateSector : i*stateSector+stateRecord] }
	f.Add(rec(0), rec(1), rec(2), uint16(stateBytes))
	f.Add([]byte{}, []byte{}, []byte{}, uint16(stateBytes))
	f.Add(rec(0), []byte(stateMagic), []byte{}, uint16(stateBytes-1))
	f.Fuzz(func(t *testing.T, a, b, c []byte, size uint16) {
		img := make([]byte, stateBytes)
		for i, r := range [][]byte{a, b, c} {
			copy(img[i*stateSector:(i+1)*stateSector], r)
		}
		img = img[:min(int(size), len(img))]
		// Reseal what fuzzing spoils, or it would never get past the checksum.
		for _, try := range [][]byte{img, resealed(img)} {
			st, ok, _, err := best(try)
			if err == nil && ok && (st.Done < 0 || st.Done > int64(testStore.N) || st.Elapsed < 0) {
				t.Fatalf("accepted %+v", st)
			}
			if err != nil && !errors.Is(err, disk.ErrCorrupt) && !errors.Is(err, ErrVersion) {
				t.Fatalf("an error without a kind: %v", err)
			}
		}
	})
}

func resealed(b []byte) []byte {
	b = bytes.Clone(b)
	for i := 0; (i+1)*stateSector <= len(b); i++ {
		resealState(b[i*stateSector:(i+1)*stateSector], formatVersion)
	}
	return b
}

// TestRandomHistory plays random checkpoints, notes, resets and reopenings
// against a model.
func TestRandomHistory(t *testing.T) {
	needsNotes(t)
	rng := seeded(t)
	s := newStore(t, 1000, 64)
	model := newHistory()
	for range 300 {
		done := rng.Int64N(1001)
		switch rng.IntN(8) {
		case 0:
			must(t, s.Reset())
			model = newHistory()
		case 1, 2:
			must(t, s.Close())
			var st State
			var ok bool
			s, st, ok = reopen(t, s.Dir())
			model.recover()
			if ok != (model.slot >= 0) || ok && st.Done != model.slot {
				t.Fatalf("recovered %+v, %v; the model says %+v", st, ok, model)
			}
		case 3, 4, 5:
			must(t, s.Note(State{Algorithm: "x", Done: done}))
			model.note = done
		default:
			must(t, s.Checkpoint(State{Algorithm: "x", Done: done}))
			model.slot, model.note = done, -1
		}
	}
}

type history struct{ slot, note int64 } // -1: none

func newHistory() *history { return &history{-1, -1} }

func (h *history) recover() {
	h.slot, h.note = max(h.slot, h.note), -1
}
