// Levels of an expansion: rows of lanes that are lowered by their arcs, and the transposition of the result.
#pragma once
#include "common.cuh"

constexpr int kWarps = 8;     // of a block of level
constexpr int kHalf = 128;    // lanes that a warp loads at once: four entries a thread
constexpr int kStrip = 256;   // lanes of a warp
constexpr int kUnroll = 4;    // arcs whose rows a warp loads before it uses the first
constexpr int kPatch = 64;    // rows and columns that a block of transpose takes

// Level is the one parameter of level.
struct Level {
  const int *offsets, *ends;
  const void *weights;
  void *lanes;
  const int *sources;  // null: none
  int width;           // lanes
  int lo, hi;          // rows
  int group;           // warps that share the arcs of a row: 1, 2, 4 or 8
  int fresh, pad;
};

template <Variant V>
__device__ __forceinline__ Four<V> relaxFour(Four<V> c, Four<V> a, Value<V> w) {
  return Four<V>{relax<V>(c.x, a.x, w), relax<V>(c.y, a.y, w), relax<V>(c.z, a.z, w), relax<V>(c.w, a.w, w)};
}

template <Variant V>
__device__ __forceinline__ Four<V> lowerFour(Four<V> a, Four<V> b) {
  return Four<V>{lower<V>(a.x, b.x), lower<V>(a.y, b.y), lower<V>(a.z, b.z), lower<V>(a.w, b.w)};
}

template <Variant V>
__device__ __forceinline__ Four<V> unreachable4() {
  return Four<V>{infinity<V>(), infinity<V>(), infinity<V>(), infinity<V>()};
}

// Strip is a thread's entries of a strip of lanes.
template <Variant V>
struct Strip {
  Four<V> half[2];
};

// takeArcs relaxes with the arcs from the j-th on that the warp holds; second is how far the second half is away.
template <Variant V, int count>
__device__ __forceinline__ void takeArcs(Strip<V> &c, const Word<V> *from, int second, int width, int ends, Value<V> weights, int j) {
  Strip<V> a[count];
#pragma unroll
  for (int u = 0; u < count; u++) {
    const Word<V> *row = from + (long)__shfl_sync(0xffffffff, ends, j + u) * width;
    a[u].half[0] = load4<V>(row);
    a[u].half[1] = load4<V>(row + second);
  }
#pragma unroll
  for (int u = 0; u < count; u++) {
    const Value<V> w = __shfl_sync(0xffffffff, weights, j + u);
    c.half[0] = relaxFour<V>(c.half[0], a[u].half[0], w);
    c.half[1] = relaxFour<V>(c.half[1], a[u].half[1], w);
  }
}

// keep stores four entries of a row.
template <Variant V>
__device__ __forceinline__ void keep(const Level &p, Four<V> c, int row, int at) {
  c = Four<V>{settle<V>(c.x), settle<V>(c.y), settle<V>(c.z), settle<V>(c.w)};
  if (p.sources) {
    const int4 s = *reinterpret_cast<const int4 *>(p.sources + at);
    if (s.x == row) c.x = 0;
    if (s.y == row) c.y = 0;
    if (s.z == row) c.z = 0;
    if (s.w == row) c.w = 0;
  }
  store4<V>(static_cast<Word<V> *>(p.lanes) + (long)row * p.width + at, c);
}

// level lowers rows. A warp takes a strip of lanes of a row, or with others of its group a part of its arcs.
// Neighbouring groups take neighbouring strips: they read the same arcs. A thread of a warp loads every 32nd arc,
// and the warp passes them round, so that what they point at is known long before it is needed.
template <Variant V>
__device__ __forceinline__ void level(const Level &p) {
  __shared__ Strip<V> parts[kWarps][32];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int strips = (p.width + kStrip - 1) / kStrip;
  const long item = (long)blockIdx.x * (kWarps / p.group) + warp / p.group;
  const int part = warp % p.group;
  const int row = p.lo + static_cast<int>(item / strips);
  const int at = static_cast<int>(item % strips) * kStrip + 4 * lane;

  Strip<V> c;
  c.half[0] = c.half[1] = unreachable4<V>();
  if (row < p.hi) {
    const int begin = p.offsets[row], arcs = p.offsets[row + 1] - begin;
    int k = begin + static_cast<int>((long)arcs * part / p.group);
    const int last = begin + static_cast<int>((long)arcs * (part + 1) / p.group);
    // What is loaded past the row's end, of the first lanes instead, is not kept.
    const Word<V> *from = static_cast<const Word<V> *>(p.lanes) + (at < p.width ? at : 0);
    const int second = at + kHalf < p.width ? kHalf : 0;
    if (part == 0 && !p.fresh) {
      c.half[0] = load4<V>(from + (long)row * p.width);
      c.half[1] = load4<V>(from + (long)row * p.width + second);
    }
#pragma unroll 1
    while (k < last) {
      const int n = min(32, last - k);
      const int mineEnd = p.ends[k + min(lane, n - 1)];
      const Value<V> mineWeight = static_cast<const Value<V> *>(p.weights)[k + min(lane, n - 1)];
      int j = 0;
#pragma unroll 1
      for (; j + kUnroll <= n; j += kUnroll) takeArcs<V, kUnroll>(c, from, second, p.width, mineEnd, mineWeight, j);
      // Past the last arc, the last one again: it changes nothing.
      if (j + 1 < n)
        takeArcs<V, kUnroll>(c, from, second, p.width, mineEnd, mineWeight, j);
      else if (j < n)
        takeArcs<V, 1>(c, from, second, p.width, mineEnd, mineWeight, j);
      k += n;
    }
  }
  if (p.group > 1) {
    parts[warp][lane] = c;
    __syncthreads();
    if (part != 0) return;
    for (int other = 1; other < p.group; other++) {
      c.half[0] = lowerFour<V>(c.half[0], parts[warp + other][lane].half[0]);
      c.half[1] = lowerFour<V>(c.half[1], parts[warp + other][lane].half[1]);
    }
  }
  if (row >= p.hi) return;
  if (at < p.width) keep<V>(p, c.half[0], row, at);
  if (at + kHalf < p.width) keep<V>(p, c.half[1], row, at + kHalf);
}

