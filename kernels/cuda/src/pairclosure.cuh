// The closure of a pivot block of tiles of pairs: the rounds of closure.cuh. The diagonal block's kernel carries
// predecessors along, that of the panels the k of which each minimum is.
//
// A predecessor comes with the entry of B that lowers. Of sums with a distance of 0 on the diagonal none lowers
// anything, as they are what stands there already; so none takes over that there is no predecessor.
#pragma once
#include "closure.cuh"

// pairAt returns entry (i,j) of the pivot block.
template <Variant V>
__device__ __forceinline__ Pair<V> *pairAt(const Pivot &p, int i, int j) {
  Pair<V> *tile = reinterpret_cast<Pair<V> *>(p.list[i / p.t * p.m + j / p.t].x);
  return tile + (long)(i % p.t) * p.t + j % p.t;
}

template <Variant V>
__device__ __forceinline__ bool below(Value<V> a, Value<V> b) {
  if constexpr (V == F32Signed) return __int_as_float(a) < __int_as_float(b);
  return a < b;
}

// pairDiagonal closes the diagonal block as diagonal does.
template <Variant V>
__device__ __forceinline__ void pairDiagonal(const Pivot &p) {
  __shared__ __align__(16) Value<V> row[2][kBase], col[2][kBase];
  __shared__ __align__(16) int before[2][kBase];
  const int y = threadIdx.x / 16, x = threadIdx.x % 16;
  Pair<V> *block = pairAt<V>(p, p.k * kBase, p.k * kBase) + (long)(4 * y) * p.t + 4 * x;
  Value<V> d[4][4];
  int q[4][4];
#pragma unroll
  for (int i = 0; i < 4; i++) {
#pragma unroll
    for (int j = 0; j < 4; j += 2) load2Pairs(block + (long)i * p.t + j, d[i] + j, q[i] + j);
    // A walk back that was as short as none when the diagonal was not lowered yet gives way to none. A positive float
    // is a positive integer too.
    if (x == y && d[i][i] >= 0) d[i][i] = 0, q[i][i] = kNoPredecessor;
  }
  for (int k4 = 0; k4 < kBase / 4; k4++) {
#pragma unroll
    for (int s = 0; s < 4; s++) {
      if (y == k4) {
        *reinterpret_cast<Four<V> *>(&row[s & 1][4 * x]) = Four<V>{d[s][0], d[s][1], d[s][2], d[s][3]};
        *reinterpret_cast<int4 *>(&before[s & 1][4 * x]) = make_int4(q[s][0], q[s][1], q[s][2], q[s][3]);
      }
      if (x == k4) *reinterpret_cast<Four<V> *>(&col[s & 1][4 * y]) = Four<V>{d[0][s], d[1][s], d[2][s], d[3][s]};
      __syncthreads();
      const Four<V> r = *reinterpret_cast<Four<V> *>(&row[s & 1][4 * x]), c = *reinterpret_cast<Four<V> *>(&col[s & 1][4 * y]);
      const int4 b = *reinterpret_cast<int4 *>(&before[s & 1][4 * x]);
      const Value<V> rs[4] = {r.x, r.y, r.z, r.w}, cs[4] = {c.x, c.y, c.z, c.w};
      const int bs[4] = {b.x, b.y, b.z, b.w};
#pragma unroll
      for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) {
          const Value<V> sum = settle<V>(add<V>(cs[i], rs[j]));
          if (below<V>(sum, d[i][j])) d[i][j] = sum, q[i][j] = bs[j];
        }
    }
  }
#pragma unroll
  for (int i = 0; i < 4; i++)
#pragma unroll
    for (int j = 0; j < 4; j += 2) store2Pairs(block + (long)i * p.t + j, d[i] + j, q[i] + j);
}

// pairPanels does what panels does.
template <Variant V>
__device__ __forceinline__ void pairPanels(const Pivot &p) {
  constexpr int parts = sizeof(Value<V>) / 4, steps = kBase / parts;
  __shared__ __align__(16) Value<V> left[kBase][steps + 4], right[steps][kBase + 4];
  const int blocks = p.t * p.m / kBase, n = blockIdx.x % blocks;
  const bool isRow = blockIdx.x < blocks;
  const int y = threadIdx.x / 16, x = threadIdx.x % 16;
  const Pair<V> *closed = pairAt<V>(p, p.k * kBase, p.k * kBase);
  Pair<V> *mine = isRow ? pairAt<V>(p, p.k * kBase, n * kBase) : pairAt<V>(p, n * kBase, p.k * kBase);
  Value<V> d[4][4];
  int q[4][4], best[4][4];  // best: the k of the minimum
#pragma unroll 1
  for (int part = 0; part < parts; part++) {
    if (part > 0) __syncthreads();
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
      for (int j = 0; j < 4; j += 2) {
        const int r = 4 * y + i, s = 4 * x + j;
        Value<V> k[2], v[2];
        int kq[2], vq[2];
        load2Pairs(closed + (long)r * p.t + s, k, kq);
        load2Pairs(mine + (long)r * p.t + s, v, vq);
        if (parts == 1 || s / steps == part)
          *reinterpret_cast<Two<V> *>(&left[r][parts == 1 ? s : s % steps]) = isRow ? Two<V>{k[0], k[1]} : Two<V>{v[0], v[1]};
        if (parts == 1 || r / steps == part)
          *reinterpret_cast<Two<V> *>(&right[parts == 1 ? r : r % steps][s]) = isRow ? Two<V>{v[0], v[1]} : Two<V>{k[0], k[1]};
        if (part == 0) {
          d[i][j] = v[0], q[i][j] = vq[0], d[i][j + 1] = v[1], q[i][j + 1] = vq[1];
          best[i][j] = best[i][j + 1] = -1;
        }
      }
    __syncthreads();
    if (n != p.k) {
#pragma unroll 4
      for (int k = 0; k < steps; k++) {
        const Four<V> b = *reinterpret_cast<const Four<V> *>(&right[k][4 * x]);
        const Value<V> bs[4] = {b.x, b.y, b.z, b.w};
#pragma unroll
        for (int i = 0; i < 4; i++) {
          const Value<V> a = left[4 * y + i][k];
#pragma unroll
          for (int j = 0; j < 4; j++) {
            const Value<V> sum = settle<V>(add<V>(a, bs[j]));
            if (below<V>(sum, d[i][j])) d[i][j] = sum, best[i][j] = part * steps + k;
          }
        }
      }
      if (part < parts - 1) continue;
      const Pair<V> *operand = isRow ? mine : closed;
#pragma unroll
      for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++)
          if (best[i][j] >= 0) q[i][j] = predecessorOf(operand[(long)best[i][j] * p.t + 4 * x + j]);
      __syncthreads();  // the operand has been read, and may be written
    }
  }
  const int first = n * kBase, copyPitch = isRow ? p.t : kBase;
  Pair<V> *rows = static_cast<Pair<V> *>(p.rows), *cols = static_cast<Pair<V> *>(p.cols);
  Pair<V> *copy = isRow ? rows + (long)(first / p.t) * kBase * p.t + first % p.t : cols + (long)first * kBase;
#pragma unroll
  for (int i = 0; i < 4; i++)
#pragma unroll
    for (int j = 0; j < 4; j += 2) {
      const int r = 4 * y + i, s = 4 * x + j;
      if (n != p.k) store2Pairs(mine + (long)r * p.t + s, d[i] + j, q[i] + j);
      store2Pairs(copy + (long)r * copyPitch + s, d[i] + j, q[i] + j);
    }
}
