package engine_test

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ooc/engine"
	"ooc/engine/eliminate"
	"ooc/engine/graph"
	"ooc/engine/internal/enginetest"
	"ooc/engine/prove"
	"ooc/tiles"
	"ooc/tiles/crashtest"
)

// unpack extracts a store from testdata that a program of before wrote. They are of the same graph: those of versions 1, 2 and
// 3, each solved and half done.
func unpack(t *testing.T, name string) string {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", name+".tar.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), name+".ooc")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			return dir
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Typeflag == tar.TypeDir {
			continue
		}
		data, err := io.ReadAll(r)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, filepath.Base(h.Name)), data, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// checkOld wants a solved store of an old version to answer, verify and scrub, to have stayed of its version, and to find
// damage.
func checkOld(t *testing.T, dir string, version int, fresh *engine.Problem) {
	t.Helper()
	p, err := engine.OpenReadOnly(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	layout := map[int]tiles.Layout{3: tiles.Square}[version]
	if m := p.Meta(); m.Version != version || (m.ID == tiles.ID{}) != (version < 3) || m.Layout != layout || m.Predecessors != (version == 2) {
		t.Errorf("%s became %+v", dir, m)
	}
	n := p.Geometry().N
	a, b := make([]float64, n), make([]float64, n)
	for u := range n {
		if err := errors.Join(p.Row(a, u), fresh.Row(b, u)); err != nil {
			t.Fatal(err)
		}
		for v := range a {
			if a[v] != b[v] {
				t.Fatalf("%s: from %d to %d: %v, and in a new store %v", dir, u, v, a[v], b[v])
			}
		}
	}
	if u, err := p.Lookup("23"); u != 2 || err != nil {
		t.Errorf("vertex 23 is %d, %v", u, err)
	}
	sampled, err := prove.Sample(t.Context(), p, n, 1)
	if err != nil || sampled.Rows != n || (sampled.Trees == n) != (version == 2) {
		t.Errorf("%s: %+v, %v", dir, sampled, err)
	}
	if _, err := prove.All(t.Context(), p, prove.Options{}); err != nil {
		t.Error(err)
	}
	if scrubbed, err := prove.Scrub(t.Context(), p, prove.ScrubOptions{}); err != nil || scrubbed.Tiles != p.Geometry().Tiles() {
		t.Errorf("%s: %+v, %v", dir, scrubbed, err)
	}

	last := p.Geometry().Down() - 1
	f, err := os.OpenFile(filepath.Join(dir, "dist.npy"), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteAt([]byte{1, 2, 3}, p.Geometry().TileOffset(last, 0)); err != nil {
		t.Fatal(err)
	}
	if scrubbed, err := prove.Scrub(t.Context(), p, prove.ScrubOptions{}); !errors.Is(err, tiles.ErrCorrupt) || scrubbed.Damaged != 1 {
		t.Errorf("%s with a damaged tile: %+v, %v", dir, scrubbed, err)
	}
	q, err := engine.OpenReadOnly(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	if _, err := q.Distance(n-1, 0); !errors.Is(err, tiles.ErrCorrupt) || !strings.Contains(err.Error(), fmt.Sprintf("tile (%d,0)", last)) {
		t.Errorf("%s answered from a damaged tile: %v", dir, err)
	}
	if _, err := q.Distance(0, n-1); err != nil {
		t.Error(err)
	}
}

// TestOldVersions goes on with stores that a program of before has left: solved ones answer, half-done ones are solved from
// where they are, those that begin again stay of their version.
func TestOldVersions(t *testing.T) {
	crashtest.Slow(t)
	var g *graph.Graph
	for version, name := range map[int]string{1: "v1", 2: "v2", 3: "v3"} {
		p := enginetest.Open(t, unpack(t, name+"-solved"))
		var err error
		if g, err = p.Graph(); err != nil {
			t.Fatal(err)
		}
		fresh := enginetest.Create(t, g, p.Geometry().T)
		enginetest.Solve(t, fresh, engine.Options{})
		if m := fresh.Meta(); m.Version != tiles.FormatVersion || m.ID == (tiles.ID{}) || m.Layout != "square" {
			t.Errorf("a new store is %+v", m)
		}
		if sum := enginetest.Solve(t, p, engine.Options{}); sum.Relaxations != 0 {
			t.Errorf("%s: solved again: %+v", name, sum)
		}
		if version != 2 && !sameBytes(t, p, fresh) {
			t.Errorf("%s: other bytes than in a new store", name)
		}
		checkOld(t, p.Dir(), version, fresh)

		half := enginetest.Open(t, unpack(t, name+"-half"))
		if err := half.Solved(); !errors.Is(err, engine.ErrUnsolved) {
			t.Fatal(err)
		}
		if sum := enginetest.Solve(t, half, engine.Options{}); sum.Relaxations == 0 || sum.Relaxations > math.Pow(float64(g.N), 3)/2 {
			t.Errorf("%s: did not go on from its restore point: %v relaxations", name, sum.Relaxations)
		}
		checkOld(t, half.Dir(), version, fresh)

		again := enginetest.Open(t, unpack(t, name+"-solved"))
		o := engine.Options{}
		if version == 1 { // rows that a device sums by strips, of which the store has no checksums
			expandThere(t)
			o = engine.Options{Algorithm: eliminate.Name, Device: levelDevice(t)}
		}
		if err := again.Restart(context.Background(), o); err != nil {
			t.Fatal(err)
		}
		if sum := enginetest.Solve(t, again, o); version == 1 && sum.Eliminate.Lanes == 0 {
			t.Errorf("the device expanded nothing: %+v", *sum.Eliminate)
		}
		checkOld(t, again.Dir(), version, fresh)
	}
}
