package main

import (
	"fmt"
	"slices"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const ceilingUnroll = 4

// one returns a register full of an operand that is neither 0 nor unreachable.
func (p path) one(a arithmetic) reg.VecVirtual {
	if a.size == 8 {
		return p.splat64(0x3ff0000000000000)
	}
	return p.splat(0x3f800000)
}

// ceiling generates the add and min of the microkernel on registers alone: as many independent minima as hide the
// latency of both, no memory, no loop overhead that counts. Several additions go before their minima, as in the
// microkernel: in turns, Zen 4 spreads them over its pipes so badly that products would pass the ceiling.
func ceiling(p path, a arithmetic) {
	TEXT("ceiling"+a.name+p.suffix, NOSPLIT, "func(turns int)")
	Doc(fmt.Sprintf("ceiling%s%s does turns × %d relaxations on registers.", a.name, p.suffix,
		p.chains*ceilingUnroll*p.bytes/a.size))
	left := load("turns")
	one, acc := p.one(a), make([]reg.VecVirtual, p.chains)
	for i := range acc {
		acc[i] = p.infinity(a)
	}
	Label("loop")
	for range ceilingUnroll {
		for some := range slices.Chunk(acc, p.chains/6) {
			sums := make([]reg.VecVirtual, len(some))
			for i := range sums {
				sums[i] = p.vec()
				a.add(one, one, sums[i])
			}
			for i, least := range some {
				a.min(sums[i], least, least)
			}
		}
	}
	DECQ(left)
	JNE(LabelRef("loop"))
	done()
}
