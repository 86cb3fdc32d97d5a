package tiles

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sync/errgroup"

	"ooc/kernels/entry"
)

func TestGeometry(t *testing.T) {
	for _, c := range []struct {
		g           Geometry
		side        int
		tile, total int64
	}{
		{Geometry{N: 1, T: 64, EntryBytes: 4}, 1, 16384, 16384},
		{Geometry{N: 64, T: 64, EntryBytes: 4}, 1, 16384, 16384},
		{Geometry{N: 65, T: 64, EntryBytes: 4}, 2, 16384, 4 * 16384},
		{Geometry{N: 46_342, T: 512, EntryBytes: 4}, 91, 1 << 20, 91 * 91 << 20},
		{Geometry{N: 200_000, T: 1024, EntryBytes: 4}, 196, 4 << 20, 196 * 196 * 4 << 20},
		{Geometry{N: 200_000, T: 1024, EntryBytes: 8}, 196, 8 << 20, 196 * 196 * 8 << 20},
	} {
		must(t, c.g.Validate())
		if c.g.Side() != c.side || c.g.TileBytes() != c.tile || c.g.MatrixBytes() != c.total {
			t.Errorf("%+v: side %d, tile %d, matrix %d", c.g, c.g.Side(), c.g.TileBytes(), c.g.MatrixBytes())
		}
		last := c.g.TileOffset(c.side-1, c.side-1)
		if last+c.tile != npyHeaderLen+c.g.MatrixBytes() || last%4096 != 0 {
			t.Errorf("%+v: the last tile starts at %d of %d", c.g, last, npyHeaderLen+c.g.MatrixBytes())
		}
	}
	for _, g := range []Geometry{
		{N: 0, T: 64, EntryBytes: 4}, {N: -1, T: 64, EntryBytes: 4}, {N: maxN + 1, T: 64, EntryBytes: 4},
		{N: 10, T: 0, EntryBytes: 4}, {N: 10, T: -64, EntryBytes: 4}, {N: 10, T: 65, EntryBytes: 4},
		{N: 10, T: MaxT + 64, EntryBytes: 4}, {N: 10, T: 64, EntryBytes: 0}, {N: 10, T: 64, EntryBytes: 3},
		{N: maxN, T: 64, EntryBytes: 4},
		{N: 10, T: 64, EntryBytes: 4, Rows: 11}, {N: 10, T: 64, EntryBytes: 4, Rows: -1},
	} {
		if g.Validate() == nil {
			t.Errorf("%+v is accepted", g)
		}
	}
}

func TestCreateAndOpen(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a.ooc")
	m := testMeta(100, 64)
	m.Arcs, m.Kind, m.Scale, m.Command = 100, entry.KindF32, 1000, []string{"ooc", "bad\xffutf8"}
	ids := IDs{Text: make([]string, 100)}
	for i := range ids.Text {
		ids.Text[i] = strings.Repeat("é", i%5)
	}
	w, err := Create(dir, m, ring(100), ids)
	must(t, err)
	created := w.Meta()
	must(t, w.Close())
	for _, open := range []func(string) (*Store, error){Open, OpenReadOnly} {
		s, err := open(dir)
		must(t, err)
		if got := s.Meta(); !reflect.DeepEqual(got, created) {
			t.Errorf("meta %+v, created %+v", got, created)
		}
		if s.Dir() != dir || s.Geometry() != (Geometry{N: 100, T: 64, EntryBytes: 4}) {
			t.Errorf("dir %q, geometry %+v", s.Dir(), s.Geometry())
		}
		csr, err := s.CSR()
		must(t, err)
		if !reflect.DeepEqual(csr, ring(100)) {
			t.Error("the graph came back different")
		}
		got, err := s.IDs()
		must(t, err)
		if !reflect.DeepEqual(got, ids) {
			t.Errorf("ids %+v", got)
		}
		must(t, s.Close())
	}
	if created.Version != formatVersion || created.IDs != "text" || created.Dense || created.Created.IsZero() ||
		created.Scale != 1000 {
		t.Errorf("created %+v", created)
	}
	if _, err := Create(dir, m, ring(100), ids); !errors.Is(err, ErrExists) {
		t.Errorf("Create on a store: %v", err)
	}
	if half, err := Incomplete(dir); half || err != nil {
		t.Errorf("Incomplete on a store: %v, %v", half, err)
	}
}

