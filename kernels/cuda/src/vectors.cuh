// Steps over vectors of vertices, and the one of single-stage Floyd–Warshall. All of these are limited by memory: an
// arc, or an entry of the matrix, is read for each thing that is done with it.
#pragma once
#include "common.cuh"

// Block is kernels.Block with addresses.
struct Block {
  const int *offsets, *ends, *weights;
  int lo, hi;           // vertices
  int edge, row, rows;  // edge 0: compressed rows
  int transposed;
};

// Offer is a value and the vertex that it comes from, -1 for none: then the value is what an offer must be less than.
struct Offer {
  int value, from;
};

template <Variant V>
__device__ __forceinline__ bool below(int a, int b) {
  if (V == F32 || V == F32Signed) return __int_as_float(a) < __int_as_float(b);
  return a < b;
}

// lesser returns the lesser of two offers, and of equal ones that from the lesser vertex.
template <Variant V>
__device__ __forceinline__ Offer lesser(Offer a, Offer b) {
  const bool other = below<V>(b.value, a.value) ||
                     (b.value == a.value && static_cast<unsigned>(b.from) < static_cast<unsigned>(a.from));
  return other ? b : a;
}

// eachArc calls take(beginning, weight) for the thread's share of the arcs into vertex i of the block: the threads of
// a group take them in turn. Loads are independent of one another, so that eight are on their way at once.
template <class Take>
__device__ __forceinline__ void eachArc(const Block &b, int i, int lane, int group, Take take) {
  if (b.edge == 0) {
    const int hi = b.offsets[i + 1];
#pragma unroll 4
    for (int k = b.offsets[i] + lane; k < hi; k += group) take(b.ends[k], b.weights[k]);
    return;
  }
  const long step = b.transposed ? 1 : b.edge;
  const int *weights = b.weights + (b.transposed ? static_cast<long>(i) * b.rows : i);
#pragma unroll 8
  for (int k = lane; k < b.rows; k += group) take(b.row + k, weights[k * step]);
}

// together returns the least offer of each group of threads to all of them: by shuffles inside of warps, and through
// shared memory where a group has several.
template <Variant V, int threads>
__device__ __forceinline__ Offer together(Offer o, int group) {
  for (int half = min(group, 32) / 2; half > 0; half /= 2)
    o = lesser<V>(o, Offer{__shfl_xor_sync(~0u, o.value, half), __shfl_xor_sync(~0u, o.from, half)});
  if (group <= 32) return o;
  __shared__ Offer of[threads / 32];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = group / 32;  // warps is a power of two
  if (lane == 0) of[warp] = o;
  __syncthreads();
  o = of[(warp & -warps) + (lane & (warps - 1))];
  for (int half = warps / 2; half > 0; half /= 2)
    o = lesser<V>(o, Offer{__shfl_xor_sync(~0u, o.value, half), __shfl_xor_sync(~0u, o.from, half)});
  return o;
}

// Place of a thread: its vertex in the block, and its number in the group.
struct Seat {
  int vertex, lane;
  bool taken;  // there is such a vertex

  template <int threads>
  static __device__ __forceinline__ Seat of(const Block &b, int group, int block) {
    Seat s;
    const int shift = 31 - __clz(group);
    s.vertex = block * (threads >> shift) + (threadIdx.x >> shift);
    s.lane = threadIdx.x & (group - 1);
    s.taken = s.vertex < b.hi - b.lo;
    return s;
  }
};

// Pull is kernels.Pull, for which each vector has as many blocks of threads, one vector's behind the other's.
struct Pull {
  Block block;
  const int *dist;
  int *next, *pred, *changed;
  long long stride;  // entries from a vector to the next
  int blocks;        // of a vector
  int first, group, pad;
};

