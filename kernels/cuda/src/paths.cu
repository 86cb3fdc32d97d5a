// The kernels of kernels.PathOps, which know no variant.
#include "paths.cuh"

#define PATHS(name) extern "C" __global__ void __launch_bounds__(256, 4) name(const __grid_constant__ PathSearch p)

PATHS(paths_start) { startPaths(p); }
PATHS(paths_seed) { seedPaths(p); }
PATHS(paths_count) { countPaths(p); }
PATHS(paths_back) { backPaths<false>(p); }
PATHS(paths_back_edges) { backPaths<true>(p); }
