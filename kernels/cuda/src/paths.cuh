// Betweenness from up to 64 sources at once, over arcs of one length. A vertex has a row of doubles with a lane for each source: how many
// shortest paths lead there. On the way back it becomes (ending + the dependency on the vertex) / that count. A thread of a warp has two
// lanes. Sums are in the order that kernels.PathSearch says, whatever the GPU.
#pragma once

typedef unsigned long long Lanes;  // a bit for each

constexpr int kPathWarps = 8;    // of a block
constexpr int kPathHub = 256;    // arcs of a hub are more: a block takes them
constexpr int kPathTile = 4 * (kPathWarps - 1);  // arcs that it takes at a time
constexpr double kExactly = 0x1p53;

// PathSearch is the one parameter of the kernels.
struct PathSearch {
  const int *offsets, *ends;  // arcs from each vertex
  const int *into, *from;     // and into it
  const int *sources;
  const double *ending;
  double2 *rows;
  Lanes *seen;
  Lanes *levels;          // of each level, those in which a vertex is there
  int *any;               // of each level: 1 if some vertex is there
  int *hubs, *into_hubs;  // how many there are, and then these
  Lanes *sums;            // those that have failed, and then sums
  int n, arcs, count, unit;
  int level, last;  // and the last of all
  int hub_blocks, endpoints;
  long stride, words;  // sums of a unit, and words of all
};

// startPaths clears what a search begins with.
__device__ __forceinline__ void startPaths(const PathSearch &p) {
  const long step = (long)gridDim.x * blockDim.x, first = (long)blockIdx.x * blockDim.x + threadIdx.x;
  for (long i = first; i < p.words; i += step) p.sums[i] = 0;
  for (long v = first; v < p.n; v += step) {
    p.levels[v] = 0;
    p.seen[v] = p.count == 64 ? 0 : ~0ull << p.count;  // lanes without a source have seen everything
  }
  for (long i = first; i <= p.last; i += step) p.any[i] = i == 0;
  if (first == 0) p.hubs[0] = p.into_hubs[0] = 0;
}

// seedPaths sets the lane of each source, and finds hubs.
__device__ __forceinline__ void seedPaths(const PathSearch &p) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < p.count) {
    const int v = p.sources[i];
    atomicOr(p.levels + v, 1ull << i);
    atomicOr(p.seen + v, 1ull << i);
    reinterpret_cast<double *>(p.rows)[(long)v * 64 + i] = 1;
  }
  if (i >= p.n) return;
  if (p.offsets[i + 1] - p.offsets[i] > kPathHub) p.hubs[1 + atomicAdd(p.hubs, 1)] = i;
  if (p.into[i + 1] - p.into[i] > kPathHub) p.into_hubs[1 + atomicAdd(p.into_hubs, 1)] = i;
}

// pick leaves those of a thread's two values whose lanes are there, and zeros.
__device__ __forceinline__ double2 pick(const double2 *row, Lanes lanes) {
  const int t = threadIdx.x % 32, two = lanes >> 2 * t & 3;
  double2 x = make_double2(0, 0);
  if (two != 0) x = row[t];
  if ((two & 1) == 0) x.x = 0;
  if ((two & 2) == 0) x.y = 0;
  return x;
}

__device__ __forceinline__ void add(double2 &to, double2 x) { to.x = __dadd_rn(to.x, x.x), to.y = __dadd_rn(to.y, x.y); }

__device__ __forceinline__ double2 times(double2 a, double2 b) { return make_double2(__dmul_rn(a.x, b.x), __dmul_rn(a.y, b.y)); }

// addUnits adds the sums of each unit's lanes to those in sums, of a vertex or an arc. extra is what each lane adds in the end.
__device__ __forceinline__ void addUnits(const PathSearch &p, double2 x, Lanes lanes, long at, bool extra) {
  const int t = threadIdx.x % 32, each = p.unit / 2, own = t % each;
  double sum = 0;
  for (int i = 0; i < each; i++) {
    const double before = __shfl_up_sync(~0u, sum, 1);
    if (own == i) sum = __dadd_rn(__dadd_rn(i == 0 ? 0 : before, x.x), x.y);
  }
  const Lanes mine = lanes >> (t / each * p.unit) & (p.unit == 64 ? ~0ull : (1ull << p.unit) - 1);
  if (own != each - 1 || mine == 0) return;
  double *to = reinterpret_cast<double *>(p.sums + 1) + t / each * p.stride + at;
  if (extra) sum = __dadd_rn(sum, static_cast<double>(__popcll(mine)));
  *to = __dadd_rn(*to, sum);
}

