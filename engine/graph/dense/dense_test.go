package dense

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"ooc/engine/graph"
	"ooc/engine/graph/internal/graphtest"
	"ooc/engine/graph/internal/input"
	"ooc/engine/internal/seeds"
	"ooc/kernels/entry"
)

// array is an array to be written as NumPy would.
type array struct {
	n       int
	code    string // of the type
	big     bool
	fortran bool
	version byte
	values  []float64 // by row
}

var codes = []string{"b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"}

// bytes returns the file, with a dictionary that a person could have written.
func (a *array) bytes() []byte {
	order := "<"
	if a.code[1] == '1' {
		order = "|"
	} else if a.big {
		order = ">"
	}
	turned := "False"
	if a.fortran {
		turned = "True"
	}
	out := npyBytes(a.version,
		fmt.Sprintf("{'descr': '%s%s', 'fortran_order': %s, 'shape': (%d, %d), }", order, a.code, turned, a.n, a.n))
	for k := range a.values {
		if a.fortran {
			k = k%a.n*a.n + k/a.n
		}
		out = a.entry(out, a.values[k])
	}
	return out
}

// npyBytes is the head of a file.
func npyBytes(version byte, dict string) []byte {
	pad := (64 - (12+len(dict)+1)%64) % 64
	dict += strings.Repeat(" ", pad) + "\n"
	out := append([]byte("\x93NUMPY"), version, 0)
	if version == 1 {
		out = binary.LittleEndian.AppendUint16(out, uint16(len(dict)))
	} else {
		out = binary.LittleEndian.AppendUint32(out, uint32(len(dict)))
	}
	return append(out, dict...)
}

func (a *array) entry(out []byte, x float64) []byte {
	var bits uint64
	switch a.code {
	case "f2":
		bits = uint64(halfBits(x))
	case "f4":
		bits = uint64(math.Float32bits(float32(x)))
	case "f8":
		bits = math.Float64bits(x)
	case "u8":
		bits = uint64(x)
	default:
		bits = uint64(int64(x))
	}
	size := int(a.code[1] - '0')
	for i := range size {
		if a.big {
			i = size - 1 - i
		}
		out = append(out, byte(bits>>(8*i)))
	}
	return out
}

// halfBits rounds to the nearest float16, by bisection.
func halfBits(x float64) uint16 {
	switch {
	case math.IsNaN(x):
		return 0x7e00
	case math.Signbit(x):
		return 0x8000 | halfBits(-x)
	case math.IsInf(x, 1):
		return 0x7c00
	}
	lo, hi := uint16(0), uint16(0x7bff)
	for lo < hi {
		mid := lo + (hi-lo+1)/2
		if halfValue(mid) <= x {
			lo = mid
		} else {
			hi = mid - 1
		}
	}
	if lo < 0x7bff && halfValue(lo+1)-x < x-halfValue(lo) {
		lo++
	}
	return lo
}

// write writes the array to a file.
func (a *array) write(t testing.TB) string {
	t.Helper()
	return graphtest.WriteFile(t, "a.npy", a.bytes())
}

// randomArray draws an array of some type and layout whose entries are below 100 in magnitude, most of them
// no arcs: +Inf, or 99 where that cannot be.
func randomArray(r *rand.Rand, code string) *array {
	a := &array{n: 1 + r.IntN(90), code: code, big: r.IntN(2) == 0, fortran: r.IntN(2) == 0,
		version: byte(1 + r.IntN(3))}
	a.values = make([]float64, a.n*a.n)
	fractions, dense := r.IntN(2) == 0, r.Float64()
	for k := range a.values {
		x := float64(r.IntN(99))
		switch {
		case code == "b1":
			x = float64(r.IntN(2))
		case r.Float64() > dense:
			x = 99
		case code[0] == 'f' && r.IntN(20) == 0:
			x = math.Copysign(0, -1)
		case code[0] == 'f' && fractions:
			x = halfValue(uint16(r.IntN(80 << 8))) // exact in every type
		}
		if code[0] == 'f' && x == 99 {
			x = math.Inf(1)
		}
		a.values[k] = x
	}
	return a
}