func TestNumericIDsAndDense(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a.ooc")
	ids := IDs{Numeric: []int64{-5, 0, 1 << 40}}
	s, err := Create(dir, testMeta(3, 64), nil, ids)
	must(t, err)
	defer s.Close()
	got, err := s.IDs()
	must(t, err)
	if !reflect.DeepEqual(got, ids) {
		t.Errorf("ids %v", got)
	}
	if _, err := s.CSR(); !errors.Is(err, ErrNoCSR) {
		t.Errorf("CSR of dense input: %v", err)
	}
}

func TestCreateRefuses(t *testing.T) {
	good := func() (Meta, *CSR, IDs) { m := testMeta(3, 64); m.Arcs = 3; return m, ring(3), IDs{} }
	for name, spoil := range map[string]func(*Meta, *CSR, *IDs){
		"kind":          func(m *Meta, c *CSR, i *IDs) { m.Kind = "u128" },
		"tile":          func(m *Meta, c *CSR, i *IDs) { m.T = 63 },
		"n":             func(m *Meta, c *CSR, i *IDs) { m.N = 4 },
		"arcs":          func(m *Meta, c *CSR, i *IDs) { m.Arcs = 2 },
		"offsets":       func(m *Meta, c *CSR, i *IDs) { c.Offsets[1] = 3; c.Offsets[2] = 1 },
		"last offset":   func(m *Meta, c *CSR, i *IDs) { c.Offsets[3] = 2 },
		"target":        func(m *Meta, c *CSR, i *IDs) { c.Targets[2] = 3 },
		"target below":  func(m *Meta, c *CSR, i *IDs) { c.Targets[2] = -1 },
		"weights":       func(m *Meta, c *CSR, i *IDs) { c.Weights = c.Weights[:11] },
		"too few ids":   func(m *Meta, c *CSR, i *IDs) { i.Text = []string{"a"} },
		"ids unordered": func(m *Meta, c *CSR, i *IDs) { i.Numeric = []int64{1, 1, 2} },
		"both ids":      func(m *Meta, c *CSR, i *IDs) { i.Numeric = []int64{0, 1, 2}; i.Text = make([]string, 3) },
		"scale":         func(m *Meta, c *CSR, i *IDs) { m.Scale = -1 },
	} {
		dir := filepath.Join(t.TempDir(), "a.ooc")
		m, c, ids := good()
		spoil(&m, c, &ids)
		if s, err := Create(dir, m, c, ids); err == nil {
			s.Close()
			t.Errorf("%s: accepted", name)
		}
		if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: the folder is there", name)
		}
	}
	m, c, ids := good()
	if _, err := Create(filepath.Join(t.TempDir(), "no", "a.ooc"), m, c, ids); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing parent: %v", err)
	}
}

