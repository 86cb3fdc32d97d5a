package cpu

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestPullBits compares every path with plain loops.
func TestPullBits(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for _, p := range paths {
		if p.lacking() != "" {
			continue
		}
		for range 50 {
			n := 1 + r.IntN(1500)
			start, ends := make([]int64, n+1), []int32{}
			line := func() (b bitLine) {
				if r.IntN(3) > 0 {
					for i := range b {
						b[i] = r.Uint64() & r.Uint64() & r.Uint64()
					}
				}
				return b
			}
			last, seen, front := make([]bitLine, n), make([]bitLine, n), make([]bitLine, n)
			var left []int32
			for v := range n {
				for range r.IntN(12) {
					ends = append(ends, int32(r.IntN(n)))
				}
				start[v+1] = int64(len(ends))
				if last[v], seen[v] = line(), line(); r.IntN(4) == 0 {
					for i := range seen[v] {
						seen[v][i] = ^uint64(0)
					}
				}
				if r.IntN(5) > 0 {
					left = append(left, int32(v))
				}
			}
			var wantKept, wantFound []int32
			wantFront, wantSeen := slices.Clone(front), slices.Clone(seen)
			for _, v := range left {
				lacks, more := uint64(0), uint64(0)
				for i := range 8 {
					b := uint64(0)
					for _, u := range ends[start[v]:start[v+1]] {
						b |= last[u][i]
					}
					lacks |= ^seen[v][i]
					b &^= seen[v][i]
					more |= b
					wantFront[v][i] = b
					wantSeen[v][i] |= b
				}
				if lacks != 0 {
					wantKept = append(wantKept, v)
				}
				if more != 0 {
					wantFound = append(wantFound, v)
				}
			}
			list := append(make([]int32, 0, 2+len(left)), 7, 7)
			ends = slices.Grow(ends, EndsAhead)
			kept, found := p.pullBits(left, list, start, ends, last, front, seen)
			lists := slices.Equal(kept, wantKept) && slices.Equal(found[2:], wantFound) && found[0] == 7
			if !lists || !slices.Equal(front, wantFront) || !slices.Equal(seen, wantSeen) {
				t.Fatalf("%s: %d of %d vertices are kept, want %d; %d are found, want %d",
					p.name, len(kept), len(left), len(wantKept), len(found)-2, len(wantFound))
			}
		}
	}
}
