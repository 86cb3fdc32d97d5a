package near_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ooc/engine/graph"
	"ooc/engine/graph/packed"
	"ooc/engine/graph/read"
	"ooc/engine/internal/enginetest"
	"ooc/engine/internal/seeds"
	"ooc/engine/near"
	"ooc/engine/newfile"
	"ooc/engine/text"
	"ooc/kernels/entry"
	"ooc/tiles/disk"
	"ooc/tiles/lock"
)

// pair is an entry of a sparse matrix.
type pair struct{ row, column int }

// answered is the sparse matrix of a graph, found by searches that take everything.
func answered(g *graph.Graph, q near.Question) map[pair]float64 {
	search, all := graph.NewSearch(g), map[pair]float64{}
	for u := range g.N {
		for _, x := range plainly(g, search.From(u), u, q) {
			all[pair{u, x.row}] = x.distance / float64(g.Scale)
		}
	}
	return all
}

// unpacked reads a file of any format of the table.
func unpacked(t *testing.T, file string) []byte {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	in, done, err := packed.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	b, err := io.ReadAll(in)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// readers read files back, by the extension.
var readers = map[string]func(t *testing.T, g *graph.Graph, b []byte) map[pair]float64{
	"npz": readNPZ,
	"mtx": func(t *testing.T, g *graph.Graph, b []byte) map[pair]float64 {
		lines := strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
		var rows, columns, pairs int
		if _, err := fmt.Sscanf(lines[2], "%d %d %d", &rows, &columns, &pairs); err != nil || rows != g.N ||
			columns != g.N || pairs != len(lines)-3 {
			t.Fatalf("%q: %v", lines[:3], err)
		}
		field := strings.Fields(lines[0])[3]
		if want := map[bool]string{true: "real", false: "integer"}[g.Kind.Float() || g.Scale > 1]; field != want {
			t.Errorf("field %s, want %s", field, want)
		}
		all := map[pair]float64{}
		for _, line := range lines[3:] {
			var p pair
			var d float64
			if _, err := fmt.Sscan(line, &p.row, &p.column, &d); err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			all[pair{p.row - 1, p.column - 1}] = d
		}
		return all
	},
	"csv": func(t *testing.T, g *graph.Graph, b []byte) map[pair]float64 {
		lines, err := csv.NewReader(bytes.NewReader(b)).ReadAll()
		if err != nil || strings.Join(lines[0], ",") != "from,to,distance" {
			t.Fatalf("%q: %v", lines[0], err)
		}
		all := map[pair]float64{}
		for _, line := range lines[1:] {
			u, ok := g.Row(line[0])
			v, too := g.Row(line[1])
			var d float64
			if _, err := fmt.Sscan(line[2], &d); err != nil || !ok || !too {
				t.Fatalf("%q: %v", line, err)
			}
			all[pair{u, v}] = d
		}
		return all
	},
}

func readNPZ(t *testing.T, g *graph.Graph, b []byte) map[pair]float64 {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	list := func(name string) []float64 {
		f, err := z.Open(name + ".npy")
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		data, err := io.ReadAll(f)
		if err != nil {
			t.Fatal(err)
		}
		return numbers(t, data)
	}
	starts, columns, data, shape := list("indptr"), list("indices"), list("data"), list("shape")
	if len(starts) != g.N+1 || len(columns) != len(data) || starts[g.N] != float64(len(data)) ||
		shape[0] != float64(g.N) || shape[1] != shape[0] {
		t.Fatalf("%d starts, the last %v, %d columns, %d distances, shape %v", len(starts), starts[len(starts)-1],
			len(columns), len(data), shape)
	}
	all := map[pair]float64{}
	for u := range g.N {
		for k := int(starts[u]); k < int(starts[u+1]); k++ {
			if k > int(starts[u]) && columns[k] <= columns[k-1] {
				t.Fatalf("columns of row %d do not ascend", u)
			}
			all[pair{u, int(columns[k])}] = data[k]
		}
	}
	return all
}

// numbers reads an array of one dimension.
func numbers(t *testing.T, data []byte) (all []float64) {
	t.Helper()
	head := 10 + int(data[8]) + int(data[9])<<8
	data, text := data[head:], string(data[10:head])
	kind := map[string]entry.Kind{"'<i4'": entry.KindI32, "'<f4'": entry.KindF32, "'<f8'": entry.KindF64}
	for word, k := range kind {
		if strings.Contains(text, word) {
			for i := range len(data) / k.Bytes() {
				x := k.Value(k.At(data, i))
				all = append(all, x)
			}
			return all
		}
	}
	if !strings.Contains(text, "'<i8'") {
		t.Fatalf("%q", text)
	}
	for _, x := range entry.View[int64](data) {
		all = append(all, float64(x))
	}
	return all
}

func extensions() (all []string) {
	for _, f := range near.Formats {
		all = append(all, "."+f.Name)
	}
	return append(all, ".mtx.gz", ".csv.zst", ".csv.gz")
}

// sameAnswer compares matrices, of floating kinds within the rounding of f32 or f64.
func sameAnswer(t *testing.T, what string, kind entry.Kind, got, want map[pair]float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d pairs, want %d", what, len(got), len(want))
	}
	for p, d := range want {
		x, ok := got[p]
		if !ok || math.Abs(x-d) > kind.AllowedRounding(100, math.Abs(d)) {
			t.Fatalf("%s: %v is %v, %v; want %v", what, p, x, ok, d)
		}
	}
}

