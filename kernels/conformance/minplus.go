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
	smallProducts = []shape{{64, 1}, {64, 4}, {128, 1}, {192, 2}, {128, 3}}
	largeProducts = []shape{{320, 1}, {256, 2}, {576, 1}, {320, 4}}
)

// try runs a part of the suite with each variant and shape: with each pattern at those of at most so many vertices,
// and with some of them, drawn at random, at others.
func try[P fmt.Stringer](b *bench, variants []entry.Variant, shapes []shape, patterns func(entry.Variant) []P, most, some int,
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
					b.Run(fmt.Sprintf("%s/T=%d/m=%d/%s", v, s.t, s.m, p), func(t *testing.T) { run(b.with(t), v, s, p) })
				}
			}
		}
	}
}

// minPlus tries products, fresh and not.
func minPlus(b *bench, shapes []shape) {
	try(b, entry.Variants, shapes, patterns, 256, 1, (*bench).oneProduct)
}

// oneProduct runs one product and judges every byte of the buffer it is in.
func (b *bench) oneProduct(v entry.Variant, s shape, p pattern) {
	fresh := b.IntN(2) == 0
	b.Logf("fresh: %t", fresh)
	a := b.newArena(v, s.t, 1+2*s.m)
	for i := range 1 + 2*s.m {
		p.fill(b.Rand, a.data(i))
	}
	a.prepareC(v, 0, fresh)
	a.upload()
	b.done(b.stream.MinPlus(v, s.t, []kernels.Product{a.product(v, 0, 1, 1+s.m, s.m, fresh)}))
	a.check(v)
}

// prepareC fills the C of a fresh product with what must not be read.
func (a *arena) prepareC(v entry.Variant, c int, fresh bool) {
	if fresh {
		for i := range a.data(c) {
			a.data(c)[i] = worst(v, a.Rand)
		}
	}
}

// product returns the product of tiles lo… with tiles ro…; upload is to come before reference is called.
func (a *arena) product(v entry.Variant, c, lo, ro, m int, fresh bool) kernels.Product {
	p := kernels.Product{C: a.tile(c), A: a.tiles(lo, m), B: a.tiles(ro, m), Fresh: fresh}
	var left, right []matrix
	for i := range m {
		left, right = append(left, a.data(lo+i)), append(right, a.data(ro+i))
	}
	refMinPlus(v, a.t, a.data(c), left, right, fresh)
	return p
}

// minPlusBatch runs batches of products that share operands, fresh and not.
func minPlusBatch(b *bench) {
	shapes := []shape{{64, 2}, {128, 1}}
	for _, v := range entry.Variants {
		for _, i := range b.Perm(len(shapes))[:draws(len(shapes))] {
			s := shapes[i]
			b.Run(fmt.Sprintf("%s/T=%d", v, s.t), func(t *testing.T) { b.with(t).oneBatch(v, s) })
		}
	}
}

func (b *bench) oneBatch(v entry.Variant, s shape) {
	const operands = 5
	n := 3 + b.IntN(20)
	a := b.newArena(v, s.t, operands+s.m+n)
	all := patterns(v)
	for i := range a.places {
		all[b.IntN(len(all))].fill(b.Rand, a.data(i))
	}
	fresh := make([]bool, n)
	for i := range fresh {
		fresh[i] = b.IntN(2) == 0
		a.prepareC(v, operands+s.m+i, fresh[i])
	}
	a.upload()
	products := make([]kernels.Product, n)
	for i := range products {
		products[i] = a.product(v, operands+s.m+i, b.IntN(operands), b.IntN(operands), s.m, fresh[i])
	}
	b.must(b.stream.MinPlus(v, s.t, products))
	b.must(b.stream.MinPlus(v, s.t, nil)) // an empty batch does nothing
	b.must(b.stream.Sync())
	a.check(v)
}
