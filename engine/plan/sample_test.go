package plan

import (
	"testing"

	"ooc/kernels"
)

// TestSamplesAreWorthIt demands that rates of small problems are measured in a part of the time that their solves take,
// those of large ones well, and that there are few different samples.
func TestSamplesAreWorthIt(t *testing.T) {
	for _, shared := range []bool{false, true} {
		info, seen := kernels.Info{SharedCores: shared}, map[sample]bool{}
		for n := 64; n < 1<<20; n += 64 {
			o := sampleFor(info, n)
			seen[o] = true
			if most := worth * float64(n) * float64(n); o.long.Seconds() > max(most, 1e-6) {
				t.Fatalf("n=%d: %v for each rate, more than %g s", n, o.long, most)
			}
			one := float64(o.products*o.t*o.t*o.t) / guessRates(info).Kernel
			if shared && o.t > 64 && one > o.long.Seconds() {
				t.Fatalf("n=%d: %d products of %d take %g s, more than %v", n, o.products, o.t, one, o.long)
			}
		}
		if whole := sampleFor(info, 0); !seen[whole] || whole.long != measureFor {
			t.Errorf("large problems are measured by less than %+v", whole)
		}
		if len(seen) > 8 {
			t.Errorf("%d different samples", len(seen))
		}
	}
}
