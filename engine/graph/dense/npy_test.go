package dense

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"ooc/engine/graph"
	"ooc/engine/graph/internal/graphtest"
	"ooc/engine/graph/internal/npy"
	"ooc/engine/internal/seeds"
	"ooc/kernels/entry"
	"ooc/tiles/crashtest"
)

// TestNPYHeaders reads dictionaries as others write them.
func TestNPYHeaders(t *testing.T) {
	for _, dict := range []string{
		"{'descr': '<i4', 'fortran_order': False, 'shape': (2, 2), }",
		"{'shape': (2, 2), 'fortran_order': False, 'descr': '<i4'}",
		`{"descr":"<i4","fortran_order":False,"shape":(2,2)}`,
		"{'descr': 'i4', 'fortran_order': True, 'shape': (2L, 2L), }",
		" {\n\t'descr' : '=i4' ,'fortran_order' : False , 'shape' : ( 2 , 2 , ) , } ",
	} {
		for version := range byte(3) {
			file := append(npyBytes(version+1, dict), make([]byte, 16)...)
			file[len(file)-8] = 5 // row 1, column 0
			g, err := readStream(bytes.NewReader(file), Options{NoArc: "inf"})
			if err != nil || g.Arcs() != 2 || g.MaxWeight != 5 {
				t.Errorf("%s: %v, %+v", dict, err, g)
			}
		}
	}
}

var badArrays = []struct {
	what, dict, reason string
}{
	{"no dictionary", "hello", "is not a dictionary with"},
	{"empty", "", "is not a dictionary with"},
	{"a key missing", "{'descr': '<i4', 'shape': (2, 2), }", "is not a dictionary with"},
	{"a key twice", "{'descr': '<i4', 'descr': '<i4', 'shape': (2, 2), }", "is not a dictionary with"},
	{"another key", "{'descr': '<i4', 'fortran_order': False, 'shape': (2, 2), 'x': 1}", "is not a dictionary with"},
	{"more after it", "{'descr': '<i4', 'fortran_order': False, 'shape': (2, 2)} + 1", "is not a dictionary with"},
	{"no end", "{'descr': '<i4', 'fortran_order': False, 'shape': (2, 2)", "is not a dictionary with"},
	{"no end of a string", "{'descr': '<i4, ", "is not a dictionary with"},
	{"an escape", `{'descr': '\x3ci4', 'fortran_order': False, 'shape': (2, 2)}`, "is not a dictionary with"},
	{"order no truth", "{'descr': '<i4', 'fortran_order': 0, 'shape': (2, 2)}", "is not a dictionary with"},
	{"shape no tuple", "{'descr': '<i4', 'fortran_order': False, 'shape': [2, 2]}", "is not a dictionary with"},
	{"shape of words", "{'descr': '<i4', 'fortran_order': False, 'shape': (a, b)}", "is not a dictionary with"},
	{"negative shape", "{'descr': '<i4', 'fortran_order': False, 'shape': (-2, -2)}", "is not a dictionary with"},
	{"huge shape", "{'descr': '<i4', 'fortran_order': False, 'shape': (99999999999999999999, 2)}",
		"is not a dictionary with"},
	{"no colon", "{'descr' '<i4'}", "is not a dictionary with"},
	{"one dimension", "{'descr': '<i4', 'fortran_order': False, 'shape': (4,)}", "1 dimension"},
	{"no dimension", "{'descr': '<i4', 'fortran_order': False, 'shape': ()}", "0 dimension"},
	{"three dimensions", "{'descr': '<i4', 'fortran_order': False, 'shape': (2, 2, 1)}", "3 dimension"},
	{"not square", "{'descr': '<i4', 'fortran_order': False, 'shape': (1, 4)}", "not square"},
	{"n = 0", "{'descr': '<i4', 'fortran_order': False, 'shape': (0, 0)}", "no vertices"},
	{"too many vertices", "{'descr': '<i1', 'fortran_order': False, 'shape': (3037000500, 3037000500)}",
		"the most is 2147483647"},
	{"lies about n", "{'descr': '<i4', 'fortran_order': False, 'shape': (3, 3)}", "it was cut"},
	{"lies about n the other way", "{'descr': '<i4', 'fortran_order': False, 'shape': (1, 1)}", "follow"},
	{"objects", "{'descr': '|O', 'fortran_order': False, 'shape': (2, 2)}", "Python objects"},
	{"complex", "{'descr': '<c8', 'fortran_order': False, 'shape': (2, 2)}", "astype"},
	{"long double", "{'descr': '<f16', 'fortran_order': False, 'shape': (2, 2)}", "astype"},
	{"text", "{'descr': '<U4', 'fortran_order': False, 'shape': (2, 2)}", "astype"},
	{"order of no bytes", "{'descr': '|i4', 'fortran_order': False, 'shape': (2, 2)}", "astype"},
	{"no type", "{'descr': '', 'fortran_order': False, 'shape': (2, 2)}", "astype"},
	{"fields", "{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': (2, 2)}", "named fields"},
}

