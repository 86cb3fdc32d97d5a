// The product of tiles of pairs: entries of 8 bytes, a distance and its predecessor (kernels.Tracker).
//
// It is the product of product.cuh, of the distances alone: they are copied to shared memory without the predecessors,
// 4 bytes at a time. What is kept beside is where each entry was lowered last: after every chunk of eight k an entry is
// compared with what it was before, and if it is lower, the number of the chunk is stored in shared memory. That is two
// instructions for eight relaxations. When all pairs are done, a second look finds for each entry that was lowered the
// first k of that chunk whose sum is the distance, and takes over the predecessor of B there.
#pragma once
#include "product.cuh"

constexpr int kPairResident = 4;  // blocks that are to fit a multiprocessor at once: of 255 registers a thread
// An entry is compared with what it was after so many k. Fewer take more comparisons, more a longer second look; more
// or fewer than four take registers for what the entries were.
constexpr int kChunk = 8;
constexpr int kPairRows = 2;  // rows a step, see rowsOfStep

// Marks holds for each entry of each thread the number of the chunk that lowered it last. Chunks are counted down, over
// all pairs of the job, to 1.
struct Marks {
  unsigned short of[kFragment * kFragment][kBlock];
};

// PairSource walks through the operands of a block of C. A warp copies 16 entries of two rows of A, or 32 of a row
// of B, at a time: whole lines of 128 bytes, of which it leaves every second word.
struct PairSource {
  static constexpr int beside = 32, down = kBlock / beside;
  const int2 *a, *b;  // the thread's first entries in the slab
  int pair, slabs;    // in the list, after this one; slabs left of this one
  unsigned toA, toB;  // where the thread's entries go in the first stage

  // The rows that a warp copies at once are 4 apart: then they lie in different banks.
  static __device__ __forceinline__ int rowOfA() { return threadIdx.x / 32 + threadIdx.x / kSlab % 2 * 4; }

  __device__ __forceinline__ PairSource(const Product &p, int first, const Stage &s) : pair(first) {
    toA = sharedAddress(&s.a[rowOfA()][threadIdx.x % kSlab]);
    toB = sharedAddress(&s.b[threadIdx.x / beside][threadIdx.x % beside]);
    open(p);
  }

  __device__ __forceinline__ void open(const Product &p) {
    const Place at(p);
    const Entry e = at.list[pair++];
    slabs = p.depth / kSlab;
    a = reinterpret_cast<const int2 *>(e.x) + (long)(at.row + rowOfA()) * p.lda + threadIdx.x % kSlab;
    b = reinterpret_cast<const int2 *>(e.y) + (long)(threadIdx.x / beside) * p.ldb + at.col + threadIdx.x % beside;
  }

  // next goes to the next slab, of which there is one if more.
  __device__ __forceinline__ void next(const Product &p, bool more) {
    a += kSlab, b += static_cast<unsigned>(kSlab * p.ldb);
    if (__builtin_expect(--slabs == 0, 0) && more) open(p);
  }

  // copy starts to copy a part of the slab, if it is to, to the stage at an offset in bytes from the first.
  static constexpr int parts = 8;
  __device__ __forceinline__ void copy(bool go, int part, unsigned offset, const Product &p) const {
#pragma unroll
    for (int i = 0; i < 2; i++) {
      const int r = 8 * part + 2 * i;  // with rowOfA, all rows
      stage4(go, toA + offset + 4 * r * kRow, a + (long)r * p.lda);
    }
#pragma unroll
    for (int j = 0; j < kBlock; j += beside)
      stage4(go, toB + offset + 4 * (part * down * kBlock + j), b + (long)(part * down) * p.ldb + j);
  }
};

