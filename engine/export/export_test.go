package export

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"

	"ooc/engine"
	"ooc/engine/graph"
	"ooc/engine/internal/enginetest"
	"ooc/engine/internal/seeds"
	"ooc/engine/newfile"
	"ooc/kernels/entry"
	"ooc/tiles"
	"ooc/tiles/crashtest"
)

// randomPick picks rows: nil for all, one, a range, or any, repeated and out of order.
func randomPick(r *rand.Rand, n int) []int {
	var at []int
	switch r.IntN(5) {
	case 0:
		return nil
	case 1:
		return []int{r.IntN(n)}
	case 2:
		lo := r.IntN(n)
		for i := lo; i <= lo+r.IntN(n-lo); i++ {
			at = append(at, i)
		}
		return at
	case 3:
		return r.Perm(n)
	}
	for range 1 + r.IntN(2*n) {
		at = append(at, r.IntN(n))
	}
	return at
}

// expect applies the options to a matrix.
func expect(want [][]float64, o Options, none float64) [][]float64 {
	all := make([]int, len(want))
	for i := range all {
		all[i] = i
	}
	rows, cols := o.Rows, o.Cols
	if rows == nil {
		rows = all
	}
	if cols == nil {
		cols = all
	}
	var out [][]float64
	for _, u := range rows {
		var line []float64
		for _, v := range cols {
			d := want[u][v]
			if math.IsInf(d, 1) {
				d = none
			}
			line = append(line, d)
		}
		out = append(out, line)
	}
	return out
}

// parseNumber reads text at the precision of the store: the shortest text of a float32 need not be that of
// the float64 of the same value.
func parseNumber(t *testing.T, text string, bits int) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(text, bits)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func parseCSV(t *testing.T, data []byte, bits int) (out enginetest.Table) {
	t.Helper()
	lines, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if lines[0][0] != "" {
		t.Errorf("the first cell is %q", lines[0][0])
	}
	out.Cols = lines[0][1:]
	for _, line := range lines[1:] {
		out.Rows = append(out.Rows, line[0])
		var values []float64
		for _, cell := range line[1:] {
			values = append(values, parseNumber(t, cell, bits))
		}
		out.Values = append(out.Values, values)
	}
	return out
}

func parseMTX(t *testing.T, data []byte, bits int) (out enginetest.Table) {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	var rows, cols int
	if _, err := fmt.Sscanf(lines[0], "%%%%MatrixMarket matrix array %s general", &out.Element); err != nil {
		t.Fatalf("%q: %v", lines[0], err)
	}
	if _, err := fmt.Sscanf(lines[2], "%d %d", &rows, &cols); err != nil || lines[1][0] != '%' ||
		len(lines) != 3+rows*cols {
		t.Fatalf("%q, %q, then %d lines: %v", lines[1], lines[2], len(lines)-3, err)
	}
	for r := range rows {
		var values []float64
		for c := range cols {
			values = append(values, parseNumber(t, lines[3+c*rows+r], bits))
		}
		out.Values = append(out.Values, values)
	}
	return out
}

func sameValues(t *testing.T, what string, got, want [][]float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d rows, want %d", what, len(got), len(want))
	}
	for i := range want {
		same := slices.EqualFunc(got[i], want[i], func(a, b float64) bool { return a == b || a != a && b != b })
		if !same {
			t.Fatalf("%s: row %d differs", what, i)
		}
	}
}

func exported(t *testing.T, p *engine.Problem, o Options) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := Write(context.Background(), p, &out, o); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestExport compares every format's text, read back, with what was put into random matrices.
func TestExport(t *testing.T) {
	crashtest.Slow(t)
	r := seeds.New(t)
	for round := range 40 {
		kind := entry.Kinds[r.IntN(len(entry.Kinds))]
		scale := int64(1)
		if !kind.Float() && r.IntN(3) == 0 {
			scale = 1000
		}
		n := 1 + r.IntN(300)
		p, want := enginetest.Filled(t, r, n, 64*(1+r.IntN(3)), kind, scale, graph.IDs{Base: 1})
		o := Options{Rows: randomPick(r, n), Cols: randomPick(r, n)}
		given := []float64{-1, 0, 0.5, 0.1, 1e300, 3e9, math.NaN(), math.Inf(1), math.Inf(-1),
			math.MaxInt32}[r.IntN(10)]
		if r.IntN(2) == 0 {
			o.Unreachable = &given
		}
		t.Run(fmt.Sprintf("%d/%s/%d/n=%d", round, kind, scale, n), func(t *testing.T) { compareExports(t, p, want, o) })
	}
}