// gather adds to sum the rows at the ends of arcs k to last-1, one after the other, in those of some lanes that the ends have. It returns
// all of these. Edges add what they have of the row mine.
template <bool edges>
__device__ __forceinline__ Lanes gather(const PathSearch &p, const int *ends, int k, int last, const Lanes *at, Lanes lanes, double2 mine,
                                        double2 &sum) {
  constexpr int kAtOnce = 3;
  const int t = threadIdx.x % 32;
  Lanes all = 0;
  for (; k < last; k += 32) {
    const int u = k + t < last ? ends[k + t] : 0;
    const Lanes has = k + t < last ? at[u] & lanes : 0;
    for (unsigned left = __ballot_sync(~0u, has != 0); left != 0;) {
      double2 x[kAtOnce];
      Lanes some[kAtOnce];
      int of[kAtOnce];
#pragma unroll
      for (int i = 0; i < kAtOnce; i++) {
        of[i] = left != 0 ? __ffs(left) - 1 : 0;
        some[i] = __shfl_sync(~0u, has, of[i]);
        if (left == 0) some[i] = 0;
        left &= left - 1;
        x[i] = pick(p.rows + (long)__shfl_sync(~0u, u, of[i]) * 32, some[i]);
      }
#pragma unroll
      for (int i = 0; i < kAtOnce; i++) {
        all |= some[i];
        add(sum, x[i]);
        if (edges && some[i] != 0) addUnits(p, times(mine, x[i]), some[i], (long)p.n + k + of[i], false);
      }
    }
  }
  return all;
}

// reach notes how many paths lead to a vertex in the lanes that have found it.
__device__ __forceinline__ void reach(const PathSearch &p, int v, Lanes found, double2 sum) {
  const int t = threadIdx.x % 32, two = found >> 2 * t & 3;
  double *row = reinterpret_cast<double *>(p.rows + (long)v * 32 + t);
  if (two & 1) row[0] = sum.x;
  if (two & 2) row[1] = sum.y;
  Lanes failed = 0;
  if ((two & 1) && sum.x >= kExactly) failed |= 1ull << 2 * t;
  if ((two & 2) && sum.y >= kExactly) failed |= 2ull << 2 * t;
  if (failed != 0) atomicOr(p.sums, failed);
  if (t != 0) return;
  p.seen[v] |= found;
  p.any[p.level] = 1;
  if (p.level == p.last) atomicOr(p.sums, found);
}

// Strides are how vertices are dealt out to the warps of blocks without hubs: to each some at once, all as far apart.
struct Strides {
  unsigned first, step;

  __device__ __forceinline__ explicit Strides(const PathSearch &p)
      : first((blockIdx.x - p.hub_blocks) * kPathWarps + threadIdx.x / 32), step((gridDim.x - p.hub_blocks) * kPathWarps) {}
};

// countPaths goes to a level, from that before. The first blocks have hubs.
__device__ __forceinline__ void countPaths(const PathSearch &p) {
  __shared__ double2 sums[kPathWarps][32];
  __shared__ Lanes founds[kPathWarps];
  if (p.any[p.level - 1] == 0) return;
  const int warp = threadIdx.x / 32, t = threadIdx.x % 32;
  const Lanes *at = p.levels + (long)(p.level - 1) * p.n;
  Lanes *to = p.levels + (long)p.level * p.n;
  if (blockIdx.x < p.hub_blocks) {
    for (int i = blockIdx.x; i < p.into_hubs[0]; i += p.hub_blocks) {
      const int v = p.into_hubs[1 + i], last = p.into[v + 1];
      const Lanes left = ~p.seen[v];
      double2 sum = make_double2(0, 0);
      Lanes found = 0;
      for (int k = p.into[v] + 32 * warp; k < last && left != 0; k += 32 * kPathWarps)
        found |= gather<false>(p, p.from, k, min(last, k + 32), at, left, sum, sum);
      sums[warp][t] = sum;
      if (t == 0) founds[warp] = found;
      __syncthreads();
      if (warp == 0) {
        for (int j = 1; j < kPathWarps; j++) add(sum, sums[j][t]), found |= founds[j];
        if (t == 0) to[v] = found;
        if (found != 0) reach(p, v, found, sum);
      }
      __syncthreads();
    }
    return;
  }
  const Strides own(p);
  for (unsigned first = own.first; first < p.n; first += 32 * own.step) {
    const unsigned u = first + own.step * t;  // of this thread
    Lanes open = 0;
    int begin = 0, end = 0;
    if (u < p.n) open = ~p.seen[u], begin = p.into[u], end = p.into[u + 1];
    const bool hub = end - begin > kPathHub, some = open != 0 && begin < end && !hub;
    if (u < p.n && !some && !hub) to[u] = 0;
    for (unsigned left = __ballot_sync(~0u, some); left != 0; left &= left - 1) {
      const int i = __ffs(left) - 1;
      double2 sum = make_double2(0, 0);
      const int v = first + own.step * i;
      const Lanes found = gather<false>(p, p.from, __shfl_sync(~0u, begin, i), __shfl_sync(~0u, end, i), at, __shfl_sync(~0u, open, i), sum, sum);
      if (t == 0) to[v] = found;
      if (found != 0) reach(p, v, found, sum);
    }
  }
}

