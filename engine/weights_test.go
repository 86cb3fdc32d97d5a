package engine

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ooc/engine/graph"
	"ooc/tiles"
)

// writeMatrix writes a graph as a NumPy array of float32, in C or Fortran order.
func writeMatrix(t testing.TB, g *graph.Graph, fortran bool) string {
	t.Helper()
	order := map[bool]string{false: "False", true: "True"}[fortran]
	head := fmt.Sprintf("{'descr': '<f4', 'fortran_order': %s, 'shape': (%d, %d), }\n", order, g.N, g.N)
	file := append([]byte("\x93NUMPY\x01\x00"), byte(len(head)), byte(len(head)>>8))
	file = append(file, head...)
	at := len(file)
	file = append(file, make([]byte, 4*g.N*g.N)...)
	for u := range g.N {
		for v := range g.N {
			w := float32(math.Inf(1))
			if k := g.Find(u, v); k >= 0 {
				w = float32(g.Weight(k))
			}
			k := u*g.N + v
			if fortran {
				k = v*g.N + u
			}
			binary.LittleEndian.PutUint32(file[at+4*k:], math.Float32bits(w))
		}
	}
	path := filepath.Join(t.TempDir(), "m.npy")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// openMatrix opens a matrix, with what a store keeps to find it again.
func openMatrix(t testing.TB, path string, kind graph.Kind, tile int) (*graph.Dense, CreateOptions) {
	t.Helper()
	_, d, src, err := graph.Open(path, graph.Options{Kind: kind})
	if err != nil {
		t.Fatal(err)
	}
	in := tiles.Input{Name: src.Name, Format: src.Format, Size: src.Size, ModTime: src.ModTime, SHA256: src.SHA256}
	return d, CreateOptions{Tile: tile, Input: in}
}

// createMatrix makes the store of a matrix and closes it: nothing of it counts yet.
func createMatrix(t testing.TB, path string, kind graph.Kind) string {
	t.Helper()
	d, o := openMatrix(t, path, kind, 64)
	dir := filepath.Join(t.TempDir(), "m.ooc")
	p, err := Create(dir, d, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

func reopen(t testing.TB, dir string) *Problem {
	t.Helper()
	p, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// verifyMatrix compares all rows, or all columns, with a search.
func verifyMatrix(t testing.TB, p *Problem) Verification {
	t.Helper()
	v, err := p.Verify(context.Background(), p.geom.N, 1)
	if err != nil {
		t.Fatal(err)
	}
	if v.Rows+v.Columns != p.geom.N || v.Missing != "" {
		t.Fatalf("of %d rows or columns this was verified: %+v", p.geom.N, v)
	}
	return v
}

// TestMatrixSolves solves each graph from its arcs and from its matrix. The matrices of distances are the same
// byte by byte: they begin with the same tiles.
func TestMatrixSolves(t *testing.T) {
	r := seeded(t)
	for range 3 {
		for _, k := range everyKind {
			for _, fortran := range []bool{false, true} {
				n := 1 + r.IntN(400)
				g := randomGraph(t, r, n, k.kind, k.negative)
				s := randomSolve(r, n, 64)
				sparse := create(t, g, 64)
				mustSolve(t, sparse, s.open(t))
				p := reopen(t, createMatrix(t, writeMatrix(t, g, fortran), k.kind))
				mustSolve(t, p, s.open(t))
				if !bytes.Equal(matrixFile(t, p.Dir()), matrixFile(t, sparse.Dir())) {
					t.Errorf("n=%d %+v: the distances differ", n, k)
				}
				v := verifyMatrix(t, p)
				if (v.Columns > 0) != fortran || (v.Method == "Johnson") != g.Negative {
					t.Errorf("in Fortran order %v, negative %v: verified %+v", fortran, g.Negative, v)
				}
				m := p.Meta()
				if _, err := p.Graph(); !m.Dense || m.Arcs != g.Arcs() || !errors.Is(err, tiles.ErrNoCSR) {
					t.Errorf("%v; meta %+v", err, m)
				}
			}
		}
	}
}

// TestMatrixIsNeeded begins solves whose input is not there any more, is another, or is somewhere else.
func TestMatrixIsNeeded(t *testing.T) {
	r := seeded(t)
	g := randomGraph(t, r, 200, graph.KindI32, false)
	for _, c := range []struct {
		what    string
		change  func(path string) error
		refusal string // "" for none
		moved   bool
	}{
		{"nothing", func(string) error { return nil }, "", false},
		{"missing", os.Remove, "no such file", false},
		{"later time, same content", func(path string) error { return os.Chtimes(path, time.Time{}, time.Unix(1e9, 0)) }, "", false},
		{"moved", func(path string) error { return os.Rename(path, path+".moved") }, "", true},
		{"moved and not told", func(path string) error { return os.Rename(path, path+".moved") }, "no such file", false},
		{"cut", func(path string) error { return os.Truncate(path, 9000) }, "it was cut", false},
		{"other entry", flipLastByte, "is not what it was at the import", false},
		{"no array", func(path string) error { return os.WriteFile(path, []byte("hello"), 0o600) }, "does not begin with", false},
	} {
		path := writeMatrix(t, g, false)
		p := reopen(t, createMatrix(t, path, graph.KindI32))
		if err := c.change(path); err != nil {
			t.Fatal(err)
		}
		o := randomSolve(r, g.N, 64).open(t)
		if c.moved {
			o.Input = path + ".moved"
		}
		if c.refusal == "" {
			mustSolve(t, p, o)
			verifyMatrix(t, p)
			continue
		}
		for what, do := range map[string]func() error{
			"solve":   func() error { _, err := p.Solve(context.Background(), o); return err },
			"restart": func() error { return p.Restart(o) },
		} {
			err := do()
			if !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), c.refusal) || !strings.Contains(err.Error(), path) {
				t.Errorf("%s, %s: %v", c.what, what, err)
			}
		}
		if st, err := p.Status(); err != nil || st.State != "new" {
			t.Errorf("%s: %v, %+v", c.what, err, st)
		}
	}
}

func flipLastByte(path string) error {
	b, err := os.ReadFile(path)
	if err == nil {
		b[len(b)-70] ^= 0x10
		err = os.WriteFile(path, b, 0o600)
	}
	return err
}

// TestMatrixIsNotNeeded goes on from a restore point, and answers, without the input. Only what it would be
// compared with is missing.
func TestMatrixIsNotNeeded(t *testing.T) {
	r := seeded(t)
	g := randomGraph(t, r, 640, graph.KindI32, false)
	path := writeMatrix(t, g, false)
	p := reopen(t, createMatrix(t, path, graph.KindI32))
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	o := shape{tile: 64, width: 1, slots: inCoreSlots(10, 1), pages: 4, streams: 2}.open(t)
	o.Interval = time.Microsecond
	o.Progress = func(st Status) {
		if st.Progress > 0.5 {
			cancel()
		}
	}
	if _, err := p.Solve(ctx, o); !errors.Is(err, ErrInterrupted) {
		t.Skipf("the solve ended before it could be stopped: %v", err)
	}
	dir := p.Dir()
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	p = reopen(t, dir)
	o.Progress = nil
	if sum := mustSolve(t, p, o); sum.ResumedFrom == 0 {
		t.Errorf("%+v", sum)
	}
	v, err := p.Verify(context.Background(), 64, 1)
	if err != nil || v.Tiles != 100 || v.Rows != 0 || !strings.Contains(v.Missing, path) {
		t.Errorf("%v, %+v", err, v)
	}
	sparse := create(t, g, 64)
	mustSolve(t, sparse, randomSolve(r, g.N, 64).open(t))
	if !bytes.Equal(matrixFile(t, dir), matrixFile(t, sparse.Dir())) {
		t.Error("the distances differ from those of the graph")
	}
}

// TestMatrixChangesUnderSolve leaves a store whose matrix counts for nothing.
func TestMatrixChangesUnderSolve(t *testing.T) {
	r := seeded(t)
	path := writeMatrix(t, randomGraph(t, r, 300, graph.KindF32, false), false)
	d, made := openMatrix(t, path, graph.KindF32, 64)
	p, err := Create(filepath.Join(t.TempDir(), "m.ooc"), d, made)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	time.Sleep(20 * time.Millisecond) // file times have a grain
	if err := flipLastByte(path); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Solve(context.Background(), randomSolve(r, 300, 64).open(t)); !errors.Is(err, graph.ErrChanged) {
		t.Fatal(err)
	}
	if st, err := p.Status(); err != nil || st.State != "new" {
		t.Fatalf("%v, %+v", err, st)
	}
}

// TestWrongEntryOfMatrixIsFound changes a distance, and its tile's checksum with it.
func TestWrongEntryOfMatrixIsFound(t *testing.T) {
	r := seeded(t)
	for _, fortran := range []bool{false, true} {
		g := randomGraph(t, r, 150, graph.KindI32, false)
		p := reopen(t, createMatrix(t, writeMatrix(t, g, fortran), graph.KindI32))
		mustSolve(t, p, randomSolve(r, 150, 64).open(t))
		tile := make([]byte, p.geom.TileBytes())
		if err := p.store.ReadTile(tile, 1, 2); err != nil {
			t.Fatal(err)
		}
		binary.LittleEndian.PutUint32(tile[4*(7*64+5):], 123456) // row 71, column 133
		if err := p.store.WriteTile(1, 2, tile); err != nil {
			t.Fatal(err)
		}
		if err := p.storeSums(make([]uint32, p.geom.Tiles()), make([]bool, p.geom.Tiles())); err != nil {
			t.Fatal(err)
		}
		_, err := p.Verify(context.Background(), 150, 1)
		if !errors.Is(err, ErrWrong) || !strings.Contains(err.Error(), "tile (1,2), from 71 to 133") {
			t.Errorf("in Fortran order %v: %v", fortran, err)
		}
	}
}

// TestMatrixPowerCuts is TestPowerCuts for a matrix: before the first restore point it is read again.
func TestMatrixPowerCuts(t *testing.T) {
	r := seeded(t)
	fresh := 0
	for range 4 {
		n := 200 + r.IntN(400)
		g := randomGraph(t, r, n, graph.KindI32, r.IntN(2) == 0)
		whole := create(t, g, 64)
		mustSolve(t, whole, randomSolve(r, n, 64).open(t))
		d, made := openMatrix(t, writeMatrix(t, g, r.IntN(2) == 0), graph.KindI32, 64)
		for i, dir := range cutWhileSolving(t, r, d, made, randomSolve(r, n, 64).open(t)) {
			p := reopen(t, dir)
			if st, err := p.Status(); err != nil {
				t.Fatal(err)
			} else if st.State == "new" {
				fresh++
			}
			mustSolve(t, p, randomSolve(r, n, 64).open(t))
			if !bytes.Equal(matrixFile(t, dir), matrixFile(t, whole.Dir())) {
				t.Errorf("cut %d: other bytes than without the cut", i)
			}
		}
	}
	t.Logf("%d cuts before the first restore point", fresh)
}

// TestSpool reserves what it is asked for, and leaves nothing in the folder.
func TestSpool(t *testing.T) {
	dir := t.TempDir()
	f, err := Spool(dir)(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := f.Stat(); err != nil || info.Size() != 1<<20 {
		t.Errorf("%v, %+v", err, info)
	}
	if err := errors.Join(f.Close(), removed(f.Name())); err != nil {
		t.Fatal(err)
	}
	if _, err := Spool(dir)(1 << 60); !errors.Is(err, tiles.ErrNoSpace) {
		t.Errorf("a spool of an EiB: %v", err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%v, left: %v", err, left)
	}
}
