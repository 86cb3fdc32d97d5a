package engine_test

import (
	"context"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
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
)

// in returns the aspect that an error names, "" for no error.
func in(t *testing.T, err error) engine.Aspect {
	t.Helper()
	if err == nil {
		return ""
	}
	var c *engine.ChangedError
	if !errors.Is(err, engine.ErrChanged) || !errors.As(err, &c) {
		t.Fatalf("want a *ChangedError, got %v", err)
	}
	return c.In
}

// TestDiffers asks a store for what it is, and for something else in each aspect.
func TestDiffers(t *testing.T) {
	yes, no := true, false
	made := tiles.Input{Format: "edges", Columns: "from,to", NoArc: "-1", Base: "0"}
	g := enginetest.RandomGraph(t, seeds.New(t), 100, entry.KindI32, false)
	create := func(rows tiles.RowSet, made tiles.Input) *engine.Problem {
		p, err := engine.Create(t.Context(), filepath.Join(t.TempDir(), "x.ooc"), g, engine.CreateOptions{Tile: 64, Input: made, Sources: rows})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { p.Close() })
		return p
	}
	whole, some := create(nil, made), create(tiles.RowSet{3, 7}, made)
	plain := create(nil, tiles.Input{})
	all := make(tiles.RowSet, g.N)
	for v := range all {
		all[v] = int32(v)
	}
	direction := []*bool{&no, &yes}
	if !g.Directed {
		direction = []*bool{&yes, &no}
	}
	for _, c := range []struct {
		p    *engine.Problem
		w    engine.Wanted
		want engine.Aspect
	}{
		{whole, engine.Wanted{}, ""},
		{whole, engine.Wanted{Kind: entry.KindI32, Scale: g.Scale, Tile: 64, Sources: all, Directed: direction[1],
			Format: "edges", Columns: "from,to", NoArc: "-1", Base: "0"}, ""},
		{some, engine.Wanted{Sources: tiles.RowSet{3, 7}}, ""},
		{plain, engine.Wanted{NoArc: "inf"}, ""}, // as if nobody said
		{plain, engine.Wanted{NoArc: "0"}, engine.OfNoArc},
		{whole, engine.Wanted{NoArc: "inf"}, engine.OfNoArc},
		{whole, engine.Wanted{Kind: entry.KindF32, Base: "1"}, engine.OfKind}, // the first that differs
		{whole, engine.Wanted{Scale: g.Scale + 1}, engine.OfScale},
		{whole, engine.Wanted{Tile: 128}, engine.OfTile},
		{whole, engine.Wanted{Predecessors: true}, engine.OfPredecessors},
		{whole, engine.Wanted{Sources: tiles.RowSet{3}}, engine.OfSources},
		{whole, engine.Wanted{Sources: tiles.RowSet{}}, engine.OfSources},
		{some, engine.Wanted{Sources: tiles.RowSet{3}}, engine.OfSources},
		{some, engine.Wanted{Sources: all}, engine.OfSources},
		{whole, engine.Wanted{Directed: direction[0]}, engine.OfDirection},
		{whole, engine.Wanted{Format: "gr"}, engine.OfFormat},
		{whole, engine.Wanted{Columns: "to,from"}, engine.OfColumns},
		{whole, engine.Wanted{NoArc: "0"}, engine.OfNoArc},
		{whole, engine.Wanted{Base: "1"}, engine.OfBase},
	} {
		if got := in(t, c.p.Differs(c.w)); got != c.want {
			t.Errorf("%+v: differs in %q, want %q", c.w, got, c.want)
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
	g, src, err := read.File(path, read.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := engine.Create(t.Context(), filepath.Join(dir, "x.ooc"), g, engine.CreateOptions{
		Input: tiles.Input{Name: path, Size: src.Size, ModTime: src.ModTime, SHA256: src.SHA256}})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	same := func(what string, want engine.Aspect) {
		t.Helper()
		if got := in(t, p.SameInput(context.Background(), path)); got != want {
			t.Errorf("%s: differs in %q, want %q", what, got, want)
		}
	}
	same("untouched", "")
	write("p sp 2 1\na 1 2 5\n", then.Add(time.Minute))
	same("touched", "")
	write("p sp 2 1\na 1 2 7\n", then.Add(time.Minute))
	same("changed", engine.OfInput)
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
	if err := engine.RoomFor(dir, graph.Facts{N: 100}, plan.Limits{Predecessors: true}); err != nil {
		t.Error(err)
	}
	if err := engine.RoomFor(dir, graph.Facts{N: math.MaxInt32}, plan.Limits{}); !errors.Is(err, tiles.ErrNoSpace) {
		t.Errorf("the largest matrix: %v", err)
	}
	if err := engine.RoomFor(dir, graph.Facts{N: math.MaxInt}, plan.Limits{}); !errors.Is(err, tiles.ErrNoSpace) {
		t.Errorf("a matrix past 64 bits: %v", err)
	}
}