template <Variant V, int threads>
__device__ __forceinline__ void pull(const Pull &p) {
  const int vector = blockIdx.x / p.blocks;
  const Seat at = Seat::of<threads>(p.block, p.group, blockIdx.x - vector * p.blocks);
  const long v = vector * p.stride + p.block.lo + at.vertex;
  int has = infinity<V>();
  if (at.taken) has = p.first ? p.dist[v] : p.next[v];
  Offer best = {lower<V>(has, V == I32Signed ? kLimit32 : infinity<V>()), -1};
  if (at.taken) {
    const int *dist = p.dist + vector * p.stride;
    eachArc(p.block, at.vertex, at.lane, p.group, [&](int u, int w) {
      const int s = add<V>(dist[u], w);
      if (below<V>(s, best.value)) best = Offer{s, u};
    });
  }
  best = together<V, threads>(best, p.group);
  if (!at.taken || at.lane != 0) return;
  if (best.from >= 0) {
    has = best.value;
    p.pred[v] = best.from;
    p.changed[vector] = 1;
  }
  p.next[v] = has;
}

// Link is kernels.Link.
struct Link {
  Block block;
  const int *component;
  int *light, *ends;
  int first, group;
};

template <Variant V, int threads>
__device__ __forceinline__ void link(const Link &p) {
  const Seat at = Seat::of<threads>(p.block, p.group, blockIdx.x);
  const int v = p.block.lo + at.vertex;
  Offer best = {infinity<V>(), -1};
  if (at.taken) {
    if (!p.first) best.value = p.light[v];
    const int *component = p.component;
    const int own = component[v];
    eachArc(p.block, at.vertex, at.lane, p.group, [&](int u, int w) {
      if (below<V>(w, best.value) && component[u] != own) best = Offer{w, u};
    });
  }
  best = together<V, threads>(best, p.group);
  if (at.taken && at.lane == 0 && (p.first || best.from >= 0)) {
    p.light[v] = best.value;
    p.ends[v] = best.from;
  }
}

// Rank is a matrix of m×m tiles, the list's jobs, and a pivot.
struct Rank {
  const Entry *list;
  int t, m, k, pad;
};

// A block of threads lowers kRankQuads times four neighbouring entries of a tile, four of these a thread.
constexpr int kRankThreads = 256, kRankLoads = 4, kRankQuads = kRankThreads * kRankLoads;
static_assert(kRankQuads * 4 == 64 * 64, "blocks fill tiles");

// rankOne lowers the matrix by one pivot. Rows that do not reach it are not looked at, and what is not lowered is not
// written; so the pivot's own row and column, which others read, are never written. But in f32-signed a cycle of length 0
// may leave the diagonal below 0 by rounding: then they are, and whoever reads them finds lengths that differ by as much.
template <Variant V>
__device__ __forceinline__ void rankOne(const Rank &p) {
  const int q = p.t / 4, blocks = (p.t / 64) * (p.t / 64);
  const int tile = blockIdx.x / blocks, i = tile / p.m, j = tile % p.m;
  const int over = p.k / p.t, at = p.k % p.t;
  Word<V> *c = reinterpret_cast<Word<V> *>(p.list[tile].x);
  const Word<V> *row = reinterpret_cast<const Word<V> *>(p.list[over * p.m + j].x) + static_cast<long>(at) * q * 4;
  const Word<V> *col = reinterpret_cast<const Word<V> *>(p.list[i * p.m + over].x) + at;
  const int first = (blockIdx.x % blocks) * kRankQuads + threadIdx.x;
  Value<V> a[kRankLoads];
#pragma unroll
  for (int u = 0; u < kRankLoads; u++) a[u] = col[static_cast<long>((first + u * kRankThreads) / q) * p.t];
  Four<V> x[kRankLoads], y[kRankLoads];
#pragma unroll
  for (int u = 0; u < kRankLoads; u++) {
    const int e = first + u * kRankThreads;
    if (a[u] != infinity<V>()) x[u] = load4<V>(c + 4L * e), y[u] = load4<V>(row + 4L * (e % q));
  }
#pragma unroll
  for (int u = 0; u < kRankLoads; u++) {
    if (a[u] == infinity<V>()) continue;
    const Four<V> r = {settle<V>(relax<V>(x[u].x, a[u], y[u].x)), settle<V>(relax<V>(x[u].y, a[u], y[u].y)),
                       settle<V>(relax<V>(x[u].z, a[u], y[u].z)), settle<V>(relax<V>(x[u].w, a[u], y[u].w))};
    if (r.x != x[u].x || r.y != x[u].y || r.z != x[u].z || r.w != x[u].w) store4<V>(c + 4L * (first + u * kRankThreads), r);
  }
}