func TestBadNPYHeaders(t *testing.T) {
	for _, c := range badArrays {
		for version := range byte(3) {
			file := append(npyBytes(version+1, c.dict), make([]byte, 16)...)
			for _, name := range []string{"file", "reader"} {
				var err error
				if name == "file" {
					_, err = readDense(graphtest.WriteFile(t, "a.npy", file), Options{})
				} else {
					_, err = readStream(bytes.NewReader(file), Options{})
				}
				if !errors.Is(err, graph.ErrBadInput) || !strings.Contains(err.Error(), c.reason) ||
					!strings.Contains(err.Error(), map[string]string{"file": "a.npy: ", "reader": "reader: "}[name]) {
					t.Errorf("%s, version %d: %v", c.what, version+1, err)
				}
			}
		}
	}
	for what, file := range map[string]string{
		"version 4":     "\x93NUMPY\x04\x00\x10\x00",
		"version 1.1":   "\x93NUMPY\x01\x01\x10\x00",
		"magic alone":   "\x93NUMPY",
		"cut in length": "\x93NUMPY\x02\x00\x10\x00",
		"cut":           "\x93NUMPY\x01\x00\x10\x00{",
		"4 GiB header":  "\x93NUMPY\x02\x00\xff\xff\xff\xff{",
	} {
		if _, err := readDense(graphtest.WriteFile(t, "a.npy", []byte(file)), Options{}); !errors.Is(err,
			graph.ErrBadInput) {
			t.Errorf("%s: %v", what, err)
		}
	}
	_, err := readDense(graphtest.WriteFile(t, "a.npy", []byte("p sp 2 1\na 1 2 3\n")), Options{})
	graphtest.WantError(t, err, graph.ErrBadInput, "does not begin with")
	_, err = readDense(graphtest.WriteFile(t, "a.npy", []byte("\x00\x01")), Options{})
	graphtest.WantError(t, err, graph.ErrBadInput, "does not begin with")
}

// TestBadMatrices names entries that no matrix may have.
func TestBadMatrices(t *testing.T) {
	crashtest.Slow(t)
	r := seeds.New(t)
	for _, c := range []struct {
		code    string
		value   float64 // at row 700, column 3
		options Options
		is      error
		reason  string
	}{
		{"f8", math.NaN(), Options{}, graph.ErrBadInput,
			`row 700, column 3 (from 0): weight "nan": weights are finite, or +Inf for no arc; --no-arc nan`},
		{"f4", math.Inf(-1), Options{}, graph.ErrBadInput,
			`row 700, column 3 (from 0): weight "-inf": weights are finite`},
		{"f2", math.NaN(), Options{Scale: 10}, graph.ErrBadInput, `weight "nan"`},
		{"f2", math.Inf(-1), Options{Scale: 10}, graph.ErrBadInput, `weight "-inf"`},
		{"f8", 1e39, Options{}, graph.ErrBadInput, `weight "1e+39" is too large for kind f32`},
		{"f8", -1e39, Options{Kind: entry.KindF32}, graph.ErrBadInput, `weight "-1e+39" is too large for kind f32`},
		{"f8", 0.5, Options{Kind: entry.KindI32}, graph.ErrBadInput, `weight "0.5" is not an integer: use --kind f32`},
		{"f4", 0.0125, Options{Scale: 1000}, graph.ErrBadInput,
			`weight "0.0125" times the scale 1000 is not an integer`},
		{"f8", 3e9, Options{}, graph.ErrBadInput,
			`row 700, column 3 (from 0): the magnitude of weight "3000000000" is 3000000000`},
		{"f8", -3e9, Options{Kind: entry.KindI32}, graph.ErrBadInput, "--kind f64"},
		{"f8", 3e7, Options{Scale: 100}, graph.ErrBadInput, "use a smaller --scale"},
		{"f8", 1e25, Options{Scale: 100, Kind: entry.KindF32}, graph.ErrBadInput, "1e+25"},
		{"u8", 3e9, Options{}, graph.ErrBadInput, `the magnitude of weight "3000000000"`},
		{"i8", -3e9, Options{}, graph.ErrBadInput, `the magnitude of weight "-3000000000"`},
		{"i8", 3e9, Options{Kind: entry.KindI32, Scale: 10}, graph.ErrBadInput, "use a smaller --scale"},
		{"i8", 3e9, Options{Kind: entry.KindF32, NoArc: "inf"}, nil, ""},
		{"b1", 2, Options{}, graph.ErrBadInput, "2 is neither False nor True"},
		{"f8", 1, Options{Scale: -1}, graph.ErrOptions, "a scale of -1"},
		{"f8", 1, Options{Base: new(-1)}, graph.ErrOptions, "ids from -1"},
		{"f8", 1, Options{Kind: "i16"}, graph.ErrOptions, "i16"},
	} {
		for _, fortran := range crashtest.Some(r, 1, []bool{false, true}) {
			const n = 800 // several blocks of lines
			a := &array{n: n, code: c.code, version: 1, fortran: fortran, big: fortran, values: make([]float64, n*n)}
			a.values[700*n+3] = c.value
			a.values[750*n+750] = c.value * 0
			_, err := openDense(a.write(t), c.options)
			if c.is == nil && err == nil {
				continue
			}
			graphtest.WantError(t, err, c.is, c.reason)
		}
	}
}

