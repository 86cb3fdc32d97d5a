package cpu

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"ooc/kernels"
	"ooc/kernels/entry"
)

// TestBench runs the benchmark on a small shape, and the full one where OOC_BENCH is set:
// OOC_BENCH=T,m go test -run TestBench -v.
func TestBench(t *testing.T) {
	o := BenchOptions{T: 64, M: 2, Rounds: 1, work: 1}
	if shape := os.Getenv("OOC_BENCH"); shape != "" {
		edge, count, _ := strings.Cut(shape, ",")
		o = BenchOptions{Paths: strings.Fields(os.Getenv("OOC_BENCH_PATHS"))}
		if len(o.Paths) == 0 {
			o.Paths = nil
		}
		o.T, _ = strconv.Atoi(edge)
		o.M, _ = strconv.Atoi(count)
	}
	rows := 0
	err := Bench(t.Context(), o, func(r BenchRow) {
		rows++
		if r.Rate.Median <= 0 || r.Ceiling.Median <= 0 || r.Fraction <= 0 {
			t.Errorf("nothing measured: %+v", r)
		}
		t.Log(formatRow(r))
	})
	if err != nil {
		t.Fatal(err)
	}
	if rows == 0 {
		t.Error("no rows")
	}
}

func formatRow(r BenchRow) string {
	return fmt.Sprintf("%-10s %-8s threads=%d T=%d m=%d: %s of %s Grelax/s = %.1f %%",
		r.Variant, r.Path, r.Threads, r.T, r.M, r.Rate, r.Ceiling, 100*r.Fraction)
}

// TestBenchStops wants the context's error from a cancelled Bench.
func TestBenchStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := Bench(ctx, BenchOptions{T: 64}, func(BenchRow) { t.Error("a row after cancelling") })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
}

// BenchmarkTranspose transposes tiles on each path, entries of each size.
func BenchmarkTranspose(b *testing.B) {
	const t = 1024
	for _, v := range []entry.Variant{entry.U16, entry.I32, entry.F64} {
		for _, name := range PathNames() {
			b.Run(fmt.Sprintf("bytes=%d/%s", v.Bytes(), name), func(b *testing.B) {
				needPath(b, name)
				r := newRig(b, Options{Path: name, Threads: 1})
				size := int64(t * t * v.Bytes())
				buf, err := r.device.Alloc(2 * size)
				r.must(err)
				b.Cleanup(func() { r.must(buf.Free()) })
				b.SetBytes(size)
				for b.Loop() {
					r.must(r.device.TransposeTile(r.stream, v, t, kernels.Tile{Buf: buf, Off: size},
						kernels.Tile{Buf: buf}))
					r.must(r.stream.Sync())
				}
			})
		}
	}
}

// BenchmarkCross crosses from some rows of a batch of sources to a core, which a cache of the processor holds or not.
func BenchmarkCross(b *testing.B) {
	d, err := Open(Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer d.Close()
	const width, from = 64, 1024
	for _, core := range []int{1024, 4096, 8192, 26624} {
		b.Run(fmt.Sprint(core), func(b *testing.B) {
			v := entry.I32
			lanes := func(rows int) kernels.Lanes {
				m := kernels.Lanes{Data: v.Kind().Make(rows * width), Width: width, Entry: v.Bytes()}
				for i := range rows * width {
					v.Kind().Put(m.Data, i, uint64(i*7919%1000))
				}
				return m
			}
			src, weights := lanes(from), make([][]uint32, from)
			for i := range weights {
				weights[i] = make([]uint32, core)
			}
			b.SetBytes(width * from * int64(core))
			b.RunParallel(func(pb *testing.PB) {
				dst := lanes(core)
				for pb.Next() {
					d.Cross(v, dst, src, weights)
				}
			})
		})
	}
}