// compareExports states the rules of types and of what stands for no path once more, by cases.
func compareExports(t *testing.T, p *engine.Problem, want [][]float64, o Options) {
	bits, element, field, none, noneCSV := 32, "<f4", "real", math.Inf(1), math.Inf(1)
	if !p.Meta().Kind.Float() {
		bits, element, field, none = 64, "<i4", "integer", math.MaxInt32
	}
	if p.Meta().Scale > 1 || p.Meta().Kind == entry.KindF64 {
		bits, element, field, none = 64, "<f8", "real", math.Inf(1)
	}
	if o.Unreachable != nil {
		none, noneCSV = *o.Unreachable, *o.Unreachable
		_, whole := map[float64]bool{-1: true, 0: true, math.MaxInt32: true}[none]
		_, wide := map[float64]bool{0.1: true, 1e300: true, math.MaxInt32: true}[none] // 3e9 is a float32
		if element == "<i4" && !whole {
			element, field = "<f8", "real"
		}
		if element == "<f4" && wide {
			element = "<f8"
		}
	}
	o.Format = "npy"
	npy := enginetest.ParseNPY(t, exported(t, p, o))
	if npy.Element != element {
		t.Errorf(".npy holds %s, want %s", npy.Element, element)
	}
	sameValues(t, ".npy", npy.Values, expect(want, o, none))
	if o.Unreachable != nil && *o.Unreachable != float64(float32(*o.Unreachable)) {
		return // the text of the one is a float64's, that of the others a float32's
	}
	o.Format = "MTX"
	mtx := parseMTX(t, exported(t, p, o), bits)
	if mtx.Element != field {
		t.Errorf(".mtx holds %s, want %s", mtx.Element, field)
	}
	sameValues(t, ".mtx", mtx.Values, expect(want, o, none))
	o.Format = "csv"
	table := parseCSV(t, exported(t, p, o), bits)
	sameValues(t, ".csv", table.Values, expect(want, o, noneCSV))
	for i, id := range table.Rows {
		row := i
		if o.Rows != nil {
			row = o.Rows[i]
		}
		if id != strconv.Itoa(1+row) {
			t.Fatalf("row %d is called %q", row, id)
		}
	}
}

// TestExportBlocks exports so many picks that each format needs several blocks.
func TestExportBlocks(t *testing.T) {
	crashtest.Slow(t)
	r := seeds.New(t)
	n := 70 + r.IntN(30)
	kind, bits, none := entry.KindI32, 64, float64(math.MaxInt32)
	if r.IntN(2) == 0 {
		kind, bits, none = entry.KindF32, 32, math.Inf(1)
	}
	p, want := enginetest.Filled(t, r, n, 64, kind, 1, graph.IDs{})
	many := make([]int, 1<<14+r.IntN(1000))
	for i := range many {
		many[i] = r.IntN(n)
	}
	nan := math.NaN()
	formats := []func(){func() {
		o := Options{Format: "npy", Rows: many}
		sameValues(t, ".npy", enginetest.ParseNPY(t, exported(t, p, o)).Values, expect(want, o, none))
	}, func() {
		o := Options{Format: "npy", Cols: many, Unreachable: &nan}
		sameValues(t, ".npy", enginetest.ParseNPY(t, exported(t, p, o)).Values, expect(want, o, nan))
	}, func() {
		o := Options{Format: "csv", Rows: many}
		sameValues(t, ".csv", parseCSV(t, exported(t, p, o), bits).Values, expect(want, o, math.Inf(1)))
	}, func() {
		o := Options{Format: "mtx", Cols: append(slices.Clone(many), many...), Unreachable: &nan}
		sameValues(t, ".mtx", parseMTX(t, exported(t, p, o), bits).Values, expect(want, o, nan))
	}}
	for _, compare := range crashtest.Some(r, 2, formats) {
		compare()
	}
}

// TestExportLargeTiles picks a few columns of tiles so wide that the rest of their rows is skipped.
func TestExportLargeTiles(t *testing.T) {
	const tile = readThrough/4 + 128
	r := seeds.New(t)
	p, want := enginetest.Filled(t, r, 100, tile, entry.KindI32, 1, graph.IDs{})
	for _, cols := range [][]int{{99, 3}, nil} {
		o := Options{Format: "npy", Cols: cols, Rows: randomPick(r, 100)}
		sameValues(t, ".npy", enginetest.ParseNPY(t, exported(t, p, o)).Values, expect(want, o, math.MaxInt32))
	}
}

// TestExportIDs writes ids that a careless table would break into pieces.
func TestExportIDs(t *testing.T) {
	ids := []string{"plain", "a,b", `say "x"`, " padded ", "ünïcode", "semi;colon", "#hash", "-", "1e5"}
	p, _ := enginetest.Filled(t, seeds.New(t), len(ids), 64, entry.KindI32, 1, graph.TextIDs(ids))
	got := parseCSV(t, exported(t, p, Options{Format: "csv", Rows: []int{3, 2, 1, 0}}), 64)
	if !slices.Equal(got.Cols, ids) || !slices.Equal(got.Rows, []string{" padded ", `say "x"`, "a,b", "plain"}) {
		t.Errorf("columns %q, rows %q", got.Cols, got.Rows)
	}
}

