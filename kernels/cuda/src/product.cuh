// The (min,+) product of batches of tiles.
//
// A block of C stays in registers, 8×8 entries to a thread; slabs of A and B, kSlab deep, pass through two
// buffers in shared memory. One barrier a slab: what it lets start is the copy of the next slab into the
// buffer that all have left, then the work on this one.
//
// What limits such a kernel beside its arithmetic is reading registers: they lie in two banks, even and
// odd, and an instruction whose operands share a bank waits. A vector load fills registers of alternating
// banks. So A is loaded along k: k even in one bank, k odd in the other. And B lies in shared memory in
// pairs of k, the odd one first, so that a sum of A and B never has both from one bank.
//
// A warp is 4×8 threads. A thread's rows are 4 apart, its columns pairs that are 16 apart: the loads of a
// warp then touch 4 rows of A and 128 contiguous bytes of B, without conflicts in shared memory either.
#pragma once
#include "common.cuh"

constexpr int kSlab = 16;
// Rows of A in shared memory are padded: the four rows that a warp reads at once lie in different banks.
constexpr int kRow = kSlab + 4;

// Shape is a block of WY×WX warps.
template <int WY, int WX, int TM_, int TN_>
struct Shape {
  static constexpr int TM = TM_, TN = TN_;
  static constexpr int rows = 4 * TM * WY, cols = 8 * TN * WX, threads = 32 * WY * WX, warpsX = WX;
  int a[2][rows][kRow];
  int b[2][kSlab / 2][2 * cols];  // [k/2][column][1 - k%2]
};

// kBand is the number of block rows visited before the next block column: blocks that run at the same
// time then share rows of A and columns of B in the L2 cache.
constexpr int kBand = 16;

// Place is what one block of threads computes: rows and columns of the C of a job.
template <class S>
struct Place {
  const Entry *list;
  int job, row, col;

  __device__ __forceinline__ explicit Place(const Product &p) {
    list = p.list ? p.list : p.entries;
    const int blocks = p.rows * p.cols;
    job = blockIdx.x / blocks;
    const int block = blockIdx.x - job * blocks;
    const int first = block / (kBand * p.cols) * kBand, height = min(kBand, p.rows - first);
    const int in = block - first * p.cols;
    row = (first + in % height) * S::rows;
    col = in / height * S::cols;
  }

  // corner returns the thread's first entry of C.
  __device__ __forceinline__ int *corner(const Product &p) const {
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int y = warp / S::warpsX * (4 * S::TM) + lane / 8, x = warp % S::warpsX * (8 * S::TN) + lane % 8 * 2;
    return reinterpret_cast<int *>(list[job].x) + (long)(row + y) * p.ldc + col + x;
  }
};

// Source walks through the operands of a block of C: each thread copies its share of every slab.
template <class S>
struct Source {
  static constexpr int perRowA = kSlab / 4, stepA = S::threads / perRowA;
  static constexpr int perRowB = S::cols < S::threads ? S::cols : S::threads, stepB = S::threads / perRowB;
  const int *a, *b;  // the thread's first entries in the next slab
  const Entry *pair;
  int left, inPair;  // slabs to copy, in all and of this pair

  __device__ __forceinline__ Source(const Product &p, const Place<S> &at) {
    const unsigned long long head = at.list[at.job].y;
    pair = at.list + static_cast<unsigned>(head) - 1;
    left = (static_cast<int>(head >> 32) & 0x7fffffff) * (p.depth / kSlab);
    inPair = 0;
  }

  // next points to the next slab.
  __device__ __forceinline__ void next(const Product &p, int row, int col) {
    left--;
    if (--inPair > 0) {
      a += kSlab, b += kSlab * p.ldb;
      return;
    }
    inPair = p.depth / kSlab;
    pair++;
    a = reinterpret_cast<const int *>(pair->x) + (long)(row + threadIdx.x / perRowA) * p.lda + threadIdx.x % perRowA * 4;
    b = reinterpret_cast<const int *>(pair->y) + (long)(threadIdx.x / perRowB) * p.ldb + col + threadIdx.x % perRowB;
  }

  __device__ __forceinline__ void copy(S &s, int buffer, const Product &p) const {
    int *toA = &s.a[buffer][threadIdx.x / perRowA][threadIdx.x % perRowA * 4];
#pragma unroll
    for (int i = 0; i < S::rows; i += stepA) stage16(toA + i * kRow, a + i * p.lda);
    static_assert(stepB == 1 || stepB % 2 == 0, "a thread's rows of B are of both parities only if it copies all");
    const int k = threadIdx.x / perRowB;  // 0 where stepB is 1
    int *toB = &s.b[buffer][k / 2][threadIdx.x % perRowB * 2 + 1 - k % 2];
#pragma unroll
    for (int i = 0; i < kSlab; i += stepB)
#pragma unroll
      for (int j = 0; j < S::cols; j += perRowB)
        stage4(toB + i / 2 * (2 * S::cols) - i % 2 + 2 * j, b + i * p.ldb + j);
  }
};

