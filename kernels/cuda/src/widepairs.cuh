// The product of tiles of pairs of a double and its predecessor, plain as wideProduct is: beside each minimum a thread keeps
// the k of its sum, and looks the predecessor up in the end. And the choice between the products.
#pragma once
#include "pairs.cuh"
#include "wide.cuh"

__device__ __forceinline__ void widePairProduct(const Product &p) {
  // A block of C is done in two halves: of a whole one, a thread's minima would take all registers.
  constexpr int half = kBlock / 2, rows = 4;
  __shared__ double a[half][kWideSlab + 1], b[kWideSlab][kBlock];
  const Place at(p);
  const Entry job = at.list[at.job], *begin = at.list + static_cast<unsigned>(job.y);
  const int pairs = static_cast<int>(job.y >> 32);
  const int thread = threadIdx.x, y = thread / kFragment, x = thread % kFragment;
#pragma unroll 1
  for (int top = at.row; top < at.row + kBlock; top += half) {
    const long corner = (long)(top + y) * p.ldc + at.col + x;
    const WidePair *from = reinterpret_cast<const WidePair *>(begin->x) + corner;
    double c[rows][kFragment];
    int lowest[rows][kFragment];  // k, over all pairs of the job; -1: what C begins as
#pragma unroll
    for (int i = 0; i < rows; i++)
#pragma unroll
      for (int j = 0; j < kFragment; j++) c[i][j] = from[(long)(8 * i) * p.ldc + 8 * j].distance(), lowest[i][j] = -1;
    int done = 0;
#pragma unroll 1
    for (int pair = 1; pair <= pairs; pair++) {
      const WidePair *left = reinterpret_cast<const WidePair *>(begin[pair].x) + (long)top * p.lda;
      const WidePair *right = reinterpret_cast<const WidePair *>(begin[pair].y) + at.col;
#pragma unroll 1
      for (int k = 0; k < p.depth; k += kWideSlab, done += kWideSlab) {
        __syncthreads();
#pragma unroll
        for (int row = thread / kWideSlab; row < half; row += kBlock / kWideSlab)
          a[row][thread % kWideSlab] = left[(long)row * p.lda + k + thread % kWideSlab].distance();
#pragma unroll
        for (int u = 0; u < kWideSlab; u++) b[u][thread] = right[(long)(k + u) * p.ldb + thread].distance();
        __syncthreads();
#pragma unroll 1
        for (int s = 0; s < kWideSlab; s++) {
          double with[kFragment];
#pragma unroll
          for (int j = 0; j < kFragment; j++) with[j] = b[s][x + 8 * j];
#pragma unroll
          for (int i = 0; i < rows; i++) {
            const double first = a[y + 8 * i][s];
#pragma unroll
            for (int j = 0; j < kFragment; j++) {
              const double sum = add<F64>(first, with[j]);
              if (sum < c[i][j]) c[i][j] = sum, lowest[i][j] = done + s;
            }
          }
        }
      }
    }
    WidePair *to = reinterpret_cast<WidePair *>(job.x) + corner;
    const bool fresh = begin->x != job.x;
#pragma unroll
    for (int i = 0; i < rows; i++)
#pragma unroll
      for (int j = 0; j < kFragment; j++) {
        const long place = (long)(8 * i) * p.ldc + 8 * j;
        if (lowest[i][j] >= 0) {
          const int pair = lowest[i][j] / p.depth, k = lowest[i][j] - pair * p.depth;
          const WidePair *right = reinterpret_cast<const WidePair *>(begin[1 + pair].y);
          to[place] = WidePair(c[i][j], right[(long)k * p.ldb + at.col + x + 8 * j].before);
        } else if (fresh) {
          to[place] = from[place];
        }
      }
  }
}

// anyPairProduct computes one block of C of one job.
template <Variant V>
__device__ __forceinline__ void anyPairProduct(const Product &p) {
  if constexpr (V == F64)
    widePairProduct(p);
  else
    pairProduct<V>(p);
}
