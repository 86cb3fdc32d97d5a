// The kernels that know no variant.
#include "reduce.cuh"
#include "service.cuh"
#include "sums.cuh"

extern "C" __global__ void __launch_bounds__(256) upload_list(const __grid_constant__ Upload p) { upload(p); }
extern "C" __global__ void __launch_bounds__(1) clock_rate(const __grid_constant__ Clock p) { clockRate(p); }
extern "C" __global__ void __launch_bounds__(256) differ_bytes(const __grid_constant__ Differ p) { differ(p); }
extern "C" __global__ void __launch_bounds__(kLeastThreads) least_of(const __grid_constant__ Least p) { least(p); }
extern "C" __global__ void __launch_bounds__(kLeastThreads) grow_take(const __grid_constant__ Grow p) { take(p); }
extern "C" __global__ void __launch_bounds__(kLeastThreads) grow_steps(const __grid_constant__ Grow p) { grow(p); }
extern "C" __global__ void __launch_bounds__(kSumThreads) sum_tiles(const __grid_constant__ Sums p) { sums(p); }
