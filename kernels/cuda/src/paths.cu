// The kernels of kernels.PathOps, which know no variant.
#include "paths.cuh"

#define PATHS(name, perSM) extern "C" __global__ void __launch_bounds__(256, perSM) name(const __grid_constant__ PathSearch p)

PATHS(paths_start, 5) { startPaths(p); }
PATHS(paths_seed, 5) { seedPaths(p); }
PATHS(paths_count, 5) { countPaths(p); }
PATHS(paths_back, 5) { backPaths<false>(p); }
PATHS(paths_back_edges, 4) { backPaths<true>(p); }