// pairRankOne is rankOne on a matrix of pairs: of two neighbouring entries at a time, those that are lowered take over the
// predecessors of the pivot's row. What rankOne says of cycles of length 0 in f32-signed holds here too; a distance and its
// predecessor are read and written as one.
template <Variant V>
__device__ __forceinline__ void pairRankOne(const Rank &p) {
  constexpr int loads = 2 * kRankLoads;
  const int q = p.t / 2, blocks = (p.t / 64) * (p.t / 64);
  const int tile = blockIdx.x / blocks, i = tile / p.m, j = tile % p.m;
  const int over = p.k / p.t, at = p.k % p.t;
  int4 *c = reinterpret_cast<int4 *>(p.list[tile].x);
  const int4 *row = reinterpret_cast<const int4 *>(p.list[over * p.m + j].x) + static_cast<long>(at) * q;
  const int2 *col = reinterpret_cast<const int2 *>(p.list[i * p.m + over].x) + at;
  const int first = (blockIdx.x % blocks) * (kRankThreads * loads) + threadIdx.x;
  int a[loads];
#pragma unroll
  for (int u = 0; u < loads; u++) a[u] = col[static_cast<long>((first + u * kRankThreads) / q) * p.t].x;
  int4 x[loads], y[loads];
#pragma unroll
  for (int u = 0; u < loads; u++) {
    const int e = first + u * kRankThreads;
    if (a[u] != infinity<V>()) x[u] = c[e], y[u] = row[e % q];
  }
#pragma unroll
  for (int u = 0; u < loads; u++) {
    if (a[u] == infinity<V>()) continue;
    const int s = settle<V>(add<V>(y[u].x, a[u])), r = settle<V>(add<V>(y[u].z, a[u]));
    const bool lower = below<V>(s, x[u].x), other = below<V>(r, x[u].z);
    if (lower) x[u].x = s, x[u].y = y[u].y;
    if (other) x[u].z = r, x[u].w = y[u].w;
    if (lower || other) c[first + u * kRankThreads] = x[u];
  }
}

// widePairRankOne does it with doubles, four neighbouring entries at a time. The pivot's own row and column are never
// written, as others would read some words of a pair before and some after.
__device__ __forceinline__ void widePairRankOne(const Rank &p) {
  const int q = p.t / 4, blocks = (p.t / 64) * (p.t / 64);
  const int tile = blockIdx.x / blocks, i = tile / p.m, j = tile % p.m;
  const int over = p.k / p.t, at = p.k % p.t;
  WidePair *c = reinterpret_cast<WidePair *>(p.list[tile].x);
  const WidePair *row = reinterpret_cast<const WidePair *>(p.list[over * p.m + j].x) + static_cast<long>(at) * p.t;
  const WidePair *col = reinterpret_cast<const WidePair *>(p.list[i * p.m + over].x) + at;
  const int first = (blockIdx.x % blocks) * kRankQuads + threadIdx.x;
#pragma unroll
  for (int u = 0; u < kRankLoads; u++) {
    const int e = first + u * kRankThreads, y = e / q, x = e % q * 4;
    const double a = col[static_cast<long>(y) * p.t].distance();
    if (a == infinity<F64>() || i * p.t + y == p.k) continue;
    double d[4], with[4];
    int before[4], other[4];
#pragma unroll
    for (int n = 0; n < 4; n += 2) {
      load2Pairs(c + 4L * e + n, d + n, before + n);
      load2Pairs(row + x + n, with + n, other + n);
    }
    bool lowered = false;
#pragma unroll
    for (int n = 0; n < 4; n++) {
      const double s = add<F64>(with[n], a);
      if (s < d[n] && j * p.t + x + n != p.k) d[n] = s, before[n] = other[n], lowered = true;
    }
    if (!lowered) continue;
    store2Pairs(c + 4L * e, d, before);
    store2Pairs(c + 4L * e + 2, d + 2, before + 2);
  }
}

// anyPairRankOne lowers a matrix of pairs by one pivot.
template <Variant V>
__device__ __forceinline__ void anyPairRankOne(const Rank &p) {
  if constexpr (V == F64)
    widePairRankOne(p);
  else
    pairRankOne<V>(p);
}
