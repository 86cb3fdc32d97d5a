package cpu

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestPathCounts compares every path with plain loops, to the bit.
func TestPathCounts(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for _, p := range paths {
		if p.lacking() != "" {
			continue
		}
		for range 200 {
			n, width := 1+r.IntN(200), []int{8, 16, 32, 64}[r.IntN(4)]
			row := func(rows int) []float64 {
				list := make([]float64, rows*width)
				for i := range list {
					list[i] = r.ExpFloat64()
				}
				return list
			}
			words := func() []uint64 {
				list := make([]uint64, n)
				for v := range list {
					if r.IntN(3) > 0 {
						list[v] = r.Uint64() >> (64 - width)
					}
				}
				return list
			}
			counts, from, sum, seen, next := row(n), row(1), row(1), words(), words()
			ends, lanes := make([]int32, r.IntN(3*pullAtOnce), 3*pullAtOnce+EndsAhead), r.Uint64()&r.Uint64()>>(64-width)
			for k := range ends {
				ends[k] = int32(r.IntN(n))
			}
			wantSum := slices.Clone(sum)
			want, wantNext, wantFound := slices.Clone(counts), slices.Clone(next), []int32{-1}
			for _, v := range ends {
				pulled, pushed := lanes&next[v], lanes&^seen[v]
				if pushed != 0 && wantNext[v] == 0 {
					wantFound = append(wantFound, v)
				}
				wantNext[v] |= pushed
				for i := range width {
					if pulled>>i&1 != 0 {
						wantSum[i] += counts[int(v)*width+i]
					}
					if pushed>>i&1 != 0 {
						want[int(v)*width+i] += from[i]
					}
				}
			}
			p.counts.Pull(sum, counts, next, ends, lanes)
			found := p.counts.Push(counts, from, seen, next, ends, append(make([]int32, 0, n+2), -1), lanes)
			switch {
			case !slices.Equal(sum, wantSum):
				t.Fatalf("%s: sums %v, want %v", p.name, sum, wantSum)
			case !slices.Equal(counts, want) || !slices.Equal(next, wantNext):
				t.Fatalf("%s: %d lanes, %d arcs: other counts or bits", p.name, width, len(ends))
			case !slices.Equal(found, wantFound):
				t.Fatalf("%s: found %v, want %v", p.name, found, wantFound)
			}
		}
	}
}
