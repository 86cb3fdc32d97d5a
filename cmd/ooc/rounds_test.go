package main

import (
	"fmt"
	"runtime"
	"slices"
	"testing"

	"ooc/kernels/cpu"
	"ooc/kernels/entry"
)

// oneThreadCeiling measures the ceiling of one thread now.
func oneThreadCeiling(b *testing.B, v entry.Variant) float64 {
	b.Helper()
	best := 0.0
	for range 3 {
		d, err := cpu.Open(cpu.Options{Threads: 1})
		if err != nil {
			b.Fatal(err)
		}
		best = max(best, d.Ceiling(v))
		if err := d.Close(); err != nil {
			b.Fatal(err)
		}
	}
	return best
}

// BenchmarkRounds solves random graphs with 10 arcs a vertex in dense rounds, and sets the rate of the
// rounds beside the ceiling of one thread times the number of threads, measured before and after.
func BenchmarkRounds(b *testing.B) {
	for _, c := range []struct {
		n     int
		flags []string
	}{
		{8192, nil},
		{8192, []string{"--device-memory", "64MiB"}},
		{15360, []string{"--device-memory", "256MiB", "--host-memory", "256MiB"}},
	} {
		for _, v := range []entry.Variant{entry.I32, entry.F32} {
			b.Run(fmt.Sprintf("n=%d/%v/%v", c.n, v, c.flags), func(b *testing.B) {
				dir := b.TempDir()
				peerGraph(b, dir, c.n)
				var fractions, rates []float64
				for b.Loop() {
					before := oneThreadCeiling(b, v)
					s := solveSummary(b, dir, append([]string{"--kind", v.String()}, c.flags...)...)
					after := oneThreadCeiling(b, v)
					rates = append(rates, s["relaxations_per_second"].(float64)/1e9)
					fractions = append(fractions,
						100*s["relaxations_per_second"].(float64)/((before+after)/2*float64(runtime.GOMAXPROCS(0))))
				}
				slices.Sort(fractions)
				slices.Sort(rates)
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(fractions[len(fractions)/2], "%-of-ceiling")
				b.ReportMetric(fractions[0], "%-least")
				b.ReportMetric(fractions[len(fractions)-1], "%-most")
				b.ReportMetric(rates[len(rates)/2], "Grelax/s")
			})
		}
	}
}

// solveSummary solves g.gr from scratch and returns the summary.
func solveSummary(b *testing.B, dir string, flags ...string) map[string]any {
	b.Helper()
	r := ooc(b, dir, append([]string{"solve", "g.gr", "--algorithm", "blocked", "--restart", "--json"},
		flags...)...).want(b, 0)
	objects := jsonLines(b, r.stdout)
	return objects[len(objects)-1]
}
