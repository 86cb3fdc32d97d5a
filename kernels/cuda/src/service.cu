// The kernels that know no variant.
#include "service.cuh"

extern "C" __global__ void __launch_bounds__(256) upload_list(const __grid_constant__ Upload p) { upload(p); }
extern "C" __global__ void __launch_bounds__(1) clock_rate(const __grid_constant__ Clock p) { clockRate(p); }
