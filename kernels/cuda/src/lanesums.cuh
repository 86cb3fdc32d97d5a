// Sums of rows of lanes, by lane and by row.
#pragma once
#include "common.cuh"

constexpr int kSumRows = 1024;  // of a part
constexpr int kSumStrip = 128;  // lanes of a block of sums: four a thread
constexpr int kSumWarps = 8;    // that share the rows of a part

// LaneSum is kernels.LaneSum.
struct LaneSum {
  unsigned long long sum;
  double inverse;
  unsigned long long top;
  int farthest, missing;
};

// LaneSums is the one parameter of the kernels here.
struct LaneSums {
  const void *lanes;
  const int *names;
  LaneSum *by_lane, *by_row;  // by_row may be null
  int width, rows, count, pad;
};

template <Variant V>
constexpr bool kFloating = V == F32 || V == F32Signed || V == F64;

template <bool floating>
struct Addable {
  using Type = long long;
};
template <>
struct Addable<true> {
  using Type = double;
};

// Sums is a LaneSum that grows.
template <Variant V>
struct Sums {
  typename Addable<kFloating<V>>::Type sum = 0;
  double inverse = 0;
  Value<V> top = 0;
  int farthest = -1, missing = 0;

  static __device__ __forceinline__ double number(Value<V> x) {
    if constexpr (V == F32 || V == F32Signed)
      return __int_as_float(x);
    else
      return x;
  }

  __device__ __forceinline__ void take(Value<V> x, int name) {
    if (x == infinity<V>()) {
      missing++;
      return;
    }
    const double d = number(x);
    if constexpr (kFloating<V>)
      sum += d;
    else
      sum += x;
    if (d > 0) {
      inverse += __drcp_rn(d);
      if (x > top || x == top && name < farthest) top = x, farthest = name;
    }
  }

  __device__ __forceinline__ void join(const Sums &o) {
    sum += o.sum, inverse += o.inverse, missing += o.missing;
    if (o.top > top || o.top == top && o.farthest < farthest) top = o.top, farthest = o.farthest;
  }

  __device__ __forceinline__ LaneSum stored() const {
    unsigned long long bits, most;
    if constexpr (kFloating<V>)
      bits = __double_as_longlong(sum);
    else
      bits = sum;
    if constexpr (V == F64)
      most = __double_as_longlong(top);
    else
      most = (unsigned)top;
    return LaneSum{bits, inverse, most, farthest, missing};
  }

  static __device__ __forceinline__ Sums from(const LaneSum &l) {
    Sums s;
    if constexpr (kFloating<V>)
      s.sum = __longlong_as_double(l.sum);
    else
      s.sum = l.sum;
    if constexpr (V == F64)
      s.top = __longlong_as_double(l.top);
    else
      s.top = (int)l.top;
    s.inverse = l.inverse, s.farthest = l.farthest, s.missing = l.missing;
    return s;
  }
};

// laneSums adds up a part of the rows of a strip of lanes. A warp takes every eighth row of it.
template <Variant V>
__device__ __forceinline__ void laneSums(const LaneSums &p) {
  __shared__ LaneSum of[kSumWarps][kSumStrip];
  const int strips = (p.width + kSumStrip - 1) / kSumStrip;
  const int part = blockIdx.x / strips, lane0 = blockIdx.x % strips * kSumStrip;
  const int warp = threadIdx.x / 32, at = threadIdx.x % 32 * 4;
  const int last = min(p.rows, (part + 1) * kSumRows);
  Sums<V> s[4];
  if (lane0 + at < p.width) {
    const Word<V> *lanes = static_cast<const Word<V> *>(p.lanes) + lane0 + at;
#pragma unroll 4
    for (int row = part * kSumRows + warp; row < last; row += kSumWarps) {
      const Four<V> x = load4<V>(lanes + (long)row * p.width);
      const int name = p.names[row];
      s[0].take(x.x, name), s[1].take(x.y, name), s[2].take(x.z, name), s[3].take(x.w, name);
    }
  }
#pragma unroll
  for (int i = 0; i < 4; i++) of[warp][at + i] = s[i].stored();
  __syncthreads();
  const int lane = threadIdx.x;
  if (lane >= kSumStrip || lane0 + lane >= p.width) return;
  Sums<V> all = Sums<V>::from(of[0][lane]);
#pragma unroll 1
  for (int i = 1; i < kSumWarps; i++) all.join(Sums<V>::from(of[i][lane]));
  p.by_lane[(long)(part + 1) * p.width + lane0 + lane] = all.stored();
}

// laneTotals adds up the parts.
template <Variant V>
__device__ __forceinline__ void laneTotals(const LaneSums &p) {
  const int lane = blockIdx.x * blockDim.x + threadIdx.x, parts = (p.rows + kSumRows - 1) / kSumRows;
  if (lane >= p.width) return;
  Sums<V> all;
#pragma unroll 1
  for (int i = 1; i <= parts; i++) all.join(Sums<V>::from(p.by_lane[(long)i * p.width + lane]));
  p.by_lane[lane] = all.stored();
}

// rowSums adds up the first lanes of a row in each warp.
template <Variant V>
__device__ __forceinline__ void rowSums(const LaneSums &p) {
  const int row = blockIdx.x * kSumWarps + threadIdx.x / 32;
  if (row >= p.rows) return;
  const Word<V> *lanes = static_cast<const Word<V> *>(p.lanes) + (long)row * p.width;
  Sums<V> s;
#pragma unroll 1
  for (int at = threadIdx.x % 32 * 4; at < p.count; at += kSumStrip) {
    const Four<V> x = load4<V>(lanes + at);
    s.take(x.x, 0);
    if (at + 1 < p.count) s.take(x.y, 0);
    if (at + 2 < p.count) s.take(x.z, 0);
    if (at + 3 < p.count) s.take(x.w, 0);
  }
#pragma unroll
  for (int h = 16; h > 0; h /= 2) {
    s.sum += __shfl_down_sync(0xffffffff, s.sum, h);
    s.inverse += __shfl_down_sync(0xffffffff, s.inverse, h);
    s.missing += __shfl_down_sync(0xffffffff, s.missing, h);
  }
  s.top = 0, s.farthest = -1;
  if (threadIdx.x % 32 == 0) p.by_row[row] = s.stored();
}
