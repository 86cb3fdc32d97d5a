// Searches from many sources at once over arcs with weights. A matrix of lanes has a row for each vertex; rows are lowered by
// the arcs into them until nothing changes. In a sweep only rows that have fallen count, and of these the ones whose least fallen
// distance, their key, is near the least of all: what is farther is likely to fall again.
//
// A row may be read while it is lowered. What is read is then the length of some walk, and the row's key sees to it that the
// next sweep reads it again: the result is the same whatever the timing.
#pragma once
#include "common.cuh"

constexpr int kSearchWarps = 8;        // of a block
constexpr int kNoKey = 0x7fffffff;     // of a row that has not fallen
constexpr float kMostNear = 1 << 30;   // to which integers can be added

// SearchPiece is some of the arcs into a row.
struct alignas(16) SearchPiece {
  int row, first, last, shared;  // shared: other pieces lower the row, too
};

// Search is the one parameter of the kernels here.
struct Search {
  const SearchPiece *pieces;
  const int *ends;
  const void *weights;
  void *lanes;
  const int *sources;  // a row for each of the first count lanes
  int *least;          // sweep%3: the least key before that sweep
  int *keys;           // of each row; in f64 the upper half of the distance
  unsigned char *live;  // rows that count in the sweep
  double near;
  int rows, width, count, piece_count, sweep, pad;
};

__device__ __forceinline__ int leastOfWarp(int x) {
#if __CUDA_ARCH__ >= 800
  return __reduce_min_sync(~0u, x);
#else
  for (int half = 16; half > 0; half /= 2) x = min(x, __shfl_xor_sync(~0u, x, half));
  return x;
#endif
}

// twice is an entry in both halves of a word, where words are two.
template <Variant V>
__device__ __forceinline__ Value<V> twice(Value<V> x) {
  if constexpr (V == U16)
    return x | x << 16;
  else
    return x;
}

// LaneVector is 16 bytes of a row; words of U16 are two entries.
template <Variant V>
struct LaneVector {
  static constexpr bool kPairs = V == U16;
  static constexpr int kWords = V == F64 ? 2 : 4, kLanes = kPairs ? 8 : kWords;
  Value<V> of[kWords];

  __device__ __forceinline__ void load(const Word<V> *from) { set(*reinterpret_cast<const int4 *>(from)); }
  // reload loads again, which takes fewer registers than to keep what was loaded before.
  __device__ __forceinline__ void reload(const Word<V> *from) {
    int4 x;
    asm volatile("ld.global.v4.s32 {%0, %1, %2, %3}, [%4];" : "=r"(x.x), "=r"(x.y), "=r"(x.z), "=r"(x.w) : "l"(from));
    set(x);
  }

  __device__ __forceinline__ void set(int4 x) {
    if constexpr (V == F64)
      of[0] = __hiloint2double(x.y, x.x), of[1] = __hiloint2double(x.w, x.z);
    else
      of[0] = x.x, of[1] = x.y, of[2] = x.z, of[3] = x.w;
  }

  __device__ __forceinline__ void store(Word<V> *to) const {
    if constexpr (V == F64)
      *reinterpret_cast<double2 *>(to) = make_double2(of[0], of[1]);
    else
      *reinterpret_cast<int4 *>(to) = make_int4(of[0], of[1], of[2], of[3]);
  }

  __device__ __forceinline__ void lower(const LaneVector &by, Value<V> weight) {
#pragma unroll
    for (int i = 0; i < kWords; i++)
      if constexpr (kPairs)
        of[i] = relaxPair(of[i], by.of[i], weight);
      else
        of[i] = relax<V>(of[i], by.of[i], weight);
  }

  // key is that of the least entry that is less than it was, or kNoKey.
  __device__ __forceinline__ int key(const LaneVector &was) const {
    int least = kNoKey;
#pragma unroll
    for (int i = 0; i < kWords; i++) {
      if constexpr (kPairs) {
        const unsigned x = of[i], y = was.of[i];
        if ((x & 0xffff) < (y & 0xffff)) least = min(least, static_cast<int>(x & 0xffff));
        if (x >> 16 < y >> 16) least = min(least, static_cast<int>(x >> 16));
      } else if (of[i] < was.of[i]) {
        if constexpr (V == F64)
          least = min(least, __double2hiint(of[i]));
        else
          least = min(least, of[i]);
      }
    }
    return least;
  }

  // merge lowers entries that others lower, too.
  __device__ __forceinline__ void merge(Word<V> *to, const LaneVector &was) const {
#pragma unroll
    for (int i = 0; i < kWords; i++) {
      if (of[i] == was.of[i]) continue;
      if constexpr (kPairs) {
        unsigned *word = reinterpret_cast<unsigned *>(to) + i, now = was.of[i];
        for (;;) {
          const unsigned low = lowerPair(now, of[i]), before = low == now ? now : atomicCAS(word, now, low);
          if (before == now) break;
          now = before;
        }
      } else if constexpr (V == F64) {
        atomicMin(reinterpret_cast<long long *>(to) + i, __double_as_longlong(of[i]));
      } else {
        atomicMin(to + i, of[i]);
      }
    }
  }
};

