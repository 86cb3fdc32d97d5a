// The kernels of one variant, by the names under which package cuda finds them. NAME and VARIANT are set by
// generate.sh: one image for each variant, as a driver takes half a second to compile one, and a solve
// needs one.
#include "closure.cuh"
#include "product.cuh"
#include "service.cuh"

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define KERNEL(name, threads, perSM, Parameter)                              \
  extern "C" __global__ void __launch_bounds__(threads, perSM) JOIN(name, NAME)( \
      const __grid_constant__ Parameter p)

KERNEL(product_, kBlock, kResident, Product) { product<VARIANT>(p); }
KERNEL(diagonal_, 256, 1, Pivot) { diagonal<VARIANT>(p); }
KERNEL(panels_, 256, 1, Pivot) { panels<VARIANT>(p); }
KERNEL(ceiling_, 256, 2, Ceiling) { ceiling<VARIANT>(p); }