// file writes near pairs, of which nothing may be left but the file.
func file(t *testing.T, g *graph.Graph, path string, q near.Question) *near.Result {
	t.Helper()
	r, err := near.File(context.Background(), g, near.Options{Question: q, File: newfile.File{Path: path}})
	if err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(left) != 1 {
		t.Fatalf("left are %v: %v", left, err)
	}
	return r
}

// TestFile reads every format back, of every kind and scale, with ids of every sort.
func TestFile(t *testing.T) {
	r := seeds.New(t)
	for _, w := range enginetest.AllKinds {
		g := *enginetest.RandomGraph(t, r, 2+r.IntN(60), w.Kind, w.Negative)
		switch r.IntN(3) {
		case 0:
			g.IDs.Base = 7
		case 1:
			var names []string
			for i := range g.N {
				names = append(names, fmt.Sprintf("a,%d \"b\"", i))
			}
			g.IDs = graph.TextIDs(names)
		}
		if !w.Kind.Float() && r.IntN(2) == 0 {
			g.Scale = 10
		}
		q := near.Question{Within: 30.5, Nearest: r.IntN(2) * 4}
		if w.Kind.Float() {
			q.Nearest = 0 // of those that are almost as far, which one is a matter of rounding
		}
		want := answered(&g, q)
		for _, ext := range extensions() {
			path := filepath.Join(t.TempDir(), "x"+ext)
			if res := file(t, &g, path, q); res.Pairs != int64(len(want)) || res.Resumed != 0 {
				t.Errorf("%+v, want %d pairs", res, len(want))
			}
			sameAnswer(t, fmt.Sprint(w, ext), w.Kind, readers[strings.Split(ext, ".")[1]](t, &g, unpacked(t, path)),
				want)
		}
	}
}

// TestWideIndices writes indices of 8 bytes.
func TestWideIndices(t *testing.T) {
	defer near.SetWidest(50)()
	g := enginetest.RandomGraph(t, seeds.New(t), 60, entry.KindI32, false)
	q := near.Question{Within: 700}
	path := filepath.Join(t.TempDir(), "x.npz")
	file(t, g, path, q)
	sameAnswer(t, "wide", g.Kind, readNPZ(t, g, unpacked(t, path)), answered(g, q))
}

// TestFarColumns writes columns that are far apart, and distances that take more than 2 bytes, of all rows or of some.
func TestFarColumns(t *testing.T) {
	r := seeds.New(t)
	const n, sources = 200000, 50
	for _, most := range []int{100, 1 << 16, 1 << 20} {
		for _, span := range []int{100, n - sources} {
			b, want := graph.New(n), map[pair]float64{}
			for u := range sources {
				for range 5 {
					p, weight := pair{u, sources + r.IntN(span)}, float64(1+r.IntN(most))
					b.Add(p.row, p.column, weight)
					if was, ok := want[p]; !ok || weight < was {
						want[p] = weight
					}
				}
			}
			g, err := b.Build()
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(t.TempDir(), "x.npz")
			file(t, g, path, near.Question{Within: math.Inf(1)})
			sameAnswer(t, fmt.Sprint(most, span), g.Kind, readNPZ(t, g, unpacked(t, path)), want)
		}
	}
}