// TestTilesRowsAndEntries compares every way to read with a plain matrix.
func TestTilesRowsAndEntries(t *testing.T) {
	rng := seeded(t)
	n := 130 + rng.IntN(100)
	s := newStore(t, n, 64)
	side, T := s.Geometry().Side(), 64
	want := make([]uint32, side*T*side*T)
	buf := make([]byte, s.Geometry().TileBytes())
	for i := range side {
		for j := range side {
			for k := range T * T {
				x := rng.Uint32()
				want[(i*T+k/T)*side*T+j*T+k%T] = x
				binary.LittleEndian.PutUint32(buf[4*k:], x)
			}
			must(t, s.WriteTile(i, j, buf))
			got := bytes.Repeat([]byte{0xa5}, len(buf))
			must(t, s.ReadTile(got, i, j))
			if !bytes.Equal(got, buf) {
				t.Fatalf("tile (%d,%d) reads back different", i, j)
			}
		}
	}
	row, col := make([]byte, 4*n), make([]byte, 4*n)
	for u := range n {
		must(t, s.ReadRow(row, u))
		must(t, s.ReadCol(col, u))
		for v := range n {
			a, b := want[u*side*T+v], want[v*side*T+u]
			if binary.LittleEndian.Uint32(row[4*v:]) != a || binary.LittleEndian.Uint32(col[4*v:]) != b {
				t.Fatalf("row or column %d differs at %d", u, v)
			}
			if got, err := s.ReadAt(u, v); err != nil || got != uint64(a) {
				t.Fatalf("entry (%d,%d) = %#x, %v; want %#x", u, v, got, err, a)
			}
		}
	}
}

func TestArgumentsAreChecked(t *testing.T) {
	s := newStore(t, 100, 64)
	tile, line := make([]byte, 64*64*4), make([]byte, 400)
	for name, err := range map[string]error{
		"read tile":   s.ReadTile(tile, 2, 0),
		"read tile -": s.ReadTile(tile, 0, -1),
		"short tile":  s.ReadTile(tile[1:], 0, 0),
		"write tile":  s.WriteTile(0, 2, tile),
		"short write": s.WriteTile(0, 0, tile[1:]),
		"row":         s.ReadRow(line, 100),
		"short row":   s.ReadRow(line[1:], 0),
		"column":      s.ReadCol(line, -1),
		"long column": s.ReadCol(make([]byte, 404), 0),
		"sums":        s.WriteSums(make([]uint32, 3)),
		"done":        s.Checkpoint(State{Done: 101}),
		"done -":      s.Note(State{Done: -1}),
		"algorithm":   s.Checkpoint(State{Algorithm: strings.Repeat("x", 65)}),
		"live":        s.SetLive(make([]byte, MaxLive+1)),
		"entry":       second(s.ReadAt(0, 100)),
		"tile sum":    s.TileSums(make([]uint32, 1), 0, 2),
	} {
		if err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	s.Prefetch(5, 5) // advice on nothing is no error
}

func second[T any](_ T, err error) error { return err }

// TestManyGoroutines runs under the race detector: tiles written and read by
// many goroutines while checkpoints are made.
func TestManyGoroutines(t *testing.T) {
	s := newStore(t, 512, 64)
	side := s.Geometry().Side()
	var g errgroup.Group
	for i := range side {
		g.Go(func() error {
			b, got := make([]byte, s.Geometry().TileBytes()), make([]byte, s.Geometry().TileBytes())
			for round := range 20 {
				for j := range side {
					b[i] = byte(round)
					s.Prefetch(i, j)
					if err := s.WriteTile(i, j, b); err != nil {
						return err
					}
					if err := s.ReadTile(got, i, j); err != nil {
						return err
					}
					if !bytes.Equal(got, b) {
						return errors.New("a tile changed under us")
					}
				}
			}
			return nil
		})
	}
	for done := range int64(10) {
		g.Go(func() error { return s.Checkpoint(State{Algorithm: "x", Done: done}) })
		g.Go(func() error { return s.Note(State{Algorithm: "x", Done: done}) })
		g.Go(func() error { return s.SetLive([]byte("{}")) })
	}
	must(t, g.Wait())
	if st, ok, err := s.State(); err != nil || !ok || st.Seq != 10 {
		t.Errorf("after ten checkpoints: %+v, %v, %v", st, ok, err)
	}
}

func TestCloseWhileInUse(t *testing.T) {
	s := newStore(t, 256, 64)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			b := make([]byte, s.Geometry().TileBytes())
			for {
				for _, err := range []error{s.ReadTile(b, 1, 1), s.SetLive([]byte("x"))} {
					if err != nil && !errors.Is(err, errClosed) {
						t.Errorf("after Close: %v", err)
					}
				}
				if s.ReadTile(b, 0, 0) != nil {
					return
				}
			}
		})
	}
	must(t, s.Close())
	must(t, s.Close())
	wg.Wait()
	for _, err := range []error{s.WriteTile(0, 0, make([]byte, 16384)), s.Checkpoint(State{}), s.Note(State{}),
		s.Reset(), second(s.ReadAt(0, 0))} {
		if !errors.Is(err, errClosed) {
			t.Errorf("after Close: %v", err)
		}
	}
	s.Prefetch(0, 0)
}

