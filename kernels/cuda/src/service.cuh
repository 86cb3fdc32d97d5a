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
  int *out;  // 8192 entries, of any content; in effect never written
  int turns, one;
};

// ceiling relaxes 64 entries a thread, 4·turns times, with operands that never leave the registers. Every
// turn changes A, in the pipe with time to spare, so that no sum can be kept from one turn to the next.
template <Variant V>
__device__ __forceinline__ void ceilingOfWords(const Ceiling &p) {
  int a[2][8], b[2][8], c[8][8];
#pragma unroll
  for (int i = 0; i < 8; i++) {
    const int *from = p.out + threadIdx.x + 1024 * i;
    a[0][i] = from[0], b[0][i] = from[256], a[1][i] = from[512], b[1][i] = from[768];
#pragma unroll
    for (int j = 0; j < 8; j++) c[i][j] = V == U16 ? kInf16 << 16 | kInf16 : infinity<V>();
  }
  for (int turn = 0; turn < p.turns; turn++) {
#pragma unroll
    for (int u = 0; u < 2; u++) {
#pragma unroll
      for (int i = 0; i < 8; i++) {
#pragma unroll
        for (int j = 0; j < 8; j += 2) {
          c[i][j] = relaxMixed<V>(c[i][j], a[0][i], b[0][j], a[1][i], b[1][j], p.one);
          c[i][j + 1] = relax2<V>(c[i][j + 1], a[0][i], b[0][j + 1], a[1][i], b[1][j + 1]);
        }
        asm("mad.lo.s32 %0, %0, %1, %1;" : "+r"(a[0][i]) : "r"(p.one));
        asm("mad.lo.s32 %0, %0, %1, %1;" : "+r"(a[1][i]) : "r"(p.one));
      }
    }
  }
  int sum = 0;
#pragma unroll
  for (int i = 0; i < 8; i++)
#pragma unroll
    for (int j = 0; j < 8; j++) sum |= c[i][j];
  if (sum == -123456789) p.out[threadIdx.x] = sum;
}

// wideCeiling does as many relaxations of entries of 8 bytes, 16 at a time.
__device__ __forceinline__ void wideCeiling(const Ceiling &p) {
  double a[4], b[4], c[4][4];
#pragma unroll
  for (int i = 0; i < 4; i++) {
    a[i] = p.out[threadIdx.x + 512 * i], b[i] = p.out[threadIdx.x + 512 * i + 256];
#pragma unroll
    for (int j = 0; j < 4; j++) c[i][j] = infinity<F64>();
  }
  for (int turn = 0; turn < 16 * p.turns; turn++) {
#pragma unroll
    for (int i = 0; i < 4; i++) {
#pragma unroll
      for (int j = 0; j < 4; j++) c[i][j] = relax<F64>(c[i][j], a[i], b[j]);
      a[i] += p.one;
    }
  }
  double sum = 0;
#pragma unroll
  for (int i = 0; i < 4; i++)
#pragma unroll
    for (int j = 0; j < 4; j++) sum += c[i][j];
  if (sum == -123456789) p.out[threadIdx.x] = 1;
}

// ceiling relaxes on registers, twice in each word of entries of 2 bytes.
template <Variant V>
__device__ __forceinline__ void ceiling(const Ceiling &p) {
  if constexpr (V == F64)
    wideCeiling(p);
  else
    ceilingOfWords<V>(p);
}
