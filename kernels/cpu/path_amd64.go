package cpu

// paths are those of this architecture, best first.
var paths = []*path{avx512, avx2, portable}
