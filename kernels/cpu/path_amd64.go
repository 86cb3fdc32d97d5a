package cpu

// paths are those of this architecture, best first. That order was measured on Emerald Rapids and on Zen 4
// (docs/benchmarks.md), so nothing is measured at opening.
var paths = []*path{avx512, avx2, portable}
