package read

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"ooc/engine/graph"
	"ooc/engine/graph/internal/graphtest"
	"ooc/kernels/entry"
)

// npyOf is an array as NumPy writes it; a nil shape is one dimension with all of values.
func npyOf(descr string, shape []int, values any) []byte {
	var raw bytes.Buffer
	order := binary.ByteOrder(binary.LittleEndian)
	if descr[0] == '>' {
		order = binary.BigEndian
	}
	if err := binary.Write(&raw, order, values); err != nil {
		panic(err)
	}
	text := "()"
	if size := binary.Size(values); shape == nil && descr[1] != 'S' && descr[1] != 'U' {
		text = fmt.Sprintf("(%d,)", size/int(descr[2]-'0'))
	}
	for i, n := range shape {
		text = strings.TrimSuffix(text, ")")
		text += fmt.Sprintf("%d,%s)", n, map[bool]string{true: "", false: " "}[i == len(shape)-1])
	}
	dict := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }\n", descr, text)
	head := append([]byte("\x93NUMPY\x01\x00"), byte(len(dict)), byte(len(dict)>>8))
	return append(append(head, dict...), raw.Bytes()...)
}

// member is a part of an archive.
type member struct {
	name string
	data []byte
}

func archive(method uint16, members ...member) string {
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, m := range members {
		w, err := z.CreateHeader(&zip.FileHeader{Name: m.name + ".npy", Method: method})
		if err != nil {
			panic(err)
		}
		w.Write(m.data)
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	return out.String()
}

func format(layout string) member { return member{"format", npyOf("|S3", nil, []byte(layout))} }
func shape(rows, cols int64) member {
	return member{"shape", npyOf("<i8", nil, []int64{rows, cols})}
}

// goodNPZ are matrices of three vertices with the entries (0,1)=5, (1,2)=7, (2,0)=2.
var goodNPZ = map[string]string{
	"csr": archive(zip.Store, member{"indices", npyOf("<i4", nil, []int32{1, 2, 0})},
		member{"indptr", npyOf("<i4", nil, []int32{0, 1, 2, 3})},
		format("csr"), shape(3, 3), member{"data", npyOf("<f8", nil, []float64{5, 7, 2})}),
	"csc": archive(zip.Deflate, member{"indices", npyOf("<i8", nil, []int64{2, 0, 1})},
		member{"indptr", npyOf("<i8", nil, []int64{0, 1, 2, 3})},
		format("csc"), shape(3, 3), member{"data", npyOf("|i1", nil, []int8{2, 5, 7})},
		member{"_is_array", npyOf("|b1", nil, []byte{1})}),
	"coo": archive(zip.Deflate, member{"row", npyOf(">i4", nil, []int32{2, 0, 1})},
		member{"col", npyOf("<i8", nil, []int64{0, 1, 2})},
		member{"format", npyOf("<U3", nil, []int32{'c', 'o', 'o'})}, shape(3, 3),
		member{"data", npyOf("<u8", nil, []uint64{2, 5, 7})}),
}

func TestNPZ(t *testing.T) {
	for layout, text := range goodNPZ {
		for _, c := range []struct {
			o    Options
			arcs string
		}{
			{Options{}, "0>1=5 1>2=7 2>0=2"},
			{Options{Base: new(1), Scale: 10}, "1>2=50 2>3=70 3>1=20"},
			{Options{Directed: new(false)}, "0>1=5 0>2=2 1>0=5 1>2=7 2>0=2 2>1=7"},
		} {
			g, err := readBoth(t, "x", text, c.o)
			if err != nil {
				t.Fatal(layout, err)
			}
			if got := graphtest.ArcsOf(g); got != c.arcs || g.Kind != entry.KindI32 {
				t.Errorf("%s, %+v: %s", layout, c.o, got)
			}
		}
		e, err := Measure(graphtest.WriteFile(t, "x.npz", []byte(text)), Options{})
		if err != nil || e.N != 3 || e.Arcs < 3 {
			t.Errorf("%s: %+v, %v", layout, e, err)
		}
	}
}

// triplesOf is a matrix in COO.
func triplesOf(n int64, row, col []int32, descr string, values any) string {
	return archive(zip.Deflate, member{"row", npyOf("<i4", nil, row)}, member{"col", npyOf("<i4", nil, col)},
		format("coo"), shape(n, n),
		member{"data", npyOf(descr, nil, values)})
}

// TestNPZValues reads values of all types, to the last bit.
func TestNPZValues(t *testing.T) {
	for _, c := range []struct {
		descr  string
		values any
		o      Options
		arcs   string
	}{
		{"<f4", []float32{0.1, 3}, Options{Scale: 10}, "0>1=1 1>0=30"},
		{"<f8", []float64{0.1, 16777217}, Options{}, "0>1=0.10000000149011612 1>0=1.6777216e+07"},
		// halfway, though its shortest decimal is not.
		{"<f8", []float64{1.000000059604644775390625, 0.5}, Options{}, "0>1=1 1>0=0.5"},
		{"<f8", []float64{-0.5, 0.75}, Options{}, "0>1=-0.5 1>0=0.75"},
		{"|b1", []byte{1, 0}, Options{NoArc: "inf"}, "0>1=1 1>0=0"},
		{"|b1", []byte{1, 0}, Options{NoArc: "0"}, "0>1=1"},
		{"<f8", []float64{-1, 0.5}, Options{NoArc: "-1"}, "1>0=0.5"},
		{"<f8", []float64{math.NaN(), 0.5}, Options{NoArc: "nan"}, "1>0=0.5"},
		{"<f4", []float32{0.5, float32(math.Inf(-1))}, Options{NoArc: "-Inf"}, "0>1=0.5"},
		{">i2", []int16{-3, 300}, Options{}, "0>1=-3 1>0=300"},
		{"<i8", []int64{-2147483647, 2147483647}, Options{}, "0>1=-2.147483647e+09 1>0=2.147483647e+09"},
		{"<u8", []uint64{1 << 63, 1}, Options{Kind: entry.KindF32}, "0>1=9.223372036854776e+18 1>0=1"},
		{"<u4", []uint32{5, 7}, Options{}, "0>1=5 1>0=7"},
		{"<f8", []float64{4, math.Inf(1)}, Options{}, "0>1=4"}, // +Inf
		{"<f8", []float64{math.Copysign(0, -1), 0.5}, Options{NoArc: "inf"}, "0>1=0 1>0=0.5"},
		// Its shortest decimal is another integer.
		{"<f4", []float32{123456792, 3}, Options{NoArc: "inf"}, "0>1=1.23456792e+08 1>0=3"},
		{"<f8", []float64{-1e-60, 0.5}, Options{NoArc: "inf"}, "0>1=0 1>0=0.5"},
	} {
		g, err := readBoth(t, "x.npz", triplesOf(2, []int32{0, 1}, []int32{1, 0}, c.descr, c.values), c.o)
		if err != nil {
			t.Errorf("%s %v: %v", c.descr, c.values, err)
		} else if got := graphtest.ArcsOf(g); got != c.arcs {
			t.Errorf("%s %v: %s", c.descr, c.values, got)
		}
	}
	row, col, ones := make([]int32, 21), make([]int32, 21), make([]float64, 21)
	for i := range row {
		row[i], col[i], ones[i] = int32(i), int32(i+1), float64(btoi(i > 0))
	}
	col[20], ones[20] = 20, 0
	if got := remarks(t, "x.npz", triplesOf(21, row, col, "<f8", ones), Options{}); !strings.Contains(got,
		"1 of the stored entries") ||
		!strings.Contains(got, "No arc here has its reverse") {
		t.Errorf("said of zeros and directions: %q", got)
	}
	if got := remarks(t, "x.npz", triplesOf(2, []int32{0, 1}, []int32{1, 0}, "<f8", []float64{3, 3}),
		Options{}); got != "" {
		t.Errorf("said of a symmetric matrix: %q", got)
	}
}

// TestNPZDuplicates takes the shortest of entries that CSR and CSC have for one place, as SciPy's shortest_path does.
func TestNPZDuplicates(t *testing.T) {
	for layout, arcs := range map[string][2]string{"csr": {"0>1=1 2>0=7", "0>1=1 0>2=7 1>0=1 2>0=7"},
		"csc": {"0>2=7 1>0=1", "0>1=1 0>2=7 1>0=1 2>0=7"}} {
		text := archive(zip.Deflate, format(layout), shape(3, 3),
			member{"indices", npyOf("<i4", nil, []int32{1, 1, 0})},
			member{"indptr", npyOf("<i4", nil, []int32{0, 2, 2, 3})},
			member{"data", npyOf("<f8", nil, []float64{5, 1, 7})})
		for i, want := range arcs {
			g, err := readBoth(t, "x.npz", text, Options{Directed: new(i == 0)})
			if err != nil {
				t.Fatal(layout, err)
			}
			if got := graphtest.ArcsOf(g); got != want || g.Parallel != 1 {
				t.Errorf("%s: %s, %d merged; want %s", layout, got, g.Parallel, want)
			}
		}
	}
}

// TestNPZRounding says which value float32 rounds, as of any other format.
func TestNPZRounding(t *testing.T) {
	for _, c := range []struct {
		descr  string
		values any
		o      Options
		want   string // "": nothing is said
	}{
		{"<f8", []float64{16777217, 0.5}, Options{}, "16777217; --scale 10 is exact"},
		{"<f8", []float64{0.5, 16777217}, Options{}, "16777217; --scale 10 is exact"},
		{"<i4", []int32{16777217, 3}, Options{Kind: entry.KindF32}, "16777217; --kind i32 is exact"},
		{"<i4", []int32{16777217, 3}, Options{}, ""},
		{"<f8", []float64{0.1, 0.25}, Options{}, "0.1; --scale 100 is exact"},
		{"<f4", []float32{0.1, 0.25}, Options{}, ""},
		{"<f8", []float64{1677721.75, 1}, Options{Kind: entry.KindF32, Scale: 100}, "1677721.75; --kind i32 is exact"},
	} {
		c.o.Directed = new(true)
		got := remarks(t, "x.npz", triplesOf(2, []int32{0, 1}, []int32{1, 0}, c.descr, c.values), c.o)
		if strings.TrimPrefix(got, "weights are rounded to float32, such as ") != c.want {
			t.Errorf("%s %v: %q, want %q", c.descr, c.values, got, c.want)
		}
	}
}

func badNPZ() map[string]string {
	one, two := []int32{0}, []int32{0, 0}
	ints := func(name string, x ...int32) member { return member{name, npyOf("<i4", nil, x)} }
	data := member{"data", npyOf("<f8", nil, []float64{1, 2})}
	csr := func(members ...member) string {
		return archive(zip.Deflate, append([]member{format("csr"), shape(2, 2)}, members...)...)
	}
	whole := goodNPZ["csr"]
	inside := strings.Index(whole, "shape.npy")
	return map[string]string{
		archive(zip.Store, member{"D",
			npyOf("<f8", []int{1, 1},
				[]float64{0})}): `no sparse matrix, but "D"; where one is a matrix, in Python: import numpy; numpy.save(`,
		archive(zip.Deflate, member{"data", npyOf("<f8", nil, []float64{1})}, format("dia"),
			shape(3, 3)): "in DIA format, which is not read; in Python: import scipy.sparse",
		archive(zip.Deflate, member{"data", npyOf("<f8", nil, []float64{1})}, format("bsr"),
			shape(3, 3)): "in BSR format",
		archive(zip.Deflate, member{"data", npyOf("<f8", nil, []float64{1})}, format("abc"),
			shape(3, 3)): `its format "abc" is none of`,
		archive(zip.Deflate, format("csr"), shape(2, 3),
			data): "2 rows and 3 columns is not square",
		archive(zip.Deflate, format("csr"), shape(0, 0), data): "no vertices",
		archive(zip.Deflate, format("csr"), shape(1<<31, 1<<31),
			data): "the most is 2147483647",
		archive(zip.Deflate, format("csr"), shape(-1, -1), data):                                  "no vertices",
		archive(zip.Deflate, format("csr"), member{"shape", npyOf("<i8", nil, []int64{2})}, data): "1 dimension(s)",
		archive(zip.Deflate, format("csr"),
			format("csr")): "is in the archive twice",
		csr():                              "data is missing",
		csr(data, ints("indptr", 0, 1, 2)): "indices is missing",
		csr(data, ints("indptr", 0, 1),
			ints("indices", 1, 0)): "indptr has 2 numbers, not 3",
		csr(data, ints("indptr", 1, 1, 2),
			ints("indices", 1, 0)): "indptr begins with 1",
		csr(data, ints("indptr", 0, 3, 2),
			ints("indices", 1, 0)): "indptr goes from 0 to 3",
		csr(data, ints("indptr", 0, -1, 2),
			ints("indices", 1, 0)): "indptr goes from 0 to -1",
		csr(data, ints("indptr", 0, 1, 1),
			ints("indices", 1, 0)): "indptr ends with 1, but there are 2 entries",
		csr(data, ints("indptr", 0, 1, 2),
			ints("indices", 1, 2)): "indices 2 is outside 0…1",
		csr(data, ints("indptr", 0, 1, 2),
			ints("indices", -1, 0)): "indices -1 is outside 0…1",
		csr(data, ints("indptr", 0, 1, 2),
			ints("indices", 1)): "1 indices for 2 values",
		csr(data, ints("indptr", 0, 1, 2),
			member{"indices", npyOf("<f8", nil, []float64{1, 0})}): `indices is of type "<f8"`,
		csr(member{"data", npyOf("<f8", nil, []float64{1, 2})[:80]}, ints("indptr", 0, 1, 2),
			ints("indices", 1, 0)): "data was cut",
		csr(member{"data", append(npyOf("<f8", nil, []float64{1, 2}), 0)}, ints("indptr", 0, 1, 2),
			ints("indices", 1, 0)): "something follows the numbers of data",
		csr(member{"data", npyOf("<i4", []int{1 << 40}, []int32{1, 2})}, ints("indptr", 0, 1, 2),
			ints("indices", 1, 0)): "numbers cannot be in",
		csr(member{"data", npyOf("<f8", []int{2, 1}, []float64{1, 2})}, ints("indptr", 0, 1, 2),
			ints("indices", 1, 0)): "2 dimensions, not 1",
		csr(member{"data", npyOf("<f2", []int{2}, []int16{1, 2})}, ints("indptr", 0, 1, 2),
			ints("indices", 1, 0)): "float16",
		csr(member{"data", npyOf("<c8", []int{2}, []float64{1, 2})}, ints("indptr", 0, 1, 2),
			ints("indices", 1, 0)): "convert them with astype",
		csr(member{"data", []byte("hello, world")}, ints("indptr", 0, 1, 2),
			ints("indices", 1, 0)): "data: not a NumPy array",
		triplesOf(2, []int32{0, 1}, []int32{1, 0}, "<f8",
			[]float64{1, 0}): "1 of the 2 entries off the diagonal are 0: if 0 means no arc, say --no-arc 0",
		triplesOf(2, one, two, "<f8", []float64{1}): "1 rows and 2 columns for 1 values",
		triplesOf(2, two, []int32{1, 1}, "<f8",
			[]float64{1, 2}): "1 of the stored entries have the place of another one (duplicates): in COO, SciPy " +
			"takes their sum",
		triplesOf(2, one, []int32{1}, "<f8", []float64{1e300}): "row 0, column 1 (from 0): weight \"1e+300\"",
		triplesOf(1<<30, one, []int32{1}, "<f8", []float64{1}): "1073741824 vertices, but only 1 arc(s)",
		whole[:len(whole)/2]: "the archive cannot be read",
		whole[:len(whole)-1]: "the archive cannot be read",
		// By the list at its end it begins before the file does.
		whole[:100] + whole[120:]: "indices cannot be read: EOF",
		// A byte of the array: its checksum tells, or what it says.
		whole[:inside+100] + "\x09" + whole[inside+101:]: "shape",
	}
}

func TestBadNPZ(t *testing.T) {
	for text, reason := range badNPZ() {
		_, err := readBoth(t, "x.npz", text, Options{})
		graphtest.WantError(t, err, graph.ErrBadInput, "x.npz: ", reason)
	}
	_, err := readBoth(t, "x.npz", goodNPZ["coo"], Options{Columns: "from,to"})
	graphtest.WantError(t, err, graph.ErrOptions, "is read as npz, and --columns is for edge lists")
	_, err = readBoth(t, "x.npz", triplesOf(2, []int32{0}, []int32{0}, "<f8", []float64{-1}), Options{})
	graphtest.WantError(t, err, graph.ErrNegativeCycle, "0 → 0")
}

// TestNPZSum has the checksum of the whole file, though it is not read in order.
func TestNPZSum(t *testing.T) {
	path := graphtest.WriteFile(t, "x.npz", []byte(goodNPZ["csr"]))
	_, src, err := readFile(path, Options{Sum: true})
	if err != nil {
		t.Fatal(err)
	}
	raw, _ := os.ReadFile(path)
	if want := fmt.Sprintf("%x", sha256.Sum256(raw)); src.SHA256 != want || src.Format != "npz" ||
		src.Size != int64(len(raw)) {
		t.Errorf("%+v, not %s", src, want)
	}
}

// FuzzNPZ packs arrays that may lie.
func FuzzNPZ(f *testing.F) {
	for _, text := range goodNPZ {
		z, err := zip.NewReader(strings.NewReader(text), int64(len(text)))
		if err != nil {
			f.Fatal(err)
		}
		var parts [5][]byte
		for i, name := range []string{"format", "shape", "indptr", "indices", "data"} {
			for _, file := range z.File {
				if base := strings.TrimSuffix(file.Name, ".npy"); base == name ||
					base == map[string]string{"indptr": "row", "indices": "col"}[name] {
					r, _ := file.Open()
					var b bytes.Buffer
					b.ReadFrom(r)
					parts[i] = b.Bytes()
				}
			}
		}
		for mode := range uint8(8) {
			f.Add(parts[0], parts[1], parts[2], parts[3], parts[4], mode)
		}
	}
	f.Fuzz(func(t *testing.T, format, shape, first, second, data []byte, mode uint8) {
		text := archive(uint16(mode>>7)*zip.Deflate, member{"format", format}, member{"shape", shape},
			member{"indptr", first}, member{"indices", second},
			member{"row", first}, member{"col", second}, member{"data", data})
		fuzzRead(t, []byte(text), fuzzOptions("npz", mode))
	})
}

// TestNPZIDs reads the names of vertices that an archive may have, and refuses those that cannot be names.
func TestNPZIDs(t *testing.T) {
	with := func(ids member) string {
		return archive(zip.Deflate, member{"row", npyOf("<i4", nil, []int32{0, 1})},
			member{"col", npyOf("<i4", nil, []int32{1, 2})}, format("coo"), shape(3, 3),
			member{"data", npyOf("<u8", nil, []uint64{5, 7})}, ids)
	}
	texts := func(lines string) member { return member{"ids", npyOf("|u1", nil, []byte(lines))} }
	numbers := func(all ...int64) member { return member{"ids", npyOf("<i8", nil, all)} }
	for arcs, ids := range map[string]member{
		"a>ö b=5 ö b>c=7": texts("a\nö b\nc\n"),
		"-4>9=5 9>1000=7": numbers(-4, 9, 1000),
		"7>8=5 8>9=7":     numbers(7, 8, 9),
	} {
		g, err := readBoth(t, "x", with(ids), Options{})
		if err != nil {
			t.Fatal(arcs, err)
		}
		if got := graphtest.ArcsOf(g); got != arcs || g.IDs.Consecutive() != (g.Name(0) == "7") {
			t.Errorf("%s: %s", arcs, got)
		}
	}
	for want, ids := range map[string]member{
		"rows 0 and 2 have the same id":   texts("a\nb\na\n"),
		"cannot be shown":                 texts("a\n\nb\n"),
		"the id of row 1, \"\\x1b\"":      texts("a\n\x1b\nb\n"),
		"id 2 of 3: it does not end":      texts("a\nb\nc"),
		"something follows":               texts("a\nb\nc\nd\n"),
		"it has more than 65536 bytes":    texts(strings.Repeat("x", 1<<17)),
		"ids do not ascend":               numbers(1, 3, 2),
		"there are 2 ids for 3 vertices":  numbers(1, 3),
		"ids is of type \"<f8\", and not": {"ids", npyOf("<f8", nil, []float64{1, 2, 3})},
	} {
		if _, err := readBoth(t, "x", with(ids), Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if _, err := readBoth(t, "x", with(numbers(1, 5, 6)), Options{Base: new(int)}); err == nil ||
		!strings.Contains(err.Error(), "without --base") {
		t.Errorf("--base with ids: %v", err)
	}
}
