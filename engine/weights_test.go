package engine_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ooc/engine"
	"ooc/engine/graph"
	"ooc/engine/internal/enginetest"
	"ooc/engine/internal/seeds"
	"ooc/engine/live"
	"ooc/engine/prove"
	"ooc/kernels/entry"
	"ooc/tiles"
	"ooc/tiles/crashtest"
	"ooc/tiles/disk"
)

// verifyMatrix compares all rows, or all columns, with a search. It returns how many columns, by which method, and how
// many trees.
func verifyMatrix(t testing.TB, p *engine.Problem) (columns int, method string, trees int) {
	t.Helper()
	v, err := prove.Sample(context.Background(), p, p.Geometry().N, 1)
	if err != nil {
		t.Fatal(err)
	}
	if v.Rows+v.Columns != p.Geometry().N || v.Missing != "" {
		t.Fatalf("of %d rows or columns this was verified: %+v", p.Geometry().N, v)
	}
	return v.Columns, v.Method, v.Trees
}

// TestMatrixSolves solves each graph from its arcs and from its matrix. The matrices of distances are the same
// byte by byte: they begin with the same tiles.
func TestMatrixSolves(t *testing.T) {
	crashtest.Slow(t)
	r := seeds.New(t)
	for _, k := range enginetest.EveryKind {
		for _, fortran := range crashtest.Some(r, 1, []bool{false, true}) {
			n := 1 + r.IntN(400)
			g := enginetest.RandomGraph(t, r, n, k.Kind, k.Negative)
			s := enginetest.RandomShape(r, n, 64)
			sparse := enginetest.Create(t, g, 64)
			enginetest.Solve(t, sparse, s.Options(t))
			p := enginetest.Open(t, enginetest.CreateMatrix(t, enginetest.WriteMatrix(t, g, fortran), k.Kind))
			enginetest.Solve(t, p, s.Options(t))
			if !bytes.Equal(enginetest.MatrixFile(t, p.Dir()), enginetest.MatrixFile(t, sparse.Dir())) {
				t.Errorf("n=%d %+v: the distances differ", n, k)
			}
			columns, method, _ := verifyMatrix(t, p)
			if (columns > 0) != fortran || (method == "Johnson") != g.Negative {
				t.Errorf("in Fortran order %v, negative %v: %d columns by %s", fortran, g.Negative, columns, method)
			}
			m := p.Meta()
			if _, err := p.Graph(); !m.Dense || m.Arcs != g.Arcs() || !errors.Is(err, tiles.ErrNoCSR) {
				t.Errorf("%v; meta %+v", err, m)
			}
		}
	}
}

// TestMatrixIsNeeded begins solves whose input is not there any more, is another, or is somewhere else.
func TestMatrixIsNeeded(t *testing.T) {
	r := seeds.New(t)
	g := enginetest.RandomGraph(t, r, 200, entry.KindI32, false)
	for _, c := range []struct {
		what    string
		change  func(path string) error
		refusal string // "" for none
		moved   bool
	}{
		{"nothing", func(string) error { return nil }, "", false},
		{"missing", os.Remove, "no such file", false},
		{"later time, same content",
			func(path string) error { return os.Chtimes(path, time.Time{}, time.Unix(1e9, 0)) }, "", false},
		{"moved", func(path string) error { return os.Rename(path, path+".moved") }, "", true},
		{"moved and not told", func(path string) error { return os.Rename(path, path+".moved") }, "no such file",
			false},
		{"cut", func(path string) error { return os.Truncate(path, 9000) }, "it was cut", false},
		{"other entry", flipLastByte, "is not what it was at the import", false},
		{"no array", func(path string) error { return os.WriteFile(path, []byte("hello"), 0o600) },
			"does not begin with", false},
	} {
		path := enginetest.WriteMatrix(t, g, false)
		p := enginetest.Open(t, enginetest.CreateMatrix(t, path, entry.KindI32))
		if err := c.change(path); err != nil {
			t.Fatal(err)
		}
		o := enginetest.RandomShape(r, g.N, 64).Options(t)
		if c.moved {
			o.Input = path + ".moved"
		}
		if c.refusal == "" {
			enginetest.Solve(t, p, o)
			verifyMatrix(t, p)
			continue
		}
		for what, do := range map[string]func() error{
			"solve":   func() error { _, err := p.Solve(context.Background(), o); return err },
			"restart": func() error { return p.Restart(t.Context(), o) },
		} {
			err := do()
			if !errors.Is(err, engine.ErrInput) || !strings.Contains(err.Error(), c.refusal) ||
				!strings.Contains(err.Error(), path) {
				t.Errorf("%s, %s: %v", c.what, what, err)
			}
		}
		if st, err := p.Status(); err != nil || st.State != live.New {
			t.Errorf("%s: %v, %+v", c.what, err, st)
		}
	}
}