// Order is in what order relaxSlab takes the rows and pairs of columns of a thread: so many rows of A, then
// so many pairs of B, are loaded before they are used. It changes how well the assembler can schedule, and
// how many operands it can keep from one instruction to the next: of those tried, these came out best.
template <Variant V, class S>
struct Order {
  static constexpr int rows = V == F32Signed ? 4 : S::TM, pairs = V == F32Signed ? 1 : S::TN / 2;
};

// relaxPart relaxes some of the thread's rows and columns with two k, the h-th pair in row and pair.
template <Variant V, class S, int I, int J>
__device__ __forceinline__ void relaxPart(int h, int i0, int j0, const int4 (&row)[I], const int4 (&pair)[J], int one,
                                          int (&c)[S::TM][S::TN]) {
#pragma unroll
  for (int i = 0; i < I; i++) {
    const int even = h == 0 ? row[i].x : row[i].z, odd = h == 0 ? row[i].y : row[i].w;
#pragma unroll
    for (int j = 0; j < J; j++) {
      int *to = &c[i0 + i][2 * (j0 + j)];
      // Half of the columns relax by the one way, half by the other: see relaxMixed.
      to[0] = relaxMixed<V>(to[0], even, pair[j].y, odd, pair[j].x, one);
      to[1] = relax2<V>(to[1], even, pair[j].w, odd, pair[j].z);
    }
  }
}

// relaxSlab relaxes the thread's entries with one slab.
template <Variant V, class S>
__device__ __forceinline__ void relaxSlab(const S &s, int buffer, int one, int (&c)[S::TM][S::TN]) {
  constexpr int I = Order<V, S>::rows, J = Order<V, S>::pairs;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int *a = s.a[buffer][warp / S::warpsX * (4 * S::TM) + lane / 8];
  const int *b = s.b[buffer][0] + warp % S::warpsX * (16 * S::TN) + lane % 8 * 4;
#pragma unroll
  for (int k = 0; k < kSlab; k += 4)
#pragma unroll
    for (int i0 = 0; i0 < S::TM; i0 += I) {
      int4 row[I];
#pragma unroll
      for (int i = 0; i < I; i++) row[i] = *reinterpret_cast<const int4 *>(a + 4 * (i0 + i) * kRow + k);
#pragma unroll
      for (int h = 0; h < 2; h++)
#pragma unroll
        for (int j0 = 0; j0 < S::TN / 2; j0 += J) {
          int4 pair[J];  // of two columns: odd k, even k, odd k, even k
#pragma unroll
          for (int j = 0; j < J; j++)
            pair[j] = *reinterpret_cast<const int4 *>(b + (k / 2 + h) * (2 * S::cols) + 32 * (j0 + j));
          relaxPart<V, S, I, J>(h, i0, j0, row, pair, one, c);
        }
    }
}

// product computes one block of C of one job.
template <Variant V, class S>
__device__ __forceinline__ void product(const Product &p) {
  __shared__ __align__(16) S s;
  const Place<S> at(p);
  Source<S> source(p, at);
  source.next(p, at.row, at.col);
  source.copy(s, 0, p);

  int c[S::TM][S::TN];
  {
    const bool fresh = at.list[at.job].y >> 63;
    const int *in = at.corner(p);
#pragma unroll
    for (int i = 0; i < S::TM; i++)
#pragma unroll
      for (int j = 0; j < S::TN; j += 2) {
        int2 old = make_int2(infinity<V>(), infinity<V>());
        if (!fresh) old = *reinterpret_cast<const int2 *>(in + 4 * i * p.ldc + 8 * j);
        c[i][j] = old.x, c[i][j + 1] = old.y;
      }
  }

  for (int buffer = 0;; buffer ^= 1) {
    arrive();
    __syncthreads();
    const bool last = source.left == 0;
    if (!last) {
      source.next(p, at.row, at.col);
      source.copy(s, buffer ^ 1, p);
    }
    relaxSlab<V, S>(s, buffer, p.one, c);
    if (last) break;
  }

  // Worked out anew: nothing of it takes a register while the slabs pass.
  int *out = Place<S>(p).corner(p);
#pragma unroll
  for (int i = 0; i < S::TM; i++)
#pragma unroll
    for (int j = 0; j < S::TN; j += 2)
      *reinterpret_cast<int2 *>(out + 4 * i * p.ldc + 8 * j) = make_int2(settle<V>(c[i][j]), settle<V>(c[i][j + 1]));
}