// leave makes the row of a vertex what those before it want, and adds to sums.
__device__ __forceinline__ void leave(const PathSearch &p, int v, Lanes lanes, double2 row, double2 sum) {
  const int t = threadIdx.x % 32, two = lanes >> 2 * t & 3;
  const double2 d = times(row, sum);
  if (p.level == 0) {  // sources
    if (p.endpoints) addUnits(p, make_double2(round(d.x), round(d.y)), lanes, v, false);
    return;
  }
  const double ending = p.ending[v];
  double *to = reinterpret_cast<double *>(p.rows + (long)v * 32 + t);
  if (two & 1) to[0] = __ddiv_rn(__dadd_rn(ending, d.x), row.x);
  if (two & 2) to[1] = __ddiv_rn(__dadd_rn(ending, d.y), row.y);
  addUnits(p, d, lanes, v, p.endpoints);
}

// backPaths adds up dependencies of the vertices at a level. The first blocks have hubs: the first warp adds up what the others bring.
template <bool edges>
__device__ __forceinline__ void backPaths(const PathSearch &p) {
  __shared__ double2 tiles[2][kPathTile][32];
  if (p.any[p.level] == 0) return;
  const int warp = threadIdx.x / 32, t = threadIdx.x % 32;
  const Lanes *all = p.levels + (long)p.level * p.n, *at = all + p.n;
  if (blockIdx.x < p.hub_blocks) {
    for (int i = blockIdx.x; i < p.hubs[0]; i += p.hub_blocks) {
      const int v = p.hubs[1 + i], last = p.offsets[v + 1];
      const Lanes lanes = all[v];
      if (lanes == 0) continue;
      const double2 row = pick(p.rows + (long)v * 32, lanes);
      double2 sum = make_double2(0, 0);
      int k = p.offsets[v], tile = 0;
      // Thread t has arc k+t.
      int u = k + t < last ? p.ends[k + t] : 0;
      Lanes has = k + t < last ? at[u] & lanes : 0;
      for (; k < last; k += kPathTile, tile ^= 1) {
        const int next = k + kPathTile + t, next_u = next < last ? p.ends[next] : 0;
        if (warp > 0) {
          double2 x[4];
          Lanes some[4];
#pragma unroll
          for (int j = 0; j < 4; j++) {
            const int own = 4 * (warp - 1) + j;
            some[j] = __shfl_sync(~0u, has, own);
            x[j] = pick(p.rows + (long)__shfl_sync(~0u, u, own) * 32, some[j]);
          }
          has = next < last ? at[next_u] & lanes : 0, u = next_u;
#pragma unroll
          for (int j = 0; j < 4; j++) {
            const int own = 4 * (warp - 1) + j;
            tiles[tile][own][t] = x[j];
            if (edges && some[j] != 0) addUnits(p, times(row, x[j]), some[j], (long)p.n + k + own, false);
          }
        }
        __syncthreads();
        if (warp == 0) {
#pragma unroll
          for (int j = 0; j < kPathTile; j++) add(sum, tiles[tile][j][t]);
        }
      }
      if (warp == 0) leave(p, v, lanes, row, sum);
      __syncthreads();
    }
    return;
  }
  const Strides own(p);
  for (unsigned first = own.first; first < p.n; first += 32 * own.step) {
    const unsigned u = first + own.step * t;  // of this thread
    Lanes mine = 0;
    int begin = 0, end = 0;
    if (u < p.n) mine = all[u], begin = p.offsets[u], end = p.offsets[u + 1];
    for (unsigned left = __ballot_sync(~0u, mine != 0 && end - begin <= kPathHub); left != 0; left &= left - 1) {
      const int i = __ffs(left) - 1, v = first + own.step * i;
      const Lanes lanes = __shfl_sync(~0u, mine, i);
      const double2 row = pick(p.rows + (long)v * 32, lanes);
      double2 sum = make_double2(0, 0);
      gather<edges>(p, p.ends, __shfl_sync(~0u, begin, i), __shfl_sync(~0u, end, i), at, lanes, row, sum);
      leave(p, v, lanes, row, sum);
    }
  }
}
