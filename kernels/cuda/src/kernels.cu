// Every kernel, by the name under which package cuda finds it. See product.cuh and closure.cuh.
#include "closure.cuh"
#include "product.cuh"
#include "service.cuh"

#define KERNEL(name, threads, perSM, Parameter, call) \
  extern "C" __global__ void __launch_bounds__(threads, perSM) name(const __grid_constant__ Parameter p) { call; }

#define VARIANT(name, V)                                                      \
  KERNEL(product_##name, 64, 6, Product, (product<V, Shape<2, 1, 8, 8>>(p))) \
  KERNEL(diagonal_##name, 256, 1, Pivot, (diagonal<V>(p)))                   \
  KERNEL(panels_##name, 256, 1, Pivot, (panels<V>(p)))                       \
  KERNEL(ceiling_##name, 256, 2, Ceiling, (ceiling<V>(p)))

VARIANT(i32, I32)
VARIANT(i32_signed, I32Signed)
VARIANT(f32, F32)
VARIANT(f32_signed, F32Signed)

KERNEL(upload_list, 256, 1, Upload, upload(p))
KERNEL(clock_rate, 1, 1, Clock, clockRate(p))
