// The kernels of one variant that go over vectors, or over the matrix for each pivot: NAME and VARIANT are set by
// generate.sh.
#include "vectors.cuh"

// As KERNEL, but how many blocks a multiprocessor holds is left to the compiler.
#define STEP(name, threads, Parameter) \
  extern "C" __global__ void __launch_bounds__(threads) JOIN(name, NAME)(const __grid_constant__ Parameter p)

#ifdef WORDS // variants with entries of 4 bytes, which vectors have
STEP(pull_, 256, Pull) { pull<VARIANT, 256>(p); }
STEP(pull_large_, 1024, Pull) { pull<VARIANT, 1024>(p); }
STEP(link_, 256, Link) { link<VARIANT, 256>(p); }
#endif
STEP(rank_one_, kRankThreads, Rank) { rankOne<VARIANT>(p); }
#ifdef PAIRED
STEP(pairs_rank_one_, kRankThreads, Rank) { anyPairRankOne<VARIANT>(p); }
#endif