// TestDenseDiagonal ignores all on the diagonal but what is negative.
func TestDenseDiagonal(t *testing.T) {
	want := graphtest.Build(t, 3, []graph.Arc{
		{From: 0, To: 1, Weight: 1}, {From: 0, To: 2, Weight: 2}, {From: 1, To: 0, Weight: 3},
		{From: 1, To: 2, Weight: 4}, {From: 2, To: 0, Weight: 5}, {From: 2, To: 1, Weight: 6},
	})
	a := &array{n: 3, code: "f8", version: 1, values: []float64{math.NaN(), 1, 2, 3, 1e300, 4, 5, 6, math.Inf(1)}}
	sameMatrix(t, openMatrix(t, a.write(t), Options{}), want)
	a.values[8] = -0.5
	_, err := openDense(a.write(t), Options{Base: new(1)})
	graphtest.WantError(t, err, graph.ErrNegativeCycle, "negative cycle of length -0.5: 3 → 3")
	d := openMatrix(t, a.write(t), Options{NoArc: "-0.5"})
	if d.Facts().Arcs != 6 {
		t.Error(d.Facts())
	}
	a.values[8] = math.Inf(-1)
	_, err = openDense(a.write(t), Options{})
	graphtest.WantError(t, err, graph.ErrBadInput, "row 2, column 2", "-inf")
	a.values[8] = math.Copysign(0, -1)
	openMatrix(t, a.write(t), Options{})
}

// TestDenseOne is the smallest matrix.
func TestDenseOne(t *testing.T) {
	for _, code := range codes {
		a := &array{n: 1, code: code, version: 1, values: []float64{0}}
		d := openMatrix(t, a.write(t), Options{})
		if err := d.Check(t.Context()); err != nil {
			t.Fatal(err)
		}
		sameMatrix(t, d, graphtest.Build(t, 1, nil))
	}
}

// FuzzNPY reads anything that begins like an array, in one pass and in place. They agree, and what comes out
// is a sound graph or an error of a known kind.
func FuzzNPY(f *testing.F) {
	for _, code := range codes {
		a := &array{n: 2, code: code, version: 1, values: []float64{0, 1, 1, 0}}
		f.Add(a.bytes()[6:], "")
		a.version, a.fortran, a.big = 3, true, true
		f.Add(a.bytes()[6:], "1")
	}
	for _, c := range badArrays {
		f.Add(npyBytes(1, c.dict)[6:], "nan")
	}
	f.Fuzz(func(t *testing.T, rest []byte, none string) {
		if len(rest) > 1<<14 {
			return
		}
		for _, o := range []Options{{NoArc: none}, {Kind: entry.KindF32, NoArc: "inf"}, {Scale: 10}} {
			fuzzMatrix(t, append([]byte(npy.Magic), rest...), o)
		}
	})
}

func fuzzMatrix(t *testing.T, file []byte, o Options) {
	d, err := openDense(graphtest.WriteFile(t, "fuzz", file), o)
	once, errOnce := readStream(bytes.NewReader(file), o)
	if (err == nil) != (errOnce == nil) {
		t.Fatalf("in place: %v; in one pass: %v", err, errOnce)
	}
	if err != nil {
		if graphtest.Kinds(err) != 1 || graphtest.Kinds(errOnce) != 1 {
			t.Fatalf("an error of no kind: %v; %v", err, errOnce)
		}
		return
	}
	defer d.Close()
	graphtest.FuzzGraph(t, once)
	sameMatrix(t, d, once)
	if once.N <= 40 {
		err, errOnce = d.Check(t.Context()), once.Check(t.Context())
		if errors.Is(err, graph.ErrNegativeCycle) != errors.Is(errOnce, graph.ErrNegativeCycle) &&
			once.Kind == entry.KindI32 {
			t.Fatalf("the matrix: %v; its graph: %v", err, errOnce)
		}
		if err == nil && errOnce != nil {
			t.Fatalf("the matrix passes, but its graph: %v", errOnce)
		}
	}
	if text := fmt.Sprint(d.Source()); text == "" {
		t.Fatal("no source")
	}
}
