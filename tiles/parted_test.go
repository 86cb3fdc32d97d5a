package tiles

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ooc/kernels/entry"
	"ooc/tiles/disk"
)

// partsOf makes the part stores of a matrix in a folder, each with a value of its own in every tile, solved and summed.
func partsOf(t *testing.T, m Meta, p Part) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for p.Index = range p.Of() {
		m := m
		part := p
		m.Part = &part
		s, err := Create(filepath.Join(dir, p.Name()), m, nil, IDs{})
		must(t, err)
		g := s.Geometry()
		sums, each := make([]uint32, g.Tiles()*m.T/stripRows), m.T/stripRows
		for at := range g.Tiles() {
			i, j := g.TileAt(at)
			data := slices.Repeat([]byte{byte(at + 1)}, int(g.TileBytes()))
			if s.Holds(i, j) != (p.Owner(i, j) == p.Index) {
				t.Fatalf("%s, tile (%d,%d): held %t", &p, i, j, s.Holds(i, j))
			}
			if !s.Holds(i, j) {
				if err := s.WriteTile(i, j, data); !errors.Is(err, errPart) {
					t.Fatalf("a tile of another part: %v", err)
				}
				continue
			}
			must(t, s.WriteTile(i, j, data))
			Sums(sums[at*each:][:each], data)
		}
		must(t, s.Checkpoint(State{Algorithm: "blocked", Done: int64(m.N - p.Index)}))
		must(t, s.WriteSums(sums))
		must(t, s.Close())
	}
	return dir
}

// TestOpenParts opens part stores together, in both layouts and on grids of all kinds, also such in which some parts
// have no tile.
func TestOpenParts(t *testing.T) {
	for _, layout := range []Layout{Square, Upper} {
		for _, grid := range [][3]int{{1, 1, 1}, {2, 2, 1}, {1, 3, 2}, {3, 1, 1}, {5, 2, 3}, {4, 4, 5}} {
			m := Meta{N: 300, T: 64, Kind: entry.KindU16, Layout: layout}
			dir := partsOf(t, m, Part{Dealt{Rows: grid[0], Cols: grid[1], Block: grid[2]}, NewID()})
			s, err := OpenReadOnly(dir)
			must(t, err)
			g := s.Geometry()
			tile, held := make([]byte, g.TileBytes()), 0
			for at := range g.Tiles() {
				i, j := g.TileAt(at)
				must(t, s.ReadTile(tile, i, j)) // compares with the sums
				if tile[0] != byte(at+1) || tile[len(tile)-1] != byte(at+1) {
					t.Errorf("%s %v: tile (%d,%d) is that of %d", layout, grid, i, j, tile[0]-1)
				}
			}
			for _, p := range s.Parts() {
				info, err := os.Stat(p.path(nameDist))
				must(t, err)
				if info.Size() != npyHeaderLen+int64(p.held)*g.TileBytes() {
					t.Errorf("%s has %d bytes for %d tiles", p.dir, info.Size(), p.held)
				}
				held += p.held
			}
			if held != g.Tiles() {
				t.Errorf("%s %v: %d tiles of %d", layout, grid, held, g.Tiles())
			}
			if st, counts, err := s.State(); err != nil || !counts || st.Done != int64(m.N-grid[0]*grid[1]+1) {
				t.Errorf("%s %v: %+v, %t, %v", layout, grid, st, counts, err)
			}
			must(t, s.Close())
		}
	}
	m, p := Meta{N: 300, T: 64, Kind: entry.KindU16}, Part{Dealt{Rows: 2, Cols: 1, Block: 1}, NewID()}
	dir, other := partsOf(t, m, p), partsOf(t, m, Part{Dealt{Rows: 2, Cols: 1, Block: 1}, NewID()})
	wide := partsOf(t, m, Part{Dealt{Rows: 1, Cols: 2, Block: 1}, p.Solve})
	in := func(dir string, name string) string { return filepath.Join(dir, name) }
	for _, c := range []struct {
		says string
		dirs []string
	}{
		{"without 2x1-1.ooc", []string{in(dir, "2x1-0.ooc")}},
		{"without 2x1-0.ooc", []string{in(dir, "2x1-1.ooc")}},
		{"the same one", []string{in(dir, "2x1-0.ooc"), in(dir, "2x1-1.ooc"), in(dir, "2x1-1.ooc")}},
		{"different solves", []string{in(dir, "2x1-0.ooc"), in(other, "2x1-1.ooc")}},
		{"different grids, 2x1 and 1x2", []string{in(dir, "2x1-0.ooc"), in(wide, "1x2-1.ooc")}},
	} {
		if _, err := OpenParts(dir, c.dirs); !errors.Is(err, errPart) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v, want %q", err, c.says)
		}
	}
	if _, err := Open(dir); !errors.Is(err, errPart) || !strings.Contains(err.Error(), "mpirun -n 2") {
		t.Errorf("opened for writing: %v", err)
	}
}

