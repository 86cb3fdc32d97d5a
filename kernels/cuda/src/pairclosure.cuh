// The closure of a pivot block of tiles of pairs: the rounds of closure.cuh. The diagonal block's kernel carries
// predecessors along, that of the panels the k of which each minimum is.
//
// A predecessor comes with the entry of B that lowers. Of sums with a distance of 0 on the diagonal none lowers
// anything, as they are what stands there already; so none takes over that there is no predecessor.
#pragma once
#include "closure.cuh"

// pairAt returns entry (i,j) of the pivot block.
__device__ __forceinline__ int2 *pairAt(const Pivot &p, int i, int j) {
  int2 *tile = reinterpret_cast<int2 *>(p.list[i / p.t * p.m + j / p.t].x);
  return tile + (long)(i % p.t) * p.t + j % p.t;
}

template <Variant V>
__device__ __forceinline__ bool below(int a, int b) {
  if (V == F32Signed) return __int_as_float(a) < __int_as_float(b);
  return a < b;
}

// pairDiagonal closes the diagonal block as diagonal does.
template <Variant V>
__device__ __forceinline__ void pairDiagonal(const Pivot &p) {
  __shared__ __align__(16) int row[2][kBase], col[2][kBase], before[2][kBase];
  const int y = threadIdx.x / 16, x = threadIdx.x % 16;
  int2 *block = pairAt(p, p.k * kBase, p.k * kBase) + (long)(4 * y) * p.t + 4 * x;
  int d[4][4], q[4][4];
#pragma unroll
  for (int i = 0; i < 4; i++) {
#pragma unroll
    for (int j = 0; j < 4; j += 2) {
      const int4 v = *reinterpret_cast<int4 *>(block + (long)i * p.t + j);
      d[i][j] = v.x, q[i][j] = v.y, d[i][j + 1] = v.z, q[i][j + 1] = v.w;
    }
    // A walk back that was as short as none when the diagonal was not lowered yet gives way to none. A positive float
    // is a positive integer too.
    if (x == y && d[i][i] >= 0) d[i][i] = 0, q[i][i] = kNoPredecessor;
  }
  for (int k4 = 0; k4 < kBase / 4; k4++) {
#pragma unroll
    for (int s = 0; s < 4; s++) {
      if (y == k4) {
        *reinterpret_cast<int4 *>(&row[s & 1][4 * x]) = make_int4(d[s][0], d[s][1], d[s][2], d[s][3]);
        *reinterpret_cast<int4 *>(&before[s & 1][4 * x]) = make_int4(q[s][0], q[s][1], q[s][2], q[s][3]);
      }
      if (x == k4) *reinterpret_cast<int4 *>(&col[s & 1][4 * y]) = make_int4(d[0][s], d[1][s], d[2][s], d[3][s]);
      __syncthreads();
      const int4 r = *reinterpret_cast<int4 *>(&row[s & 1][4 * x]), c = *reinterpret_cast<int4 *>(&col[s & 1][4 * y]);
      const int4 b = *reinterpret_cast<int4 *>(&before[s & 1][4 * x]);
      const int rs[4] = {r.x, r.y, r.z, r.w}, cs[4] = {c.x, c.y, c.z, c.w}, bs[4] = {b.x, b.y, b.z, b.w};
#pragma unroll
      for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) {
          const int sum = settle<V>(add<V>(cs[i], rs[j]));
          if (below<V>(sum, d[i][j])) d[i][j] = sum, q[i][j] = bs[j];
        }
    }
  }
#pragma unroll
  for (int i = 0; i < 4; i++)
#pragma unroll
    for (int j = 0; j < 4; j += 2)
      *reinterpret_cast<int4 *>(block + (long)i * p.t + j) = make_int4(d[i][j], q[i][j], d[i][j + 1], q[i][j + 1]);
}

// pairPanels does what panels does.
template <Variant V>
__device__ __forceinline__ void pairPanels(const Pivot &p) {
  constexpr int pitch = kBase + 4;
  __shared__ __align__(16) int left[kBase][pitch], right[kBase][pitch];
  const int blocks = p.t * p.m / kBase, n = blockIdx.x % blocks;
  const bool isRow = blockIdx.x < blocks;
  const int y = threadIdx.x / 16, x = threadIdx.x % 16;
  const int2 *closed = pairAt(p, p.k * kBase, p.k * kBase);
  int2 *mine = isRow ? pairAt(p, p.k * kBase, n * kBase) : pairAt(p, n * kBase, p.k * kBase);
  int d[4][4], q[4][4], best[4][4];  // best: the k of the minimum
#pragma unroll
  for (int i = 0; i < 4; i++)
#pragma unroll
    for (int j = 0; j < 4; j += 2) {
      const int r = 4 * y + i, s = 4 * x + j;
      const int4 k = *reinterpret_cast<const int4 *>(closed + (long)r * p.t + s);
      const int4 v = *reinterpret_cast<const int4 *>(mine + (long)r * p.t + s);
      *reinterpret_cast<int2 *>(&left[r][s]) = isRow ? make_int2(k.x, k.z) : make_int2(v.x, v.z);
      *reinterpret_cast<int2 *>(&right[r][s]) = isRow ? make_int2(v.x, v.z) : make_int2(k.x, k.z);
      d[i][j] = v.x, q[i][j] = v.y, d[i][j + 1] = v.z, q[i][j + 1] = v.w;
      best[i][j] = best[i][j + 1] = -1;
    }
  __syncthreads();
  if (n != p.k) {
#pragma unroll 4
    for (int k = 0; k < kBase; k++) {
      const int4 b = *reinterpret_cast<const int4 *>(&right[k][4 * x]);
      const int bs[4] = {b.x, b.y, b.z, b.w};
#pragma unroll
      for (int i = 0; i < 4; i++) {
        const int a = left[4 * y + i][k];
#pragma unroll
        for (int j = 0; j < 4; j++) {
          const int sum = settle<V>(add<V>(a, bs[j]));
          if (below<V>(sum, d[i][j])) d[i][j] = sum, best[i][j] = k;
        }
      }
    }
    const int2 *operand = isRow ? mine : closed;
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
      for (int j = 0; j < 4; j++)
        if (best[i][j] >= 0) q[i][j] = operand[(long)best[i][j] * p.t + 4 * x + j].y;
    __syncthreads();  // the operand has been read, and may be written
  }
  const int first = n * kBase, copyPitch = isRow ? p.t : kBase;
  int2 *rows = reinterpret_cast<int2 *>(p.rows), *cols = reinterpret_cast<int2 *>(p.cols);
  int2 *copy = isRow ? rows + (long)(first / p.t) * kBase * p.t + first % p.t : cols + (long)first * kBase;
#pragma unroll
  for (int i = 0; i < 4; i++)
#pragma unroll
    for (int j = 0; j < 4; j += 2) {
      const int r = 4 * y + i, s = 4 * x + j;
      const int4 v = make_int4(d[i][j], q[i][j], d[i][j + 1], q[i][j + 1]);
      if (n != p.k) *reinterpret_cast<int4 *>(mine + (long)r * p.t + s) = v;
      *reinterpret_cast<int4 *>(copy + (long)r * copyPitch + s) = v;
    }
}
