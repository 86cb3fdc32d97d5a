// The kernels of an expansion, an image for each variant as in kernels.cu.
#include "levels.cuh"

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define KERNEL(name, threads, perSM, Parameter)                              \
  extern "C" __global__ void __launch_bounds__(threads, perSM) JOIN(name, NAME)( \
      const __grid_constant__ Parameter p)

KERNEL(level_, 256, 3, Level) { level<VARIANT>(p); }
KERNEL(turn_, 256, 4, Turn) { turn<VARIANT>(p); }