// relaxMarked takes step s. In the last step of a chunk it marks what is lower than it was before the chunk.
template <Variant V>
__device__ __forceinline__ void relaxMarked(const Fragment<V, kPairRows> &f, int s, int one, int (&c)[kFragment][kFragment],
                                            int (&old)[kFragment][kFragment], unsigned marks, int number) {
  const Step<kPairRows> step(s);
  const int k = (step.k + 2 * step.half) % kChunk;
  if (k == 0)
#pragma unroll
    for (int i = step.row; i < step.row + kPairRows; i++)
#pragma unroll
      for (int j = 0; j < kFragment; j++) old[i][j] = c[i][j];
  f.relax(s, one, c);
  if (k != kChunk - 2) return;
#pragma unroll
  for (int i = step.row; i < step.row + kPairRows; i++)
#pragma unroll
    for (int j = 0; j < kFragment; j++) mark(old[i][j] != c[i][j], marks + 2 * kBlock * (i * kFragment + j), number);
}

// Lowered finds the predecessors of some entries of a row of a thread.
template <Variant V>
struct Lowered {
  static constexpr int width = 4;  // entries looked at at once
  int d[width], number[width];
  int2 was[width];

  __device__ __forceinline__ bool low(int n) const { return settle<V>(d[n]) != was[n].x; }

  // find looks for the first k of each chunk whose sum is the distance, four k at a time.
  __device__ __forceinline__ void find(const Product &p, const Entry *pairs, int row, int col, int (&found)[width]) const {
    const int4 *left[width];
    const int2 *right[width];
#pragma unroll
    for (int n = 0; n < width; n++) {
      const unsigned k = kChunk * number[n], pair = k / p.depth, in = k - pair * p.depth;
      if (!low(n)) {
        left[n] = nullptr;
        continue;
      }
      const Entry e = pairs[pair];
      left[n] = reinterpret_cast<const int4 *>(reinterpret_cast<const int2 *>(e.x) + (long)row * p.lda + in);
      right[n] = reinterpret_cast<const int2 *>(e.y) + (long)in * p.ldb + col + 8 * n;
    }
#pragma unroll 1
    for (int k = 0; k < kChunk; k += 4) {
      int4 a[width][2];
      int2 b[width][4];
#pragma unroll
      for (int n = 0; n < width; n++) {
        if (left[n] == nullptr) continue;
        a[n][0] = left[n][0], a[n][1] = left[n][1];
#pragma unroll
        for (int l = 0; l < 4; l++) b[n][l] = right[n][(long)l * p.ldb];
      }
#pragma unroll
      for (int n = 0; n < width; n++) {
        if (left[n] == nullptr) continue;
        const int with[4] = {a[n][0].x, a[n][0].z, a[n][1].x, a[n][1].z};
        left[n] += 2, right[n] += 4 * (long)p.ldb;
#pragma unroll
        for (int l = 3; l >= 0; l--)
          if (add<V>(with[l], b[n][l].x) == d[n]) found[n] = b[n][l].y, left[n] = nullptr;
      }
    }
  }
};

// secondLook stores the entries of a thread that were lowered, with their predecessors, and where C begins as
// another, the rest too. The distances lie in shared memory, a word of each thread after another.
template <Variant V>
__device__ __forceinline__ void secondLook(const Product &p, const int (*distance)[kBlock], const Marks &marks) {
  const Place at(p);
  const Entry job = at.list[at.job], *begin = at.list + static_cast<unsigned>(job.y);
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int row = at.row + warp * (kBlock / 2) + lane / 8, col = at.col + lane % 8;
  const bool fresh = begin->x != job.x;
  const int2 *from = reinterpret_cast<const int2 *>(begin->x) + (long)row * p.ldc + col;
  int2 *to = reinterpret_cast<int2 *>(job.x) + (long)row * p.ldc + col;
  const int all = static_cast<int>(job.y >> 32) * (p.depth / kChunk);
  using L = Lowered<V>;
#pragma unroll 1
  for (int e = 0; e < kFragment * kFragment; e += L::width) {
    const int i = 4 * (e / kFragment), j = 8 * (e % kFragment);
    L some;
    bool any = false;
#pragma unroll
    for (int n = 0; n < L::width; n++) {
      some.d[n] = distance[e + n][threadIdx.x];
      some.number[n] = all - marks.of[e + n][threadIdx.x];
      some.was[n] = from[(long)i * p.ldc + j + 8 * n];
    }
#pragma unroll
    for (int n = 0; n < L::width; n++) any |= some.low(n);
    int found[L::width];
    if (any) some.find(p, begin + 1, row + i, col + j, found);
#pragma unroll
    for (int n = 0; n < L::width; n++) {
      const int2 is = some.low(n) ? make_int2(some.d[n], found[n]) : some.was[n];
      if (fresh || some.low(n)) to[(long)i * p.ldc + j + 8 * n] = is;
    }
  }
}

