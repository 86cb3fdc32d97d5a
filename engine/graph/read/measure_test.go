package read

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"ooc/engine/graph"
)

// TestMeasure compares the size that is found without building a graph with that of the graph.
func TestMeasure(t *testing.T) {
	yes := true
	for _, c := range []struct {
		name, text string
		o          Options
	}{
		{"a.gr", "c x\np sp 5 3\na 1 2 3\na 2 3 4\na 5 1 1\n", Options{}},
		{"a.mtx", "%%MatrixMarket matrix coordinate integer general\n4 4 2\n1 2 5\n4 1 2\n", Options{}},
		{"s.mtx", "%%MatrixMarket matrix coordinate integer symmetric\n4 4 2\n2 1 5\n4 1 2\n", Options{}},
		{"a.graph", "3 2 1\n2 7\n1 7 3 9\n2 9\n", Options{}},
		{"a.csv", "paris,lyon,4\nlyon,nice,3\nnice,paris,0\n", Options{}},
		{"a.txt", "1 2 5\n2 900000000 7\n", Options{}},
		{"u.txt", "1 2 5\n2 9 7\n", Options{Directed: new(bool)}},
		{"b.txt", "3 4 5\n", Options{Base: new(int)}},
		{"d.graph", "3 2 1\n2 7\n1 7 3 9\n2 9\n", Options{Directed: &yes}},
	} {
		for _, packed := range []bool{false, true} {
			path := filepath.Join(t.TempDir(), c.name)
			data := []byte(c.text)
			if packed {
				var b bytes.Buffer
				z := gzip.NewWriter(&b)
				if _, err := z.Write(data); err != nil || z.Close() != nil {
					t.Fatal(err)
				}
				path, data = path+".gz", b.Bytes()
			}
			if err := os.WriteFile(path, data, 0o666); err != nil {
				t.Fatal(err)
			}
			g, _, err := readFile(path, c.o)
			if err != nil {
				t.Fatal(c.name, err)
			}
			e, err := Measure(path, c.o)
			if err != nil || e.N != g.N || e.Arcs < g.Arcs() || e.Arcs > 4*g.Arcs() || e.Dense {
				t.Errorf("%s: %+v, %v; the graph has %d vertices and %d arcs", path, e, err, g.N, g.Arcs())
			}
			for row := range g.N {
				if e.IDs.Name(row) != g.IDs.Name(row) {
					t.Errorf("%s: row %d is %s, want %s", path, row, e.IDs.Name(row), g.IDs.Name(row))
				}
			}
		}
	}
}

// TestMeasureStopsAtTheHeader measures files whose content is wrong after their header, which is none of its
// business, and refuses what has no size.
func TestMeasureStopsAtTheHeader(t *testing.T) {
	dir := t.TempDir()
	put := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	if e, err := Measure(put("a.gr", []byte("p sp 70000 2\nrubbish\n")), Options{}); err != nil || e.N != 70000 ||
		e.Arcs < 2 {
		t.Errorf("%+v, %v", e, err)
	}
	npy := append([]byte("\x93NUMPY\x01\x00\x76\x00"), bytes.Repeat([]byte(" "), 118)...)
	copy(npy[10:], "{'descr': '<f4', 'fortran_order': False, 'shape': (300, 300), }")
	npy[127] = '\n'
	if e, err := Measure(put("a.npy", npy), Options{}); err != nil || e.N != 300 || !e.Dense {
		t.Errorf("%+v, %v", e, err)
	}
	for _, bad := range []string{"", "p sp 0 0\n", "p sp x 1\n"} {
		if e, err := Measure(put("b.gr", []byte(bad)), Options{}); !errors.Is(err, graph.ErrBadInput) {
			t.Errorf("%q: %+v, %v", bad, e, err)
		}
	}
	if _, err := Measure(filepath.Join(dir, "none.gr"), Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// TestMeasureArray counts the arcs that a matrix in text may have.
func TestMeasureArray(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.mtx")
	if err := os.WriteFile(path, []byte("%%MatrixMarket matrix array real general\n3 3\n0\n1\n2\n3\n0\n4\n5\n6\n0\n"),
		0o600); err != nil {
		t.Fatal(err)
	}
	e, err := Measure(path, Options{})
	if err != nil || e.N != 3 || e.Arcs < 6 {
		t.Errorf("%+v, %v", e, err)
	}
}
