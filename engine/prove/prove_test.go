package prove

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ooc/engine"
	"ooc/engine/graph"
	"ooc/engine/internal/enginetest"
	"ooc/engine/internal/npy"
	"ooc/engine/internal/seeds"
	"ooc/kernels/entry"
	"ooc/tiles/crashtest"
)

func mustProve(t *testing.T, p *engine.Problem) Proof {
	t.Helper()
	proof, err := All(context.Background(), p, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if proof.Rows != p.Geometry().RowCount() || proof.Entries != int64(p.Geometry().RowCount())*int64(p.Geometry().N) {
		t.Fatalf("%+v of %d vertices", proof, p.Geometry().N)
	}
	return proof
}

// maybeDevices has two devices prove, or the processor alone.
func maybeDevices(t *testing.T, r *rand.Rand) Options {
	t.Helper()
	_, together := severalProving(t, 2)
	if r.IntN(2) == 0 {
		return Options{}
	}
	return Options{Device: together}
}

// wantWrong expects a proof to fail and to name an entry.
func wantWrong(t *testing.T, err error, what, name string) {
	t.Helper()
	if !errors.Is(err, engine.ErrWrong) || !strings.Contains(err.Error(), name) {
		t.Fatalf("%s: %v; want %s", what, err, name)
	}
}

// TestProve proves random solves of every kind, changes entries one at a time and has each found and named.
func TestProve(t *testing.T) {
	crashtest.Slow(t)
	r := seeds.New(t)
	for _, c := range enginetest.EveryKind {
		for round := range 6 {
			n := 2 + r.IntN(200)
			g := enginetest.RandomGraph(t, r, n, c.Kind, c.Negative)
			if round%2 == 0 {
				g = enginetest.ZeroLaden(t, r, n, c.Kind, c.Negative)
			}
			p := enginetest.Solved(t, r, g)
			mustProve(t, p)
			o := maybeDevices(t, r)
			for range 40 {
				u, v := r.IntN(n), r.IntN(n)
				if r.IntN(8) == 0 {
					u = v
				}
				was := enginetest.Change(t, p, u, v, func(was uint32) uint32 { return otherEntry(r, c.Kind, was) })
				_, err := All(context.Background(), p, o)
				wantWrong(t, err, fmt.Sprintf("n=%d (%d,%d) was %08x", n, u, v, was),
					fmt.Sprintf("tile (%d,%d), from %d to %d:", u/64, v/64, u, v))
				enginetest.Change(t, p, u, v, func(uint32) uint32 { return was })
			}
			mustProve(t, p)
		}
	}
}

// otherEntry returns an entry that differs from was: in i32 by any number, in f32 by more than rounding, which goes by
// the lengths of a path's arcs without their signs: some twenty of up to 3,000, though they may add up to nothing.
func otherEntry(r *rand.Rand, kind entry.Kind, was uint32) uint32 {
	if kind == entry.KindI32 {
		for {
			x := []int32{int32(was) + 1, int32(was) - 1, 0, entry.Inf32, r.Int32N(2000), -1 - r.Int32N(2000),
				int32(r.Uint32()),
				math.MaxInt32, math.MinInt32}[r.IntN(9)]
			if uint32(x) != was {
				return uint32(x)
			}
		}
	}
	d := math.Float32frombits(was)
	for {
		x := []float32{d*1.001 + 1, d*0.999 - 1, 0, float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()),
			2000 * r.Float32(), -2000 * r.Float32()}[r.IntN(8)]
		if math.IsInf(float64(d), 1) && !math.IsInf(float64(x), 1) ||
			math.Abs(float64(x-d)) > 0.5+1e-4*math.Abs(float64(d)) || x != x {
			return math.Float32bits(x)
		}
	}
}

// TestProveCycles lowers whole cycles of length 0 at once: each entry is then held up by another.
func TestProveCycles(t *testing.T) {
	r := seeds.New(t)
	for _, signed := range []bool{false, true} {
		n := 10 + r.IntN(100)
		b := graph.New(n)
		back := 0.0
		for v := 1; v < n-1; v++ { // a ring without the first vertex and the last, of length 0
			w := 0.0
			if signed && v < n-2 {
				w = float64(r.IntN(9) - 4)
			} else if v == n-2 {
				w = -back
			}
			back += w
			b.Add(v, 1+v%(n-2), w)
		}
		b.Add(0, 1+r.IntN(n-2), 50).Add(1+r.IntN(n-2), n-1, 5)
		g, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		p := enginetest.Solved(t, r, g)
		if proof := mustProve(t, p); proof.Searched != 0 {
			t.Errorf("%d rows were searched", proof.Searched)
		}
		for v := 1; v < n; v++ {
			enginetest.Change(t, p, 0, v, func(was uint32) uint32 { return was - 7 })
		}
		_, err = All(context.Background(), p, maybeDevices(t, r))
		wantWrong(t, err, "a lowered cycle", "tile (0,0), from 0 to 1:")
		for u := range n - 1 { // and those that cannot be reached
			enginetest.Change(t, p, n-1, u, func(uint32) uint32 { return uint32(storeInt(g, u)) })
		}
		for v := 1; v < n; v++ {
			enginetest.Change(t, p, 0, v, func(was uint32) uint32 { return was + 7 })
		}
		_, err = All(context.Background(), p, maybeDevices(t, r))
		wantWrong(t, err, "a cycle out of nowhere", fmt.Sprintf("from %d to ", n-1))
	}
}