// clearSearch begins one: nothing is reached.
template <Variant V>
__device__ __forceinline__ void clearSearch(const Search &p) {
  const long at = (long)blockIdx.x * blockDim.x + threadIdx.x, step = (long)gridDim.x * blockDim.x;
  constexpr int kLanes = LaneVector<V>::kLanes;
  LaneVector<V> none;
  for (Value<V> &x : none.of) x = twice<V>(infinity<V>());
  for (long i = at; i < (long)p.rows * p.width / kLanes; i += step) none.store(static_cast<Word<V> *>(p.lanes) + i * kLanes);
  for (long v = at; v < p.rows; v += step) p.keys[v] = kNoKey;
  if (at < 3) p.least[at] = at == 0 && p.count > 0 ? 0 : kNoKey;
}

// seedSearch sets the distance of each source from itself, a thread for each lane.
template <Variant V>
__device__ __forceinline__ void seedSearch(const Search &p) {
  const int lane = blockIdx.x * blockDim.x + threadIdx.x;
  if (lane >= p.count) return;
  const int v = p.sources[lane];
  static_cast<Word<V> *>(p.lanes)[(long)v * p.width + lane] = 0;
  p.keys[v] = 0;
}

// beyond is the first key that is not near.
template <Variant V>
__device__ __forceinline__ int beyond(int key, double near) {
  int most = kNoKey;
  if constexpr (V == F64)
    most = __double2hiint(__hiloint2double(key, 0) + near);
  else if constexpr (V == F32)
    most = __float_as_int(__int_as_float(key) + static_cast<float>(near));
  else
    most = key + static_cast<int>(fminf(near, kMostNear));
  return max(most, key + 1);
}

// pickRows chooses the rows that count in a sweep, a thread for each.
template <Variant V>
__device__ __forceinline__ void pickRows(const Search &p) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x, least = p.least[p.sweep % 3];
  if (v == 0) p.least[(p.sweep + 2) % 3] = kNoKey;
  if (least == kNoKey) return;
  int key = v < p.rows ? p.keys[v] : kNoKey;
  const bool live = key < beyond<V>(least, p.near);
  if (v < p.rows) p.live[v] = live;
  if (live) p.keys[v] = key = kNoKey;
  key = leastOfWarp(key);
  if (threadIdx.x % 32 == 0 && key < kNoKey) atomicMin(p.least + (p.sweep + 1) % 3, key);
}

// lowerRows takes the arcs of a piece from rows that count, in a strip of lanes, a warp for each.
template <Variant V>
__device__ __forceinline__ void lowerRows(const Search &p) {
  constexpr int kVectors = V == U16 ? 2 : 4, kArcs = V == U16 ? 4 : 2;  // of a thread; that it loads at a time
  constexpr int kLanes = LaneVector<V>::kLanes, kWarpLanes = 32 * kLanes, kStrip = kVectors * kWarpLanes;
  if (p.least[p.sweep % 3] == kNoKey) return;
  const int t = threadIdx.x % 32, strips = (p.width + kStrip - 1) / kStrip;
  const long item = (long)blockIdx.x * kSearchWarps + threadIdx.x / 32;
  if (item >= (long)p.piece_count * strips) return;
  const SearchPiece piece = p.pieces[item / strips];
  const int lane = static_cast<int>(item % strips) * kStrip + t * kLanes;
  Word<V> *lanes = static_cast<Word<V> *>(p.lanes) + lane, *own = lanes + (long)piece.row * p.width;
  LaneVector<V> m[kVectors];
  bool loaded = false;
  for (int k = piece.first; k < piece.last; k += 32) {
    const bool is = k + t < piece.last;
    const int u = is ? p.ends[k + t] : 0;
    const bool live = is && p.live[u];
    unsigned left = __ballot_sync(~0u, live);
    if (left == 0) continue;
    const Value<V> w = live ? twice<V>(static_cast<const Value<V> *>(p.weights)[k + t]) : 0;
    if (!loaded) {
      loaded = true;
#pragma unroll
      for (int q = 0; q < kVectors; q++)
        if (lane + q * kWarpLanes < p.width) m[q].load(own + q * kWarpLanes);
    }
    while (left != 0) {
      LaneVector<V> from[kArcs][kVectors];
      int arc[kArcs];
#pragma unroll
      for (int j = 0; j < kArcs; j++) {
        arc[j] = left != 0 ? __ffs(left) - 1 : arc[j > 0 ? j - 1 : 0];  // the last one again changes nothing
        left &= left - 1;
        const Word<V> *row = lanes + (long)__shfl_sync(~0u, u, arc[j]) * p.width;
#pragma unroll
        for (int q = 0; q < kVectors; q++)
          if (lane + q * kWarpLanes < p.width) from[j][q].load(row + q * kWarpLanes);
      }
#pragma unroll
      for (int j = 0; j < kArcs; j++) {
        const Value<V> weight = __shfl_sync(~0u, w, arc[j]);
#pragma unroll
        for (int q = 0; q < kVectors; q++) m[q].lower(from[j][q], weight);
      }
    }
  }
  if (!loaded) return;
  int low = kNoKey;
#pragma unroll
  for (int q = 0; q < kVectors; q++) {
    if (lane + q * kWarpLanes >= p.width) continue;
    LaneVector<V> was;
    was.reload(own + q * kWarpLanes);
    const int key = m[q].key(was);
    if (key == kNoKey) continue;
    low = min(low, key);
    if (piece.shared)
      m[q].merge(own + q * kWarpLanes, was);
    else
      m[q].store(own + q * kWarpLanes);
  }
  low = leastOfWarp(low);
  if (t != 0 || low == kNoKey) return;
  atomicMin(p.keys + piece.row, low);
  int *next = p.least + (p.sweep + 1) % 3;
  if (low < *static_cast<volatile int *>(next)) atomicMin(next, low);
}
