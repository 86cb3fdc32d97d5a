package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"ooc/engine/graph/gen"
	"ooc/engine/graph/read"
	"ooc/kernels/entry"
	"ooc/tiles/crashtest"
)

// arcMap is a graph's arcs by outside ids, with the least weight of each.
type arcMap map[[2]string]float64

func (m arcMap) add(u, v string, w float64) {
	if old, ok := m[[2]string{u, v}]; u != v && (!ok || w < old) {
		m[[2]string{u, v}] = w
	}
}

// readArcs reads a graph, in float32.
func readArcs(t *testing.T, path string, o read.Options) arcMap {
	t.Helper()
	o.Kind = entry.KindF32
	g, _, _, err := read.Open(path, o)
	if err != nil {
		t.Fatal(err)
	}
	m := arcMap{}
	for u := range g.N {
		for k := g.Offsets[u]; k < g.Offsets[u+1]; k++ {
			m.add(g.Name(u), g.Name(int(g.Targets[k])), g.Weight(k))
		}
	}
	return m
}

// eachLine calls each for the lines of a file.
func eachLine(t *testing.T, path string, each func(line string) error) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	in := bufio.NewScanner(f)
	for in.Scan() {
		if err := each(in.Text()); err != nil {
			t.Fatal(err)
		}
	}
	if err := in.Err(); err != nil {
		t.Fatal(err)
	}
}

func sameArcs(t *testing.T, path string, got, want arcMap) {
	t.Helper()
	if !maps.Equal(got, want) {
		keep := filepath.Join(os.TempDir(), "ooc-differs-"+filepath.Base(path))
		_ = os.WriteFile(keep, readFile(t, path), 0o600)
		t.Fatalf("%s (kept as %s):\n%v\nnot\n%v", path, keep, got, want)
	}
}

// TestMatrixMarketEqualsSciPy reads what SciPy writes, of every layout, field and symmetry.
func TestMatrixMarketEqualsSciPy(t *testing.T) {
	crashtest.Slow(t)
	dir, files := t.TempDir(), 60
	scipy(t, dir, "matrixmarket.py", strconv.Itoa(int(seeded(t).Int32())), strconv.Itoa(files))
	for i := range files {
		base := filepath.Join(dir, strconv.Itoa(i))
		for ext, noArc := range map[string]string{".arcs": "", ".sparse": "0"} {
			if _, err := os.Stat(base + ext); os.IsNotExist(err) {
				continue // of arrays only
			}
			want := arcMap{}
			eachLine(t, base+ext, func(line string) error {
				f := strings.Fields(line)
				w, err := strconv.ParseFloat(f[2], 32)
				want.add(f[0], f[1], w)
				return err
			})
			if array, _, _ := bytes.Cut(readFile(t, base+".mtx"), []byte("\n")); bytes.Contains(array,
				[]byte("array")) && noArc == "" {
				noArc = "inf"
			}
			sameArcs(t, base+".mtx", readArcs(t, base+".mtx", read.Options{NoArc: noArc}), want)
		}
	}
}

// TestEdgeListsEqualPython reads what Python's csv module writes, and what networkx and igraph read.
func TestEdgeListsEqualPython(t *testing.T) {
	crashtest.Slow(t)
	dir, files := t.TempDir(), 60
	scipy(t, dir, "lists.py", strconv.Itoa(int(seeded(t).Int32())), strconv.Itoa(files))
	for i := range files {
		for _, ext := range []string{".csv", ".txt"} {
			path := filepath.Join(dir, strconv.Itoa(i)+ext)
			want := arcMap{}
			eachLine(t, path+".arcs", func(line string) error {
				var arc [3]any
				err := json.Unmarshal([]byte(line), &arc)
				if err == nil {
					want.add(arc[0].(string), arc[1].(string), float64(float32(arc[2].(float64))))
				}
				return err
			})
			sameArcs(t, path, readArcs(t, path, read.Options{}), want)
		}
	}
}

// BenchmarkMMRead sets reading a Matrix Market file of 10 million arcs, to the graph that a solve begins
// with, beside SciPy's mmread, which makes a list of its entries; both with all processors. ReadFile takes
// the SHA-256 that a store keeps, too.
func BenchmarkMMRead(b *testing.B) {
	dir := b.TempDir()
	path := filepath.Join(dir, "g.mtx")
	o := gen.Options{N: 1_000_000, M: 10_000_000, Seed: 1}
	if err := gen.File(b.Context(), "random", o, path); err != nil {
		b.Fatal(err)
	}
	theirs := func() float64 {
		seconds, err := strconv.ParseFloat(strings.TrimSpace(scipy(b, dir, "mmread.py", path)), 64)
		if err != nil {
			b.Fatal(err)
		}
		return seconds
	}
	b.Run("ReadFile", func(b *testing.B) {
		compare(b, func() float64 {
			began := time.Now()
			if _, _, _, err := read.Open(path, read.Options{}); err != nil {
				b.Fatal(err)
			}
			return time.Since(began).Seconds()
		}, theirs)
	})
	b.Run("Read", func(b *testing.B) {
		compare(b, func() float64 {
			began := time.Now()
			f, err := os.Open(path)
			if err == nil {
				_, err = read.From(f, path, read.Options{})
				err = errors.Join(err, f.Close())
			}
			if err != nil {
				b.Fatal(err)
			}
			return time.Since(began).Seconds()
		}, theirs)
	})
}
