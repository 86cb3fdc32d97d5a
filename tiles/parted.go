package tiles

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"ooc/tiles/class"
)

// Part says which tiles of a matrix a part store has. The shape of the store, its Geometry, is that of the whole
// matrix; its dist.npy has its own tiles alone, in the order of the whole.
type Part struct {
	Dealt
	Solve ID `json:"solve"` // shared by all parts of one solve
}

// mostParted is how many tiles a matrix may have that is kept in part stores: a table of them is in memory. Tiles
// that processes exchange are fewer.
const mostParted = 1 << 20

func (p *Part) validate(m *Meta) error {
	g := m.Geometry()
	switch {
	case p.Rows < 1 || p.Cols < 1 || p.Rows > mostParted/p.Cols || p.Index < 0 || p.Index >= p.Of():
		return fmt.Errorf("there is no part %d in a grid of %d×%d", p.Index, p.Rows, p.Cols)
	case p.Block < 1 || p.Block > g.Side():
		return fmt.Errorf("blocks of %d tiles do not go with %d a side", p.Block, g.Side())
	case m.Layout != Square && m.Layout != Upper || p.Solve == ID{} || g.Side() > mostParted/g.Side():
		return fmt.Errorf("a part does not go with layout %q, %d tiles a side, solve %x", m.Layout, g.Side(), p.Solve)
	}
	return nil
}

// places returns where in dist.npy each tile of the whole is, by Geometry.Index, -1 where another part has it, and
// how many are there. Where there are no parts, the table is nil: all tiles are there, in order.
func (m *Meta) places() (table []int32, held int) {
	g := m.Geometry()
	if m.Part == nil {
		return nil, g.Tiles()
	}
	table = make([]int32, g.Tiles())
	for t := range table {
		table[t] = -1
		if m.Part.Owner(g.TileAt(t)) == m.Part.Index {
			table[t] = int32(held)
			held++
		}
	}
	return table, held
}

// errPart is wrapped by the errors of part stores that are asked for what only all of them together can do.
var errPart = class.New(class.Input, "a part of a store")

// OtherPart is the error of what needs the other parts of a part store, too.
func (s *Store) OtherPart() error {
	path, _ := filepath.Abs(s.dir)
	all := filepath.Dir(path)
	return fmt.Errorf("%s is %w, %s: name the folder that holds all parts, %s, or put them together: ooc merge "+
		"NEW.ooc %s", s.dir, errPart, s.meta.Part, all, all)
}

// IsPart reports whether this is a part store, and not all parts of one.
func (s *Store) IsPart() bool { return s.meta.Part != nil }

// Parts are the part stores that this store was opened from; nil if it is one by itself.
func (s *Store) Parts() []*Store { return s.joined }

// Holds reports whether the store has a tile that is stored: a part store may not.
func (s *Store) Holds(i, j int) bool {
	return s.places == nil || s.places[s.geo.Index(i, j)] >= 0
}

// holder is the store that has the bytes of tile (i,j), which is stored: this one, or one of its parts.
func (s *Store) holder(i, j int) (*Store, error) {
	if s.joined != nil {
		return s.joined[s.joined[0].meta.Part.Owner(i, j)], nil
	}
	if !s.Holds(i, j) {
		return nil, fmt.Errorf("tile (%d,%d): %w", i, j, s.OtherPart())
	}
	return s, nil
}

// FileOf is the file that has tile (i,j), which is stored.
func (s *Store) FileOf(i, j int) string {
	if s.joined != nil {
		s, _ = s.holder(i, j)
	}
	return MatrixPath(s.dir)
}

// offset is where tile (i,j), which the store holds, starts in dist.npy.
func (s *Store) offset(i, j int) int64 {
	if s.places == nil {
		return s.geo.TileOffset(i, j)
	}
	return npyHeaderLen + int64(s.places[s.geo.Index(i, j)])*s.geo.TileBytes()
}

// distBytes is the size of dist.npy.
func (s *Store) distBytes() int64 { return npyHeaderLen + s.MatrixBytes() }

// MatrixBytes is the size of the tiles that are here.
func (s *Store) MatrixBytes() int64 {
	if s.places == nil {
		return s.geo.MatrixBytes()
	}
	return int64(s.held) * s.geo.TileBytes()
}

// heldBytes is MatrixBytes of a store that is to be made.
func (m *Meta) heldBytes() int64 {
	_, held := m.places()
	return int64(held) * m.Geometry().TileBytes()
}

// eachHeld calls use with the checksums of each tile here, in a list of all tiles and in one of those that are here.
func (s *Store) eachHeld(use func(whole, here int)) {
	each := s.meta.SumsPerTile()
	for t, at := range s.places {
		for k := range each {
			if at >= 0 {
				use(t*each+k, int(at)*each+k)
			}
		}
	}
}

// Unfinish makes a store that was solved one of which the rounds go on: since other parts are not as far. What is
// written then may differ in rounding from what its checksums are of.
func (s *Store) Unfinish() error {
	s.syncMu.Lock()
	defer s.syncMu.Unlock()
	if err := s.dropSums(); err != nil {
		return err
	}
	s.changed()
	return nil
}

// isPart reports whether a folder is a part store. One that cannot be read is, by its name, so that whoever opens it
// says what is wrong with it.
func isPart(dir string) bool {
	if !IsStore(dir) {
		return false
	}
	if m, err := readMeta(dir); err == nil {
		return m.Part != nil
	}
	return new(Dealt).SetName(filepath.Base(dir))
}