// LaneTranspose is the one parameter of transpose.
struct LaneTranspose {
  void *to;
  const void *lanes;
  const int *columns;
  const int *sources;  // null: none
  int width;           // lanes
  int edge, side;      // of a tile; tiles in a row
  int pad;
};

// transpose moves patches of 64 rows of lanes and 64 lanes, which lie in one tile each. Neighbouring blocks take
// neighbouring lanes of the same rows.
template <Variant V>
__device__ __forceinline__ void transpose(const LaneTranspose &p) {
  __shared__ Value<V> patch[kPatch][kPatch + 1];
  const int across = p.width / kPatch;
  const int lane0 = blockIdx.x % across * kPatch, column0 = blockIdx.x / across * kPatch;
  const int x = threadIdx.x % 16, y = threadIdx.x / 16;
  int4 s = make_int4(-1, -1, -1, -1);
  if (p.sources) s = *reinterpret_cast<const int4 *>(p.sources + lane0 + 4 * x);
#pragma unroll
  for (int i = 0; i < kPatch; i += 16) {
    const int row = p.columns[column0 + i + y];
    Four<V> v = unreachable4<V>();
    if (row >= 0) {
      v = load4<V>(static_cast<const Word<V> *>(p.lanes) + (long)row * p.width + lane0 + 4 * x);
      if (s.x == row) v.x = 0;
      if (s.y == row) v.y = 0;
      if (s.z == row) v.z = 0;
      if (s.w == row) v.w = 0;
    }
    patch[4 * x][i + y] = v.x, patch[4 * x + 1][i + y] = v.y, patch[4 * x + 2][i + y] = v.z, patch[4 * x + 3][i + y] = v.w;
  }
  __syncthreads();
  const long tile = (long)(lane0 / p.edge) * p.side + column0 / p.edge;
  Word<V> *to = static_cast<Word<V> *>(p.to) + (tile * p.edge + lane0 % p.edge) * p.edge + column0 % p.edge + 4 * x;
#pragma unroll
  for (int i = 0; i < kPatch; i += 16) {
    const Value<V> *from = &patch[i + y][4 * x];
    store4<V>(to + (long)(i + y) * p.edge, Four<V>{from[0], from[1], from[2], from[3]});
  }
}

// ArcProduct is the one parameter of arcProduct: two lists of arcs.
struct ArcProduct {
  void *to;
  const int *offsets, *ends;
  const void *weights;
  const int *offsets2, *ends2;
  const void *weights2;
  int edge, fresh;
};

// arcProduct makes a row. Threads share the arcs of a row of the second list, which lead to different entries; before they take those of the
// next, all have written theirs.
template <Variant V>
__device__ __forceinline__ void arcProduct(const ArcProduct &p) {
  const int row = blockIdx.x;
  Word<V> *to = static_cast<Word<V> *>(p.to) + (long)row * p.edge;
  if (p.fresh)
    for (int i = threadIdx.x; i < p.edge; i += blockDim.x) to[i] = i == row ? 0 : infinity<V>();
  for (int k = p.offsets[row]; k < p.offsets[row + 1]; k++) {
    __syncthreads();
    const int by = p.ends[k], last = p.offsets2[by + 1];
    const Value<V> w = static_cast<const Value<V> *>(p.weights)[k];
    for (int j = p.offsets2[by] + threadIdx.x; j < last && p.ends2[j] < p.edge; j += blockDim.x) {
      Word<V> &entry = to[p.ends2[j]];
      entry = settle<V>(relax<V>(entry, w, static_cast<const Value<V> *>(p.weights2)[j]));
    }
  }
}
