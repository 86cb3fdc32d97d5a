package cpu

import "github.com/klauspost/cpuid/v2"

var paths = []*path{avx512, avx2, portable}

var avx512 = &path{
	name: "avx512", label: "AVX-512",
	strip:   [4]strip{{stripI32AVX512, 32}, {stripI32SignedAVX512, 32}, {stripF32AVX512, 32}, {stripF32SignedAVX512, 32}},
	base:    [4]func(*byte){baseI32AVX512, baseI32SignedAVX512, baseF32AVX512, baseF32SignedAVX512},
	ceiling: [4]func(int){ceilingI32AVX512, ceilingI32AVX512, ceilingF32AVX512, ceilingF32SignedAVX512},
	perTurn: 24 * 4 * 16,
	lacking: func() string {
		if cpuid.CPU.Supports(cpuid.AVX512F, cpuid.AVX2) {
			return ""
		}
		return "the processor or the operating system lacks AVX-512F"
	},
}

var avx2 = &path{
	name: "avx2", label: "AVX2",
	strip:   [4]strip{{stripI32AVX2, 16}, {stripI32SignedAVX2, 16}, {stripF32AVX2, 16}, {stripF32SignedAVX2, 32}},
	base:    [4]func(*byte){baseI32AVX2, baseI32SignedAVX2, baseF32AVX2, baseF32SignedAVX2},
	ceiling: [4]func(int){ceilingI32AVX2, ceilingI32AVX2, ceilingF32AVX2, ceilingF32SignedAVX2},
	perTurn: 12 * 4 * 8,
	lacking: func() string {
		if cpuid.CPU.Supports(cpuid.AVX2) {
			return ""
		}
		return "the processor or the operating system lacks AVX2"
	},
}
