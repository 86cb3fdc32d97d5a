// The (min,+) product of batches of tiles.
//
// A block of C stays in registers, TM×TN entries to a thread; slabs of A and B, kSlab deep, pass through
// two buffers in shared memory. One barrier a slab: what it lets start is the copy of the next slab into
// the buffer that all have left, then the work on this one.
//
// A warp is 4×8 threads. A thread's rows are 4 apart, its columns in groups of 4 that are 32 apart: the
// loads of a warp then touch 4 rows of A and 128 contiguous bytes of B, without bank conflicts.
#pragma once
#include "common.cuh"

constexpr int kSlab = 16;
// Rows of A in shared memory are padded: the four rows that a warp reads at once lie in different banks.
constexpr int kRow = kSlab + 4;

// Shape is a block of WY×WX warps.
template <int WY, int WX, int TM, int TN>
struct Shape {
  static constexpr int rows = 4 * TM * WY, cols = 8 * TN * WX, threads = 32 * WY * WX;
  int a[2][rows][kRow];
  int b[2][kSlab][cols];
};

// group is the number of block rows visited before the next block column: blocks that run at the same
// time then share rows of A and columns of B in the L2 cache.
constexpr int group = 16;

__device__ __forceinline__ void place(int block, int rows, int cols, int &row, int &col) {
  int band = block / (group * cols), first = band * group, height = min(group, rows - first);
  int in = block - first * cols;
  row = first + in % height;
  col = in / height;
}

// copySlab starts the copy of one slab: kSlab columns of A, kSlab rows of B. a and b point to the thread's
// first 16 bytes.
template <class S>
__device__ __forceinline__ void copySlab(S &s, int buffer, const int *a, const int *b, int lda, int ldb) {
  constexpr int perRowA = kSlab / 4, perRowB = S::cols / 4;
  constexpr int stepA = S::threads / perRowA, stepB = S::threads / perRowB;
  int ra = threadIdx.x / perRowA, ca = threadIdx.x % perRowA * 4;
  int rb = threadIdx.x / perRowB, cb = threadIdx.x % perRowB * 4;
#pragma unroll
  for (int i = 0; i < S::rows; i += stepA) stage(&s.a[buffer][ra + i][ca], a + i * lda);
#pragma unroll
  for (int i = 0; i < kSlab; i += stepB) stage(&s.b[buffer][rb + i][cb], b + i * ldb);
}

template <class S>
__device__ __forceinline__ const int *firstOfA(unsigned long long a, int row, int lda) {
  return reinterpret_cast<const int *>(a) + (long)(row + threadIdx.x / (kSlab / 4)) * lda +
         threadIdx.x % (kSlab / 4) * 4;
}

template <class S>
__device__ __forceinline__ const int *firstOfB(unsigned long long b, int col, int ldb) {
  return reinterpret_cast<const int *>(b) + (long)(threadIdx.x / (S::cols / 4)) * ldb + col +
         threadIdx.x % (S::cols / 4) * 4;
}

template <int N>
struct Vec {
  int v[N];
};

template <int N>
__device__ __forceinline__ Vec<N> load(const int *p) {
  Vec<N> r;
  if constexpr (N == 4) {
    int4 x = *reinterpret_cast<const int4 *>(p);
    r.v[0] = x.x, r.v[1] = x.y, r.v[2] = x.z, r.v[3] = x.w;
  } else {
    int2 x = *reinterpret_cast<const int2 *>(p);
    r.v[0] = x.x, r.v[1] = x.y;
  }
  return r;
}

// relaxSlab relaxes the thread's entries with one slab. KV entries of a row of A are loaded at once.
template <Variant V, class S, int TM, int TN, int KV>
__device__ __forceinline__ void relaxSlab(const S &s, int buffer, int row, int col, int (&c)[TM][TN]) {
#pragma unroll
  for (int k = 0; k < kSlab; k += KV) {
    Vec<KV> a[TM];
#pragma unroll
    for (int i = 0; i < TM; i++) a[i] = load<KV>(&s.a[buffer][row + 4 * i][k]);
#pragma unroll
    for (int h = 0; h < KV; h += 2) {
#pragma unroll
      for (int j = 0; j < TN; j += 4) {
        Vec<4> b0 = load<4>(&s.b[buffer][k + h][col + 8 * j]), b1 = load<4>(&s.b[buffer][k + h + 1][col + 8 * j]);
#pragma unroll
        for (int i = 0; i < TM; i++)
#pragma unroll
          for (int l = 0; l < 4; l++) c[i][j + l] = relax2<V>(c[i][j + l], a[i].v[h], b0.v[l], a[i].v[h + 1], b1.v[l]);
      }
    }
  }
}

// product computes one block of C of one job.
template <Variant V, int WY, int WX, int TM, int TN, int KV>
__device__ __forceinline__ void product(const Product &p) {
  using S = Shape<WY, WX, TM, TN>;
  __shared__ __align__(16) S s;
  const Entry *list = p.list ? p.list : p.entries;
  int blocks = p.rows * p.cols, job = blockIdx.x / blocks, row, col;
  place(blockIdx.x - job * blocks, p.rows, p.cols, row, col);
  row *= S::rows, col *= S::cols;
  const Entry head = list[job];
  const Entry *pair = list + static_cast<unsigned>(head.y);
  const bool fresh = head.y >> 63;
  const int perPair = p.depth / kSlab;
  int left = (static_cast<int>(head.y >> 32) & 0x7fffffff) * perPair, inPair = perPair;
  const int *a = firstOfA<S>(pair->x, row, p.lda), *b = firstOfB<S>(pair->y, col, p.ldb);
  copySlab(s, 0, a, b, p.lda, p.ldb);

  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int y = warp / WX * (4 * TM) + lane / 8, x = warp % WX * (8 * TN) + lane % 8 * 4;
  int *out = reinterpret_cast<int *>(head.x) + (long)(row + y) * p.ldc + col + x;
  int c[TM][TN];
#pragma unroll
  for (int i = 0; i < TM; i++)
#pragma unroll
    for (int j = 0; j < TN; j += 4) {
      int4 old = make_int4(infinity<V>(), infinity<V>(), infinity<V>(), infinity<V>());
      if (!fresh) old = *reinterpret_cast<const int4 *>(out + 4 * i * p.ldc + 8 * j);
      c[i][j] = old.x, c[i][j + 1] = old.y, c[i][j + 2] = old.z, c[i][j + 3] = old.w;
    }

  for (int buffer = 0; left > 0; buffer ^= 1) {
    arrive();
    __syncthreads();
    if (--left > 0) {
      a += kSlab, b += kSlab * p.ldb;
      if (--inPair == 0) {
        inPair = perPair, pair++;
        a = firstOfA<S>(pair->x, row, p.lda), b = firstOfB<S>(pair->y, col, p.ldb);
      }
      copySlab(s, buffer ^ 1, a, b, p.lda, p.ldb);
    }
    relaxSlab<V, S, TM, TN, KV>(s, buffer, y, x, c);
  }

#pragma unroll
  for (int i = 0; i < TM; i++)
#pragma unroll
    for (int j = 0; j < TN; j += 4)
      *reinterpret_cast<int4 *>(out + 4 * i * p.ldc + 8 * j) =
          make_int4(settle<V>(c[i][j]), settle<V>(c[i][j + 1]), settle<V>(c[i][j + 2]), settle<V>(c[i][j + 3]));
}
