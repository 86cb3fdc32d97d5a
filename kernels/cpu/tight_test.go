package cpu

import (
	"math/rand/v2"
	"slices"
	"testing"

	"ooc/kernels/entry"
)

// TestTight compares every path with plain loops, on rows of which some entries are the sums of others and weights.
func TestTight(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for _, p := range paths {
		if p.lacking() != "" {
			continue
		}
		for range 60 {
			n, count := 1+r.IntN([]int{40, 900}[r.IntN(2)]), 1+r.IntN(TightRows)
			most := 1 + r.Int32N(30)
			start, ends, weights := make([]int64, n+1), []int32{}, []int32{}
			for v := range n {
				for range r.IntN(7) {
					ends, weights = append(ends, r.Int32N(int32(n))), append(weights, 1+r.Int32N(most))
				}
				start[v+1] = int64(len(ends))
			}
			ends, weights = append(ends, 0), append(weights, 1) // which no vertex has
			rows := make([]int32, count*n)
			for i := range rows {
				switch rows[i] = r.Int32N(2 * most); r.IntN(8) {
				case 0:
					rows[i] = 0
				case 1:
					rows[i] = entry.Inf32
				case 2: // a sum may be the entry for unreachable
					rows[i] = entry.Inf32 - 1 - r.Int32N(most)
				}
			}
			apart := entry.RoundUp(n, TightRows)
			pred, others := make([]int32, count*apart+1), make([]uint16, n+1)
			pred[count*apart], others[n] = 7, 7
			(&Tight{path: p, dist: make([]tightLine, n)}).Find(pred, rows, others, start, ends, weights)
			if pred[count*apart] != 7 || others[n] != 7 {
				t.Fatalf("%s: more was written than %d rows of %d", p.name, count, n)
			}
			for i := range rows {
				v, row, got := i%n, rows[i/n*n:][:n], pred[i/n*apart+i%n]
				var from []int32
				for k := start[v]; k < start[v+1]; k++ {
					if row[ends[k]]+weights[k] == row[v] && row[v] != entry.Inf32 {
						from = append(from, ends[k])
					}
				}
				if others[v]>>(i/n)&1 == 1 != (row[v] != entry.Inf32 && len(from) != 1) ||
					len(from) == 0 && got != entry.NoVertex || len(from) > 0 && !slices.Contains(from, got) {
					t.Fatalf("%s: row %d of %d, vertex %d of %d: from %d, other %b, tight from %d",
						p.name, i/n, count, v, n, got, others[v], from)
				}
			}
		}
	}
}
