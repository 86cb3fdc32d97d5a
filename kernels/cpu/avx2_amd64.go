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

	strip:   [variants]strip{{stripI32AVX2, 16}, {stripI32SignedAVX2, 16}, {stripF32AVX2, 16}, {stripF32SignedAVX2, 32}},
	base:    [variants]baseFunc{baseI32AVX2, baseI32SignedAVX2, baseF32AVX2, baseF32SignedAVX2},
	ceiling: [variants]ceilingFunc{ceilingI32AVX2, ceilingI32AVX2, ceilingF32AVX2, ceilingF32SignedAVX2},
	perTurn: 12 * 4 * 8,

	pairStrip:      [variants]pairStripFunc{pairStripI32AVX2, pairStripI32SignedAVX2, pairStripF32AVX2, pairStripF32SignedAVX2},
	pairPanel:      16,
	pairBase:       [variants]baseFunc{pairBaseI32AVX2, pairBaseI32SignedAVX2, pairBaseF32AVX2, pairBaseF32SignedAVX2},
	pairClimb:      [variants]climbFunc{pairClimbI32AVX2, pairClimbI32SignedAVX2, pairClimbF32AVX2, pairClimbF32SignedAVX2},
	pairClimbBytes: 128,

	sweep16:       [variants]sweepFunc{sweep16I32AVX2, sweep16I32SignedAVX2, sweep16F32AVX2, sweep16F32SignedAVX2},
	sweep64:       [variants]sweepFunc{sweep64I32AVX2, sweep64I32SignedAVX2, sweep64F32AVX2, sweep64F32SignedAVX2},
	climb16:       [variants]climbFunc{climb16I32AVX2, climb16I32SignedAVX2, climb16F32AVX2, climb16F32SignedAVX2},
	climb64:       [variants]climbFunc{climb64I32AVX2, climb64I32SignedAVX2, climb64F32AVX2, climb64F32SignedAVX2},
	cross:         [variants]crossFunc{crossI32AVX2, crossI32SignedAVX2, crossF32AVX2, crossF32SignedAVX2},
	transpose:     transposeAVX2,
	transposePast: transposePastAVX2,
}
