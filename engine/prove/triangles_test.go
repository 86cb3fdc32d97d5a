package prove

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"ooc/engine"
	"ooc/engine/internal/enginetest"
	"ooc/engine/internal/seeds"
	"ooc/kernels/entry"
)

// TestTriangles changes entries of solved matrices, one at a time, and wants triangles to find just those that a
// plain triple loop finds.
func TestTriangles(t *testing.T) {
	r := seeds.New(t)
	found, missed := 0, 0
	for _, k := range enginetest.EveryKind {
		if k.Kind == entry.KindF32 && k.Negative {
			continue
		}
		n := 65 + r.IntN(130)
		p := enginetest.Open(t, enginetest.CreateMatrix(t,
			enginetest.WriteMatrix(t, enginetest.RandomGraph(t, r, n, k.Kind, k.Negative), false), k.Kind))
		enginetest.Solve(t, p, enginetest.RandomShape(r, n, 64).Options(t))
		all := func() error { return verifyTriangles(context.Background(), p, math.MaxInt, &sampling{}) }
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
			was := enginetest.Change(t, p, u, v, func(bits uint32) uint32 {
				d := p.Meta().Kind.Value(uint64(bits))
				switch {
				case math.IsInf(d, 1):
					d = float64(r.IntN(1000))
				case r.IntN(2) == 0:
					d *= 1.5
				default:
					d /= 2
				}
				if k.Kind == entry.KindF32 {
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
			want := brokenTriangle(dist, k.Kind)
			if err := all(); want != errors.Is(err, engine.ErrWrong) || err != nil &&
				!strings.Contains(err.Error(), "over") {
				t.Fatalf("from %d to %d: %v; broken: %v", u, v, err, want)
			}
			if want {
				found++
			} else {
				missed++
			}
			dist[u] = before
			enginetest.Change(t, p, u, v, func(uint32) uint32 { return was })
		}
	}
	t.Logf("%d of %d changes break a triangle", found, found+missed)
	if found == 0 {
		t.Error("no change broke a triangle")
	}
}

func brokenTriangle(d [][]float64, kind entry.Kind) bool {
	for i := range d {
		for k := range d {
			for j := range d {
				sum := d[i][k] + d[k][j]
				slack := kind.AllowedRounding(len(d), math.Abs(d[i][k])+math.Abs(d[k][j]))
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
	r := seeds.New(t)
	for range 200 {
		n := 1 + r.IntN(300)
		sample := 1 + r.IntN(n)
		wrong := int(math.Round(atMostWrong(sample, n) * float64(n)))
		if missing(sample, wrong, n) < 1-confidence-1e-9 || wrong < n &&
			missing(sample, wrong+1, n) >= 1-confidence+1e-9 {
			t.Fatalf("%d of %d: at most %d wrong", sample, n, wrong)
		}
	}
	if got := atMostWrong(1000, 1000); got != 0 {
		t.Errorf("all were looked at, and %v may be wrong", got)
	}
}

// TestVerifyDense looks at triangles where the input is gone too.
func TestVerifyDense(t *testing.T) {
	r := seeds.New(t)
	g := enginetest.RandomGraph(t, r, 200, entry.KindI32, false)
	p := enginetest.Open(t, enginetest.CreateMatrix(t, enginetest.WriteMatrix(t, g, false), entry.KindI32))
	enginetest.Solve(t, p, enginetest.RandomShape(r, g.N, 64).Options(t))
	v, err := Sample(context.Background(), p, 20, 7)
	if err != nil || v.Triangles != 20 || v.TriangleSums == 0 || v.StripsBound == nil || *v.StripsBound <= 0 ||
		*v.StripsBound >= 1 || v.RowsBound == nil || *v.RowsBound <= 0 {
		t.Fatalf("%v, %+v", err, v)
	}
	for u := range 200 { // so that every row gets shorter over itself
		enginetest.Change(t, p, u, u, func(uint32) uint32 { return 0xffffffff })
	}
	if err := verifyTriangles(context.Background(), p, math.MaxInt, &sampling{}); !errors.Is(err, engine.ErrWrong) {
		t.Fatalf("got %v", err)
	}
}