// built is the graph of the matrix, built in memory.
func (a *array) built(t *testing.T, none float64, options ...graph.BuildOption) *graph.Graph {
	t.Helper()
	b := graph.New(a.n, options...)
	for k, x := range a.values {
		if u, v := k/a.n, k%a.n; u != v && x != none {
			b.Add(u, v, x)
		}
	}
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	g.NoArcs = 0 // +Inf is nothing special in a matrix
	return g
}

// openMatrix opens a matrix for one test.
func openMatrix(t *testing.T, path string, o Options) *Matrix {
	t.Helper()
	if o.NoArc == "" {
		o.NoArc = "inf" // many matrices of these tests have many arcs of length 0
	}
	d, err := openDense(path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	if src := d.Source(); src.Format != "npy" || src.Name != path || len(src.SHA256) != 64 {
		t.Fatalf("source %+v", src)
	}
	return d
}

// sameMatrix compares a matrix with the graph that it is: what it says, its tiles, and itself in memory.
func sameMatrix(t *testing.T, d *Matrix, want *graph.Graph) {
	t.Helper()
	w := want.Facts()
	w.IDs = graph.IDs{}
	got := d.Facts()
	if got.IDs = (graph.IDs{}); !reflect.DeepEqual(got, w) {
		t.Fatalf("the matrix is %+v,\nits graph %+v", got, w)
	}
	g, err := d.Graph()
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Validate(); err != nil {
		t.Fatal(err)
	}
	graphtest.SameGraph(t, g, want)
	for _, edge := range []int{1, 16, 64} {
		sameTiles(t, d, want, edge)
	}
}

func sameTiles(t *testing.T, d *Matrix, want *graph.Graph, edge int) {
	t.Helper()
	if edge == 1 && d.n > 20 {
		return
	}
	a, b := newBuffer(4*edge*edge), newBuffer(4*edge*edge)
	for i := range (d.n+edge-1)/edge + 1 { // one tile more than there are
		for j := range (d.n+edge-1)/edge + 1 {
			for k := range a {
				a[k] = 0xAB // poison
			}
			if err := d.FillTile(a, edge, i, j); err != nil {
				t.Fatal(err)
			}
			if err := want.FillTile(b, edge, i, j); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(a, b) {
				t.Fatalf("tile (%d,%d) of edge %d: %v, not %v", i, j, edge, entry.View[uint32](a),
					entry.View[uint32](b))
			}
		}
	}
}

// TestDense reads matrices of every type, order and version, and compares them with graphs built in memory.
func TestDense(t *testing.T) {
	r := seeds.New(t)
	for _, code := range codes {
		for range 12 {
			a := randomArray(r, code)
			o := Options{Kind: []entry.Kind{graph.KindAuto, entry.KindF32}[r.IntN(2)]}
			options := []graph.BuildOption{graph.AsKind(o.Kind)}
			none := math.Inf(1)
			if code[0] != 'f' {
				none = 99
				o.NoArc = []string{"99", "99.0", "9.9e1"}[r.IntN(3)]
				if code == "b1" {
					none, o.NoArc = 0, "0"
				}
			}
			sameMatrix(t, openMatrix(t, a.write(t), o), a.built(t, none, options...))
		}
	}
}

// TestDenseScaled compares scaled matrices with scaled graphs: 0.1 is a tenth in every floating type.
func TestDenseScaled(t *testing.T) {
	r := seeds.New(t)
	for _, code := range []string{"f2", "f4", "f8", "i4", "u1"} {
		for _, scale := range []int64{10, 100, 7000} {
			a := randomArray(r, code)
			exact := *a
			exact.values = make([]float64, len(a.values))
			for k := range a.values {
				digits := 1.0
				if code[0] == 'f' && scale != 7000 {
					digits = float64(scale)
				}
				exact.values[k] = float64(r.IntN(200)) / digits
				if code == "f8" {
					exact.values[k] = float64(r.IntN(1<<27)) / (digits * 100)
				}
				if code == "f4" && scale == 100 {
					exact.values[k] = float64(r.IntN(1<<22)) / digits // more digits than the fast way may take
				}
				a.values[k] = exact.values[k]
			}
			o := Options{Scale: scale, Kind: []entry.Kind{graph.KindAuto, entry.KindF32}[r.IntN(2)]}
			if code == "f8" {
				o.Scale *= 100
				if scale == 7000 {
					o.Kind = entry.KindF32
				}
			}
			want := exact.built(t, math.NaN(), graph.Scaled(o.Scale), graph.AsKind(o.Kind))
			sameMatrix(t, openMatrix(t, a.write(t), o), want)
		}
	}
}

// TestDenseNoArc has the values that people use for no arc, in and out of their type's range.
func TestDenseNoArc(t *testing.T) {
	for _, c := range []struct {
		code, text string
		value      float64 // in the array
		refused    bool
	}{
		{"f8", "-1", -1, false}, {"f8", "0", 0, false}, {"f4", "1e30", 1e30, false}, {"f4", "0.1", 0.1, false},
		{"f2", "0.1", 0.1, false}, {"f2", "65504", 65504, false}, {"f2", "1e9", math.Inf(1), false},
		{"f8", "nan", math.NaN(), false}, {"f2", "NaN", math.NaN(), false}, {"f8", "-inf", math.Inf(-1), false},
		{"i8", "9223372036854775807", 0, false}, {"u8", "18446744073709551615", 0, false},
		{"i4", "2147483647", math.MaxInt32, false},
		{"i1", "-1", -1, false}, {"u2", "65535", 65535, false}, {"i8", "-9223372036854775808", math.MinInt64, false},
		{"u1", "-1", 0, true}, {"u1", "256", 0, true}, {"i4", "0.5", 0, true}, {"i4", "nan", 0, true},
		{"f8", "none", 0, true},
		{"i1", "128", 0, true}, {"i4", "1e400", 0, true}, {"f8", "0x10", 0, true},
	} {
		a := &array{n: 2, code: c.code, version: 1, values: []float64{0, 5, c.value, 0}}
		path := a.write(t)
		if i := map[string]uint64{"9223372036854775807": math.MaxInt64,
			"18446744073709551615": math.MaxUint64}[c.text]; i > 0 {
			file := a.bytes()
			binary.LittleEndian.PutUint64(file[len(file)-16:], i)
			path = graphtest.WriteFile(t, "a.npy", file)
		}
		d, err := openDense(path, Options{NoArc: c.text})
		if c.refused {
			graphtest.WantError(t, err, graph.ErrOptions, "--no-arc "+fmt.Sprintf("%q", c.text))
			continue
		}
		if err != nil {
			t.Fatalf("%+v: %v", c, err)
		}
		g, err := d.Graph()
		if err != nil || g.Arcs() != 1 || g.Find(0, 1) != 0 || g.Weight(0) != 5 {
			t.Errorf("%+v: %v, graph %+v", c, err, g)
		}
		d.Close()
	}
}

// TestDenseZeros refuses matrices that may well say 0 for no arc, until somebody says what they do say.
func TestDenseZeros(t *testing.T) {
	for _, code := range codes {
		a := &array{n: 5, code: code, version: 1, values: make([]float64, 25)}
		for k := range a.values {
			a.values[k] = 1
		}
		for u := range a.n {
			a.values[u*a.n+u] = 0
		}
		a.values[1] = math.Copysign(0, -1)
		for _, o := range []Options{{}, {NoArc: "0"}, {NoArc: "inf"}} {
			d, err := openDense(a.write(t), o) // one of twenty
			if err != nil {
				t.Fatal(code, o, err)
			}
			d.Close()
		}
		a.values[20] = 0
		path := a.write(t)
		_, err := openDense(path, Options{})
		graphtest.WantError(t, err, graph.ErrBadInput, path+": 2 of the 20 entries off the diagonal are 0",
			"--no-arc 0", "--no-arc inf")
		for none, arcs := range map[string]int64{"0": 18, "inf": 20} {
			if d := openMatrix(t, path, Options{NoArc: none}); d.Facts().Arcs != arcs {
				t.Errorf("%s, no arc %s: %d arcs", code, none, d.Facts().Arcs)
			}
		}
	}
}

// TestDenseUnweighted has every entry that is an arc weigh 1, whatever it says.
func TestDenseUnweighted(t *testing.T) {
	for _, code := range codes {
		for _, kind := range []entry.Kind{graph.KindAuto, entry.KindU16, entry.KindF32, entry.KindF64} {
			a := &array{n: 3, code: code, version: 1, fortran: kind == entry.KindF32,
				values: []float64{1, 1, 0, 0, 1, 1, 1, 0, 1}}
			if strings.HasPrefix(code, "f") {
				a.values[1], a.values[5], a.values[6] = 0.5, -7, 60000
			}
			o := Options{NoArc: "0", Unweighted: true, Kind: kind}
			d := openMatrix(t, a.write(t), o)
			f := d.Facts()
			want := cmp.Or(kind, entry.KindI32)
			if f.Kind != want || f.Arcs != 3 || f.MinWeight != 1 || f.MaxWeight != 1 || f.Negative {
				t.Errorf("%s, %s: %+v", code, kind, f)
			}
			g, err := d.Graph()
			if err != nil {
				t.Fatal(err)
			}
			for _, arc := range [][2]int{{0, 1}, {1, 2}, {2, 0}} {
				if k := g.Find(arc[0], arc[1]); k < 0 || g.Weight(k) != 1 {
					t.Errorf("%s, %s: no arc %v of weight 1", code, kind, arc)
				}
			}
		}
	}
	for _, c := range []struct {
		values []float64
		of     error
		says   string
	}{
		{[]float64{0, 1, 1, -2}, graph.ErrNegativeCycle, "-2"},
		{[]float64{0, 0, 1, 0}, graph.ErrBadInput, "--no-arc 0"},
		{[]float64{0, math.NaN(), 1, 0}, graph.ErrBadInput, "--no-arc nan"},
		{[]float64{0, math.Inf(-1), 1, 0}, graph.ErrBadInput, `weight "-inf"`},
	} {
		a := &array{n: 2, code: "f8", version: 1, values: c.values}
		_, err := openDense(a.write(t), Options{Unweighted: true})
		graphtest.WantError(t, err, c.of, c.says)
	}
}

// TestDensePacked reads compressed matrices, pipes and readers, whose entries go into a file that is removed.
func TestDensePacked(t *testing.T) {
	r := seeds.New(t)
	dir := t.TempDir()
	spools := 0
	spool := func(size int64) (*os.File, error) {
		spools++
		f, err := os.CreateTemp(dir, "spool")
		return f, errors.Join(err, f.Truncate(size))
	}
	for _, code := range codes {
		a := randomArray(r, code)
		o := Options{Kind: entry.KindF32, NoArc: "inf", Spool: spool}
		want := a.built(t, math.Inf(1), graph.AsKind(entry.KindF32))
		var gz, zst bytes.Buffer
		w := gzip.NewWriter(&gz)
		w.Write(a.bytes())
		w.Close()
		z, err := zstd.NewWriter(&zst)
		if err != nil {
			t.Fatal(err)
		}
		z.Write(a.bytes())
		z.Close()
		sameMatrix(t, openMatrix(t, graphtest.WriteFile(t, "a.npy.gz", gz.Bytes()), o), want)
		sameMatrix(t, openMatrix(t, graphtest.WriteFile(t, "a.npy.zst", zst.Bytes()), o), want)
		g, err := readStream(bytes.NewReader(gz.Bytes()), o)
		if err != nil {
			t.Fatal(err)
		}
		graphtest.SameGraph(t, g, want)

		for cut := 1; cut < gz.Len(); cut += 1 + gz.Len()/7 {
			if _, err := readDense(graphtest.WriteFile(t, "a.npy.gz", gz.Bytes()[:cut]), o); !errors.Is(err,
				graph.ErrBadInput) {
				t.Fatalf("cut at %d of %d: %v", cut, gz.Len(), err)
			}
		}
		var more bytes.Buffer
		w = gzip.NewWriter(&more)
		w.Write(append(a.bytes(), 0))
		w.Close()
		_, err = readDense(graphtest.WriteFile(t, "a.npy.gz", more.Bytes()), o)
		graphtest.WantError(t, err, graph.ErrBadInput, "something follows the array")
		_, err = OpenDistances(graphtest.WriteFile(t, "a.npy.gz", gz.Bytes()))
		graphtest.WantError(t, err, graph.ErrBadInput, "a.npy.gz: distances are read from a .npy file")
	}
	if spools < 4*len(codes) {
		t.Errorf("%d spools for %d types", spools, len(codes))
	}
}

// TestDenseSpoolIsRemoved leaves nothing behind, whether a matrix was accepted or not.
func TestDenseSpoolIsRemoved(t *testing.T) {
	dir := t.TempDir()
	o := Options{Spool: func(int64) (*os.File, error) { return os.CreateTemp(dir, "spool") }}
	a := &array{n: 2, code: "f8", version: 1, values: []float64{0, 1, 2, 0}}
	for _, last := range []float64{0, math.Inf(-1)} {
		a.values[3] = last
		_, err := readStream(bytes.NewReader(a.bytes()), o)
		if (err != nil) != (last != 0) {
			t.Fatal(err)
		}
		if _, err := readStream(bytes.NewReader(a.bytes()[:140]), o); !errors.Is(err, graph.ErrBadInput) {
			t.Fatal(err)
		}
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) > 0 {
		t.Fatalf("%v, left: %v", err, left)
	}
}

// TestDenseChanges refuses a file that is not any more what was surveyed.
func TestDenseChanges(t *testing.T) {
	a := &array{n: 100, code: "i4", version: 1, values: make([]float64, 100*100)}
	for name, change := range map[string]func(path string) error{
		"content": func(path string) error { return os.WriteFile(path, a.bytes(), 0o600) },
		"cut":     func(path string) error { return os.Truncate(path, 200) },
		"time":    func(path string) error { return os.Chtimes(path, time.Time{}, time.Unix(1, 0)) },
	} {
		path := a.write(t)
		d := openMatrix(t, path, Options{})
		time.Sleep(20 * time.Millisecond) // file times have a grain
		if err := change(path); err != nil {
			t.Fatal(err)
		}
		if err := d.FillTile(newBuffer(4*64*64), 64, 1, 1); !errors.Is(err, graph.ErrChanged) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := d.NewSearch(nil).From(3); !errors.Is(err, graph.ErrChanged) {
			t.Errorf("%s, search: %v", name, err)
		}
	}
}

// TestHalves compares what float16 patterns stand for with IEEE 754's definition and with decimals.
func TestHalves(t *testing.T) {
	for code, want := range map[uint16]float64{
		0: 0, 1: 0x1p-24, 0x3ff: 0x3ffp-24, 0x400: 0x1p-14, 0x3c00: 1, 0x3c01: 1 + 0x1p-10, 0x7bff: 65504,
		0x7c00: math.Inf(1),
		0xfc00: math.Inf(-1), 0xc000: -2,
	} {
		if got := halfValue(code); got != want {
			t.Errorf("%#x is %v, not %v", code, got, want)
		}
	}
	for code, want := range map[uint16]float64{halfBits(0.1): 0.1, halfBits(3.3): 3.3, 0x7bff: 65500, 1: 6e-8,
		halfBits(1024): 1024, halfBits(-0.7): -0.7} {
		if got := decimalOfHalf(halfValue(code)); got != want {
			t.Errorf("%#x is the decimal %v, not %v", code, got, want)
		}
	}
	for c := range uint16(0x7c00) {
		if d := decimalOfHalf(halfValue(c)); halfBits(d) != c {
			t.Fatalf("%#x is the decimal %v, which is nearest to %#x", c, d, halfBits(d))
		}
	}
}

// openDense opens a matrix in a file and surveys it.
func openDense(path string, o Options) (*Matrix, error) {
	in, err := input.Open(path)
	if err != nil {
		return nil, err
	}
	in.Sum = sha256.New()
	d, err := FromInput(in, o)
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	return d, nil
}

// readDense reads the matrix in a file into memory.
func readDense(path string, o Options) (*graph.Graph, error) { return inMemory(openDense(path, o)) }

// readStream is readDense for what can be read once only.
func readStream(r io.Reader, o Options) (*graph.Graph, error) {
	return inMemory(FromInput(input.New(r, "reader"), o))
}

func inMemory(d *Matrix, err error) (*graph.Graph, error) {
	if err != nil {
		return nil, err
	}
	g, err := d.Graph()
	return g, errors.Join(err, d.Close())
}
