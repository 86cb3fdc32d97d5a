package tiles

import (
	"errors"
	"os"
	"strings"
	"testing"

	"ooc/tiles/disk"
)

// TestReadsAreChecked flips a bit of a solved matrix: whatever reads from the strip that it is in fails, and names it.
// All else answers.
func TestReadsAreChecked(t *testing.T) {
	made := pairsStore(t, 250, 128, nil) // two tiles across and down, of two strips each
	must(t, made.Checkpoint(State{Algorithm: "x", Done: 250}))
	writeSums(t, made)
	must(t, made.Close())
	f, err := os.OpenFile(made.path(nameDist), os.O_RDWR, 0)
	must(t, err)
	defer f.Close()
	at := made.geo.TileOffset(1, 0) + 8*(100*128+5) + 3 // of entry (228, 5)
	flip := func() {
		b := make([]byte, 1)
		_, err := f.ReadAt(b, at)
		must(t, err)
		b[0] ^= 4
		_, err = f.WriteAt(b, at)
		must(t, err)
	}
	reads := func(m matrix, u, v int) map[string]error {
		row, tile, part := make([]byte, 1000), make([]byte, made.geo.TileBytes()), make([]byte, 40)
		_, err := m.ReadAt(u, v)
		return map[string]error{
			"entry": err, "row": m.ReadRow(row, u), "column": m.ReadCol(row, v), "tile": m.ReadTile(tile, u/128, v/128),
			"part": m.ReadEntries(part, u/128, v/128, u%128*128), "row of predecessors": m.ReadRowPredecessors(row, u),
			"column of predecessors": m.ReadColPredecessors(row, v),
			"part of predecessors":   m.ReadEntriesPredecessors(part, u/128, v/128, u%128*128),
		}
	}
	fine := func(when string, m matrix, u, v int) {
		t.Helper()
		for what, err := range reads(m, u, v) {
			if err != nil {
				t.Errorf("%s, %s: %v", when, what, err)
			}
		}
	}
	s, err := OpenReadOnly(made.Dir())
	must(t, err)
	defer s.Close()
	flip()
	fine("another tile", s.matrix, 100, 200)
	fine("unchecked", s.Unchecked(), 228, 5)
	for u := range 250 { // every row of the damaged tile, and those above it
		bits, err := s.ReadAt(u, 200)
		if must(t, err); bits != uint64(1000*u+200) {
			t.Fatalf("entry (%d,200) is %d", u, bits)
		}
		if bits, err = s.ReadAt(u, 7); (err != nil) != (u >= 128+64) {
			t.Fatalf("entry (%d,7): %d, %v", u, bits, err)
		}
	}
	for what, err := range reads(s.matrix, 249, 90) { // in the same strip, another row and column
		if !errors.Is(err, disk.ErrCorrupt) || !strings.Contains(err.Error(), made.path(nameDist)) ||
			!strings.Contains(err.Error(), "tile (1,0), rows 64 to 127") ||
			!strings.Contains(err.Error(), "--restart") {
			t.Errorf("a damaged strip, %s: %v", what, err)
		}
	}
	flip()
	fine("mended", s.matrix, 228, 5)
	flip()
	fine("compared before", s.matrix, 228, 5)

	w, _, _ := reopen(t, made.Dir())
	must(t, w.WritePredecessors(0, []int32{0}, []int32{1}))
	fine("while it is written", w.matrix, 228, 5)
	writeSums(t, w)
	fine("with the checksums of what is there", w.matrix, 228, 5)
	flip()
	fine("compared before", w.matrix, 228, 5)
	writeSums(t, w)
	flip()
	if _, err := w.ReadAt(228, 5); !errors.Is(err, disk.ErrCorrupt) {
		t.Errorf("damaged after new checksums were written: %v", err)
	}
	must(t, w.Reset())
	fine("after a reset", w.matrix, 228, 5)
	must(t, w.Close())
}

// TestDamagedSumsAreNoAnswer: where the checksums are damaged, nothing can be compared with them.
func TestDamagedSumsAreNoAnswer(t *testing.T) {
	s := newStore(t, 100, 64)
	must(t, s.WriteTile(0, 0, make([]byte, s.geo.TileBytes())))
	writeSums(t, s)
	must(t, os.Truncate(s.path(nameSums), 70))
	if _, err := s.ReadAt(0, 0); !errors.Is(err, disk.ErrCorrupt) || !strings.Contains(err.Error(), s.path(nameSums)) {
		t.Errorf("answered with damaged checksums: %v", err)
	}
	must(t, second(s.Unchecked().ReadAt(0, 0)))
}

// TestBegunAgainWhileRead has a reader look at a solved matrix that another process begins again.
func TestBegunAgainWhileRead(t *testing.T) {
	made := pairsStore(t, 130, 64, nil)
	must(t, made.Checkpoint(State{Algorithm: "x", Done: 130}))
	writeSums(t, made)
	reader, err := OpenReadOnly(made.Dir())
	must(t, err)
	defer reader.Close()
	_, err = reader.ReadAt(0, 0)
	must(t, err)
	must(t, made.Reset())
	must(t, made.WriteTile(1, 1, make([]byte, made.geo.TileBytes())))
	if _, err := reader.ReadAt(70, 70); err == nil || errors.Is(err, disk.ErrCorrupt) ||
		!strings.Contains(err.Error(), "begun again") {
		t.Errorf("got %v", err)
	}
	must(t, made.Checkpoint(State{Algorithm: "x", Done: 130}))
	writeSums(t, made)
	if _, err := reader.ReadAt(70, 70); err == nil || errors.Is(err, disk.ErrCorrupt) {
		t.Errorf("with checksums of the new solve: %v", err)
	}
	must(t, made.Close())
}

// TestSumsOfALostSlot wants a matrix that continues from an older slot to lose the checksums of the solve that ended.
func TestSumsOfALostSlot(t *testing.T) {
	made := pairsStore(t, 130, 64, nil)
	must(t, made.Checkpoint(State{Algorithm: "x", Done: 64}))
	must(t, made.Checkpoint(State{Algorithm: "x", Done: 130}))
	writeSums(t, made)
	newest := made.best
	must(t, made.Close())
	f, err := os.OpenFile(made.path(nameState), os.O_RDWR, 0)
	must(t, err)
	_, err = f.WriteAt([]byte{1}, int64(newest)*stateSector+50)
	must(t, err)
	must(t, f.Close())
	s, err := Open(made.Dir())
	must(t, err)
	defer s.Close()
	if st, counts, err := s.Recover(); err != nil || !counts || st.Done != 64 {
		t.Fatalf("recovered %+v, %v, %v", st, counts, err)
	}
	if _, err := s.Sums(); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("checksums: %v", err)
	}
	must(t, s.WriteTile(0, 0, make([]byte, s.geo.TileBytes())))
	if _, err := s.ReadAt(0, 0); err != nil {
		t.Error(err)
	}
}
