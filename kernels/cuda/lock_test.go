package cuda

import (
	"testing"
	"time"
)

// BenchmarkPageLock takes and gives back 32 GiB of page-locked memory.
func BenchmarkPageLock(b *testing.B) {
	needGPU(b)
	d, err := Open(Options{})
	if err != nil {
		b.Fatal(err)
	}
	var took, freed time.Duration
	for b.Loop() {
		began := time.Now()
		block, err := d.AllocHost(32 << 30)
		if err != nil {
			b.Fatal(err)
		}
		took += time.Since(began)
		began = time.Now()
		if err := d.FreeHost(block); err != nil {
			b.Fatal(err)
		}
		freed += time.Since(began)
	}
	b.ReportMetric(took.Seconds()/float64(b.N), "s/lock")
	b.ReportMetric(freed.Seconds()/float64(b.N), "s/free")
	if err := d.Close(); err != nil {
		b.Error(err)
	}
}
