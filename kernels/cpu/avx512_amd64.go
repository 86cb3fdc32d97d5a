package cpu

import (
	"github.com/klauspost/cpuid/v2"

	"ooc/kernels/entry"
)

//go:generate go run ./gen -path avx512 -pkg cpu -out avx512_amd64.s -stubs avx512_stubs_amd64.go

var avx512 = &path{
	name: "avx512", label: "AVX-512",
	lacking: func() string {
		if cpuid.CPU.Supports(cpuid.AVX512F, cpuid.AVX512BW, cpuid.AVX2) {
			return ""
		}
		return "the processor or the operating system lacks AVX-512F or BW"
	},

	strip: [variants]strip{{stripI32AVX512, 32}, {stripI32SignedAVX512, 32}, {stripF32AVX512, 32},
		{stripF32SignedAVX512, 32},
		{stripF64AVX512, 16}, {stripU16AVX512, 32}},
	base: [variants]baseFunc{baseI32AVX512, baseI32SignedAVX512, baseF32AVX512, baseF32SignedAVX512, baseF64AVX512,
		baseU16AVX512},
	ceiling: [variants]ceilingFunc{ceilingI32AVX512, ceilingI32AVX512, ceilingF32AVX512, ceilingF32SignedAVX512,
		ceilingF64AVX512, ceilingU16AVX512},
	perTurn: relaxationsOf(24 * 4 * 64),

	pairStrip: [paired]pairStrip{{pairStripI32AVX512, 32}, {pairStripI32SignedAVX512, 32}, {pairStripF32AVX512, 32},
		{pairStripF32SignedAVX512, 32},
		{pairStripF64AVX2, 8}},
	pairBase: [paired]baseFunc{pairBaseI32AVX512, pairBaseI32SignedAVX512, pairBaseF32AVX512, pairBaseF32SignedAVX512,
		pairBaseF64AVX2},
	pairClimb: [paired]pairClimb{{pairClimbI32AVX512, 512}, {pairClimbI32SignedAVX512, 512}, {pairClimbF32AVX512, 512},
		{pairClimbF32SignedAVX512, 512},
		{pairClimbF64AVX2, 128}},

	sweep: [variants]sweepFunc{sweep16I32AVX512, sweep16I32SignedAVX512, sweep16F32AVX512, sweep16F32SignedAVX512,
		sweep8F64AVX512, sweep32U16AVX512},
	sweepFour: [variants]sweepFunc{sweep64I32AVX512, sweep64I32SignedAVX512, sweep64F32AVX512, sweep64F32SignedAVX512,
		sweep32F64AVX512, sweep128U16AVX512},
	climb: [variants]climbFunc{climb16I32AVX512, climb16I32SignedAVX512, climb16F32AVX512, climb16F32SignedAVX512,
		climb8F64AVX512, climb32U16AVX512},
	climbFour: [variants]climbFunc{climb64I32AVX512, climb64I32SignedAVX512, climb64F32AVX512, climb64F32SignedAVX512,
		climb32F64AVX512, climb128U16AVX512},
	cross: [variants]crossFunc{crossI32AVX512, crossI32SignedAVX512, crossF32AVX512, crossF32SignedAVX512,
		crossF64AVX512, crossU16AVX512},
	rows: [variants]rowFuncs{{lowerRowI32AVX512, lowerLinesI32AVX512, leastSumI32AVX512},
		{lowerRowI32AVX512, lowerLinesI32AVX512, leastSumI32AVX512},
		{lowerRowF32SignedAVX512, lowerLinesF32SignedAVX512, leastSumF32SignedAVX512},
		{lowerRowF32SignedAVX512, lowerLinesF32SignedAVX512, leastSumF32SignedAVX512},
		{lowerRowF64AVX512, lowerLinesF64AVX512, leastSumF64AVX512},
		{lowerRowI32AVX512, lowerLinesI32AVX512, leastSumI32AVX512}},
	transpose:     bySize{transpose2AVX2, transposeAVX512, transpose8AVX2},
	transposePast: bySize{transposePast2AVX2, transposePastAVX512, transposePast8AVX2},
	sums:          sumsAVX512,
	pullBits:      pulls(pullBitsAVX2),
	counts:        countsBy(pushCountsAVX512, pullCountsAVX512),
	tight:         tightI32AVX2,
	pushLanes: [variants]pushLanesFunc{pushLanesI32AVX512, pushLanesI32AVX512, pushLanesF32AVX512, pushLanesF32AVX512,
		pushLanesF64AVX512, pushLanesU16AVX512},
	turn:   turnAVX2,
	levels: levelsBy(levels1AVX2, levels2AVX2, levels4AVX2),
}

func sumsAVX512(kind entry.Kind) sumsFuncs {
	return map[entry.Kind]sumsFuncs{
		entry.KindI32: {rowSumsI32AVX2, allSumsI32AVX2, laneSumsI32AVX512, allLaneSumsI32AVX512},
		entry.KindF32: {rowSumsF32AVX2, allSumsF32AVX2, laneSumsF32AVX512, allLaneSumsF32AVX512},
		entry.KindF64: {rowSumsF64AVX2, allSumsF64AVX2, laneSumsF64AVX512, allLaneSumsF64AVX512},
	}[kind]
}
