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
	runBench(t, d, o)
}

// TestBenchFake runs the benchmark where nothing is computed: its batches and tiles must be in order.
func TestBenchFake(t *testing.T) {
	f, d := fakeDevice(t)
	f.lazy = true
	runBench(t, d, BenchOptions{Edge: 1024, Rounds: 1})
}

// runBench wants rows, and something measured in each.
func runBench(t *testing.T, d *Device, o BenchOptions) {
	t.Helper()
	rows := 0
	err := Bench(t.Context(), d, o, func(r BenchRow) {
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
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}
