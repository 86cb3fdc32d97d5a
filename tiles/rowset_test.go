package tiles

import (
	"encoding/json"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
)

func TestRowSet(t *testing.T) {
	for range 200 {
		var r RowSet
		for v := range int32(60) {
			if rand.IntN(3) > 0 {
				r = append(r, v)
			}
		}
		b, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		var back RowSet
		if err := json.Unmarshal(b, &back); len(r) > 0 && (err != nil || !slices.Equal(back, r)) {
			t.Fatalf("%v → %s → %v, %v", r, b, back, err)
		}
		for place, v := range r {
			if got, ok := r.Index(int(v)); !ok || got != place || r.Vertex(place) != int(v) {
				t.Fatalf("%d is at %d, not %d", v, place, got)
			}
		}
	}
	for _, bad := range []string{`""`, `"1,1"`, `"3..2"`, `"2,1"`, `"-1"`, `"x"`, `"1..2147483647"`, `3`, `"0..5,5"`} {
		var r RowSet
		if err := json.Unmarshal([]byte(bad), &r); err == nil {
			t.Errorf("%s was read as %v", bad, r)
		}
	}
}

// TestPartialStore writes and reads a store of some rows.
func TestPartialStore(t *testing.T) {
	m := testMeta(200, 64)
	for v := int32(3); v < 200; v += 2 {
		m.Sources = append(m.Sources, v)
	}
	dir := filepath.Join(t.TempDir(), "a.ooc")
	s, err := Create(dir, m, nil, IDs{})
	must(t, err)
	g := s.Geometry()
	if g.RowCount() != 99 || g.Down() != 2 || g.Side() != 4 || g.Tiles() != 8 {
		t.Fatalf("%+v: %d rows, %d×%d tiles", g, g.RowCount(), g.Down(), g.Side())
	}
	for i := range g.Down() {
		row := make([]byte, int64(g.Side())*g.TileBytes())
		for k := range row {
			row[k] = byte(i*4 + k/int(g.TileBytes()))
		}
		must(t, s.WriteTiles(i, 0, row))
		if s.WriteTiles(2, 0, row) == nil || s.WriteTiles(0, 0, row[1:]) == nil {
			t.Error("a row of tiles below the last, or one that is too short, was written")
		}
	}
	must(t, s.Checkpoint(State{Done: 99, Algorithm: "x"}))
	writeSums(t, s)
	must(t, s.Close())
	s, err = OpenReadOnly(dir)
	must(t, err)
	defer s.Close()
	if !slices.Equal(s.Meta().Sources, m.Sources) {
		t.Errorf("sources came back as %v", s.Meta().Sources)
	}
	row, col := make([]byte, 4*200), make([]byte, 4*99)
	must(t, s.ReadRow(row, 98))
	must(t, s.ReadCol(col, 199))
	if row[0] != 4 || row[4*199] != 7 || col[0] != 3 || col[4*98] != 7 {
		t.Errorf("row 98 begins with %d and ends with %d, column 199 with %d and %d", row[0], row[4*199], col[0],
			col[4*98])
	}
	if bits, err := s.ReadAt(98, 199); err != nil || bits != 0x07070707 {
		t.Errorf("entry (98,199) is %x, %v", bits, err)
	}
	if s.ReadRow(row, 99) == nil {
		t.Error("a row below the last was read")
	}
	sums, err := s.Sums()
	must(t, err)
	if len(sums) != 8 {
		t.Errorf("%d sums", len(sums))
	}
}

// TestCore nests a store in another, and starts the outer over.
func TestCore(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a.ooc")
	s, err := Create(dir, testMeta(100, 64), nil, IDs{})
	must(t, err)
	must(t, s.RemoveCore())
	core := testMeta(10, 64)
	core.Parent = s.Meta().ID
	for range 2 {
		c, err := Create(s.path(nameCore), core, nil, IDs{})
		must(t, err)
		must(t, c.Close())
		must(t, s.RemoveCore())
	}
	c, err := Create(s.path(nameCore), core, nil, IDs{})
	must(t, err)
	must(t, c.Close())
	s, err = s.Replace(testMeta(100, 64), nil, IDs{})
	must(t, err)
	if names, err := ownFiles(s.path(nameCore)); err == nil {
		t.Errorf("the core outlived its store: %v", names)
	}
	must(t, s.Close())
}
