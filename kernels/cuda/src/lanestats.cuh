// What is found in rows of lanes beside their sums (kernels.LaneStats).
#pragma once
#include "common.cuh"

constexpr int kStatStrip = 128;    // lanes of a block
constexpr int kBelowRows = 1024;   // of a block of laneBelow
constexpr int kBelowWarps = 8;     // that share them
constexpr int kBelowEdges = 4;     // that a row is compared with at a time
constexpr int kBinRows = 2048;     // of a block of laneBins
constexpr int kBinWarps = 16;      // that share them
constexpr int kSharedBins = 12288; // the first, which a block counts in shared memory: all there is

// LaneEdges is the one parameter of laneBelow and of laneBins.
struct LaneEdges {
  const void *lanes, *edges;
  void *counts;
  int width, rows, count, edge_count;
};

// LaneNear is kernels.LaneNear.
struct alignas(16) LaneNear {
  unsigned long long distance;
  int name, pad;
};

// LaneNearest is the one parameter of laneNearest and of nearestOfAll.
struct LaneNearest {
  const void *lanes;
  const int *names;
  LaneNear *all, *parts;
  int width, rows, k, part_rows;
};

// ordered is a number that ascends with the entry: negative floats have theirs mirrored.
template <Variant V>
__device__ __forceinline__ Value<V> ordered(Value<V> x) {
  if constexpr (V == F32Signed) return x < 0 ? x ^ 0x7fffffff : x;
  return x;
}

// rough is a float near the entry.
template <Variant V>
__device__ __forceinline__ float rough(Value<V> x) {
  if constexpr (V == F32 || V == F32Signed)
    return __int_as_float(x);
  else
    return static_cast<float>(x);
}

// laneBelow counts entries of a part of the rows of a strip of lanes.
template <Variant V>
__device__ __forceinline__ void laneBelow(const LaneEdges &p) {
  const int strips = (p.width + kStatStrip - 1) / kStatStrip;
  const int part = blockIdx.x / strips, lane = blockIdx.x % strips * kStatStrip + threadIdx.x % 32 * 4;
  if (lane >= p.width) return;
  const Word<V> *lanes = static_cast<const Word<V> *>(p.lanes) + lane;
  const Word<V> *edges = static_cast<const Word<V> *>(p.edges);
  const int last = min(p.rows, (part + 1) * kBelowRows);
  for (int first = 0; first < p.edge_count; first += kBelowEdges) {
    Value<V> edge[kBelowEdges];
    int n[kBelowEdges][4] = {};
#pragma unroll
    for (int j = 0; j < kBelowEdges; j++) edge[j] = ordered<V>(edges[min(first + j, p.edge_count - 1)]);
#pragma unroll 4
    for (int row = part * kBelowRows + threadIdx.x / 32; row < last; row += kBelowWarps) {
      const Four<V> x = load4<V>(lanes + (long)row * p.width);
      const Value<V> of[4] = {ordered<V>(x.x), ordered<V>(x.y), ordered<V>(x.z), ordered<V>(x.w)};
#pragma unroll
      for (int j = 0; j < kBelowEdges; j++)
#pragma unroll
        for (int i = 0; i < 4; i++) n[j][i] += of[i] < edge[j];
    }
#pragma unroll
    for (int j = 0; j < kBelowEdges; j++)
#pragma unroll
      for (int i = 0; i < 4; i++)
        if (first + j < p.edge_count && n[j][i] > 0)
          atomicAdd(static_cast<int *>(p.counts) + (long)(first + j) * p.width + lane + i, n[j][i]);
  }
}

// Bins finds how many edges are at most an entry: mostly where it would be if all bins were equally wide.
template <Variant V>
struct Bins {
  const Word<V> *edges;
  int count;
  float low, per_unit;

  __device__ __forceinline__ Bins(const LaneEdges &p) : edges(static_cast<const Word<V> *>(p.edges)), count(p.edge_count) {
    low = count > 0 ? rough<V>(edges[0]) : 0;
    per_unit = count > 1 ? (count - 1) / (rough<V>(edges[count - 1]) - low) : 0;
  }

  __device__ __forceinline__ bool below(Value<V> x, int i) const { return x < ordered<V>(edges[i]); }

  __device__ __forceinline__ int of(Value<V> x) const {
    const int i = min(max(__float2int_rz((rough<V>(x) - low) * per_unit), -1), count - 1) + 1;
    x = ordered<V>(x);
    return (i == 0 || !below(x, i - 1)) && (i == count || below(x, i)) ? i : search(x);
  }

  __device__ __noinline__ int search(Value<V> x) const {
    int least = 0, most = count;
    while (least < most) {
      const int middle = (least + most) / 2;
      if (below(x, middle))
        most = middle;
      else
        least = middle + 1;
    }
    return least;
  }
};