func TestReadOnlyRefusesWrites(t *testing.T) {
	s := newStore(t, 64, 64)
	r, err := OpenReadOnly(s.Dir())
	must(t, err)
	defer r.Close()
	_, _, rerr := r.Recover()
	for name, err := range map[string]error{
		"tile": r.WriteTile(0, 0, make([]byte, 16384)), "checkpoint": r.Checkpoint(State{}), "note": r.Note(State{}),
		"reset": r.Reset(), "sums": r.WriteSums([]uint32{1}), "live": r.SetLive(nil), "recover": rerr,
	} {
		if !errors.Is(err, errReadOnly) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestRecoverFirst: a writer that has not asked what the matrix is worth could
// make a stale note true.
func TestRecoverFirst(t *testing.T) {
	s := newStore(t, 64, 64)
	must(t, s.Close())
	s, err := Open(s.Dir())
	must(t, err)
	defer s.Close()
	for name, err := range map[string]error{
		"tile": s.WriteTile(0, 0, make([]byte, 16384)), "checkpoint": s.Checkpoint(State{}),
		"note": s.Note(State{}), "sums": s.WriteSums([]uint32{1}),
	} {
		if !errors.Is(err, errNotRecovered) {
			t.Errorf("%s: %v", name, err)
		}
	}
	must(t, s.Reset())
	must(t, s.WriteTile(0, 0, make([]byte, 16384)))
}

func TestSums(t *testing.T) {
	rng := seeded(t)
	s := newStore(t, 130, 64)
	if _, err := s.Sums(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("sums before any: %v", err)
	}
	want := make([]uint32, 9)
	for k := range want {
		must(t, s.WriteTile(k/3, k%3, randomTile(s.Geometry(), rng)))
		must(t, s.TileSums(want[k:][:1], k/3, k%3))
	}
	for range 2 { // the second time without the spare
		must(t, s.WriteSums(want))
		got, err := s.Sums()
		must(t, err)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("sums %v, want %v", got, want)
		}
	}
	must(t, s.Reset())
	if _, err := s.Sums(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("sums after Reset: %v", err)
	}
	must(t, s.WriteSums(want))
}

// TestTileSums pins the polynomial: CRC-32C of "123456789" is 0xe3069283. A tile of 192 rows has three strips.
func TestTileSums(t *testing.T) {
	s := newStore(t, 64, 192)
	b := randomTile(s.Geometry(), seeded(t))
	must(t, s.WriteTile(0, 0, b))
	got := make([]uint32, 3)
	must(t, s.TileSums(got, 0, 0))
	for k := range got {
		if want := bitwiseCRC32C(b[k*64*192*4:][:64*192*4]); got[k] != want {
			t.Errorf("strip %d: sum %#x, want %#x", k, got[k], want)
		}
	}
	if got := bitwiseCRC32C([]byte("123456789")); got != 0xe3069283 {
		t.Errorf("%#x", got)
	}
	if s.TileSums(got[:1], 0, 0) == nil {
		t.Error("one checksum for three strips")
	}
}

// bitwiseCRC32C is the definition, one bit at a time.
func bitwiseCRC32C(b []byte) uint32 {
	crc := ^uint32(0)
	for _, x := range b {
		crc ^= uint32(x)
		for range 8 {
			crc = crc>>1 ^ 0x82f63b78&-(crc&1)
		}
	}
	return ^crc
}
