package cpu

import "github.com/klauspost/cpuid/v2"

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
		{stripU16AVX2, 16}, {stripF64AVX2, 8}},
	base:    [variants]baseFunc{baseI32AVX2, baseI32SignedAVX2, baseF32AVX2, baseF32SignedAVX2, baseU16AVX2, baseF64AVX2},
	ceiling: [variants]ceilingFunc{ceilingI32AVX2, ceilingI32AVX2, ceilingF32AVX2, ceilingF32SignedAVX2, ceilingU16AVX2, ceilingF64AVX2},
	perTurn: relaxationsOf(12 * 4 * 32),

	pairStrip:      [words]pairStripFunc{pairStripI32AVX2, pairStripI32SignedAVX2, pairStripF32AVX2, pairStripF32SignedAVX2},
	pairPanel:      16,
	pairBase:       [words]baseFunc{pairBaseI32AVX2, pairBaseI32SignedAVX2, pairBaseF32AVX2, pairBaseF32SignedAVX2},
	pairClimb:      [words]climbFunc{pairClimbI32AVX2, pairClimbI32SignedAVX2, pairClimbF32AVX2, pairClimbF32SignedAVX2},
	pairClimbBytes: 128,

	sweep:         [variants]sweepFunc{sweep16I32AVX2, sweep16I32SignedAVX2, sweep16F32AVX2, sweep16F32SignedAVX2, sweep32U16AVX2, sweep8F64AVX2},
	sweepFour:     [variants]sweepFunc{sweep64I32AVX2, sweep64I32SignedAVX2, sweep64F32AVX2, sweep64F32SignedAVX2, sweep128U16AVX2, sweep32F64AVX2},
	climb:         [variants]climbFunc{climb16I32AVX2, climb16I32SignedAVX2, climb16F32AVX2, climb16F32SignedAVX2, climb32U16AVX2, climb8F64AVX2},
	climbFour:     [variants]climbFunc{climb64I32AVX2, climb64I32SignedAVX2, climb64F32AVX2, climb64F32SignedAVX2, climb128U16AVX2, climb32F64AVX2},
	cross:         [variants]crossFunc{crossI32AVX2, crossI32SignedAVX2, crossF32AVX2, crossF32SignedAVX2, crossU16AVX2, crossF64AVX2},
	transpose:     bySize{transposePortable[uint16], transposeAVX2, transposePortable[float64]},
	transposePast: bySize{transposePortable[uint16], transposePastAVX2, transposePortable[float64]},
}