// TestReadHere puts rows and columns of pairs together from what parts have of them.
func TestReadHere(t *testing.T) {
	for _, kind := range []entry.Kind{entry.KindI32, entry.KindF64} {
		m := Meta{N: 300, T: 64, Kind: kind, Predecessors: true}
		dir := partsOf(t, m, Part{Dealt{Rows: 2, Cols: 3, Block: 1}, NewID()})
		for i := range 6 { // with bytes of their own in each entry
			s, err := Open(filepath.Join(dir, fmt.Sprintf("2x3-%d.ooc", i)))
			must(t, err)
			data := make([]byte, s.MatrixBytes())
			for at := range data {
				data[at] = byte(i + at*7 + at>>8*31 + at>>16)
			}
			_, err = s.dist.WriteAt(data, npyHeaderLen)
			must(t, err)
			must(t, s.dropSums())
			must(t, s.Close())
		}
		all, err := OpenReadOnly(dir)
		must(t, err)
		k, g := kind.Bytes(), all.Geometry()
		for u := 0; u < m.N; u += 13 {
			for _, column := range []bool{false, true} {
				distances, predecessors := make([]byte, m.N*k), make([]byte, m.N*PredecessorBytes)
				if column {
					must(t, errors.Join(all.ReadCol(distances, u), all.ReadColPredecessors(predecessors, u)))
				} else {
					must(t, errors.Join(all.ReadRow(distances, u), all.ReadRowPredecessors(predecessors, u)))
				}
				for _, p := range all.Parts() {
					here := make([]byte, 2*m.N*16)
					n, err := p.ReadHere(here, u, column)
					must(t, err)
					at := 0
					for x := range g.Side() {
						i, j := u/m.T, x
						if column {
							i, j = j, i
						}
						if !p.Holds(i, j) {
							continue
						}
						width, to := min(m.T, m.N-x*m.T), x*m.T
						if !slices.Equal(here[at:][:width*k], distances[to*k:][:width*k]) ||
							!slices.Equal(here[at+m.T*k:][:width*4], predecessors[to*4:][:width*4]) {
							t.Fatalf("%s: line %d, column %t: tile (%d,%d) differs", kind, u, column, i, j)
						}
						at += m.T * (k + PredecessorBytes)
					}
					if at != n {
						t.Errorf("%s: line %d, column %t: %d bytes, want %d", kind, u, column, n, at)
					}
				}
			}
		}
		must(t, all.Close())
	}
}

// TestPartValidate refuses descriptions of parts that cannot be.
func TestPartValidate(t *testing.T) {
	id := NewID()
	part := func(rows, cols, index, block int, id ID) Part {
		return Part{Dealt{Rows: rows, Cols: cols, Index: index, Block: block}, id}
	}
	for i, p := range []Part{
		part(0, 1, 0, 1, id), part(1, -1, 0, 1, id), part(2, 2, 4, 1, id), part(2, 2, -1, 1, id), part(2, 2, 0, 0, id),
		part(2, 2, 0, 6, id), part(2, 2, 0, 1, ID{}), part(1<<40, 1<<40, 0, 1, id),
	} {
		if _, err := completeMeta(Meta{N: 300, T: 64, Kind: entry.KindI32, Part: &p}, nil, IDs{}); err == nil {
			t.Errorf("%d: accepted", i)
		}
	}
	for i, m := range []Meta{{N: 300, T: 64, Sources: RowSet{1}}, {N: 1 << 20, T: 64}} {
		one := part(1, 1, 0, 1, id)
		m.Kind, m.Part = entry.KindI32, &one
		if _, err := completeMeta(m, nil, IDs{}); err == nil {
			t.Error(fmt.Sprint(i), ": accepted")
		}
	}
}

// TestDamagedPart finds out what is wrong with a part store whose store.json cannot be read, and does not say that it
// is missing.
func TestDamagedPart(t *testing.T) {
	dir := partsOf(t, Meta{N: 300, T: 64, Kind: entry.KindI32}, Part{Dealt{Rows: 2, Cols: 1, Block: 1}, NewID()})
	part := filepath.Join(dir, "2x1-1.ooc")
	path := filepath.Join(part, nameStore)
	good, err := os.ReadFile(path)
	must(t, err)
	for _, c := range []struct {
		text string
		kind error
	}{
		{"", disk.ErrCorrupt},
		{string(good[:len(good)/2]), disk.ErrCorrupt},
		{strings.Replace(string(good), `"n": 300`, `"n": 301`, 1), disk.ErrCorrupt},
		{strings.Replace(string(good), fmt.Sprintf(`"version": %d`, formatVersion), `"version": 6`, 1),
			disk.ErrCorrupt},
		{string(sealMeta(t, strings.Replace(string(good), fmt.Sprintf(`"version": %d`, formatVersion), `"version": 99`,
			1))), ErrVersion},
	} {
		must(t, os.WriteFile(path, []byte(c.text), 0o666))
		if list := PartsIn(dir); len(list) != 2 || list[1] != part {
			t.Errorf("%.30q: parts %q", c.text, list)
		}
		if list := PartsIn(part); !slices.Equal(list, []string{part}) {
			t.Errorf("%.30q: by itself: %q", c.text, list)
		}
		if _, err := OpenReadOnly(dir); !errors.Is(err, c.kind) || !strings.Contains(err.Error(), path) ||
			errors.Is(err, errPart) {
			t.Errorf("%.30q: %v", c.text, err)
		}
	}
	must(t, os.Rename(part, filepath.Join(dir, "other.ooc"))) // may be any store
	if list := PartsIn(dir); len(list) != 1 {
		t.Errorf("parts %q", list)
	}
}
