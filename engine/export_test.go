package engine

import (
	"bytes"
	"context"
	"encoding/binary"
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

	"ooc/engine/graph"
	"ooc/kernels"
	"ooc/tiles"
)

// filled makes a store that counts as solved and holds random entries of every sort, and returns them in
// the input's units. Its graph has one arc.
func filled(t *testing.T, r *rand.Rand, n, tile int, kind graph.Kind, scale int64, ids graph.IDs) (*Problem, [][]float64) {
	t.Helper()
	options := []graph.BuildOption{graph.AsKind(kind), graph.Named(ids)}
	if scale > 1 {
		options = append(options, graph.Scaled(scale))
	}
	g, err := graph.New(n, options...).Add(0, min(1, n-1), 1).Build()
	if err != nil {
		t.Fatal(err)
	}
	p := create(t, g, tile)
	want := make([][]float64, n)
	for u := range want {
		want[u] = make([]float64, n)
	}
	side := p.geom.Side()
	for i := range side {
		for j := range side {
			data := bytes.Repeat([]byte{0xa5}, 4*tile*tile) // what is padding must not show
			for u := i * tile; u < min((i+1)*tile, n); u++ {
				for v := j * tile; v < min((j+1)*tile, n); v++ {
					bits, d := randomEntry(r, kind)
					binary.LittleEndian.PutUint32(data[4*(u%tile*tile+v%tile):], bits)
					want[u][v] = d / float64(scale)
				}
			}
			if err := p.store.WriteTile(i, j, data); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := p.store.Checkpoint(tiles.State{Done: int64(n)}); err != nil {
		t.Fatal(err)
	}
	return p, want
}

func randomEntry(r *rand.Rand, kind graph.Kind) (uint32, float64) {
	if kind == graph.KindI32 {
		v := []int32{kernels.Inf32, 0, r.Int32N(1000), r.Int32N(kernels.Inf32), -r.Int32N(1 << 29), kernels.Inf32 - 1}[r.IntN(6)]
		if v == kernels.Inf32 {
			return uint32(v), math.Inf(1)
		}
		return uint32(v), float64(v)
	}
	v := []float32{float32(math.Inf(1)), 0, float32(r.IntN(1000)), r.Float32(), 1000 * r.Float32(), -r.Float32(),
		r.Float32() * 1e-30, r.Float32() * 1e30, 1e-45, math.MaxFloat32, 1 << 24, 0.1}[r.IntN(12)]
	return math.Float32bits(v), float64(v)
}

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

// table is an export that was read back.
type table struct {
	element    string // of .npy and .mtx: "<i4", "integer", …
	rows, cols []string
	values     [][]float64
}

// expect applies the options to a matrix.
func expect(want [][]float64, o ExportOptions, none float64) [][]float64 {
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

func parseNPY(t *testing.T, data []byte) table {
	t.Helper()
	head := int(binary.LittleEndian.Uint16(data[8:])) + 10
	if head%64 != 0 || string(data[:8]) != "\x93NUMPY\x01\x00" || data[head-1] != '\n' {
		t.Fatalf("header %q", data[:head])
	}
	var rows, cols int
	out := table{element: string(data[21:24])}
	if _, err := fmt.Sscanf(strings.ReplaceAll(string(data[10:head]), "'", ""), "{descr: "+out.element+", fortran_order: False, shape: (%d, %d), }", &rows, &cols); err != nil {
		t.Fatalf("header %q: %v", data[:head], err)
	}
	size := int(out.element[2] - '0')
	data = data[head:]
	if len(data) != rows*cols*size {
		t.Fatalf("%d bytes for %d×%d elements %s", len(data), rows, cols, out.element)
	}
	for range rows {
		var line []float64
		for range cols {
			switch out.element {
			case "<i4":
				line = append(line, float64(int32(binary.LittleEndian.Uint32(data))))
			case "<f4":
				line = append(line, float64(math.Float32frombits(binary.LittleEndian.Uint32(data))))
			case "<f8":
				line = append(line, math.Float64frombits(binary.LittleEndian.Uint64(data)))
			}
			data = data[size:]
		}
		out.values = append(out.values, line)
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

func parseCSV(t *testing.T, data []byte, bits int) (out table) {
	t.Helper()
	lines, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if lines[0][0] != "" {
		t.Errorf("the first cell is %q", lines[0][0])
	}
	out.cols = lines[0][1:]
	for _, line := range lines[1:] {
		out.rows = append(out.rows, line[0])
		var values []float64
		for _, cell := range line[1:] {
			values = append(values, parseNumber(t, cell, bits))
		}
		out.values = append(out.values, values)
	}
	return out
}

func parseMTX(t *testing.T, data []byte, bits int) (out table) {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	var rows, cols int
	if _, err := fmt.Sscanf(lines[0], "%%%%MatrixMarket matrix array %s general", &out.element); err != nil {
		t.Fatalf("%q: %v", lines[0], err)
	}
	if _, err := fmt.Sscanf(lines[2], "%d %d", &rows, &cols); err != nil || lines[1][0] != '%' || len(lines) != 3+rows*cols {
		t.Fatalf("%q, %q, then %d lines: %v", lines[1], lines[2], len(lines)-3, err)
	}
	for r := range rows {
		var values []float64
		for c := range cols {
			values = append(values, parseNumber(t, lines[3+c*rows+r], bits))
		}
		out.values = append(out.values, values)
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

func exported(t *testing.T, p *Problem, o ExportOptions) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := p.ExportTo(context.Background(), &out, o); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestExport compares every format's text, read back, with what was put into random matrices.
func TestExport(t *testing.T) {
	r := seeded(t)
	for round := range 40 {
		kind := []graph.Kind{graph.KindI32, graph.KindF32}[r.IntN(2)]
		scale := int64(1)
		if kind == graph.KindI32 && r.IntN(3) == 0 {
			scale = 1000
		}
		n := 1 + r.IntN(300)
		p, want := filled(t, r, n, 64*(1+r.IntN(3)), kind, scale, graph.IDs{Base: 1})
		o := ExportOptions{Rows: randomPick(r, n), Cols: randomPick(r, n)}
		given := []float64{-1, 0, 0.5, 0.1, 1e300, 3e9, math.NaN(), math.Inf(1), math.Inf(-1), math.MaxInt32}[r.IntN(10)]
		if r.IntN(2) == 0 {
			o.Unreachable = &given
		}
		t.Run(fmt.Sprintf("%d/%s/%d/n=%d", round, kind, scale, n), func(t *testing.T) { compareExports(t, p, want, o) })
	}
}

// compareExports states the rules of types and of what stands for no path once more, by cases.
func compareExports(t *testing.T, p *Problem, want [][]float64, o ExportOptions) {
	bits, element, field, none, noneCSV := 32, "<f4", "real", math.Inf(1), math.Inf(1)
	if p.meta.Kind == tiles.I32 {
		bits, element, field, none = 64, "<i4", "integer", math.MaxInt32
	}
	if p.meta.Scale > 1 {
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
	npy := parseNPY(t, exported(t, p, o))
	if npy.element != element {
		t.Errorf(".npy holds %s, want %s", npy.element, element)
	}
	sameValues(t, ".npy", npy.values, expect(want, o, none))
	if o.Unreachable != nil && *o.Unreachable != float64(float32(*o.Unreachable)) {
		return // the text of the one is a float64's, that of the others a float32's
	}
	o.Format = "MTX"
	mtx := parseMTX(t, exported(t, p, o), bits)
	if mtx.element != field {
		t.Errorf(".mtx holds %s, want %s", mtx.element, field)
	}
	sameValues(t, ".mtx", mtx.values, expect(want, o, none))
	o.Format = "csv"
	table := parseCSV(t, exported(t, p, o), bits)
	sameValues(t, ".csv", table.values, expect(want, o, noneCSV))
	for i, id := range table.rows {
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
	r := seeded(t)
	n := 70 + r.IntN(30)
	kind, bits, none := graph.KindI32, 64, float64(math.MaxInt32)
	if r.IntN(2) == 0 {
		kind, bits, none = graph.KindF32, 32, math.Inf(1)
	}
	p, want := filled(t, r, n, 64, kind, 1, graph.IDs{})
	many := make([]int, 1<<14+r.IntN(1000))
	for i := range many {
		many[i] = r.IntN(n)
	}
	nan := math.NaN()
	o := ExportOptions{Format: "npy", Rows: many}
	sameValues(t, ".npy", parseNPY(t, exported(t, p, o)).values, expect(want, o, none))
	o = ExportOptions{Format: "npy", Cols: many, Unreachable: &nan}
	sameValues(t, ".npy", parseNPY(t, exported(t, p, o)).values, expect(want, o, nan))
	o = ExportOptions{Format: "csv", Rows: many}
	sameValues(t, ".csv", parseCSV(t, exported(t, p, o), bits).values, expect(want, o, math.Inf(1)))
	o = ExportOptions{Format: "mtx", Cols: append(slices.Clone(many), many...), Unreachable: &nan}
	sameValues(t, ".mtx", parseMTX(t, exported(t, p, o), bits).values, expect(want, o, nan))
}

// TestExportLargeTiles picks a few columns of tiles so wide that the rest of their rows is skipped.
func TestExportLargeTiles(t *testing.T) {
	const tile = readThrough/4 + 128
	r := seeded(t)
	p, want := filled(t, r, 100, tile, graph.KindI32, 1, graph.IDs{})
	for _, cols := range [][]int{{99, 3}, nil} {
		o := ExportOptions{Format: "npy", Cols: cols, Rows: randomPick(r, 100)}
		sameValues(t, ".npy", parseNPY(t, exported(t, p, o)).values, expect(want, o, math.MaxInt32))
	}
}

// TestExportIDs writes ids that a careless table would break into pieces.
func TestExportIDs(t *testing.T) {
	ids := []string{"plain", "a,b", `say "x"`, " padded ", "ünïcode", "semi;colon", "", "-", "1e5"}
	p, _ := filled(t, seeded(t), len(ids), 64, graph.KindI32, 1, graph.TextIDs(ids))
	got := parseCSV(t, exported(t, p, ExportOptions{Format: "csv", Rows: []int{3, 2, 1, 0}}), 64)
	if !slices.Equal(got.cols, ids) || !slices.Equal(got.rows, []string{" padded ", `say "x"`, "a,b", "plain"}) {
		t.Errorf("columns %q, rows %q", got.cols, got.rows)
	}
}

// TestExportSources exports a store that has the rows of some vertices only.
func TestExportSources(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "x.ooc")
	meta := tiles.Meta{N: 100, Kind: tiles.I32, T: 64, Sources: tiles.RowSet{3, 50, 98}}
	s, err := tiles.Create(dir, meta, nil, tiles.IDs{})
	if err != nil {
		t.Fatal(err)
	}
	for j := range 2 {
		tile := entries(64 * 64)
		for k := range words32(tile) {
			words32(tile)[k] = uint32(1000*(k/64) + 64*j + k%64)
		}
		if err := s.WriteTile(0, j, tile); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(s.Checkpoint(tiles.State{Done: 100}), s.Close()); err != nil {
		t.Fatal(err)
	}
	p, err := OpenReadOnly(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	all := parseCSV(t, exported(t, p, ExportOptions{Format: "csv"}), 64)
	if !slices.Equal(all.rows, []string{"3", "50", "98"}) || len(all.cols) != 100 || all.values[2][99] != 2099 {
		t.Errorf("rows %q, %d columns", all.rows, len(all.cols))
	}
	o := ExportOptions{Format: "csv", Rows: []int{98, 3}, Cols: []int{7}}
	some := parseCSV(t, exported(t, p, o), 64)
	if !slices.Equal(some.rows, []string{"98", "3"}) || some.values[0][0] != 2007 || some.values[1][0] != 7 || o.Rows[0] != 98 {
		t.Errorf("rows %q hold %v", some.rows, some.values)
	}
	if err := p.ExportTo(context.Background(), &full{}, ExportOptions{Format: "csv", Rows: []int{4}}); !errors.Is(err, ErrNoVertex) {
		t.Errorf("a row that is not kept: %v", err)
	}
}

func TestExportFiles(t *testing.T) {
	p, want := filled(t, seeded(t), 70, 64, graph.KindI32, 1, graph.IDs{})
	dir := t.TempDir()
	file := filepath.Join(dir, "d.csv.gz")
	if err := p.Export(context.Background(), file, ExportOptions{}); err != nil {
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
	sameValues(t, file, parseCSV(t, text.Bytes(), 64).values, want)
	if err := p.Export(context.Background(), file, ExportOptions{}); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a file that is there: %v", err)
	}
	if err := p.Export(context.Background(), file, ExportOptions{Overwrite: true, Format: "npy", Rows: []int{}}); !errors.Is(err, ErrNoVertex) {
		t.Errorf("no rows: %v", err)
	}
	for _, bad := range []ExportOptions{{Rows: []int{70}}, {Cols: []int{-1}}, {Cols: []int{}}} {
		if err := p.Export(context.Background(), filepath.Join(dir, "e.npy"), bad); !errors.Is(err, ErrNoVertex) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	for name, format := range map[string]string{"e": "", "e.xyz": "", "e.gz": "", "e.npy": "xyz"} {
		if err := p.Export(context.Background(), filepath.Join(dir, name), ExportOptions{Format: format}); !errors.Is(err, ErrNoFormat) {
			t.Errorf("%s, format %q: %v", name, format, err)
		}
	}
	why := errors.New("stopped")
	ctx, stop := context.WithCancelCause(context.Background())
	stop(why)
	for _, e := range Exporters {
		if err := p.Export(ctx, filepath.Join(dir, "e."+e.Name), ExportOptions{}); !errors.Is(err, why) {
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
	p, _ := filled(t, seeded(t), 200, 64, graph.KindI32, 1, graph.IDs{})
	many := make([]int, 1<<14)
	for _, e := range Exporters {
		for _, room := range []int{0, 1000, 5 << 20} {
			if err := p.ExportTo(context.Background(), &full{room}, ExportOptions{Format: e.Name, Rows: many}); !errors.Is(err, fs.ErrPermission) {
				t.Errorf("%s into %d bytes: %v", e.Name, room, err)
			}
		}
	}
	if err := os.Truncate(filepath.Join(p.Dir(), "dist.npy"), 1<<14); err != nil {
		t.Fatal(err)
	}
	for _, e := range Exporters {
		var fault *tiles.FaultError
		if err := p.ExportTo(context.Background(), &full{1 << 30}, ExportOptions{Format: e.Name}); !errors.As(err, &fault) {
			t.Errorf("%s of a store that was cut: %v", e.Name, err)
		}
	}
}

func TestExportUnsolved(t *testing.T) {
	p := create(t, randomGraph(t, seeded(t), 100, graph.KindI32, false), 64)
	if err := p.Export(context.Background(), filepath.Join(t.TempDir(), "d.npy"), ExportOptions{}); !errors.Is(err, ErrUnsolved) {
		t.Error(err)
	}
}

func TestAppendNumber(t *testing.T) {
	for want, v := range map[string]float64{
		"0": 0, "-7": -7, "1000000": 1e6, "0.1": 0.1, "-2.5": -2.5, "123456.789": 123456.789, "9007199254740991": 1<<53 - 1,
		"1e+30": 1e30, "1e-07": 1e-7, "inf": math.Inf(1), "-inf": math.Inf(-1), "nan": math.NaN(),
	} {
		if got := string(appendNumber(nil, v, 64)); got != want {
			t.Errorf("%v is written %s, want %s", v, got, want)
		}
	}
	if got := string(appendNumber(nil, float64(float32(0.1)), 32)); got != "0.1" {
		t.Errorf("the float32 0.1 is written %s", got)
	}
}