// TestReadsItsOwn reads pairs as a graph, in which the distances are the same.
func TestReadsItsOwn(t *testing.T) {
	r := seeds.New(t)
	b := graph.New(40)
	for v := range 120 {
		b.Add(v%40, (v*7+v/40+1)%40, float64(1+r.IntN(100)))
	}
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	for _, ext := range []string{".npz", ".mtx", ".csv"} {
		path := filepath.Join(t.TempDir(), "x"+ext)
		file(t, g, path, near.Question{Within: math.Inf(1)})
		h, _, _, err := read.Open(path, read.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for u := range h.N {
			for k := h.Offsets[u]; k < h.Offsets[u+1]; k++ {
				from, _ := g.Row(h.Name(u))
				to, _ := g.Row(h.Name(int(h.Targets[k])))
				if ext == ".mtx" {
					from, to = u, int(h.Targets[k])
				}
				if d := graph.NewSearch(g).From(from)[to]; d != h.Weight(k) {
					t.Fatalf("%s: %d to %d is %v, not %v", ext, from, to, h.Weight(k), d)
				}
			}
		}
	}
}

// stopped begins a file and ends it after some rows.
func stopped(t *testing.T, g *graph.Graph, path string, q near.Question, after int) {
	t.Helper()
	ctx, stop := context.WithCancelCause(context.Background())
	ended := errors.New("ended")
	_, err := near.File(ctx, g, near.Options{Question: q, File: newfile.File{Path: path}, Progress: func(rows, _ int) {
		if rows >= after {
			stop(ended)
		}
	}})
	if !errors.Is(err, ended) {
		t.Fatalf("it did not end: %v", err)
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("there is a file: %v", err)
	}
}

// TestGoesOn stops runs, damages some of their spools, and compares what the next run writes with that of one run:
// with entries of 2, 4 and 8 bytes in the spool.
func TestGoesOn(t *testing.T) {
	r := seeds.New(t)
	far := graph.New(200000)
	for v := range 5000 {
		far.Add(v, r.IntN(200000), float64(1+r.IntN(1<<20)))
	}
	wide, err := far.Build()
	if err != nil {
		t.Fatal(err)
	}
	q := near.Question{Within: 500, Nearest: 20}
	t.Run("2", func(t *testing.T) { goesOn(t, r, enginetest.RandomGraph(t, r, 700, entry.KindI32, false), q) })
	t.Run("4", func(t *testing.T) { goesOn(t, r, wide, near.Question{Within: math.Inf(1)}) })
	t.Run("8", func(t *testing.T) { goesOn(t, r, enginetest.RandomGraph(t, r, 700, entry.KindF64, false), q) })
}

func goesOn(t *testing.T, r *rand.Rand, g *graph.Graph, q near.Question) {
	dir := t.TempDir()
	whole := filepath.Join(dir, "whole", "x.npz")
	if err := os.Mkdir(filepath.Dir(whole), 0o777); err != nil {
		t.Fatal(err)
	}
	file(t, g, whole, q)
	want := unpacked(t, whole)
	for round, damage := range []func(b []byte) []byte{
		func(b []byte) []byte { return b },
		func(b []byte) []byte { return b[:r.IntN(len(b))] },
		func(b []byte) []byte { b[200+r.IntN(len(b)-200)] ^= 1 << r.IntN(8); return b },
		func(b []byte) []byte { return append(b, b[len(b)-r.IntN(100):]...) },
		func(b []byte) []byte { return append(b, make([]byte, r.IntN(10000))...) },
		func(b []byte) []byte { clear(b[200+r.IntN(len(b)-200):]); return b },
		func(b []byte) []byte { return append(b, b[bytes.IndexByte(b, '\n')+1:]...) }, // all rows twice
	} {
		path := filepath.Join(dir, fmt.Sprint(round), "x.npz")
		if err := os.Mkdir(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		stopped(t, g, path, q, 300)
		b, err := os.ReadFile(path + near.Extension)
		if err == nil {
			err = os.WriteFile(path+near.Extension, damage(b), 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
		told := -1
		res, err := near.File(context.Background(), g,
			near.Options{Question: q, File: newfile.File{Path: path}, Resumed: func(rows int, _ int64) { told = rows }})
		if err != nil {
			t.Fatal(round, err)
		}
		if round == 0 && res.Resumed < 300 || res.Resumed != max(0, told) {
			t.Errorf("round %d: it went on from row %d and said %d", round, res.Resumed, told)
		}
		if !bytes.Equal(unpacked(t, path), want) {
			t.Errorf("round %d: it wrote something else", round)
		}
		if _, err := os.Lstat(path + near.Extension); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("round %d: the spool is left: %v", round, err)
		}
	}
}

// TestOtherSpools refuses a spool of another graph or question, and files that are none, and leaves them as they are.
func TestOtherSpools(t *testing.T) {
	r := seeds.New(t)
	g := enginetest.RandomGraph(t, r, 400, entry.KindI32, false)
	other := enginetest.RandomGraph(t, r, 400, entry.KindI32, false)
	path := filepath.Join(t.TempDir(), "x.csv")
	q := near.Question{Within: 400}
	stopped(t, g, path, q, 1)
	refused := func(g *graph.Graph, q near.Question, says string) {
		t.Helper()
		before, err := os.ReadFile(path + near.Extension)
		if err != nil {
			t.Fatal(err)
		}
		_, err = near.File(context.Background(), g, near.Options{Question: q, File: newfile.File{Path: path}})
		if !errors.Is(err, near.ErrOther) || !strings.Contains(err.Error(), says) ||
			!strings.Contains(err.Error(), path+near.Extension) {
			t.Errorf("%v, want %q", err, says)
		}
		after, err := os.ReadFile(path + near.Extension)
		if err != nil || !bytes.Equal(before, after) {
			t.Errorf("the spool was changed: %v", err)
		}
	}
	refused(other, q, "another graph")
	refused(g, near.Question{Within: 401}, `"--within 400"`)
	refused(g, near.Question{Within: 400, Nearest: 3}, `"--within 400"`)
	spool, err := os.ReadFile(path + near.Extension)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range [][]byte{otherVersion(t, spool), spool[len("00000000 "):]} { // which had no checksum
		if err := os.WriteFile(path+near.Extension, b, 0o666); err != nil {
			t.Fatal(err)
		}
		refused(g, q, "another version")
	}
	for _, b := range []string{"hello\n", "{\"format\":\"ooc far spool\"}\n", strings.Repeat("\x00", 300)} {
		if err := os.WriteFile(path+near.Extension, []byte(b), 0o666); err != nil {
			t.Fatal(err)
		}
		refused(g, q, "no spool of ooc near")
	}
}

// otherVersion makes of a spool that of another version of ooc.
func otherVersion(t *testing.T, spool []byte) []byte {
	t.Helper()
	line, rest, _ := bytes.Cut(spool, []byte("\n"))
	object, ok := text.CutSum(append(slices.Clone(line), '\n'))
	other := bytes.Replace(object, []byte(`"version":3`), []byte(`"version":2`), 1)
	if !ok || bytes.Equal(other, object) {
		t.Fatalf("%.100q has no version", spool)
	}
	return append(text.SumLine(other), rest...)
}

// TestDamagedHead flips every bit of the first line of a spool: it is damaged then, and not one of something else.
func TestDamagedHead(t *testing.T) {
	g := enginetest.RandomGraph(t, seeds.New(t), 300, entry.KindI32, false)
	path := filepath.Join(t.TempDir(), "x.csv")
	o := near.Options{Question: near.Question{Within: 400}, File: newfile.File{Path: path}}
	stopped(t, g, path, o.Question, 1)
	spool, err := os.ReadFile(path + near.Extension)
	if err != nil {
		t.Fatal(err)
	}
	for bit := range 8 * (bytes.IndexByte(spool, '\n') + 1) {
		b := slices.Clone(spool)
		b[bit/8] ^= 1 << (bit % 8)
		if err := os.WriteFile(path+near.Extension, b, 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := near.File(context.Background(), g, o)
		if !errors.Is(err, disk.ErrCorrupt) || errors.Is(err, near.ErrOther) ||
			!strings.Contains(err.Error(), path+near.Extension+" is damaged") {
			t.Fatalf("bit %d differs: %v", bit, err)
		}
		if after, err := os.ReadFile(path + near.Extension); err != nil || !bytes.Equal(b, after) {
			t.Fatalf("bit %d differs: the spool was changed: %v", bit, err)
		}
	}
}

// TestTwoAtOnce refuses a second run for a file while the first is at it.
func TestTwoAtOnce(t *testing.T) {
	g := enginetest.RandomGraph(t, seeds.New(t), 200, entry.KindI32, false)
	path := filepath.Join(t.TempDir(), "x.csv")
	o := near.Options{Question: near.Question{Within: 100}, File: newfile.File{Path: path}}
	var second error
	first := o
	first.Progress = func(rows, of int) { _, second = near.File(context.Background(), g, o) }
	if _, err := near.File(context.Background(), g, first); err != nil {
		t.Fatal(err)
	}
	if !errors.Is(second, lock.ErrLocked) {
		t.Errorf("the second said %v", second)
	}
}

// TestRefusesFirst refuses files that must not be made before anything is done, and leaves nothing.
func TestRefusesFirst(t *testing.T) {
	g := enginetest.RandomGraph(t, seeds.New(t), 30, entry.KindI32, false)
	dir := t.TempDir()
	there := filepath.Join(dir, "there.csv")
	if err := os.WriteFile(there, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for path, kind := range map[string]error{
		filepath.Join(dir, "x.txt"): newfile.ErrNoFormat, filepath.Join(dir, "x"): newfile.ErrNoFormat,
		filepath.Join(dir, "x.npz.near"): newfile.ErrNoFormat,
		there:                            fs.ErrExist, filepath.Join(dir, "no", "x.csv"): fs.ErrNotExist,
	} {
		if _, err := near.File(context.Background(), g, near.Options{File: newfile.File{Path: path}}); !errors.Is(err,
			kind) {
			t.Errorf("%s: %v", path, err)
		}
	}
	cycle, err := graph.New(2).Add(0, 1, 1).Add(1, 0, -2).Build()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := near.File(context.Background(), cycle,
		near.Options{File: newfile.File{Path: filepath.Join(dir, "x.csv")}}); !errors.Is(err, graph.ErrNegativeCycle) {
		t.Error(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("left are %v, %v", left, err)
	}
}

// TestSweeps removes the spool of a file that was written, as a kill before that leaves it, and no other.
func TestSweeps(t *testing.T) {
	g := enginetest.RandomGraph(t, seeds.New(t), 300, entry.KindI32, false)
	path := filepath.Join(t.TempDir(), "x.mtx")
	o := near.Options{Question: near.Question{Within: 300}, File: newfile.File{Path: path}}
	first, kept := o, path+".kept"
	first.Progress = func(int, int) { _ = os.Link(path+near.Extension, kept) } // another name, which stays
	if _, err := near.File(context.Background(), g, first); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(kept, path+near.Extension); err != nil {
		t.Fatal(err)
	}
	spool, err := os.ReadFile(path + near.Extension)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := near.File(context.Background(), g, o); !errors.Is(err, fs.ErrExist) {
		t.Error(err)
	}
	if _, err := os.Lstat(path + near.Extension); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the spool is left: %v", err)
	}
	damaged := bytes.Clone(spool)
	damaged[len(damaged)/2] ^= 1
	for name, b := range map[string][]byte{"of another version": otherVersion(t, spool), "that is damaged": damaged} {
		if err := os.WriteFile(path+near.Extension, b, 0o666); err != nil {
			t.Fatal(err)
		}
		if err := o.Check(); !errors.Is(err, fs.ErrExist) {
			t.Error(err)
		}
		if left, err := os.ReadFile(path + near.Extension); err != nil || !bytes.Equal(left, b) {
			t.Errorf("a spool %s has %d bytes of %d: %v", name, len(left), len(b), err)
		}
	}
	if err := os.WriteFile(path+near.Extension, spool, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("theirs"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := o.Check(); !errors.Is(err, fs.ErrExist) {
		t.Error(err)
	}
	if _, err := os.Lstat(path + near.Extension); err != nil {
		t.Errorf("the spool is gone: %v", err)
	}
}
