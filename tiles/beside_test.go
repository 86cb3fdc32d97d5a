package tiles

import (
	"bytes"
	"errors"
	"testing"

	"ooc/tiles/disk"
	"ooc/tiles/lock"
)

// TestBeside writes tiles beside the process that has the lock, which makes the restore points. While the store is
// open beside, nobody else gets it, also when the one with the lock is gone.
func TestBeside(t *testing.T) {
	s := newStore(t, 200, 64)
	b, err := OpenBeside(s.Dir(), s.Meta().ID)
	if err != nil {
		t.Fatal(err)
	}
	if b.here != s.here || b.here == (incarnation{}) {
		t.Errorf("a mark of a failed sync would name %+v, and %+v is believed", b.here, s.here)
	}
	tile := bytes.Repeat([]byte{1, 2, 3, 4}, 64*64)
	if err := b.WriteTile(1, 2, tile); err != nil {
		t.Fatal(err)
	}
	if err := b.SyncTiles(); err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{b.Checkpoint(State{}), b.Note(State{}), b.Reset()} {
		if !errors.Is(err, errReadOnly) {
			t.Errorf("state written beside the process with the lock: %v", err)
		}
	}
	got := make([]byte, len(tile))
	if err := s.ReadTile(got, 1, 2); err != nil || !bytes.Equal(got, tile) {
		t.Errorf("%v, or other bytes than were written", err)
	}
	if err := s.Checkpoint(State{Algorithm: "x", Done: 64}); err != nil {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for _, open := range []func(string) (*Store, error){Open, OpenDamaged} {
		var locked *lock.LockedError
		if s, err := open(b.Dir()); !errors.As(err, &locked) {
			s.Close()
			t.Errorf("opened for writing: %v", err)
		}
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if s, err = Open(b.Dir()); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenBeside(s.Dir(), NewID()); !errors.Is(err, disk.ErrCorrupt) {
		t.Errorf("another store: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}
