package cuda

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sync/errgroup"
	"ooc/kernels"
)

func TestExp(t *testing.T) {
	path := os.Getenv("OOC_EXP")
	if path == "" {
		t.Skip()
	}
	start := time.Now()
	d, err := Open(Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Log("open", time.Since(start))
	name, ver := d.Binding()
	t.Log(name, ver, d.Info())
	hz, _ := d.ClockRate()
	t.Log("idle clock", hz)
	img, _ := os.ReadFile(path)
	var mod handle
	if err := d.call("load", func() (r Result) { mod, _, r = d.driver.moduleLoad(append(img, 0)); return }); err != nil {
		t.Fatal(err)
	}
	const N = 8192
	buf, err := d.Alloc(3 * N * N * 4)
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{Device: d, ctx: t.Context(), rounds: 5, buffer: buf, each: func(r BenchRow) { t.Log(r) }}
	T := 2048
	out := make([]uint32, T*T)
	for _, v := range []kernels.Variant{kernels.I32, kernels.F32, kernels.F32Signed} {
		if err := b.fill(v); err != nil {
			t.Fatal(err)
		}
		var ref uint64
		for _, tag := range append([]string{""}, strings.Fields(os.Getenv("OOC_TAGS"))...) {
			bm, bn, th := 128, 128, 128
			fn := d.kernels.of[v][product128]
			if tag != "" {
				fmt.Sscanf(tag[2:], "%dx%dx%d", &bm, &bn, &th)
				if err := d.call("fn", func() (r Result) { fn, r = d.driver.moduleFunction(mod, tag+"_"+variantNames[v]); return }); err != nil {
					t.Log(tag, err)
					continue
				}
			}
			n, m := N/T, 1
			var jobs []job
			for i := range n * n {
				jb := job{c: buf.(*buffer).at + address(i*T*T*4), fresh: true}
				for k := range m {
					at := func(x int) uint64 { return uint64(buf.(*buffer).at) + uint64(x*T*T*4) }
					jb.pairs = append(jb.pairs, entry{at(n*n + i/n*m + k), at(n*n + n*m + k*n + i%n)})
				}
				jobs = append(jobs, jb)
			}
			list, cnt, _ := pack(jobs)
			p := &productParam{lda: int32(T), ldb: int32(T), ldc: int32(T), depth: int32(T), rows: int32(T / bm), cols: int32(T / bn), pad: [4]int32{1}}
			copy(p.entries[:], list)
			what := fmt.Sprint(v, " ", tag)
			if err := b.relaxed(what, float64(N)*float64(N)*float64(T*m), func(s kernels.Stream) error {
				return s.(*stream).launchOf(fn, cnt*(T/bm)*(T/bn), th, unsafe.Pointer(p))
			}); err != nil {
				t.Fatal(err)
			}
			s, _ := d.NewStream()
			s.CopyOut(unsafe.Slice((*byte)(unsafe.Pointer(&out[0])), T*T*4), b.tile(T, 5))
			s.Sync()
			s.Close()
			var sum uint64
			for i, x := range out {
				sum += uint64(x) * uint64(i+1)
			}
			if ref == 0 {
				ref = sum
			}
			if sum != ref {
				t.Error("WRONG", what, sum, ref)
			}
		}
	}
	buf.Free()
	if os.Getenv("OOC_LOCK") != "" {
		lockExp(t, d)
	}
	d.Close()
}

func lockExp(t *testing.T, d *Device) {
	const size = 8 << 30
	start := time.Now()
	var p unsafe.Pointer
	d.call("x", func() (r Result) { p, r = d.driver.hostAlloc(size); return })
	t.Log("8 GiB one cuMemHostAlloc", time.Since(start))
	d.call("x", func() (r Result) { return d.driver.hostFree(p) })
	for _, chunk := range []int64{8 << 30, 1 << 30, 256 << 20, 64 << 20} {
		start = time.Now()
		raw, data := mapHuge(size)
		var g errgroup.Group
		g.SetLimit(16)
		for _, c := range chunksOf(data, 64<<20) {
			g.Go(func() error { touch(c); return nil })
		}
		g.Wait()
		t1 := time.Since(start)
		var h errgroup.Group
		h.SetLimit(8)
		for _, c := range chunksOf(data, chunk) {
			h.Go(func() error {
				return d.call("reg", func() Result { return d.driver.hostRegister(unsafe.Pointer(&c[0]), int64(len(c))) })
			})
		}
		err := h.Wait()
		t.Log("chunk", chunk>>20, "touch", t1, "register", time.Since(start)-t1, err)
		start = time.Now()
		for _, c := range chunksOf(data, chunk) {
			d.unlock(c)
		}
		unmapHuge(raw)
		t.Log("free", time.Since(start))
	}
	for _, th := range []int{4, 8, 16} {
		start = time.Now()
		var g errgroup.Group
		g.SetLimit(th)
		ps := make([]unsafe.Pointer, 32)
		for i := range ps {
			g.Go(func() error {
				return d.call("x", func() (r Result) { ps[i], r = d.driver.hostAlloc(size / 32); return })
			})
		}
		g.Wait()
		t.Log("cuMemHostAlloc in 32 chunks, threads", th, time.Since(start))
		for _, p := range ps {
			d.call("x", func() (r Result) { return d.driver.hostFree(p) })
		}
	}
	start = time.Now()
	h, err := d.AllocHost(size)
	t.Log("AllocHost", time.Since(start), err)
	start = time.Now()
	d.FreeHost(h)
	t.Log("FreeHost", time.Since(start))
}
