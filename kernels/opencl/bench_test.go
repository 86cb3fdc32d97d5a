package opencl

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"ooc/kernels"
	"ooc/kernels/cpu"
	"ooc/kernels/cuda"
	"ooc/kernels/entry"
)

// TestBench prints rates of products with OOC_BENCH=T,COUNT,DEPTH, as in 1024,64,2: batches of COUNT products of so
// many tiles of edge T, beside those of CUDA where it has a GPU, or else of the processor, in turn. Without, it runs
// one small batch.
//
//	OOC_BENCH=2048,16,1 go test -run TestBench -v ./kernels/opencl
func TestBench(t *testing.T) {
	edge, count, depth, rounds := 64, 2, 1, 1
	if shape := os.Getenv("OOC_BENCH"); shape != "" {
		if _, err := fmt.Sscanf(shape, "%d,%d,%d", &edge, &count, &depth); err != nil {
			t.Fatalf("OOC_BENCH=%s: %v", shape, err)
		}
		rounds = 7
	}
	d, err := Open(Options{Index: testedDevice(t), asGPU: os.Getenv("OOC_BENCH_AS")})
	if err != nil {
		t.Fatal(err)
	}
	var other kernels.Device
	if other, err = cuda.Open(cuda.Options{}); err != nil {
		if other, err = cpu.Open(cpu.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	for _, v := range entry.Variants {
		a, b := newProducts(t, d, v, edge, count, depth), newProducts(t, other, v, edge, count, depth)
		var of, against []float64
		for range rounds + 1 { // the first compiles
			of, against = append(of, a.rate(t)), append(against, b.rate(t))
		}
		report := func(d kernels.Device, rates []float64) float64 {
			rates = rates[1:]
			slices.Sort(rates)
			t.Logf("%-10s %-9s %8.1f Grelax/s (%.1f…%.1f)", v, d.Info().Name, rates[len(rates)/2]/1e9, rates[0]/1e9,
				rates[len(rates)-1]/1e9)
			return rates[len(rates)/2]
		}
		t.Logf("%-10s %.2f of %s", v, report(d, of)/report(other, against), other.Info().Model)
		a.free(t)
		b.free(t)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	if err := other.Close(); err != nil {
		t.Error(err)
	}
}

// products is a batch of products.
type products struct {
	variant entry.Variant
	edge    int
	buf     kernels.Buffer
	stream  kernels.Stream
	list    []kernels.Product
}

// newProducts uploads random operands: those of a matrix of COUNT tiles, as in phase three of a round.
func newProducts(t *testing.T, d kernels.Device, v entry.Variant, edge, count, depth int) *products {
	t.Helper()
	p, tile := &products{variant: v, edge: edge}, edge*edge*v.Bytes()
	side := 1
	for side*side < count {
		side++
	}
	tiles := count + 2*side*depth
	var err error
	if p.buf, err = d.Alloc(int64(tiles * tile)); err != nil {
		t.Fatal(err)
	}
	if p.stream, err = d.NewStream(); err != nil {
		t.Fatal(err)
	}
	numbers := make([]float64, edge*edge)
	for i := range numbers {
		numbers[i] = float64(rand.IntN(1000))
	}
	memory := v.Kind().Append(nil, numbers)
	at := func(i int) kernels.Tile { return kernels.Tile{Buf: p.buf, Off: int64(i * tile)} }
	for i := range tiles {
		if err := p.stream.CopyIn(at(i), memory); err != nil {
			t.Fatal(err)
		}
	}
	for c := range count {
		x := kernels.Product{C: at(c)}
		for k := range depth {
			x.A, x.B = append(x.A, at(count+c/side*depth+k)), append(x.B, at(count+(side+c%side)*depth+k))
		}
		p.list = append(p.list, x)
	}
	if err := p.stream.Sync(); err != nil {
		t.Fatal(err)
	}
	return p
}

// rate runs the batch once.
func (p *products) rate(t *testing.T) float64 {
	t.Helper()
	began := time.Now()
	if err := p.stream.MinPlus(p.variant, p.edge, p.list); err != nil {
		t.Fatal(err)
	}
	if err := p.stream.Sync(); err != nil {
		t.Fatal(err)
	}
	e := float64(p.edge)
	return float64(len(p.list)*len(p.list[0].A)) * e * e * e / time.Since(began).Seconds()
}

func (p *products) free(t *testing.T) {
	t.Helper()
	if err := p.stream.Close(); err != nil {
		t.Error(err)
	}
	if err := p.buf.Free(); err != nil {
		t.Error(err)
	}
}