// pairProduct computes one block of C of one job. A job's entry is followed, where it says, by one whose x is the address
// of what C begins as, and then by its pairs.
template <Variant V>
__device__ __forceinline__ void pairProduct(const Product &p) {
  using S = Step<kPairRows>;
  constexpr int last = S::count - 1;
  __shared__ __align__(16) Stage stages[2];
  __shared__ __align__(16) Marks marks;
  static_assert(sizeof(stages) >= sizeof(int[kFragment * kFragment][kBlock]), "the stages hold the results in the end");
  // What is left to do, in chunks: the number of the next.
  int left;
  int c[kFragment][kFragment];
  PairSource source = [&] {
    const Place at(p);
    const unsigned long long head = at.list[at.job].y;
    const int first = static_cast<unsigned>(head);
    left = static_cast<int>(head >> 32) * (p.depth / kChunk);
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int row = at.row + warp * (kBlock / 2) + lane / 8, col = at.col + lane % 8;
    const int2 *in = reinterpret_cast<const int2 *>(at.list[first].x) + (long)row * p.ldc + col;
#pragma unroll
    for (int i = 0; i < kFragment; i++)
#pragma unroll
      for (int j = 0; j < kFragment; j++) c[i][j] = in[(long)(4 * i) * p.ldc + 8 * j].x;
#pragma unroll
    for (int i = 0; i < kFragment; i++) reinterpret_cast<int4 *>(&marks)[i * kBlock + threadIdx.x] = make_int4(0, 0, 0, 0);
    return PairSource(p, first + 1, stages[0]);
  }();
#pragma unroll
  for (int i = 0; i < PairSource::parts; i++) source.copy(true, i, 0, p);

  Fragment<V, kPairRows> f(stages[0]);
  unsigned here = 0;  // the slab's stage; the other one is at sizeof(Stage) - here
  const unsigned mine = static_cast<unsigned>(__cvta_generic_to_shared(&marks.of[0][threadIdx.x]));
  int old[kFragment][kFragment];
  arrive();
  __syncthreads();
  f.read(0, here);
  do {
    const bool more = left > kSlab / kChunk;
    source.next(p, more);
#pragma unroll
    for (int s = 0; s < last; s++) {
      f.read(s + 1, here);
      // Not at once: reads from shared memory wait for copies to it that were started before.
      if (s >= 2 && s < 2 + PairSource::parts) source.copy(more, s - 2, sizeof(Stage) - here, p);
      relaxMarked<V>(f, s, p.one, c, old, mine, left - S(s).k / kChunk);
    }
    arrive();
    __syncthreads();
    here = sizeof(Stage) - here;
    f.read(0, here);  // of no use after the last slab
    relaxMarked<V>(f, last, p.one, c, old, mine, left - S(last).k / kChunk);
    left -= kSlab / kChunk;
  } while (left > 0);

  __syncthreads();  // the stages are read no more
  int(*results)[kBlock] = reinterpret_cast<int(*)[kBlock]>(&stages);
#pragma unroll
  for (int i = 0; i < kFragment; i++)
#pragma unroll
    for (int j = 0; j < kFragment; j++) results[i * kFragment + j][threadIdx.x] = c[i][j];
  secondLook<V>(p, results, marks);
}
