// Small kernels beside the arithmetic.
#pragma once
#include "common.cuh"

struct Upload {
  const Entry *from;  // page-locked host memory
  Entry *to;
  int n, pad;
};

// upload fetches a list from the host. A copy engine would do it as well, but only after the tiles that
// other streams have queued there.
__device__ __forceinline__ void upload(const Upload &p) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < p.n; i += gridDim.x * blockDim.x) p.to[i] = p.from[i];
}

struct Clock {
  unsigned long long *out;  // page-locked host memory: cycles and nanoseconds that passed
  unsigned long long ns;    // for how long to count
};

__device__ __forceinline__ unsigned long long nanoseconds() {
  unsigned long long ns;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
  return ns;
}

// clockRate counts the cycles of a multiprocessor over a time.
__device__ __forceinline__ void clockRate(const Clock &p) {
  unsigned long long t0 = nanoseconds(), c0 = clock64(), t1, c1;
  do {
    t1 = nanoseconds(), c1 = clock64();
  } while (t1 - t0 < p.ns);
  p.out[0] = c1 - c0, p.out[1] = t1 - t0;
}

struct Ceiling {
  int *out;  // never written: keeps the compiler from dropping the work
  int turns, pad;
};

// ceiling relaxes 64 entries a thread, 8·turns times, with operands that never leave the registers.
template <Variant V>
__device__ __forceinline__ void ceiling(const Ceiling &p) {
  int a[8], b[8], c[8][8];
#pragma unroll
  for (int i = 0; i < 8; i++) {
    a[i] = threadIdx.x + i, b[i] = blockIdx.x * 8 + i;
#pragma unroll
    for (int j = 0; j < 8; j++) c[i][j] = infinity<V>();
  }
  for (int turn = 0; turn < p.turns; turn++) {
#pragma unroll
    for (int u = 0; u < 8; u += 2) {
#pragma unroll
      for (int i = 0; i < 8; i++)
#pragma unroll
        for (int j = 0; j < 8; j++)
          c[i][j] = relax2<V>(c[i][j], a[(i + u) % 8], b[j], a[(i + u + 1) % 8], b[(j + 1) % 8]);
    }
#pragma unroll
    for (int i = 0; i < 8; i++) asm volatile("" : "+r"(a[i]), "+r"(b[i]));
  }
  int sum = 0;
#pragma unroll
  for (int i = 0; i < 8; i++)
#pragma unroll
    for (int j = 0; j < 8; j++) sum |= c[i][j];
  if (sum == -123456789) p.out[threadIdx.x] = sum;
}
