package cpu

// sweepPaths holds the same paths as paths, by name.
var sweepPaths = map[string]*sweepPath{
	"avx512": {
		sweep:     [4]sweepFunc{sweepI32AVX512, sweepI32SignedAVX512, sweepF32AVX512, sweepF32SignedAVX512},
		sweepWide: [4]sweepFunc{sweepI32AVX512Wide, sweepI32SignedAVX512Wide, sweepF32AVX512Wide, sweepF32SignedAVX512Wide},
		climb:     [4]climbFunc{climbI32AVX512, climbI32SignedAVX512, climbF32AVX512, climbF32SignedAVX512},
		climbWide: [4]climbFunc{climbI32AVX512Wide, climbI32SignedAVX512Wide, climbF32AVX512Wide, climbF32SignedAVX512Wide},
		cross:     [4]crossFunc{crossI32AVX512, crossI32SignedAVX512, crossF32AVX512, crossF32SignedAVX512},
		transpose: transposeAVX512, transposePast: transposePastAVX512,
	},
	"avx2": {
		sweep:     [4]sweepFunc{sweepI32AVX2, sweepI32SignedAVX2, sweepF32AVX2, sweepF32SignedAVX2},
		sweepWide: [4]sweepFunc{sweepI32AVX2Wide, sweepI32SignedAVX2Wide, sweepF32AVX2Wide, sweepF32SignedAVX2Wide},
		climb:     [4]climbFunc{climbI32AVX2, climbI32SignedAVX2, climbF32AVX2, climbF32SignedAVX2},
		climbWide: [4]climbFunc{climbI32AVX2Wide, climbI32SignedAVX2Wide, climbF32AVX2Wide, climbF32SignedAVX2Wide},
		cross:     [4]crossFunc{crossI32AVX2, crossI32SignedAVX2, crossF32AVX2, crossF32SignedAVX2},
		transpose: transposeAVX2, transposePast: transposePastAVX2,
	},
	"portable": portableSweeps,
}
