// The kernels of one variant that go over vectors, or over the matrix for each pivot: NAME and VARIANT are set by
// generate.sh.
#include "vectors.cuh"

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define KERNEL(name, threads, Parameter) \
  extern "C" __global__ void __launch_bounds__(threads) JOIN(name, NAME)(const __grid_constant__ Parameter p)

KERNEL(pull_, 256, Pull) { pull<VARIANT, 256>(p); }
KERNEL(pull_wide_, 1024, Pull) { pull<VARIANT, 1024>(p); }
KERNEL(link_, 256, Link) { link<VARIANT, 256>(p); }
KERNEL(rank_one_, kRankThreads, Rank) { rankOne<VARIANT>(p); }