// TestRestartComparesContent changes a matrix so that nothing shows it but its content: another than the one whose
// bounds were checked must not fill tiles.
func TestRestartComparesContent(t *testing.T) {
	r := seeds.New(t)
	g := enginetest.RandomGraph(t, r, 70, entry.KindI32, false)
	path := enginetest.WriteMatrix(t, g, false)
	p := enginetest.Open(t, enginetest.CreateMatrix(t, path, entry.KindI32))
	o := enginetest.RandomShape(r, g.N, 64).Options(t)
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(flipLastByte(path), os.Chtimes(path, time.Time{}, info.ModTime())); err != nil {
		t.Fatal(err)
	}
	if err := p.Restart(t.Context(), o); !errors.Is(err, engine.ErrInput) ||
		!strings.Contains(err.Error(), "is not what it was at the import") {
		t.Fatalf("restarted: %v", err)
	}
	if err := errors.Join(p.Close(), flipLastByte(path)); err != nil {
		t.Fatal(err)
	}
	p = enginetest.Open(t, p.Dir())
	if err := p.Restart(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	enginetest.Solve(t, p, o)
	verifyMatrix(t, p)
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
	r := seeds.New(t)
	g := enginetest.RandomGraph(t, r, 640, entry.KindI32, false)
	path := enginetest.WriteMatrix(t, g, false)
	o := enginetest.Shape{Tile: 64, Width: 1, Slots: inCoreSlots(10, 1), Pages: 4, Streams: 2}.Options(t)
	p := stoppedPast(t, 0.5, o, func() *engine.Problem {
		return enginetest.Open(t, enginetest.CreateMatrix(t, path, entry.KindI32))
	})
	dir := p.Dir()
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	p = enginetest.Open(t, dir)
	if sum := enginetest.Solve(t, p, o); sum.ResumedFrom == 0 {
		t.Errorf("%+v", sum)
	}
	v, err := prove.Sample(context.Background(), p, 64, 1)
	if err != nil || v.Tiles != 100 || v.Rows != 0 || !strings.Contains(v.Missing, path) {
		t.Errorf("%v, %+v", err, v)
	}
	sparse := enginetest.Create(t, g, 64)
	enginetest.Solve(t, sparse, enginetest.RandomShape(r, g.N, 64).Options(t))
	if !bytes.Equal(enginetest.MatrixFile(t, dir), enginetest.MatrixFile(t, sparse.Dir())) {
		t.Error("the distances differ from those of the graph")
	}
}

// TestMatrixChangesUnderSolve leaves a store whose matrix counts for nothing.
func TestMatrixChangesUnderSolve(t *testing.T) {
	r := seeds.New(t)
	path := enginetest.WriteMatrix(t, enginetest.RandomGraph(t, r, 300, entry.KindF32, false), false)
	d, made := enginetest.OpenMatrix(t, path, entry.KindF32, 64)
	p, err := engine.Create(t.Context(), filepath.Join(t.TempDir(), "m.ooc"), d, made)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	time.Sleep(20 * time.Millisecond) // file times have a grain
	if err := flipLastByte(path); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Solve(context.Background(), enginetest.RandomShape(r, 300, 64).Options(t)); !errors.Is(err,
		graph.ErrChanged) {
		t.Fatal(err)
	}
	if st, err := p.Status(); err != nil || st.State != live.New {
		t.Fatalf("%v, %+v", err, st)
	}
}

// TestWrongEntryOfMatrixIsFound changes a distance, and its tile's checksum with it.
func TestWrongEntryOfMatrixIsFound(t *testing.T) {
	r := seeds.New(t)
	for _, fortran := range []bool{false, true} {
		g := enginetest.RandomGraph(t, r, 150, entry.KindI32, false)
		p := enginetest.Open(t, enginetest.CreateMatrix(t, enginetest.WriteMatrix(t, g, fortran), entry.KindI32))
		enginetest.Solve(t, p, enginetest.RandomShape(r, 150, 64).Options(t))
		tile := make([]byte, p.Geometry().TileBytes())
		if err := p.Store().ReadTile(tile, 1, 2); err != nil {
			t.Fatal(err)
		}
		binary.LittleEndian.PutUint32(tile[4*(7*64+5):], 123456) // row 71, column 133
		if err := p.Store().WriteTile(1, 2, tile); err != nil {
			t.Fatal(err)
		}
		if err := p.StoreSums(make([]uint32, p.Geometry().Tiles()), make([]bool, p.Geometry().Tiles())); err != nil {
			t.Fatal(err)
		}
		_, err := prove.Sample(context.Background(), p, 150, 1)
		if !errors.Is(err, engine.ErrWrong) || !strings.Contains(err.Error(), "tile (1,2), from 71 to 133") {
			t.Errorf("in Fortran order %v: %v", fortran, err)
		}
	}
}

// TestCampaignMatrixPowerCuts is TestPowerCuts for a matrix: before the first restore point it is read again.
func TestCampaignMatrixPowerCuts(t *testing.T) {
	crashtest.Campaign(t)
	r := seeds.New(t)
	fresh := 0
	for range 4 {
		n := 200 + r.IntN(400)
		g := enginetest.RandomGraph(t, r, n, entry.KindI32, r.IntN(2) == 0)
		whole := enginetest.Create(t, g, 64)
		enginetest.Solve(t, whole, enginetest.RandomShape(r, n, 64).Options(t))
		d, made := enginetest.OpenMatrix(t, enginetest.WriteMatrix(t, g, r.IntN(2) == 0), entry.KindI32, 64)
		for i, dir := range cutWhileSolving(t, r, d, made, enginetest.RandomShape(r, n, 64).Options(t)) {
			p := enginetest.Open(t, dir)
			if st, err := p.Status(); err != nil {
				t.Fatal(err)
			} else if st.State == live.New {
				fresh++
			}
			enginetest.Solve(t, p, enginetest.RandomShape(r, n, 64).Options(t))
			if !bytes.Equal(enginetest.MatrixFile(t, dir), enginetest.MatrixFile(t, whole.Dir())) {
				t.Errorf("cut %d: other bytes than without the cut", i)
			}
		}
	}
	t.Logf("%d cuts before the first restore point", fresh)
}

// TestSpool reserves what it is asked for, and leaves nothing in the folder.
func TestSpool(t *testing.T) {
	dir := t.TempDir()
	f, err := engine.Spool(dir)(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := f.Stat(); err != nil || info.Size() != 1<<20 {
		t.Errorf("%v, %+v", err, info)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	os.Remove(f.Name()) // as whoever closes it does, where an open file cannot be removed
	if _, err := engine.Spool(dir)(1 << 60); !errors.Is(err, disk.ErrNoSpace) {
		t.Errorf("a spool of an EiB: %v", err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%v, left: %v", err, left)
	}
}
