package parts

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"ooc/engine"
	"ooc/engine/eliminate"
	"ooc/engine/graph"
	"ooc/engine/internal/enginetest"
	"ooc/engine/internal/seeds"
	"ooc/engine/plan"
	"ooc/engine/prove"
	"ooc/engine/task"
	"ooc/kernels/entry"
	"ooc/tiles"
	"ooc/tiles/crashtest"
	"ooc/tiles/disk"
	"ooc/tiles/lock"
)

// solved makes a solved store of a graph.
func solved(t *testing.T, dir string, g *graph.Graph, o engine.CreateOptions) {
	t.Helper()
	p, err := engine.Create(t.Context(), dir, g, o)
	if err != nil {
		t.Fatal(err)
	}
	enginetest.Solve(t, p, engine.Options{Request: plan.Request{Algorithm: eliminate.Name},
		Device: enginetest.Device(t, 4*enginetest.MinSlots(8, 1), o.Tile)})
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
}

// solvedParts makes the stores of k parts, in random order.
func solvedParts(t *testing.T, r *rand.Rand, g *graph.Graph, tile, k int) []string {
	t.Helper()
	at := t.TempDir()
	var dirs []string
	for i := 1; i <= k; i++ {
		rows, err := Rows(g.N, tile, i, k)
		if err != nil {
			t.Fatal(err)
		}
		dirs = append(dirs, filepath.Join(at, fmt.Sprintf("%d.ooc", i)))
		solved(t, dirs[i-1], g, engine.CreateOptions{Tile: tile, Sources: rows})
	}
	r.Shuffle(k, func(i, j int) { dirs[i], dirs[j] = dirs[j], dirs[i] })
	return dirs
}

// solvedWhole makes the store of all rows, as a solve would.
func solvedWhole(t *testing.T, g *graph.Graph, tile int) string {
	t.Helper()
	dir, o := filepath.Join(t.TempDir(), "whole.ooc"), engine.CreateOptions{Tile: tile}
	if g.Symmetric {
		o.Layout = tiles.Upper
	}
	solved(t, dir, g, o)
	return dir
}

// randomGraph makes a graph of a kind, symmetric or not, often with ids.
func randomGraph(t *testing.T, r *rand.Rand, n int, kind entry.Kind) *graph.Graph {
	t.Helper()
	g := enginetest.RandomGraph(t, r, n, kind, kind == entry.KindI32 && r.IntN(3) == 0)
	if r.IntN(2) == 0 {
		g = enginetest.SymmetricGraph(t, r, n, kind)
	}
	switch r.IntN(3) {
	case 0:
		text := make([]string, n)
		for i := range text {
			text[i] = fmt.Sprintf("town %d", i)
		}
		g.IDs = graph.TextIDs(text)
	case 1:
		g.IDs = graph.IDs{Base: 7}
	}
	return g
}

