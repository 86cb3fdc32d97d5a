package read

import (
	"context"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"ooc/engine/graph/gen"
)

// BenchmarkRead reads a random graph with one processor, from a file that is in memory to compressed rows, and says how
// many million arcs a second of processor time that is: others may work beside it.
func BenchmarkRead(b *testing.B) {
	const arcs = 5_000_000
	for _, name := range []string{"x.gr", "x.mtx", "x.txt", "x.csv", "x.gr.gz"} {
		b.Run(name, func(b *testing.B) {
			path := filepath.Join(b.TempDir(), name)
			if err := gen.File(context.Background(), "random", gen.Options{N: 1_000_000, M: arcs, Seed: 1},
				path); err != nil {
				b.Fatal(err)
			}
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
			before := processorTime(b)
			for b.Loop() {
				if _, _, err := readFile(path, Options{}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(arcs*float64(b.N)/(processorTime(b)-before).Seconds()/1e6, "Marcs/s")
		})
	}
}

func processorTime(b *testing.B) time.Duration {
	var use syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &use); err != nil {
		b.Fatal(err)
	}
	return time.Duration(use.Utime.Nano() + use.Stime.Nano())
}