// laneBins counts entries of a part of the rows of a strip of lanes. Few blocks write to the same memory at a time, as each counts most
// of its own by itself.
template <Variant V>
__device__ __forceinline__ void laneBins(const LaneEdges &p) {
  __shared__ unsigned own[kSharedBins];
  const int shared = min(p.edge_count + 1, kSharedBins);
  unsigned long long *counts = static_cast<unsigned long long *>(p.counts);
  for (int i = threadIdx.x; i < shared; i += kBinWarps * 32) own[i] = 0;
  __syncthreads();
  const int strips = (p.width + kStatStrip - 1) / kStatStrip;
  const int part = blockIdx.x / strips, lane = blockIdx.x % strips * kStatStrip + threadIdx.x % 32 * 4;
  const int last = min(p.rows, (part + 1) * kBinRows);
  const Word<V> *lanes = static_cast<const Word<V> *>(p.lanes) + lane;
  const Bins<V> bins(p);
  const auto take = [&](Value<V> x, int i) {
    if (lane + i >= p.count || x == infinity<V>()) return;
    const int bin = bins.of(x);
    if (bin < kSharedBins)
      atomicAdd(own + bin, 1u);
    else
      atomicAdd(counts + bin, 1ull);
  };
  if (lane < p.count) {
    constexpr int kAhead = 4;
#pragma unroll 1
    for (int row = part * kBinRows + threadIdx.x / 32; row < last; row += kAhead * kBinWarps) {
      Four<V> x[kAhead];
#pragma unroll
      for (int j = 0; j < kAhead; j++) x[j] = load4<V>(lanes + (long)min(row + j * kBinWarps, last - 1) * p.width);
#pragma unroll
      for (int j = 0; j < kAhead; j++)
        if (row + j * kBinWarps < last) take(x[j].x, 0), take(x[j].y, 1), take(x[j].z, 2), take(x[j].w, 3);
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < shared; i += kBinWarps * 32)
    if (own[i] > 0) atomicAdd(counts + i, static_cast<unsigned long long>(own[i]));
}

// Nearest is a list of the least entries of a lane so far, in order, in device memory.
template <Variant V>
struct Nearest {
  LaneNear *list;
  const int k, width;
  Value<V> most = infinity<V>();  // the last one's, as ordered has it
  int name = -1;                  // its name

  static __device__ __forceinline__ Value<V> entry(const LaneNear &of) {
    if constexpr (V == F64)
      return __longlong_as_double(of.distance);
    else
      return ordered<V>(static_cast<int>(of.distance));
  }
  static __device__ __forceinline__ unsigned long long bits(Value<V> x) {
    if constexpr (V == F64)
      return __double_as_longlong(x);
    else
      return static_cast<unsigned>(ordered<V>(x));  // which undoes itself
  }

  __device__ __forceinline__ Nearest(LaneNear *list, int k, int width) : list(list), k(k), width(width) {
    for (int i = 0; i < k; i++) list[(long)i * width] = LaneNear{bits(most), -1, 0};
  }

  // may reports whether an entry, as ordered has it, may be one.
  __device__ __forceinline__ bool may(Value<V> x) const { return x <= most; }

  // add reports whether it is one. What is missing is farther than all that is reachable.
  __device__ __forceinline__ bool add(Value<V> x, int of) {
    if (!(x < most || x == most && of < name)) return false;
    int i = k - 1;
    for (; i > 0; i--) {
      const LaneNear before = list[(long)(i - 1) * width];
      const Value<V> y = entry(before);
      if (!(x < y || x == y && of < before.name)) break;
      list[(long)i * width] = before;
    }
    list[(long)i * width] = LaneNear{bits(x), of, 0};
    const LaneNear last = list[(long)(k - 1) * width];
    most = entry(last), name = last.name;
    return true;
  }
};

// laneNearest makes the list of a part of the rows of a lane in each thread.
template <Variant V>
__device__ __forceinline__ void laneNearest(const LaneNearest &p) {
  const int strips = (p.width + kStatStrip - 1) / kStatStrip;
  const int part = blockIdx.x / strips, lane = blockIdx.x % strips * kStatStrip + threadIdx.x;
  if (lane >= p.width) return;
  const Word<V> *lanes = static_cast<const Word<V> *>(p.lanes) + lane;
  Nearest<V> nearest(p.parts + (long)part * p.k * p.width + lane, p.k, p.width);
  const int first = part * p.part_rows, last = min(p.rows, first + p.part_rows);
  constexpr int kAhead = 8;
#pragma unroll 1
  for (int row = first; row < last; row += kAhead) {
    Value<V> x[kAhead];
#pragma unroll
    for (int i = 0; i < kAhead; i++) x[i] = row + i < last ? ordered<V>(lanes[(long)(row + i) * p.width]) : infinity<V>();
#pragma unroll
    for (int i = 0; i < kAhead; i++)
      if (x[i] != infinity<V>() && nearest.may(x[i])) nearest.add(x[i], p.names[row + i]);
  }
}

// nearestOfAll makes one list of those of a lane's parts.
template <Variant V>
__device__ __forceinline__ void nearestOfAll(const LaneNearest &p) {
  const int lane = blockIdx.x * kStatStrip + threadIdx.x, parts = (p.rows + p.part_rows - 1) / p.part_rows;
  if (lane >= p.width) return;
  Nearest<V> nearest(p.all + lane, p.k, p.width);
#pragma unroll 1
  for (int part = 0; part < parts; part++)
#pragma unroll 1
    for (int i = 0; i < p.k; i++) {
      const LaneNear c = p.parts[((long)part * p.k + i) * p.width + lane];
      if (c.name < 0 || !nearest.add(Nearest<V>::entry(c), c.name)) break;
    }
}