// merged merges, or ends the test.
func merged(t *testing.T, out string, dirs []string, o Options) *result {
	t.Helper()
	r, err := Merge(t.Context(), out, dirs, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// same wants a merged store to be that of all rows: its matrix and checksums byte by byte in integers, and proved in
// all kinds.
func same(t *testing.T, out, whole string) {
	t.Helper()
	p, want := enginetest.Open(t, out), enginetest.Open(t, whole)
	if !p.Meta().Kind.Float() {
		if !bytes.Equal(enginetest.MatrixFile(t, out), enginetest.MatrixFile(t, whole)) {
			t.Fatal("the matrix is another than that of a solve of all rows")
		}
		sums, err := p.Store().Sums()
		wanted, werr := want.Store().Sums()
		if err := errors.Join(err, werr); err != nil || !slices.Equal(sums, wanted) {
			t.Fatal("the checksums are others", err)
		}
	}
	m, w := *p.Meta(), *want.Meta()
	m.ID, m.Command, m.Created, w.ID, w.Command, w.Created = tiles.ID{}, nil, time.Time{}, tiles.ID{}, nil, time.Time{}
	if fmt.Sprintf("%+v", m) != fmt.Sprintf("%+v", w) {
		t.Fatalf("%+v\nwant %+v", m, w)
	}
	if _, err := prove.All(t.Context(), p, prove.Options{}); err != nil {
		t.Fatal(err)
	}
	if _, err := prove.Scrub(t.Context(), p, prove.ScrubOptions{}); err != nil {
		t.Fatal(err)
	}
	ids, err := p.IDs()
	wantIDs, werr := want.IDs()
	for u := range m.N {
		if ids.Name(u) != wantIDs.Name(u) {
			t.Fatalf("row %d is of %s, want %s", u, ids.Name(u), wantIDs.Name(u))
		}
	}
	if err := errors.Join(err, werr, p.Close(), want.Close()); err != nil {
		t.Fatal(err)
	}
}

// TestRows wants parts to be all rows, each once, in whole rows of tiles and as equal as these allow.
func TestRows(t *testing.T) {
	r := seeds.New(t)
	for range 300 {
		n, tile := 1+r.IntN(3000), 64*(1+r.IntN(3))
		side := entry.CeilDiv(n, tile)
		k := 1 + r.IntN(side)
		next := 0
		for i := 1; i <= k; i++ {
			rows, err := Rows(n, tile, i, k)
			if err != nil || int(rows[0]) != next || next%tile != 0 {
				t.Fatalf("part %d of %d: row %v is the first, want %d; %v", i, k, rows[0], next, err)
			}
			if down := entry.CeilDiv(len(rows), tile); down != side/k && down != side/k+1 {
				t.Fatalf("part %d of %d has %d of %d rows of tiles", i, k, down, side)
			}
			next += len(rows)
			x := part{first: int(rows[0]) / tile, end: entry.CeilDiv(next, tile)}
			if got := number(x, side, k); got != i {
				t.Fatalf("part %d of %d, %d rows of tiles: taken for part %d", i, k, side, got)
			}
		}
		if next != n {
			t.Fatalf("%d parts have %d rows of %d", k, next, n)
		}
		if _, err := Rows(n, tile, 1, side+1); err == nil {
			t.Fatal("more parts than rows of tiles")
		}
	}
}

// TestMerge merges parts of graphs of every kind and both layouts, and compares with a solve of all rows.
func TestMerge(t *testing.T) {
	r := seeds.New(t)
	for _, kind := range []entry.Kind{entry.KindI32, entry.KindI32, entry.KindU16, entry.KindF32, entry.KindF64} {
		n, tile := 1+r.IntN(500), 64*(1+r.IntN(2))
		if r.IntN(3) == 0 {
			n = entry.RoundUp(n, tile) // without padding
		}
		g := randomGraph(t, r, n, kind)
		k := 1 + r.IntN(entry.CeilDiv(n, tile))
		t.Run(fmt.Sprintf("%s/n=%d,tile=%d,k=%d,symmetric=%v", kind, n, tile, k, g.Symmetric), func(t *testing.T) {
			dirs, whole := solvedParts(t, r, g, tile, k), solvedWhole(t, g, tile)
			before := files(t, dirs...)
			out, rows := filepath.Join(t.TempDir(), "out.ooc"), 0
			res := merged(t, out, dirs, Options{Progress: func(done, of int) { rows = done }})
			if res.Already || res.Copied != res.Bytes || res.Resumed != 0 || rows != n {
				t.Errorf("%+v, %d rows told", res, rows)
			}
			same(t, out, whole)
			if res = merged(t, out, dirs, Options{}); !res.Already || res.Copied != 0 {
				t.Errorf("merged again: %+v", res)
			}
			if files(t, dirs...) != before {
				t.Error("a part was changed")
			}
		})
	}
}

// files are all files in folders, and what they hold.
func files(t *testing.T, dirs ...string) string {
	t.Helper()
	var all strings.Builder
	for _, dir := range dirs {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			b, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintln(&all, dir, e.Name(), len(b), disk.Checksum(b))
		}
	}
	return all.String()
}

var errStep = errors.New("nothing works any more")

// TestMergeStops lets nothing work from some operation on the new store on, over and over until the merge is done;
// and goes on from what a disk might hold if the power went at any sync.
func TestMergeStops(t *testing.T) {
	r := seeds.New(t)
	for range crashtest.Repeats(2, 20) {
		const n, tile = 400, 64
		g := randomGraph(t, r, n, entry.KindI32)
		dirs, whole := solvedParts(t, r, g, tile, 1+r.IntN(7)), solvedWhole(t, g, tile)
		out, copies := filepath.Join(t.TempDir(), "out.ooc"), t.TempDir()
		var cuts []string
		o := Options{Checkpoint: time.Nanosecond}
		stops, resumed, syncs := 0, 0, 0
		for done := false; !done; {
			h, err := crashtest.Watch(out)
			if err != nil {
				t.Fatal(err)
			}
			var left atomic.Int64 // operations that work
			left.Store(1 + r.Int64N(int64(40+10*stops)))
			h.Step = func(op, name string) error {
				if left.Add(-1) <= 0 {
					return errStep
				}
				return nil
			}
			h.OnSync = func(name string, done bool) {
				syncs++
				// Cut fails before there is a store.
				if dst := filepath.Join(copies, fmt.Sprint(syncs)); r.IntN(3) == 0 && len(cuts) < 12 &&
					h.Cut(dst, r) == nil {
					cuts = append(cuts, dst)
				}
			}
			o.Resumed = func(rows, of int) { resumed++ }
			_, err = Merge(t.Context(), out, dirs, o)
			h.Close()
			if done = err == nil; !done {
				if stops++; !errors.Is(err, errStep) {
					t.Fatal(err)
				}
			}
		}
		same(t, out, whole)
		for _, dir := range cuts {
			merged(t, dir, dirs, Options{})
			same(t, dir, whole)
		}
		if stops == 0 || len(cuts) == 0 {
			t.Error("nothing stopped the merge")
		}
		t.Logf("%d stops, %d times it went on from some rows, %d power cuts", stops, resumed, len(cuts))
	}
}

// TestMergeInterrupted ends the context in the middle, and goes on.
func TestMergeInterrupted(t *testing.T) {
	r := seeds.New(t)
	g := randomGraph(t, r, 300, entry.KindI32)
	dirs, whole := solvedParts(t, r, g, 64, 3), solvedWhole(t, g, 64)
	out := filepath.Join(t.TempDir(), "out.ooc")
	ctx, cancel := context.WithCancel(t.Context())
	_, err := Merge(ctx, out, dirs, Options{Progress: func(rows, of int) {
		if rows >= 128 {
			cancel()
		}
	}})
	if !errors.Is(err, task.ErrInterrupted) {
		t.Fatal(err)
	}
	p, err := engine.OpenReadOnly(out)
	if err != nil {
		t.Fatal(err)
	}
	st, err := p.Status()
	if err != nil || st.RestorePoint != 128.0/300 || st.Algorithm != eliminate.Name {
		t.Fatalf("%+v, %v", st, err)
	}
	p.Close()

	// A solve may go on, too, from a copy.
	other := filepath.Join(t.TempDir(), "other.ooc")
	if err := os.CopyFS(other, os.DirFS(out)); err != nil {
		t.Fatal(err)
	}
	q := enginetest.Open(t, other)
	enginetest.Solve(t, q, engine.Options{Device: enginetest.Device(t, 64, 64)})
	if !bytes.Equal(enginetest.MatrixFile(t, other), enginetest.MatrixFile(t, whole)) {
		t.Error("a solve that went on from a half-done merge ended with another matrix")
	}

	// What was damaged meanwhile of the rows that are there is copied again.
	file, err := os.OpenFile(tiles.MatrixPath(out), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	at := 4096 + r.Int64N(64*64*4) // of the first tile
	if _, err := file.WriteAt([]byte{0xa5, 0x5a}, at); err != nil {
		t.Fatal(err)
	}
	file.Close()
	rows := 0
	if res := merged(t, out, dirs, Options{Resumed: func(there, of int) { rows = there }}); rows != 128 ||
		res.Resumed != 128 || res.Copied >= res.Bytes {
		t.Errorf("%+v", res)
	}
	same(t, out, whole)
}

// TestDamagedParts flips a bit of a part: the merge names it and keeps the rest, and goes on when the part was solved
// again.
func TestDamagedParts(t *testing.T) {
	r := seeds.New(t)
	for range crashtest.Repeats(3, 50) {
		g := randomGraph(t, r, 330, entry.KindI32)
		dirs, whole := solvedParts(t, r, g, 64, 4), solvedWhole(t, g, 64)
		out := filepath.Join(t.TempDir(), "out.ooc")
		hurt := dirs[r.IntN(len(dirs))]
		b := enginetest.MatrixFile(t, hurt)
		side := entry.CeilDiv(g.N, 64)
		at := len(b) - 1 - r.IntN(64*64*4) // of the last tile, which is kept in either layout
		b[at] ^= 1 << r.IntN(8)
		if err := os.WriteFile(tiles.MatrixPath(hurt), b, 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := Merge(t.Context(), out, dirs, Options{})
		if !errors.Is(err, disk.ErrCorrupt) || !strings.Contains(err.Error(), hurt) ||
			!strings.Contains(err.Error(), fmt.Sprintf(",%d)", side-1)) || !strings.Contains(err.Error(), "--restart") {
			t.Fatal(err)
		}
		p := enginetest.Open(t, hurt)
		if err := p.Restart(t.Context(), engine.Options{}); err != nil {
			t.Fatal(err)
		}
		if _, err := Merge(t.Context(), out, dirs, Options{}); err == nil {
			t.Fatal("merged with a part that is being solved")
		}
		enginetest.Solve(t, p, engine.Options{Device: enginetest.Device(t, 64, 64)})
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
		merged(t, out, dirs, Options{})
		same(t, out, whole)
	}
}

// TestBegunAgain has a part begin again, or be made anew, after all parts were looked at and before it is copied.
func TestBegunAgain(t *testing.T) {
	r := seeds.New(t)
	g := randomGraph(t, r, 300, entry.KindI32)
	dirs, whole := solvedParts(t, r, g, 64, 3), solvedWhole(t, g, 64)
	slices.Sort(dirs)
	last, out := dirs[2], filepath.Join(t.TempDir(), "out.ooc")
	for name, again := range map[string]func(p *engine.Problem) (*engine.Problem, error){
		"again": func(p *engine.Problem) (*engine.Problem, error) {
			return p,
				p.Restart(t.Context(), engine.Options{})
		},
		"anew": func(p *engine.Problem) (*engine.Problem, error) {
			return p.Replace(t.Context(), g, engine.CreateOptions{Tile: 64, Sources: p.Meta().Sources})
		},
	} {
		var p *engine.Problem
		_, err := Merge(t.Context(), out, dirs, Options{Progress: func(rows, of int) {
			if rows != 128 {
				return
			}
			q, err := engine.Open(last)
			if err == nil {
				p, err = again(q)
			}
			if err != nil {
				t.Error(err)
			}
		}})
		if !errors.Is(err, errOther) || !strings.Contains(err.Error(), last+" was begun again") {
			t.Errorf("%s: %v", name, err)
		}
		enginetest.Solve(t, p, engine.Options{Device: enginetest.Device(t, 64, 64)})
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
	}
	merged(t, out, dirs, Options{})
	same(t, out, whole)
}

// TestRefusals merges what cannot be merged: it is said what is wrong, and nothing is made or changed.
func TestRefusals(t *testing.T) {
	r := seeds.New(t)
	const n, tile = 300, 64 // 5 rows of tiles
	g := enginetest.SymmetricGraph(t, r, n, entry.KindI32)
	dirs := solvedParts(t, r, g, tile, 4)
	slices.Sort(dirs)
	at := t.TempDir()
	// of makes a store of a part of a graph.
	of := func(name string, g *graph.Graph, tile, i, k int) string {
		dir := filepath.Join(at, name)
		rows, err := Rows(g.N, tile, i, k)
		if err != nil {
			t.Fatal(err)
		}
		solved(t, dir, g, engine.CreateOptions{Tile: tile, Sources: rows})
		return dir
	}
	with := func(i int, dir string) []string {
		list := slices.Clone(dirs)
		list[i] = dir
		return list
	}
	other := enginetest.SymmetricGraph(t, r, n, entry.KindI32)
	renamed := *g
	renamed.IDs = graph.IDs{Base: 5}
	asFloat, err := graph.New(n, graph.AsKind(entry.KindF32)).Add(0, 1, 1.5).Build()
	if err != nil {
		t.Fatal(err)
	}
	scaled, err := graph.New(n, graph.AsKind(entry.KindI32), graph.Scaled(10)).Add(0, 1, 1.5).Build()
	if err != nil {
		t.Fatal(err)
	}
	smaller := enginetest.SymmetricGraph(t, r, n-1, entry.KindI32)
	scattered := filepath.Join(at, "scattered.ooc")
	solved(t, scattered, g, engine.CreateOptions{Tile: tile, Sources: tiles.RowSet{0, 1, 5}})
	shifted := filepath.Join(at, "shifted.ooc")
	solved(t, shifted, g, engine.CreateOptions{Tile: tile, Sources: tiles.RowSet{0, 1, 2}})
	all := filepath.Join(at, "all.ooc")
	solved(t, all, g, engine.CreateOptions{Tile: tile, Layout: tiles.Upper})
	unsolved := filepath.Join(at, "unsolved.ooc")
	rows, err := Rows(n, tile, 4, 4)
	if err != nil {
		t.Fatal(err)
	}
	p, err := engine.Create(t.Context(), unsolved, g, engine.CreateOptions{Tile: tile, Sources: rows})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	foreign := filepath.Join(at, "foreign")
	if err := errors.Join(os.Mkdir(foreign, 0o777),
		os.WriteFile(filepath.Join(foreign, "letter.txt"), []byte("Dear"), 0o666)); err != nil {
		t.Fatal(err)
	}
	otherAll := filepath.Join(at, "other.ooc")
	solved(t, otherAll, other, engine.CreateOptions{Tile: tile, Layout: tiles.Upper})
	squareAll := filepath.Join(at, "square.ooc")
	solved(t, squareAll, g, engine.CreateOptions{Tile: tile})
	out := filepath.Join(at, "out.ooc")
	for name, c := range map[string]struct {
		out  string
		dirs []string
		kind error
		says []string
	}{
		"one is missing":  {out, dirs[:3], errOther, []string{"missing: part:4/4", "--sources part:4/4"}},
		"two are missing": {out, []string{dirs[1], dirs[3]}, errOther, []string{"missing: part:1/4, part:3/4"}},
		"one twice": {out, append([]string{dirs[2]}, dirs...), errOther,
			[]string{"3.ooc and ", "are the same store"}},
		"a copy of one": {out, append([]string{of("copy.ooc", g, tile, 2, 4)}, dirs...), errOther,
			[]string{"are the same part, part:2/4", "2.ooc", "copy.ooc"}},
		"another number": {out, with(2, of("half.ooc", g, tile, 2, 2)), errOther,
			[]string{"half.ooc", "some of the same rows", "another number of parts"}},
		"another number, a gap": {out, with(0, of("fifth.ooc", g, tile, 5, 5))[:3], errOther,
			[]string{"missing: part:1/5, part:4/5"}},
		"no number, a gap": {out, []string{dirs[1], of("half-too.ooc", g, tile, 2, 2)}, errOther,
			[]string{"missing: rows 0 to 63 "}},
		"another tile": {out, with(0, of("tile.ooc", g, 128, 1, 2)), errOther,
			[]string{"tiles of edge 128", "tile.ooc", "64: solve all parts"}},
		"another graph": {out, with(3, of("other-part.ooc", other, tile, 4, 4)), errOther,
			[]string{"other-part.ooc is of another graph than", "arcs"}},
		"other ids": {out, with(3, of("renamed.ooc", &renamed, tile, 4, 4)), errOther,
			[]string{"renamed.ooc", "other ids"}},
		"another kind": {out, with(3, of("float.ooc", asFloat, tile, 4, 4)), errOther,
			[]string{"float.ooc f32", "kind i32"}},
		"another scale": {out, with(3, of("scaled.ooc", scaled, tile, 4, 4)), errOther,
			[]string{"scaled.ooc 10", "scale 1,"}},
		"another size": {out, with(3, of("smaller.ooc", smaller, tile, 4, 4)), errOther,
			[]string{"smaller.ooc of one of 299"}},
		"sources that are none": {out, with(0, scattered), errOther, []string{"scattered.ooc is no part", "part:I/K"}},
		"sources but no tiles":  {out, with(0, shifted), errOther, []string{"shifted.ooc is no part"}},
		"a store of all rows":   {out, with(0, all), errOther, []string{"all.ooc is no part", "all rows"}},
		"one is not solved": {out, with(3, unsolved), engine.ErrUnsolved,
			[]string{"unsolved.ooc is not solved yet", "ooc solve " + unsolved}},
		"a folder of others":     {out, with(3, foreign), lock.ErrNotStore, []string{"foreign"}},
		"nothing there":          {out, with(3, foreign+"/no.ooc"), os.ErrNotExist, []string{"no.ooc"}},
		"out is a part":          {dirs[0], dirs, errOther, []string{"part of itself"}},
		"out was left away":      {dirs[0], dirs[1:], errOther, []string{"missing: part:1/4"}},
		"out is another part":    {scattered, dirs, errOther, []string{"scattered.ooc is there, and holds some rows"}},
		"out is of others":       {foreign, dirs, lock.ErrNotStore, []string{"letter.txt"}},
		"out is another graph's": {otherAll, dirs, errOther, []string{"other.ooc is there, and is of another graph"}},
		"out has another layout": {squareAll, dirs, errOther, []string{"square.ooc is there", "layout square"}},
		"out has no folder":      {foreign + "/x/out.ooc", dirs, os.ErrNotExist, []string{"make the folder"}},
	} {
		before := files(t, append(slices.Clone(c.dirs[:len(c.dirs)-1]), all, otherAll, foreign, squareAll,
			scattered)...)
		_, err := Merge(t.Context(), c.out, c.dirs, Options{})
		if !errors.Is(err, c.kind) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, s := range c.says {
			if !strings.Contains(err.Error(), s) {
				t.Errorf("%s: %v\nwant %q in it", name, err, s)
			}
		}
		if _, err := os.Lstat(out); !errors.Is(err, os.ErrNotExist) {
			t.Fatalf("%s: a store was made", name)
		}
		if files(t, append(slices.Clone(c.dirs[:len(c.dirs)-1]), all, otherAll, foreign, squareAll,
			scattered)...) != before {
			t.Errorf("%s: something was changed", name)
		}
	}

	held := enginetest.Open(t, dirs[2])
	if _, err := Merge(t.Context(), out, dirs, Options{}); !errors.Is(err, lock.ErrLocked) ||
		!strings.Contains(err.Error(), dirs[2]) {
		t.Errorf("a part that is in use: %v", err)
	}
	if err := held.Close(); err != nil {
		t.Fatal(err)
	}
	if res := merged(t, all, dirs, Options{}); !res.Already {
		t.Errorf("into a store that is solved: %+v", res)
	}
}
