package near_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ooc/engine/graph"
	"ooc/engine/internal/enginetest"
	"ooc/engine/internal/seeds"
	"ooc/engine/near"
	"ooc/engine/newfile"
	"ooc/kernels/entry"
)

// someTargets picks a few rows, or all.
func someTargets(r *rand.Rand, n int) (list []int32) {
	most := 1 + r.IntN(n)
	for t := range n {
		if r.IntN(n) < most {
			list = append(list, int32(t))
		}
	}
	if list == nil {
		list = []int32{int32(r.IntN(n))}
	}
	return list
}

// targetsNear is plainly for targets, of which the vertex itself may be one.
func targetsNear(g *graph.Graph, dist []float64, u int, o near.Options) []neighbor {
	const nowhere = -1
	to := slices.Repeat([]float64{math.Inf(1)}, g.N)
	for _, t := range o.Targets {
		to[t] = dist[t]
		if int(t) == u {
			to[t] = 0
		}
	}
	return plainly(g, to, nowhere, o.Question)
}

// TestTargets compares the targets that are near each vertex with searches that take everything: integers exactly,
// floats by how far the farthest are.
func TestTargets(t *testing.T) {
	r := seeds.New(t)
	for round := range 3 {
		for _, w := range enginetest.AllKinds {
			for name, g := range graphs(t, r, w) {
				search := graph.NewSearch(g)
				for _, q := range questions(r, g, search.From(r.IntN(g.N))) {
					o := near.Options{Question: q, Targets: someTargets(r, g.N),
						File: newfile.File{Path: filepath.Join(t.TempDir(), "x.npz")}}
					res, err := near.File(context.Background(), g, o)
					if err != nil {
						t.Fatal(name, w, err)
					}
					all := readNPZ(t, g, unpacked(t, o.File.Path))
					if int64(len(all)) != res.Pairs || *res.Targets != len(o.Targets) {
						t.Errorf("%d pairs of %d targets, said are %d of %d", len(all), len(o.Targets), res.Pairs,
							*res.Targets)
					}
					for u := range g.N {
						var got []neighbor
						for _, to := range o.Targets {
							if d, ok := all[pair{u, int(to)}]; ok {
								got = append(got, neighbor{int(to), d * float64(g.Scale)})
							}
							delete(all, pair{u, int(to)})
						}
						want := targetsNear(g, search.From(u), u, o)
						if !g.Kind.Float() && !slices.Equal(got, want) || !sameFar(g, got, want, o.Within) {
							t.Fatalf("round %d: %s of %v, n = %d, row %d, %+v: %v\nwant %v", round, name, w, g.N, u, o,
								got, want)
						}
					}
					if len(all) > 0 {
						t.Errorf("%s of %v: pairs that end at no target: %v", name, w, all)
					}
				}
			}
		}
	}
}

// sameFar compares distances in order. What is as far as the limit, but for rounding, may be there or not.
func sameFar(g *graph.Graph, got, want []neighbor, within float64) bool {
	allowed := func(d float64) float64 { return g.Kind.AllowedRounding(g.N, 4*math.Abs(d)+4000) }
	of := func(list []neighbor) (far []float64) {
		for _, x := range list {
			far = append(far, x.distance)
		}
		slices.Sort(far)
		return far
	}
	a, b := of(got), of(want)
	for i := range max(len(a), len(b)) {
		if i >= min(len(a), len(b)) {
			if d := slices.Concat(a[min(i, len(a)):], b[min(i, len(b)):])[0]; math.Abs(d-within) > allowed(d) {
				return false
			}
			return true
		}
		if math.Abs(a[i]-b[i]) > allowed(b[i]) {
			return false
		}
	}
	return true
}

// TestTargetsGoOn keeps a part of a spool, as a kill leaves it: the file is the same. A spool for other targets is
// refused.
func TestTargetsGoOn(t *testing.T) {
	r := seeds.New(t)
	g := enginetest.RandomGraph(t, r, 500, entry.KindI32, false)
	dir := t.TempDir()
	o := near.Options{Question: near.Question{Within: math.Inf(1), Nearest: 3}, Targets: []int32{3, 7, 250},
		File: newfile.File{Path: filepath.Join(dir, "x.csv")}}
	spool, kept := o.File.Path+near.Extension, filepath.Join(dir, "kept")
	o.Found = func() error { return os.Link(spool, kept) }
	if _, err := near.File(context.Background(), g, o); err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(o.File.Path)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(kept)
	if err != nil {
		t.Fatal(err)
	}
	o.Found = nil
	for _, left := range []int{bytes.IndexByte(whole, '\n') + 1, r.IntN(len(whole)), len(whole) - 84} {
		if err := errors.Join(os.Remove(o.File.Path), os.WriteFile(spool, whole[:left], 0o666)); err != nil {
			t.Fatal(err)
		}
		other := o
		other.Targets = []int32{3, 7}
		if left > 200 {
			if _, err := near.File(context.Background(), g, other); !errors.Is(err, near.ErrOther) ||
				!strings.Contains(err.Error(), `"--k-nearest 3 --targets LIST"`) {
				t.Errorf("other targets: %v", err)
			}
		}
		if _, err := near.File(context.Background(), g, o); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(o.File.Path); err != nil || !bytes.Equal(got, want) {
			t.Errorf("with %d bytes of %d left, it wrote something else: %v", left, len(whole), err)
		}
	}
	for _, bad := range [][]int32{{}, {3, 2}, {2, 2}, {-1}, {500}} {
		if _, err := near.File(context.Background(), g, near.Options{Targets: bad,
			File: newfile.File{Path: filepath.Join(dir, "y.csv")}}); !errors.Is(err, graph.ErrOptions) {
			t.Errorf("targets %v: %v", bad, err)
		}
	}
}
