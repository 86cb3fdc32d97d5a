package main

import (
	"slices"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// path describes one instruction set and the microkernel that suits its registers.
type path struct {
	suffix string // of function names
	bytes  int    // of a vector
	rows   int    // of C in a microkernel
	vecs   int    // vectors of C in a row of a microkernel
	unroll int    // steps of k in one turn of the inner loop
	chains int    // independent minima in the ceiling loop
}

var paths = map[string]path{
	// 8×32 entries of C in 16 of 32 registers: both edges divide 64, so tiles need no edge code.
	"avx512": {suffix: "AVX512", bytes: 64, rows: 8, vecs: 2, unroll: 8, chains: 24},
	// 4×16 entries of C in 8 of 16 registers; see shapeFor.
	"avx2": {suffix: "AVX2", bytes: 32, rows: 4, vecs: 2, unroll: 8, chains: 12},
}

// shapeFor returns the path with the microkernel that suits a. vminps takes four cycles: on AVX2, 2×32
// entries of C, with four minima of one row in flight, are 5 % faster for it than 4×16.
func (p path) shapeFor(a arithmetic) path {
	if !p.is512() && a.name == "F32Signed" {
		p.rows, p.vecs = 2, 4
	}
	return p
}

func (p path) is512() bool { return p.bytes == 64 }

// vec returns a fresh vector register.
func (p path) vec() reg.VecVirtual {
	if p.is512() {
		return ZMM()
	}
	return YMM()
}

// arithmetic is how one add and one min are done.
type arithmetic struct {
	name     string
	size     int // bytes of an entry
	add, min func(operands ...Op)
	inf      uint64 // the unreachable entry, of 2 bytes twice
	float    bool
	signed   bool
}

// words are the arithmetics of entries of 4 bytes.
var words = []arithmetic{
	{name: "I32", size: 4, add: VPADDD, min: VPMINSD, inf: inf32},
	{name: "I32Signed", size: 4, add: VPADDD, min: VPMINSD, inf: inf32, signed: true},
	// The bit patterns of non-negative floats order as integers do. The integer min has a quarter of the
	// latency, and on Zen 5 more ports.
	{name: "F32", size: 4, add: VADDPS, min: VPMINSD, inf: posInf, float: true},
	{name: "F32Signed", size: 4, add: VADDPS, min: VMINPS, inf: posInf, float: true, signed: true},
}

// shorts is the arithmetic of entries of 2 bytes.
var shorts = arithmetic{name: "U16", size: 2, add: VPADDW, min: VPMINUW, inf: inf16<<16 | inf16}

// doubles is the arithmetic of entries of 8 bytes.
var doubles = arithmetic{name: "F64", size: 8, add: VADDPD, min: VMINPD, inf: posInf8, float: true, signed: true}

// all are those of entries, kinds one for each kind of 4 and 8 bytes, and weights those of weights.
var (
	all     = append(slices.Clone(words), shorts, doubles)
	kinds   = []arithmetic{words[0], words[2], doubles}
	weights = []arithmetic{words[0], words[3], doubles}
)

// reset reports whether entries from Limit32 on are set back to Inf32.
func (a arithmetic) reset() bool { return a.signed && !a.float }

// weightBytes is the size of the weight of an arc.
func (a arithmetic) weightBytes() int { return max(4, a.size) }

// of chooses between what works on words and what works on entries of 8 bytes.
func of[F any](a arithmetic, words, doubles F) F {
	if a.size == 8 {
		return doubles
	}
	return words
}

// broadcast fills a register with the entry at from. It is vpbroadcastd for floats too: on Zen 4, vbroadcastss to 512
// bits takes the pipes for as long as two additions, vpbroadcastd only a load; a product in i32 was a third slower
// with the former.
func (a arithmetic) broadcast(from, to Op) {
	map[int]func(operands ...Op){2: VPBROADCASTW, 4: VPBROADCASTD, 8: VPBROADCASTQ}[a.size](from, to)
}

const (
	inf32   = 0x3f3f3f3f // entry.Inf32
	limit32 = inf32 / 2  // entry.Limit32
	inf16   = 0x7f7f     // entry.Inf16
	posInf  = 0x7f800000 // bits of +Inf, of 4 and of 8 bytes
	posInf8 = 0x7ff0000000000000
)

// infinity returns a register full of the arithmetic's unreachable entry.
func (p path) infinity(a arithmetic) reg.VecVirtual {
	if a.size == 8 {
		return p.splat64(a.inf)
	}
	return p.splat(uint32(a.inf))
}

func (p path) splat(bits uint32) reg.VecVirtual {
	g, x, v := GP32(), XMM(), p.vec()
	MOVL(U32(bits), g)
	VMOVD(g, x)
	VPBROADCASTD(x, v)
	return v
}

func (p path) splat64(bits uint64) reg.VecVirtual {
	g, x, v := GP64(), XMM(), p.vec()
	MOVQ(U64(bits), g)
	VMOVQ(g, x)
	VPBROADCASTQ(x, v)
	return v
}

// resetter returns code that sets the entries of a register from Limit32 on back to Inf32.
func (p path) resetter(a arithmetic) func(v reg.VecVirtual) {
	if !a.reset() {
		return func(reg.VecVirtual) {}
	}
	inf, last := p.splat(inf32), p.splat(limit32-1)
	if p.is512() {
		return func(v reg.VecVirtual) {
			k := K()
			VPCMPGTD(last, v, k)
			VMOVDQA32(inf, k, v)
		}
	}
	return func(v reg.VecVirtual) {
		over := p.vec()
		VPCMPGTD(last, v, over)
		VBLENDVPS(over, inf, v, v)
	}
}
