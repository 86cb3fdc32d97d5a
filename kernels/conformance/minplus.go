package conformance

import (
	"fmt"
	"testing"

	"ooc/kernels"
	"ooc/kernels/entry"
)

type shape struct{ t, m int }

// The edges of tiles and numbers of tiles of products.
var (
	smallProducts = []shape{{64, 1}, {64, 2}, {64, 4}, {128, 1}, {192, 2}, {128, 3}}
	largeProducts = []shape{{320, 1}, {256, 2}, {576, 1}, {320, 4}}
)

// try runs a part of the suite with each variant and shape: with each pattern at those of at most so many vertices,
// and with some of them, drawn at random, at others.
func try[P fmt.Stringer](b *bench, variants []entry.Variant, shapes []shape, patterns func(entry.Variant) []P, most,
	some int,
	run func(b *bench, v entry.Variant, s shape, p P)) {
	for _, v := range variants {
		for _, s := range shapes {
			all := patterns(v)
			if s.t*s.m > most {
				b.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
				all = all[:some]
			}
			for _, p := range all {
				if !b.skips(s.t * s.m) {
					b.Run(fmt.Sprintf("%s/T=%d/m=%d/%s", v, s.t, s.m, p),
						func(t *testing.T) { run(b.with(t), v, s, p) })
				}
			}
		}
	}
}

// minPlus tries products, fresh and not.
func minPlus(b *bench, shapes []shape) {
	try(b, entry.Variants, shapes, patterns, 256, 1, (*bench).oneBatch)
}

// oneBatch runs products that share operands, fresh and not, and judges every byte of the buffer that they are in.
// Large ones run alone. The operands are of one pattern, or each of any.
func (b *bench) oneBatch(v entry.Variant, s shape, p pattern) {
	n, operands, all := 1, 2*s.m, patterns(v)
	if s.t*s.m <= 128 {
		n, operands = b.IntN(1+b.IntN(23)), operands+b.IntN(4)
	}
	a, one := b.newArena(v, s.t, operands+n), b.IntN(3) > 0
	for i := range a.places {
		if !one {
			p = all[b.IntN(len(all))]
		}
		p.fill(b.Rand, a.data(i))
	}
	products := make([]kernels.Product, n)
	for i := range products {
		if products[i].Fresh = b.IntN(2) == 0; products[i].Fresh { // what must not be read
			for at := range a.data(operands + i) {
				a.data(operands + i)[at] = worst(v, a.Rand)
			}
		}
	}
	a.upload()
	for i := range products {
		products[i] = a.product(v, operands+i, b.IntN(operands-s.m+1), b.IntN(operands-s.m+1), s.m, products[i].Fresh)
	}
	b.done(b.stream.MinPlus(v, s.t, products))
	a.check(v)
}

// product returns the product of tiles lo… with tiles ro…, whose result tile c shall hold from now on.
func (a *arena) product(v entry.Variant, c, lo, ro, m int, fresh bool) kernels.Product {
	var left, right []matrix
	for i := range m {
		left, right = append(left, a.data(lo+i)), append(right, a.data(ro+i))
	}
	refMinPlus(v, a.t, a.data(c), left, right, fresh)
	return kernels.Product{C: a.tile(c), A: a.tiles(lo, m), B: a.tiles(ro, m), Fresh: fresh}
}
