package enginetest

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"ooc/engine"
	"ooc/engine/graph"
	"ooc/engine/graph/dense"
	"ooc/engine/graph/read"
	"ooc/engine/internal/npy"
	"ooc/kernels/entry"
	"ooc/tiles"
)

// WriteMatrix writes a graph as a NumPy array of float32, in C or Fortran order.
func WriteMatrix(t testing.TB, g *graph.Graph, fortran bool) string {
	t.Helper()
	kind := entry.KindF32
	if g.Kind == entry.KindF64 {
		kind = g.Kind
	}
	file := npy.Header("'"+kind.NumPy()+"'", fmt.Sprintf("(%d, %d)", g.N, g.N))
	if fortran {
		file = bytes.Replace(file, []byte("False"), []byte("True "), 1)
	}
	at := len(file)
	file = append(file, make([]byte, kind.Bytes()*g.N*g.N)...)
	for u := range g.N {
		for v := range g.N {
			w := math.Inf(1)
			if k := g.Find(u, v); k >= 0 {
				w = g.Weight(k)
			}
			k := u*g.N + v
			if fortran {
				k = v*g.N + u
			}
			kind.Put(file[at:], k, kind.Bits(w))
		}
	}
	path := filepath.Join(t.TempDir(), "m.npy")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// OpenMatrix opens a matrix, with what a store keeps to find it again.
func OpenMatrix(t testing.TB, path string, kind entry.Kind, tile int) (*dense.Matrix, engine.CreateOptions) {
	t.Helper()
	_, d, src, err := read.Open(path, read.Options{Kind: kind, NoArc: "inf"})
	if err != nil {
		t.Fatal(err)
	}
	in := tiles.Input{Name: src.Name, Format: src.Format, Size: src.Size, ModTime: src.ModTime, SHA256: src.SHA256}
	return d, engine.CreateOptions{Tile: tile, Input: in}
}

// CreateMatrix makes the store of a matrix and closes it: nothing of it counts yet.
func CreateMatrix(t testing.TB, path string, kind entry.Kind) string {
	t.Helper()
	d, o := OpenMatrix(t, path, kind, 64)
	dir := filepath.Join(t.TempDir(), "m.ooc")
	p, err := engine.Create(t.Context(), dir, d, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}
