// The kernels of kernels.BitOps, which know no variant.
#include "bits.cuh"

#define BITS(name, perSM) extern "C" __global__ void __launch_bounds__(256, perSM) name(const __grid_constant__ BitSearch p)

BITS(bits_clear, 4) { clearBits(p); }
BITS(bits_start, 4) { startBits(p); }
BITS(bits_seed, 4) { seedBits(p); }
BITS(bits_hubs, 4) { hubBits(p); }
BITS(bits_pull_1, 4) { pullBits<1>(p); }
BITS(bits_pull_2, 4) { pullBits<2>(p); }
BITS(bits_pull_4, 4) { pullBits<4>(p); }
BITS(bits_pull_8, 3) { pullBits<8>(p); }
BITS(bits_count, 4) { countBits(p); }

#define ROWS(name, Entry) \
  extern "C" __global__ void __launch_bounds__(256, 4) name(const __grid_constant__ BitRows p) { bitRows<Entry>(p); }

ROWS(bits_rows_1, unsigned char)
ROWS(bits_rows_2, unsigned short)
ROWS(bits_rows_4, unsigned)
ROWS(bits_rows_8, unsigned long long)
