package conformance

import (
	"fmt"
	"slices"
	"testing"

	"ooc/kernels"
	"ooc/kernels/entry"
)

func (b *bench) tileOps(d kernels.TileOps) {
	b.Run("Pairs", func(t *testing.T) { b.with(t).tryPairs(d) })
	b.Run("Pivots", func(t *testing.T) {
		b.with(t).pivots(d, entry.Variants)
		b.with(t).badPivots(d)
	})
	b.Run("Transpose", func(t *testing.T) { b.with(t).transpose(d) })
	b.Run("Differ", func(t *testing.T) { b.with(t).differ(d) })
	b.Run("Ceiling", func(t *testing.T) { b.with(t).ceiling(d) })
}

// ceiling wants a rate of each variant that is drawn.
func (b *bench) ceiling(d kernels.TileOps) {
	for _, i := range b.Perm(len(entry.Variants))[:draws(len(entry.Variants))] {
		v := entry.Variants[i]
		if rate := d.Ceiling(v); rate <= 0 {
			b.Errorf("%s: ceiling %g", v, rate)
		}
	}
}

// pivots compares runs of pivots with Floyd–Warshall, step by step in float64 or int64: with predecessors, on a stream
// that keeps them.
func (b *bench) pivots(d kernels.TileOps, variants []entry.Variant) {
	shapes := []shape{{64, 1}, {64, 2}, {128, 1}, {64, 3}, {128, 2}}
	if b.pairs { // which lie in more pieces of memory than a small one of OpenCL's may have
		shapes = shapes[:3]
	}
	for _, v := range variants {
		for range draws(5) {
			s := shapes[b.IntN(len(shapes))]
			n := s.m * s.t
			graphs := graphPatternsOf(v)
			a, full := b.newArena(v, s.t, s.m*s.m), b.graph(v, n, graphs[b.IntN(len(graphs))])
			for i := range n {
				full[i*n+i] = 0
			}
			full = a.ofArcs(v, n, full)
			lo := b.IntN(n)
			hi := lo + b.IntN(n-lo+1)
			a.setSquare(s.m, full)
			a.upload()
			b.done(d.Pivots(b.stream, v, s.t, a.tiles(0, s.m*s.m), lo, hi))
			at := func(i, j int) matrix { return full[(i*n+j)*a.wide:][:a.wide] }
			for k := lo; k < hi; k++ {
				for i := range n {
					for j := range n {
						x, y := at(i, j), at(k, j)
						if c := lower(v, x[0], at(i, k)[0], y[0]); c != x[0] {
							copy(x, y)
							x[0] = c
						}
					}
				}
			}
			a.setSquare(s.m, full)
			a.check(v)
		}
	}
}

// badPivots wants runs of pivots that there are not to be refused.
func (b *bench) badPivots(d kernels.TileOps) {
	t, errs := []kernels.Tile{b.upload(make(matrix, 64*64))}, map[string]error{}
	for _, bad := range [][2]int{{-1, 0}, {3, 2}, {0, 65}} {
		errs[fmt.Sprintf("pivots of %v", bad)] = d.Pivots(b.stream, entry.I32, 64, t, bad[0], bad[1])
	}
	b.wantErrors(errs)
}

// transpose wants every entry in its place, and what cannot be transposed to be refused.
func (b *bench) transpose(d kernels.TileOps) {
	for _, v := range entry.Variants {
		for _, t := range []int{64, 128, 192, 512} {
			x, want, size := b.entries(v, t*t, many, true), make(matrix, t*t), v.Bytes()
			for at := range x {
				want[at] = x[at%t*t+at/t]
			}
			dst := b.uploadAs(make(matrix, t*t), size)
			b.done(d.TransposeTile(b.stream, v, t, dst, b.uploadAs(x, size)))
			b.same(v, fmt.Sprintf("transpose of a tile of %d", t), b.downloadAs(dst, t*t, size), want)
		}
	}
	one, other := b.upload(make(matrix, 100*100)), b.upload(make(matrix, 100*100))
	b.wantErrors(map[string]error{
		"a tile onto itself": d.TransposeTile(b.stream, entry.I32, 64, one, one),
		"an edge of 100":     d.TransposeTile(b.stream, entry.I32, 100, one, other),
	})
}

func (b *bench) differ(d kernels.TileOps) {
	for range 50 {
		x := b.garbage(1+b.IntN(5000), wordBytes)
		y := slices.Clone(x)
		bytes := len(x)
		want := b.IntN(2) == 0
		if at := b.IntN(len(x)); want {
			y[at] ^= 1 << b.IntN(32)
		} else if bytes = at + 1; at+1 < len(y) {
			y[at+1]++ // past what is compared
		}
		flag := b.upload(matrix{0})
		b.done(d.Differ(b.stream, flag, b.upload(x), b.upload(y), int64(bytes*wordBytes)))
		if got := b.download(flag, 1)[0]; got > 1 || (got == 1) != want {
			b.Fatalf("%d entries, %d compared: the flag is %d, and they differ: %v", len(x), bytes, got, want)
		}
	}
}
