package engine_test

import (
	"context"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ooc/engine"
	"ooc/engine/graph"
	"ooc/engine/graph/read"
	"ooc/engine/internal/enginetest"
	"ooc/engine/internal/seeds"
	"ooc/engine/plan"
	"ooc/kernels/entry"
	"ooc/tiles"
	"ooc/tiles/disk"
)

// in returns the aspect that an error names, "" for no error.
func in(t *testing.T, err error) string {
	t.Helper()
	if err == nil {
		return ""
	}
	var c *engine.ChangedError
	if !errors.As(err, &c) {
		t.Fatalf("want a *ChangedError, got %v", err)
	}
	return c.In
}

// TestDifferences asks a store for what it is, and for something else in each aspect.
func TestDifferences(t *testing.T) {
	yes, no := true, false
	made := tiles.Input{Format: "edges", Columns: "from,to", NoArc: "-1", Base: "0", Asked: &tiles.Asked{}}
	g := enginetest.RandomGraph(t, seeds.New(t), 100, entry.KindI32, false)
	create := func(rows tiles.RowSet, made tiles.Input) *engine.Problem {
		p, err := engine.Create(t.Context(), filepath.Join(t.TempDir(), "x.ooc"), g,
			engine.CreateOptions{Tile: 64, Input: made, Sources: rows})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { p.Close() })
		return p
	}
	whole, some := create(nil, made), create(tiles.RowSet{3, 7}, made)
	plain, unknown := create(nil, tiles.Input{Asked: &tiles.Asked{}}), create(nil, tiles.Input{})
	choosy := create(nil, tiles.Input{Asked: &tiles.Asked{Format: "edges", Kind: "i32", Direction: "directed"}})
	all := make(tiles.RowSet, g.N)
	for v := range all {
		all[v] = int32(v)
	}
	direction := []*bool{&no, &yes}
	if !g.Directed {
		direction = []*bool{&yes, &no}
	}
	same := engine.Wanted{DirectedByDefault: g.Directed}
	other := engine.Wanted{DirectedByDefault: !g.Directed}
	for _, c := range []struct {
		p           *engine.Problem
		w           engine.Wanted
		asked, left []string
	}{
		{whole, engine.Wanted{Kind: entry.KindI32, Scale: g.Scale, Tile: 64, Sources: all, Directed: direction[1],
			Format: "edges", Columns: "from,to", NoArc: "-1", Base: "0"}, nil, nil},
		{some, engine.Wanted{Sources: tiles.RowSet{3, 7}, Columns: "from,to", NoArc: "-1", Base: "0"}, nil, nil},
		{plain, engine.Wanted{NoArc: "inf"}, nil, nil}, // as if nobody said
		{plain, engine.Wanted{NoArc: "+Inf"}, nil, nil},
		{plain, engine.Wanted{NoArc: "0"}, []string{"no-arc"}, nil},
		{some, engine.Wanted{Sources: tiles.RowSet{3, 7}, Columns: "from,to", NoArc: "-1.0", Base: "0"}, nil, nil},
		{some, engine.Wanted{Sources: tiles.RowSet{3, 7}, Columns: "from,to", NoArc: "1", Base: "0"},
			[]string{"no-arc"}, nil},
		{plain, engine.Wanted{Kind: entry.KindF32, Base: "1"}, []string{"kind", "base"}, nil},
		{plain, engine.Wanted{Scale: g.Scale + 1}, []string{"scale"}, nil},
		{plain, engine.Wanted{Tile: 128}, []string{"tile"}, nil},
		{plain, engine.Wanted{Predecessors: true}, []string{"predecessors"}, nil},
		{plain, engine.Wanted{Sources: tiles.RowSet{3}}, []string{"sources"}, nil},
		{plain, engine.Wanted{Sources: tiles.RowSet{}}, []string{"sources"}, nil},
		{plain, engine.Wanted{Directed: direction[0]}, []string{"direction"}, nil},
		{plain, engine.Wanted{Format: "gr"}, []string{"format"}, nil},
		{plain, engine.Wanted{Columns: "to,from"}, []string{"columns"}, nil},
		{plain, other, nil, nil}, // a format that says itself which arcs go both ways
		{choosy, same, nil, []string{"format"}},
		{choosy, other, nil, []string{"direction", "format"}},
		{unknown, same, nil, nil},
		{unknown, other, nil, []string{"direction"}},
		{whole, engine.Wanted{NoArc: "inf"}, []string{"no-arc"}, []string{"columns", "base"}},
		{some, engine.Wanted{}, nil, []string{"sources", "columns", "no-arc", "base"}},
		{some, engine.Wanted{Sources: all, Base: "1"}, []string{"sources", "base"}, []string{"columns", "no-arc"}},
	} {
		var asked, left []string
		for _, d := range c.p.Differences(c.w) {
			switch {
			case !d.Left:
				asked = append(asked, d.In)
			default:
				left = append(left, d.In)
			}
			if d.Was == d.Wanted {
				t.Errorf("%+v: %v", c.w, d)
			}
		}
		if !slices.Equal(asked, c.asked) || !slices.Equal(left, c.left) {
			t.Errorf("%+v: differs in %q and left to defaults %q, want %q and %q", c.w, asked, left, c.asked, c.left)
		}
	}
}

