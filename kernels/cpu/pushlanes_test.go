package cpu

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"ooc/kernels/entry"
)

// TestPushLanes compares every path with that in plain Go, which it compares with the sums themselves.
func TestPushLanes(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for _, v := range []entry.Variant{entry.I32, entry.F32, entry.F64, entry.U16} {
		kind := v.Kind()
		lanes := PushBytes / v.Bytes()
		for range 100 {
			n, count := 1+r.IntN(50), r.IntN(90)
			most := []float64{3, 1000, kind.Value(kind.Unreachable() - 1)}[r.IntN(3)]
			if kind.Float() {
				most = 3
			}
			lines := kind.Make(n * lanes)
			for i := range n * lanes {
				x := kind.Bits(min(most*r.Float64(), kind.Value(kind.Unreachable()-1)))
				if r.IntN(3) == 0 {
					x = kind.Unreachable()
				}
				kind.Put(lines, i, x)
			}
			ends, numbers := make([]int32, count), kind.Make(count)
			for k := range ends {
				ends[k] = r.Int32N(int32(n))
				kind.Put(numbers, k, kind.Bits(min(most*r.Float64(), kind.Value(kind.Unreachable()-1))))
			}
			weights := make([]uint32, count*v.WeightBytes()/4)
			v.Weights(weights, numbers)
			ends = slices.Grow(ends, EndsAhead)
			from := r.IntN(n)
			want := bytes.Clone(lines)
			var wantEnds []int32
			var wantKeys []uint32
			for k, end := range ends {
				least := kind.Unreachable()
				for l := range lanes {
					sum := kind.Value(kind.At(want, from*lanes+l)) + kind.Value(kind.At(numbers, k))
					if kind == entry.KindF32 {
						sum = float64(float32(sum))
					}
					if !kind.Float() && sum > kind.Value(kind.Unreachable()-1) {
						continue
					}
					if at := int(end)*lanes + l; int(end) != from && sum < kind.Value(kind.At(want, at)) {
						kind.Put(want, at, kind.Bits(sum))
						least = min(least, kind.Bits(sum))
					}
				}
				if least < kind.Unreachable() {
					wantEnds, wantKeys = append(wantEnds, end), append(wantKeys, uint32(least>>(8*max(0, v.Bytes()-4))))
				}
			}
			for _, p := range paths {
				if p.lacking() != "" {
					continue
				}
				t.Setenv(EnvPath, p.name)
				push, err := NewPushLanes(v)
				if err != nil {
					t.Fatal(err)
				}
				got, changed, keys := bytes.Clone(lines), make([]int32, count), make([]uint32, count)
				found := push(got, from, ends, weights, changed, keys, ends[:EndsAhead])
				if !bytes.Equal(got, want) || !slices.Equal(changed[:found], wantEnds) ||
					!slices.Equal(keys[:found], wantKeys) {
					const says = "%s, %s: %d of %d ends are lowered, want %d, or to other distances"
					t.Fatalf(says, p.name, v, found, count, len(wantEnds))
				}
			}
		}
	}
}
