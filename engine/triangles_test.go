package engine

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"ooc/engine/graph"
)

// TestTriangles changes entries of solved matrices, one at a time, and wants triangles to find just those that a
// plain triple loop finds.
func TestTriangles(t *testing.T) {
	r := seeded(t)
	found, missed := 0, 0
	for _, k := range everyKind {
		if k.kind == graph.KindF32 && k.negative {
			continue
		}
		n := 65 + r.IntN(130)
		p := reopen(t, createMatrix(t, writeMatrix(t, randomGraph(t, r, n, k.kind, k.negative), false), k.kind))
		mustSolve(t, p, randomSolve(r, n, 64).open(t))
		all := func() error { return p.verifyTriangles(context.Background(), math.MaxInt, &Verification{}) }
		if err := all(); err != nil {
			t.Fatal(err)
		}
		dist := make([][]float64, n)
		for u := range dist {
			dist[u] = make([]float64, n)
			if err := p.Row(dist[u], u); err != nil {
				t.Fatal(err)
			}
		}
		for range 12 {
			u, v := r.IntN(n), r.IntN(n)
			was := change(t, p, u, v, func(bits uint32) uint32 {
				d := storedValue(p.meta.Kind, bits)
				switch {
				case math.IsInf(d, 1):
					d = float64(r.IntN(1000))
				case r.IntN(2) == 0:
					d *= 1.5
				default:
					d /= 2
				}
				if k.kind == graph.KindF32 {
					return math.Float32bits(float32(d))
				}
				return uint32(int32(d))
			})
			changed := append([]float64(nil), dist[u]...)
			if err := p.Row(changed, u); err != nil {
				t.Fatal(err)
			}
			before := dist[u]
			dist[u] = changed
			want := brokenTriangle(dist, k.kind)
			if err := all(); want != errors.Is(err, ErrWrong) || err != nil && !strings.Contains(err.Error(), "over") {
				t.Fatalf("from %d to %d: %v; broken: %v", u, v, err, want)
			}
			if want {
				found++
			} else {
				missed++
			}
			dist[u] = before
			change(t, p, u, v, func(uint32) uint32 { return was })
		}
	}
	t.Logf("%d of %d changes break a triangle", found, found+missed)
	if found == 0 {
		t.Error("no change broke a triangle")
	}
}

func brokenTriangle(d [][]float64, kind graph.Kind) bool {
	for i := range d {
		for k := range d {
			for j := range d {
				sum, slack := d[i][k]+d[k][j], 0.0
				if kind == graph.KindF32 {
					slack = allowedRounding(len(d), 1) * (math.Abs(d[i][k]) + math.Abs(d[k][j]))
				}
				if !math.IsInf(sum, 1) && !(d[i][j] <= sum+slack) {
					return true
				}
			}
		}
	}
	return false
}

// TestAtMostWrong compares the bound with the probability of a sample that misses every wrong thing.
func TestAtMostWrong(t *testing.T) {
	missing := func(sample, wrong, n int) float64 { // C(n-wrong, sample) / C(n, sample)
		p := 1.0
		for i := range sample {
			p *= max(0, float64(n-wrong-i)) / float64(n-i)
		}
		return p
	}
	r := seeded(t)
	for range 200 {
		n := 1 + r.IntN(300)
		sample := 1 + r.IntN(n)
		wrong := int(math.Round(atMostWrong(sample, n) * float64(n)))
		if missing(sample, wrong, n) < 1-confidence-1e-9 || wrong < n && missing(sample, wrong+1, n) >= 1-confidence+1e-9 {
			t.Fatalf("%d of %d: at most %d wrong", sample, n, wrong)
		}
	}
	if got := atMostWrong(1000, 1000); got != 0 {
		t.Errorf("all were looked at, and %v may be wrong", got)
	}
}

// TestVerifyDense looks at triangles where the input is gone too.
func TestVerifyDense(t *testing.T) {
	r := seeded(t)
	g := randomGraph(t, r, 200, graph.KindI32, false)
	p := reopen(t, createMatrix(t, writeMatrix(t, g, false), graph.KindI32))
	mustSolve(t, p, randomSolve(r, g.N, 64).open(t))
	v, err := p.Verify(context.Background(), 20, 7)
	if err != nil || v.Triangles != 20 || v.TriangleSums == 0 || v.TrianglesWrong <= 0 || v.TrianglesWrong >= 1 || v.RowsWrong <= 0 {
		t.Fatalf("%v, %+v", err, v)
	}
	for u := range 200 { // so that every row gets shorter over itself
		change(t, p, u, u, func(uint32) uint32 { return 0xffffffff })
	}
	if err := p.verifyTriangles(context.Background(), math.MaxInt, &Verification{}); !errors.Is(err, ErrWrong) {
		t.Fatalf("got %v", err)
	}
}
