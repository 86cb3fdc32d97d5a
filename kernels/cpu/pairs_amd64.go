package cpu

// pairPaths holds the same paths as paths, by name.
var pairPaths = map[string]*pairPath{
	"avx512": {
		strip:  [4]pairStripFunc{pairStripI32AVX512, pairStripI32SignedAVX512, pairStripF32AVX512, pairStripF32SignedAVX512},
		panel:  32,
		climb:  [4]climbFunc{pairClimbI32AVX512, pairClimbI32SignedAVX512, pairClimbF32AVX512, pairClimbF32SignedAVX512},
		climbs: 512,
		base:   [4]func(*byte){pairBaseI32AVX512, pairBaseI32SignedAVX512, pairBaseF32AVX512, pairBaseF32SignedAVX512},
	},
	"avx2": {
		strip:  [4]pairStripFunc{pairStripI32AVX2, pairStripI32SignedAVX2, pairStripF32AVX2, pairStripF32SignedAVX2},
		panel:  16,
		climb:  [4]climbFunc{pairClimbI32AVX2, pairClimbI32SignedAVX2, pairClimbF32AVX2, pairClimbF32SignedAVX2},
		climbs: 128,
		base:   [4]func(*byte){pairBaseI32AVX2, pairBaseI32SignedAVX2, pairBaseF32AVX2, pairBaseF32SignedAVX2},
	},
	"portable": portablePairs,
}
