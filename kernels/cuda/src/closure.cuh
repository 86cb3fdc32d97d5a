// The closure of a pivot block of m×m tiles: blocked Floyd–Warshall on blocks of 64 (Venkataraman, Sahni and
// Mukhopadhyaya, JEA 8, 2003). A round is three launches: the diagonal block is closed; the row and the
// column panel are multiplied with it; the rest is one product, of depth 64, of the panels' copies.
//
// No entry is read in a launch that writes it, except by the block that does, after a barrier. So results
// do not depend on timing. The product runs over the panels too, where it changes nothing of weight: what
// it adds up there are lengths of walks of the block as well.
#pragma once
#include "common.cuh"

constexpr int kBase = 64;

// Pivot is the one parameter of the closure's own kernels. The jobs of its list are the m×m tiles,
// row-major.
struct Pivot {
  const Entry *list;
  void *rows, *cols;  // copies of the panels: m blocks of 64×t, and m·t rows of 64
  int t, m, k;       // k: the round, in blocks of 64
  int pad;
};

// at returns entry (i,j) of the pivot block.
template <Variant V>
__device__ __forceinline__ Word<V> *at(const Pivot &p, int i, int j) {
  Word<V> *tile = reinterpret_cast<Word<V> *>(p.list[i / p.t * p.m + j / p.t].x);
  return tile + (long)(i % p.t) * p.t + j % p.t;
}

// diagonal closes the diagonal block: 256 threads hold 4×4 entries each; before step k the owners of row
// and column k put them where all can read them, in two buffers by turns, so that a step has one barrier.
template <Variant V>
__device__ __forceinline__ void diagonal(const Pivot &p) {
  __shared__ __align__(16) Value<V> row[2][kBase], col[2][kBase];
  const int y = threadIdx.x / 16, x = threadIdx.x % 16;
  Word<V> *block = at<V>(p, p.k * kBase, p.k * kBase) + (long)(4 * y) * p.t + 4 * x;
  Value<V> d[4][4];
#pragma unroll
  for (int i = 0; i < 4; i++) {
    const Four<V> v = load4<V>(block + i * p.t);
    d[i][0] = v.x, d[i][1] = v.y, d[i][2] = v.z, d[i][3] = v.w;
    // The empty walk: a positive float is a positive integer too.
    if (x == y && d[i][i] > 0) d[i][i] = 0;
  }
  for (int k4 = 0; k4 < kBase / 4; k4++) {
#pragma unroll
    for (int s = 0; s < 4; s++) {
      if (y == k4) *reinterpret_cast<Four<V> *>(&row[s & 1][4 * x]) = Four<V>{d[s][0], d[s][1], d[s][2], d[s][3]};
      if (x == k4) *reinterpret_cast<Four<V> *>(&col[s & 1][4 * y]) = Four<V>{d[0][s], d[1][s], d[2][s], d[3][s]};
      __syncthreads();
      Four<V> r = *reinterpret_cast<Four<V> *>(&row[s & 1][4 * x]), c = *reinterpret_cast<Four<V> *>(&col[s & 1][4 * y]);
      const Value<V> rs[4] = {r.x, r.y, r.z, r.w}, cs[4] = {c.x, c.y, c.z, c.w};
#pragma unroll
      for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) d[i][j] = settle<V>(relax<V>(d[i][j], cs[i], rs[j]));
    }
  }
#pragma unroll
  for (int i = 0; i < 4; i++)
    store4<V>(block + i * p.t, Four<V>{d[i][0], d[i][1], d[i][2], d[i][3]});
}

// panels multiplies one 64×64 block of the row panel (the first half of the grid) or of the column panel
// with the closed diagonal block, in place, and copies it for the product.
template <Variant V>
__device__ __forceinline__ void panels(const Pivot &p) {
  // Of entries of 8 bytes shared memory holds half of the steps at a time.
  constexpr int parts = sizeof(Value<V>) / 4, steps = kBase / parts;
  __shared__ __align__(16) Value<V> left[kBase][steps + 4], right[steps][kBase + 4];
  const int blocks = p.t * p.m / kBase, n = blockIdx.x % blocks;
  const bool isRow = blockIdx.x < blocks;
  const int y = threadIdx.x / 16, x = threadIdx.x % 16;
  const Word<V> *closed = at<V>(p, p.k * kBase, p.k * kBase);
  Word<V> *mine = isRow ? at<V>(p, p.k * kBase, n * kBase) : at<V>(p, n * kBase, p.k * kBase);
  Value<V> c[4][4];
#pragma unroll 1
  for (int part = 0; part < parts; part++) {
    if (part > 0) __syncthreads();
#pragma unroll
    for (int i = 0; i < 4; i++) {
      const int r = 4 * y + i;
      const Four<V> k = load4<V>(closed + (long)r * p.t + 4 * x);
      const Four<V> v = load4<V>(mine + (long)r * p.t + 4 * x);
      if (parts == 1 || 4 * x / steps == part)
        *reinterpret_cast<Four<V> *>(&left[r][parts == 1 ? 4 * x : 4 * x % steps]) = isRow ? k : v;
      if (parts == 1 || r / steps == part)
        *reinterpret_cast<Four<V> *>(&right[parts == 1 ? r : r % steps][4 * x]) = isRow ? v : k;
      if (part == 0) c[i][0] = v.x, c[i][1] = v.y, c[i][2] = v.z, c[i][3] = v.w;
    }
    __syncthreads();
    if (n != p.k) {
#pragma unroll 4
      for (int k = 0; k < steps; k++) {
        const Four<V> b = *reinterpret_cast<const Four<V> *>(&right[k][4 * x]);
#pragma unroll
        for (int i = 0; i < 4; i++) {
          const Value<V> a = left[4 * y + i][k];
          c[i][0] = relax<V>(c[i][0], a, b.x), c[i][1] = relax<V>(c[i][1], a, b.y);
          c[i][2] = relax<V>(c[i][2], a, b.z), c[i][3] = relax<V>(c[i][3], a, b.w);
        }
      }
    }
  }
  const int first = n * kBase, copyPitch = isRow ? p.t : kBase;
  Word<V> *copy = isRow ? static_cast<Word<V> *>(p.rows) + (long)(first / p.t) * kBase * p.t + first % p.t
                        : static_cast<Word<V> *>(p.cols) + (long)first * kBase;
#pragma unroll
  for (int i = 0; i < 4; i++) {
    const int r = 4 * y + i;
    const Four<V> v = {settle<V>(c[i][0]), settle<V>(c[i][1]), settle<V>(c[i][2]), settle<V>(c[i][3])};
    if (n != p.k) store4<V>(mine + (long)r * p.t + 4 * x, v);
    store4<V>(copy + (long)r * copyPitch + 4 * x, v);
  }
}
