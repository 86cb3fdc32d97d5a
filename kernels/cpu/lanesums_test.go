package cpu

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"ooc/kernels/conformance"
	"ooc/kernels/entry"
)

// TestLaneSums adds up lanes that are cut into parts, on every path, and demands the bits of plain loops.
func TestLaneSums(t *testing.T) {
	r := rand.New(rand.NewPCG(conformance.Seed(t), 0))
	for _, name := range PathNames() {
		t.Run(name, func(t *testing.T) {
			needPath(t, name)
			p, err := choosePath(name)
			if err != nil {
				t.Fatal(err)
			}
			for range 30 {
				checkLaneSums[int64, uint32](t, r, p, entry.KindI32)
				checkLaneSums[float64, uint32](t, r, p, entry.KindF32)
				checkLaneSums[float64, uint64](t, r, p, entry.KindF64)
			}
		})
	}
}

func checkLaneSums[S Addable, W Word](t *testing.T, r *rand.Rand, p *path, kind entry.Kind) {
	t.Helper()
	s, err := sumsOn[S, W](p, kind)
	if err != nil {
		t.Fatal(err)
	}
	n, width, signed := 1+r.IntN(100), SumLanes*(1+r.IntN(8)), r.IntN(2) == 0
	if r.IntN(2) == 0 {
		width = entry.RoundUp(width, lineBytes)
	}
	count := width
	if r.IntN(4) == 0 {
		count = r.IntN(width)
	}
	lanes, names := entry.View[W](entriesFor(r, kind.Variant(signed), n*width, signed)), make([]W, n)
	few := lanes[:1+r.IntN(len(lanes))] // many are equal
	for i := range lanes {
		if r.IntN(4) == 0 {
			lanes[i] = []W{0, W(kind.Unreachable()), few[r.IntN(len(few))]}[r.IntN(3)]
		}
	}
	for c, name := range r.Perm(n) {
		names[c] = W(name)
	}
	rows, cols := NewLaneSums[S, W](width), NewColumnSums[S, W](n)
	below := &cols
	if r.IntN(3) == 0 {
		below = nil
	}
	for at := 0; at < n; {
		part := min(n-at, 1+r.IntN(40))
		s.AddLanes(lanes[at*width:][:part*width], at, names, rows, count, below)
		at += part
	}
	for l := range width {
		var line, ordered []W
		for c := range n {
			line = append(line, lanes[c*width+l])
		}
		for name := range n {
			ordered = append(ordered, line[slices.Index(names, W(name))])
		}
		var sum S
		inverse, missing := 0.0, W(0)
		for _, bits := range line {
			if uint64(bits) == kind.Unreachable() {
				missing++
				continue
			}
			d := kind.Value(uint64(bits))
			if sum += S(d); d > 0 {
				inverse += 1 / d
			}
		}
		if rows.Sum[l] != sum || rows.Inverse[l] != inverse || rows.Missing[l] != missing {
			t.Fatalf("%s, lane %d of %d: %v, %v, %v, want %v, %v, %v", kind, l, width, rows.Sum[l], rows.Inverse[l],
				rows.Missing[l], sum, inverse, missing)
		}
		top, name := plainTop(kind, ordered)
		if d, at := rows.Top(l); d != top || at != name {
			t.Fatalf("%s, lane %d of %d: the greatest is %x at %d, want %x at %d", kind, l, width, d, at, top, name)
		}
	}
	for c := range n {
		var sum [SumLanes]S
		var inverse [SumLanes]float64
		missing := W(0)
		for l, bits := range lanes[c*width:][:count] {
			if uint64(bits) == kind.Unreachable() {
				missing++
				continue
			}
			d := kind.Value(uint64(bits))
			if sum[l%SumLanes] += S(d); d > 0 {
				inverse[l%SumLanes] += 1 / d
			}
		}
		whole := (sum[0] + sum[4] + (sum[2] + sum[6])) + (sum[1] + sum[5] + (sum[3] + sum[7]))
		reciprocal := (inverse[0] + inverse[4] + (inverse[2] + inverse[6])) + (inverse[1] + inverse[5] + (inverse[3] + inverse[7]))
		if below != nil && (cols.Sum[c] != whole || cols.Inverse[c] != reciprocal || cols.Missing[c] != missing) {
			t.Fatalf("%s, column %d of %d: %v, %v, %v, want %v, %v, %v", kind, c, n, cols.Sum[c], cols.Inverse[c],
				cols.Missing[c], whole, reciprocal, missing)
		}
	}
}

// TestReciprocals: what is computed from an estimate is what a division gives. It takes an eighth of the significands
// of float32, and integers of up to 30 bits, some of them near a power of two.
func TestReciprocals(t *testing.T) {
	r := rand.New(rand.NewPCG(conformance.Seed(t), 0))
	for _, name := range PathNames() {
		t.Run(name, func(t *testing.T) {
			needPath(t, name)
			p, err := choosePath(name)
			if err != nil {
				t.Fatal(err)
			}
			ints, err := sumsOn[int64, uint32](p, entry.KindI32)
			if err != nil {
				t.Fatal(err)
			}
			floats, err := sumsOn[float64, uint32](p, entry.KindF32)
			if err != nil {
				t.Fatal(err)
			}
			const width = 1 << 10
			line, name := make([]uint32, width), []uint32{0}
			exponent := uint32(1+r.IntN(254)) << 23
			for first := uint32(0); first < 1<<23; first += width * 8 {
				for i := range line {
					line[i] = exponent | first + uint32(8*i+r.IntN(8))
				}
				rows := NewLaneSums[float64, uint32](width)
				floats.AddLanes(line, 0, name, rows, width, nil)
				for i, bits := range line {
					if d := float64(math.Float32frombits(bits)); rows.Inverse[i] != 1/d {
						t.Fatalf("1/%v is %v, not %v", d, rows.Inverse[i], 1/d)
					}
				}
				for i := range line {
					line[i] = uint32(max(1, min(int(entry.Inf32)-1,
						[]int{r.IntN(1 << 30), 1<<r.IntN(30) + r.IntN(9) - 4}[i%2])))
				}
				whole := NewLaneSums[int64, uint32](width)
				ints.AddLanes(line, 0, name, whole, width, nil)
				for i, d := range line {
					if whole.Inverse[i] != 1/float64(d) {
						t.Fatalf("1/%d is %v, not %v", d, whole.Inverse[i], 1/float64(d))
					}
				}
			}
		})
	}
}
