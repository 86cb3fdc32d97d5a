// The (min,+) product of tiles of entries of 8 bytes, in the blocks of product.cuh, but plain: a slab is copied, then used.
// And the choice between the products.
#pragma once
#include "product.cuh"

constexpr int kWideSlab = 8;

__device__ __forceinline__ void wideProduct(const Product &p) {
  __shared__ double a[kBlock][kWideSlab + 1], b[kWideSlab][kBlock];
  const Place at(p);
  const unsigned long long head = at.list[at.job].y;
  const int thread = threadIdx.x, y = thread / 32 * (kBlock / 2) + thread % 32 / 8, x = thread % 8;
  double c[kFragment][kFragment];
  double *corner = at.corner<F64>(p);
#pragma unroll
  for (int i = 0; i < kFragment; i++)
#pragma unroll
    for (int j = 0; j < kFragment; j++) c[i][j] = head >> 63 ? infinity<F64>() : corner[4 * i * p.ldc + 8 * j];
  const Entry *pair = at.list + static_cast<unsigned>(head);
  for (int pairs = static_cast<int>(head >> 32) & 0x7fffffff; pairs > 0; pairs--, pair++) {
    const double *left = reinterpret_cast<const double *>(pair->x) + (long)at.row * p.lda;
    const double *right = reinterpret_cast<const double *>(pair->y) + at.col;
    for (int k = 0; k < p.depth; k += kWideSlab) {
      __syncthreads();
#pragma unroll
      for (int u = 0; u < kWideSlab; u++) {
        const int row = u * (kBlock / kWideSlab) + thread / kWideSlab;
        a[row][thread % kWideSlab] = left[(long)row * p.lda + k + thread % kWideSlab];
        b[u][thread] = right[(long)(k + u) * p.ldb + thread];
      }
      __syncthreads();
#pragma unroll 1
      for (int s = 0; s < kWideSlab; s++) {
        double with[kFragment];
#pragma unroll
        for (int j = 0; j < kFragment; j++) with[j] = b[s][x + 8 * j];
#pragma unroll
        for (int i = 0; i < kFragment; i++) {
          const double from = a[y + 4 * i][s];
#pragma unroll
          for (int j = 0; j < kFragment; j++) c[i][j] = relax<F64>(c[i][j], from, with[j]);
        }
      }
    }
  }
#pragma unroll
  for (int i = 0; i < kFragment; i++)
#pragma unroll
    for (int j = 0; j < kFragment; j++) corner[4 * i * p.ldc + 8 * j] = c[i][j];
}

// anyProduct computes one block of C of one job.
template <Variant V>
__device__ __forceinline__ void anyProduct(const Product &p) {
  if constexpr (V == F64)
    wideProduct(p);
  else
    product<V>(p);
}
