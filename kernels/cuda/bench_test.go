package cuda

import (
	"os"
	"testing"
)

// TestBench runs the benchmark at a small size, and at its full one where OOC_BENCH is set:
// OOC_BENCH=1 go test -run TestBench -v ./kernels/cuda
func TestBench(t *testing.T) {
	needGPU(t)
	o := BenchOptions{Edge: 1024, Rounds: 1}
	if os.Getenv("OOC_BENCH") != "" {
		o = BenchOptions{}
	}
	d, err := Open(Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	rows := 0
	err = Bench(t.Context(), d, o, func(r BenchRow) {
		rows++
		if r.Rate <= 0 || (r.Ceiling > 0 && r.Fraction <= 0) {
			t.Errorf("nothing measured: %+v", r)
		}
		t.Log(r)
	})
	if err != nil {
		t.Fatal(err)
	}
	if rows == 0 {
		t.Error("no rows")
	}
}