// storeInt is a number for each vertex that the arcs of the ring agree with.
func storeInt(g *graph.Graph, u int) int64 {
	if u == 0 {
		return 0x3f3f3f3f
	}
	h, err := g.Potentials(context.Background())
	if err != nil {
		panic(err)
	}
	return 1000 + int64(h[u])
}

// TestProveRounding proves f32 distances of long paths, whose roundings add up.
func TestProveRounding(t *testing.T) {
	r := seeds.New(t)
	n := 700
	b := graph.New(n, graph.AsKind(entry.KindF32))
	for v := range n {
		b.Add(v, (v+1)%n, 1+r.Float64())
		b.Add(v, r.IntN(n), 100+200*r.Float64())
	}
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	p := enginetest.Solved(t, r, g)
	proof := mustProve(t, p)
	t.Logf("%d of %d rows were searched; worst %.2g", proof.Searched, proof.Rows, proof.Worst)
	_, together := severalProving(t, 2)
	got, err := All(t.Context(), p, Options{Device: together})
	if got.Seconds, proof.Seconds = 0, 0; err != nil || got != proof {
		t.Errorf("with devices: %+v, %v; want %+v", got, err, proof)
	}
}

// TestProveSources proves a store of some rows.
func TestProveSources(t *testing.T) {
	r := seeds.New(t)
	n := 150
	g := enginetest.RandomGraph(t, r, n, entry.KindI32, false)
	p, err := engine.Create(t.Context(), filepath.Join(t.TempDir(), "x.ooc"), g,
		engine.CreateOptions{Tile: 64, Sources: []int32{3, 70, 71, 149}})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	enginetest.Solve(t, p, engine.Options{Device: enginetest.RandomShape(r, n, 64).Options(t).Device})
	mustProve(t, p)
	enginetest.Change(t, p, 2, 100, func(was uint32) uint32 { return was - 1 })
	_, err = All(context.Background(), p, Options{})
	wantWrong(t, err, "row of 71", "tile (0,1), from 71 to 100:")
}

// TestProveMatrix proves matrices in files, in both orders and several types.
func TestProveMatrix(t *testing.T) {
	r := seeds.New(t)
	for _, descr := range []string{"<i4", "<i8", "<f4", "<f8", ">f8", ">i4"} {
		for _, fortran := range []bool{false, true} {
			n := 2 + r.IntN(150)
			g := enginetest.ZeroLaden(t, r, n, entry.KindI32, r.IntN(2) == 0)
			want, search := make([][]float64, n), graph.NewSearch(g)
			for u := range want {
				want[u] = append(want[u], search.From(u)...)
			}
			file := writeDistances(t, descr, fortran, want)
			if _, err := Matrix(context.Background(), g, file, Options{}); err != nil {
				t.Fatal(err)
			}
			u, v := r.IntN(n), r.IntN(n)
			if math.IsInf(want[u][v], 1) {
				want[u][v] = 0
			}
			want[u][v]++
			_, err := Matrix(context.Background(), g, writeDistances(t, descr, fortran, want), Options{})
			wantWrong(t, err, descr, fmt.Sprintf("entry [%d, %d], from %d to %d:", u, v, u, v))
		}
	}
}

// writeDistances writes an array whose integer types show no path as their maximum.
func writeDistances(t *testing.T, descr string, fortran bool, d [][]float64) string {
	t.Helper()
	n := len(d)
	head := npy.Header("'"+descr+"'", fmt.Sprintf("(%d, %d)", n, n))
	if fortran {
		head = []byte(strings.Replace(string(head), "False", "True ", 1))
	}
	var order binary.AppendByteOrder = binary.LittleEndian
	if descr[0] == '>' {
		order = binary.BigEndian
	}
	for i := range n {
		for j := range n {
			x := d[i][j]
			if fortran {
				x = d[j][i]
			}
			head = appendElement(head, order, descr[1:], x)
		}
	}
	file := filepath.Join(t.TempDir(), "m.npy")
	if err := os.WriteFile(file, head, 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

func appendElement(out []byte, order binary.AppendByteOrder, code string, x float64) []byte {
	none := math.IsInf(x, 1)
	switch code {
	case "i4":
		if none {
			x = math.MaxInt32
		}
		return order.AppendUint32(out, uint32(int32(x)))
	case "i8":
		if none {
			return order.AppendUint64(out, math.MaxInt64)
		}
		return order.AppendUint64(out, uint64(int64(x)))
	case "f4":
		return order.AppendUint32(out, math.Float32bits(float32(x)))
	}
	return order.AppendUint64(out, math.Float64bits(x))
}

func TestProveStops(t *testing.T) {
	r := seeds.New(t)
	p := enginetest.Solved(t, r, enginetest.RandomGraph(t, r, 100, entry.KindI32, false))
	why := errors.New("stopped")
	ctx, stop := context.WithCancelCause(context.Background())
	stop(why)
	if _, err := All(ctx, p, Options{}); !errors.Is(err, why) {
		t.Error(err)
	}
	rows := 0
	if _, err := All(context.Background(), p, Options{Progress: func(done, of int) { rows = done }}); err != nil ||
		rows != 100 {
		t.Errorf("%d rows, %v", rows, err)
	}
}

func TestProveUnsolved(t *testing.T) {
	p := enginetest.Create(t, enginetest.RandomGraph(t, seeds.New(t), 100, entry.KindI32, false), 64)
	if _, err := All(context.Background(), p, Options{}); !errors.Is(err, engine.ErrUnsolved) {
		t.Error(err)
	}
}