// TestDefaultKinds compares stores of each kind, and scaled ones, with what is made where none is named.
func TestDefaultKinds(t *testing.T) {
	for _, c := range []struct {
		kind   entry.Kind
		asked  *tiles.Asked
		differ bool
	}{
		{entry.KindI32, nil, false}, {entry.KindF32, nil, true}, {entry.KindU16, nil, true}, {entry.KindF64, nil, true},
		{entry.KindI32, &tiles.Asked{}, false}, {entry.KindF32, &tiles.Asked{}, false},
		{entry.KindI32, &tiles.Asked{Kind: "i32"}, false}, {entry.KindF32, &tiles.Asked{Kind: "f32"}, true},
		{entry.KindU16, &tiles.Asked{Kind: "u16"}, true}, {entry.KindF64, &tiles.Asked{Kind: "f64"}, true},
	} {
		g, err := read.From(strings.NewReader("p sp 2 1\na 1 2 5\n"), "g.gr", read.Options{Kind: c.kind})
		if err != nil {
			t.Fatal(err)
		}
		p, err := engine.Create(t.Context(), filepath.Join(t.TempDir(), "x.ooc"), g,
			engine.CreateOptions{Input: tiles.Input{Asked: c.asked}})
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		if c.differ {
			want = []string{"kind"}
		}
		var got []string
		for _, d := range p.Differences(engine.Wanted{DirectedByDefault: true}) {
			got = append(got, d.In)
		}
		if err := p.Close(); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s, asked for: %+v: differs in %q, want %q; %v", c.kind, c.asked, got, want, err)
		}
	}
}

// TestSameInput changes the time, the content and the place of an input.
func TestSameInput(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "g.gr")
	write := func(text string, at time.Time) {
		t.Helper()
		if err := errors.Join(os.WriteFile(path, []byte(text), 0o666), os.Chtimes(path, at, at)); err != nil {
			t.Fatal(err)
		}
	}
	then := time.Now().Add(-time.Hour).Truncate(time.Second)
	write("p sp 2 1\na 1 2 5\n", then)
	g, _, src, err := read.Open(path, read.Options{Sum: true})
	if err != nil {
		t.Fatal(err)
	}
	p, err := engine.Create(t.Context(), filepath.Join(dir, "x.ooc"), g, engine.CreateOptions{
		Input: tiles.Input{Name: path, Size: src.Size, ModTime: src.ModTime, SHA256: src.SHA256}})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	same := func(what string, want string) {
		t.Helper()
		if got := in(t, p.SameInput(context.Background(), path)); got != want {
			t.Errorf("%s: differs in %q, want %q", what, got, want)
		}
	}
	same("untouched", "")
	write("p sp 2 1\na 1 2 5\n", then.Add(time.Minute))
	same("touched", "")
	write("p sp 2 1\na 1 2 7\n", then.Add(time.Minute))
	same("changed", "input")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errors.New("enough"))
	if err := p.SameInput(ctx, path); err == nil || err.Error() != "enough" {
		t.Errorf("a checksum whose context has ended: %v", err)
	}
	if err := p.SameInput(context.Background(), path+"x"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

// TestRoomFor asks for rooms of any size.
func TestRoomFor(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "x.ooc")
	if err := engine.RoomFor(dir, graph.Facts{N: 100}, plan.Request{Predecessors: true}); err != nil {
		t.Error(err)
	}
	if err := engine.RoomFor(dir, graph.Facts{N: math.MaxInt32}, plan.Request{}); !errors.Is(err, disk.ErrNoSpace) {
		t.Errorf("the largest matrix: %v", err)
	}
	if err := engine.RoomFor(dir, graph.Facts{N: math.MaxInt}, plan.Request{}); !errors.Is(err, disk.ErrNoSpace) {
		t.Errorf("a matrix past 64 bits: %v", err)
	}
}