// TestExportSources exports a store that has the rows of some vertices only.
func TestExportSources(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "x.ooc")
	meta := tiles.Meta{N: 100, Kind: entry.KindI32, T: 64, Sources: tiles.RowSet{3, 50, 98}}
	s, err := tiles.Create(dir, meta, nil, tiles.IDs{})
	if err != nil {
		t.Fatal(err)
	}
	for j := range 2 {
		tile := entry.Make(64 * 64)
		for k := range entry.View[uint32](tile) {
			entry.View[uint32](tile)[k] = uint32(1000*(k/64) + 64*j + k%64)
		}
		if err := s.WriteTile(0, j, tile); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(s.Checkpoint(tiles.State{Done: 100}), s.Close()); err != nil {
		t.Fatal(err)
	}
	p, err := engine.OpenReadOnly(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	all := parseCSV(t, exported(t, p, Options{Format: "csv"}), 64)
	if !slices.Equal(all.Rows, []string{"3", "50", "98"}) || len(all.Cols) != 100 || all.Values[2][99] != 2099 {
		t.Errorf("rows %q, %d columns", all.Rows, len(all.Cols))
	}
	o := Options{Format: "csv", Rows: []int{98, 3}, Cols: []int{7}}
	some := parseCSV(t, exported(t, p, o), 64)
	if !slices.Equal(some.Rows, []string{"98", "3"}) || some.Values[0][0] != 2007 || some.Values[1][0] != 7 ||
		o.Rows[0] != 98 {
		t.Errorf("rows %q hold %v", some.Rows, some.Values)
	}
	if err := Write(context.Background(), p, &full{}, Options{Format: "csv", Rows: []int{4}}); !errors.Is(err,
		graph.ErrNoVertex) {
		t.Errorf("a row that is not kept: %v", err)
	}
}

func TestExportFiles(t *testing.T) {
	p, want := enginetest.Filled(t, seeds.New(t), 70, 64, entry.KindI32, 1, graph.IDs{})
	dir := t.TempDir()
	file := filepath.Join(dir, "d.csv.gz")
	if err := File(context.Background(), p, file, Options{}); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if _, err := text.ReadFrom(z); err != nil {
		t.Fatal(err)
	}
	sameValues(t, file, parseCSV(t, text.Bytes(), 64).Values, want)
	if err := File(context.Background(), p, file, Options{}); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a file that is there: %v", err)
	}
	if err := File(context.Background(), p, file,
		Options{Overwrite: true, Format: "npy", Rows: []int{}}); !errors.Is(err, graph.ErrNoVertex) {
		t.Errorf("no rows: %v", err)
	}
	for _, bad := range []Options{{Rows: []int{70}}, {Cols: []int{-1}}, {Cols: []int{}}} {
		if err := File(context.Background(), p, filepath.Join(dir, "e.npy"), bad); !errors.Is(err, graph.ErrNoVertex) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	for name, format := range map[string]string{"e": "", "e.xyz": "", "e.gz": "", "e.npy": "xyz"} {
		if err := File(context.Background(), p, filepath.Join(dir, name), Options{Format: format}); !errors.Is(err,
			newfile.ErrNoFormat) {
			t.Errorf("%s, format %q: %v", name, format, err)
		}
	}
	why := errors.New("stopped")
	ctx, stop := context.WithCancelCause(context.Background())
	stop(why)
	for _, e := range Formats {
		if err := File(ctx, p, filepath.Join(dir, "e."+e.Name), Options{}); !errors.Is(err, why) {
			t.Errorf("%s, stopped: %v", e.Name, err)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// full accepts some bytes and then no more.
type full struct{ room int }

func (f *full) Write(b []byte) (int, error) {
	if f.room -= len(b); f.room < 0 {
		return 0, fs.ErrPermission
	}
	return len(b), nil
}

// TestExportErrors breaks the way out in the head, in the first block and in a later one, and then the store.
func TestExportErrors(t *testing.T) {
	p, _ := enginetest.Filled(t, seeds.New(t), 200, 64, entry.KindI32, 1, graph.IDs{})
	many := make([]int, 1<<14)
	for _, e := range Formats {
		for _, room := range []int{0, 1000, 5 << 20} {
			if err := Write(context.Background(), p, &full{room}, Options{Format: e.Name, Rows: many}); !errors.Is(err,
				fs.ErrPermission) {
				t.Errorf("%s into %d bytes: %v", e.Name, room, err)
			}
		}
	}
	if err := os.Truncate(filepath.Join(p.Dir(), "dist.npy"), 1<<14); err != nil {
		t.Fatal(err)
	}
	for _, e := range Formats {
		var fault *tiles.FaultError
		if err := Write(context.Background(), p, &full{1 << 30}, Options{Format: e.Name}); !errors.As(err, &fault) {
			t.Errorf("%s of a store that was cut: %v", e.Name, err)
		}
	}
}

func TestExportUnsolved(t *testing.T) {
	p := enginetest.Create(t, enginetest.RandomGraph(t, seeds.New(t), 100, entry.KindI32, false), 64)
	if err := File(context.Background(), p, filepath.Join(t.TempDir(), "d.npy"), Options{}); !errors.Is(err,
		engine.ErrUnsolved) {
		t.Error(err)
	}
}
