package cpu

import (
	"github.com/klauspost/cpuid/v2"

	"ooc/kernels/entry"
)

//go:generate go run ./gen -path avx2 -pkg cpu -out avx2_amd64.s -stubs avx2_stubs_amd64.go

var avx2 = &path{
	name: "avx2", label: "AVX2",
	lacking: func() string {
		if cpuid.CPU.Supports(cpuid.AVX2) {
			return ""
		}
		return "the processor or the operating system lacks AVX2"
	},

	strip: [variants]strip{{stripI32AVX2, 16}, {stripI32SignedAVX2, 16}, {stripF32AVX2, 16}, {stripF32SignedAVX2, 32},
		{stripF64AVX2, 8}, {stripU16AVX2, 16}},
	base: [variants]baseFunc{baseI32AVX2, baseI32SignedAVX2, baseF32AVX2, baseF32SignedAVX2, baseF64AVX2,
		baseU16AVX2},
	ceiling: [variants]ceilingFunc{ceilingI32AVX2, ceilingI32AVX2, ceilingF32AVX2, ceilingF32SignedAVX2, ceilingF64AVX2,
		ceilingU16AVX2},
	perTurn: relaxationsOf(12 * 4 * 32),

	pairStrip: [paired]pairStrip{{pairStripI32AVX2, 16}, {pairStripI32SignedAVX2, 16}, {pairStripF32AVX2, 16},
		{pairStripF32SignedAVX2, 16},
		{pairStripF64AVX2, 8}},
	pairBase: [paired]baseFunc{pairBaseI32AVX2, pairBaseI32SignedAVX2, pairBaseF32AVX2, pairBaseF32SignedAVX2,
		pairBaseF64AVX2},
	pairClimb: [paired]pairClimb{{pairClimbI32AVX2, 128}, {pairClimbI32SignedAVX2, 128}, {pairClimbF32AVX2, 128},
		{pairClimbF32SignedAVX2, 128},
		{pairClimbF64AVX2, 128}},

	sweep: [variants]sweepFunc{sweep16I32AVX2, sweep16I32SignedAVX2, sweep16F32AVX2, sweep16F32SignedAVX2,
		sweep8F64AVX2, sweep32U16AVX2},
	sweepFour: [variants]sweepFunc{sweep64I32AVX2, sweep64I32SignedAVX2, sweep64F32AVX2, sweep64F32SignedAVX2,
		sweep32F64AVX2, sweep128U16AVX2},
	climb: [variants]climbFunc{climb16I32AVX2, climb16I32SignedAVX2, climb16F32AVX2, climb16F32SignedAVX2,
		climb8F64AVX2, climb32U16AVX2},
	climbFour: [variants]climbFunc{climb64I32AVX2, climb64I32SignedAVX2, climb64F32AVX2, climb64F32SignedAVX2,
		climb32F64AVX2, climb128U16AVX2},
	cross: [variants]crossFunc{crossI32AVX2, crossI32SignedAVX2, crossF32AVX2, crossF32SignedAVX2, crossF64AVX2,
		crossU16AVX2},
	rows: [variants]rowFuncs{{lowerRowI32AVX2, lowerLinesI32AVX2, leastSumI32AVX2},
		{lowerRowI32AVX2, lowerLinesI32AVX2, leastSumI32AVX2},
		{lowerRowF32SignedAVX2, lowerLinesF32SignedAVX2, leastSumF32SignedAVX2},
		{lowerRowF32SignedAVX2, lowerLinesF32SignedAVX2, leastSumF32SignedAVX2},
		{lowerRowF64AVX2, lowerLinesF64AVX2, leastSumF64AVX2}, {lowerRowI32AVX2, lowerLinesI32AVX2, leastSumI32AVX2}},
	transpose:     bySize{transpose2AVX2, transposeAVX2, transpose8AVX2},
	transposePast: bySize{transposePast2AVX2, transposePastAVX2, transposePast8AVX2},
	sums:          sumsAVX2,
	pullBits:      pulls(pullBitsAVX2),
	counts:        portableCounts,
	tight:         tightI32AVX2,
	pushLanes: [variants]pushLanesFunc{pushLanesI32AVX2, pushLanesI32AVX2, pushLanesF32AVX2, pushLanesF32AVX2,
		pushLanesF64AVX2, pushLanesU16AVX2},
	turn:   turnAVX2,
	levels: levelsBy(levels1AVX2, levels2AVX2, levels4AVX2),
}

func sumsAVX2(kind entry.Kind) sumsFuncs {
	return map[entry.Kind]sumsFuncs{
		entry.KindI32: {rowSumsI32AVX2, allSumsI32AVX2, laneSumsI32AVX2, allLaneSumsI32AVX2},
		entry.KindF32: {rowSumsF32AVX2, allSumsF32AVX2, laneSumsF32AVX2, allLaneSumsF32AVX2},
		entry.KindF64: {rowSumsF64AVX2, allSumsF64AVX2, laneSumsF64AVX2, allLaneSumsF64AVX2},
	}[kind]
}