// partStores lists the part stores in a folder, in order of their names.
func partStores(dir string) (list []string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	for _, e := range entries { // which may be links
		if path := filepath.Join(dir, e.Name()); strings.HasSuffix(path, ".ooc") && isPart(path) {
			list = append(list, path)
		}
	}
	return list
}

// PartsIn lists the part stores that a path stands for: itself, or those in the folder that it is.
func PartsIn(path string) []string {
	if isPart(path) {
		return []string{path}
	}
	return partStores(path)
}

// OpenParts opens all part stores of a solve as one store, for reading: dir is what it is called. It fails where they
// are not all there, or are not those of one solve. Other errors are those of OpenReadOnly.
func OpenParts(dir string, dirs []string) (s *Store, err error) {
	var parts []*Store
	defer func() {
		for _, p := range parts {
			if err != nil {
				err = errors.Join(err, p.Close())
			}
		}
	}()
	for _, d := range dirs {
		var p *Store
		if p, err = OpenReadOnly(d); err != nil {
			return nil, err
		}
		parts = append(parts, p)
		if err := together(dirs[0], &parts[0].meta, d, &p.meta); err != nil {
			return nil, err
		}
	}
	first := *parts[0].meta.Part
	all := make([]*Store, first.Of())
	for _, p := range parts {
		same := all[p.meta.Part.Index]
		if same != nil {
			return nil, fmt.Errorf("%s and %s are %w, the same one, %s: name one of them", same.dir, p.dir, errPart,
				p.meta.Part)
		}
		all[p.meta.Part.Index] = p
	}
	var missing []string
	for first.Index = range all {
		if all[first.Index] == nil {
			missing = append(missing, first.Name())
		}
	}
	if missing != nil {
		return nil, fmt.Errorf("%s holds %w of %s without %s: put what is missing there, from the disk of its rank",
			dir, errPart, first.Grid(), strings.Join(missing, ", "))
	}
	m := parts[0].meta
	m.ID, m.Part = first.Solve, nil
	s = unopened(dir, m, false)
	s.joined, s.mem = all, []byte{}
	return s, nil
}

// together fails unless two part stores are of one solve.
func together(dirA string, a *Meta, dirB string, b *Meta) error {
	other := func(what string) error {
		return fmt.Errorf("%s and %s are %w each, of %s: name the parts of one solve, or move away those of the other",
			dirA, dirB, errPart, what)
	}
	p, q := *a.Part, *b.Part
	switch {
	case p.Grid() != q.Grid():
		return other("different grids, " + p.Grid() + " and " + q.Grid())
	case p.Solve != q.Solve:
		return other("different solves")
	}
	q.Index = p.Index
	if p != q || a.Geometry() != b.Geometry() || a.Kind != b.Kind || a.Scale != b.Scale || a.Arcs != b.Arcs {
		return other("different matrices")
	}
	return nil
}

// leastState is the state of a store in parts: what all of them have done.
func (s *Store) leastState(notes bool) (least State, counts bool, err error) {
	for i, p := range s.joined {
		st, here, err := p.reached(notes)
		if err != nil || !here {
			return State{}, false, err
		}
		elapsed := max(st.Elapsed, least.Elapsed)
		if i == 0 || st.Done < least.Done {
			least = st
		}
		least.Elapsed = elapsed
	}
	return least, true, nil
}

// joinedSums puts the checksums of all parts in the order of the whole.
func (s *Store) joinedSums() ([]uint32, error) {
	all := make([]uint32, s.meta.sumCount())
	for _, p := range s.joined {
		sums, err := p.Sums()
		if err != nil {
			return nil, err
		}
		p.eachHeld(func(t, _ int) { all[t] = sums[t] })
	}
	return all, nil
}

// notInParts explains a folder that holds part stores and is no store to be solved.
func notInParts(dir string) error {
	list := partStores(dir)
	if list == nil {
		return nil
	}
	m, err := readMeta(list[0])
	if err != nil || m.Part == nil {
		return err
	}
	return fmt.Errorf("%s holds stores each of which is %w, of grid %s: solve them with mpirun -n %d ooc solve GRAPH "+
		"--cluster mpi --part-dir %s, or put them together: ooc merge NEW.ooc %s",
		dir, errPart, m.Part.Grid(), m.Part.Of(), filepath.Dir(filepath.Clean(dir)), dir)
}

// Dealt is one part of a grid of parts, to which the tiles of a matrix are dealt cyclically, in square blocks.
type Dealt struct {
	Rows  int `json:"rows"` // of the grid
	Cols  int `json:"cols"`
	Index int `json:"index"` // of this part, row by row, from 0 on
	Block int `json:"block"` // edge of a block, in tiles
}

// Owner is the part that has tile (i,j).
func (p *Dealt) Owner(i, j int) int { return i/p.Block%p.Rows*p.Cols + j/p.Block%p.Cols }

// Of is how many parts there are.
func (p *Dealt) Of() int { return p.Rows * p.Cols }

// Grid is the grid as users write it: 2x4.
func (p *Dealt) Grid() string { return fmt.Sprintf("%dx%d", p.Rows, p.Cols) }

// String names the part.
func (p *Dealt) String() string { return fmt.Sprintf("part %d of grid %s", p.Index, p.Grid()) }

// Name is what the folder of the part's store is called.
func (p *Dealt) Name() string { return fmt.Sprintf("%s-%d.ooc", p.Grid(), p.Index) }

// SetName takes grid and index from what the folder of a part's store is called. It reports whether that is such a
// name.
func (p *Dealt) SetName(name string) bool {
	_, err := fmt.Sscanf(name, "%dx%d-%d.ooc", &p.Rows, &p.Cols, &p.Index)
	return err == nil && p.Name() == name
}
