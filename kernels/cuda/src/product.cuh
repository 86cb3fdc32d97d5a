// The (min,+) product of batches of tiles.
//
// Two warps compute a block of 64×64 entries of C, 8×8 a thread, in registers; slabs of A and B, kSlab deep,
// pass through two stages in shared memory: while one is worked on, the next is copied to the other. The work on
// a slab is a sequence of steps, and what a step needs is read from shared memory a step ahead, across slabs too:
// before the last step of a slab comes the barrier after which the next one is there. So no warp waits for
// shared memory right after a barrier.
//
// What limits such a kernel beside its arithmetic is reading registers: they lie in two banks, even and
// odd, and an instruction whose operands share a bank waits. A load of four words fills registers of
// alternating banks. A is loaded along k: k even in one bank, k odd in the other. B is loaded with ldmatrix,
// which is meant for operands of the tensor cores, but in fact reads for each thread four words from anywhere,
// as long as each lies in 16 bytes that four threads share: here from two k, the odd one first, so that a sum
// of A and B never has both from one bank.
//
// A warp is 4×8 threads. A thread's rows are 4 apart, its columns 8: the loads of a warp then touch 4 rows of
// A, and 8 neighbouring columns of B at a time, without conflicts in shared memory either.
#pragma once
#include "common.cuh"

constexpr int kBlock = 64;    // rows and columns of C, and threads, of a block
constexpr int kFragment = 8;  // rows and columns of a thread
constexpr int kSlab = 16;
// Rows of A in shared memory are padded: the four rows that a warp reads at once lie in different banks.
constexpr int kRow = kSlab + 4;
// Blocks that are to fit a multiprocessor at once: registers for six, or what Turing's shared memory holds.
#if __CUDA_ARCH__ >= 800
constexpr int kResident = 6;
#else
constexpr int kResident = 3;
#endif

struct Stage {
  int a[kBlock][kRow];
  int b[kSlab][kBlock];
};

// kBand is the number of block rows visited before the next block column: blocks that run at the same
// time then share rows of A and columns of B in the L2 cache.
constexpr int kBand = 16;

// Place is what one block of threads computes: rows and columns of the C of a job.
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
    row = (first + in % height) * kBlock;
    col = in / height * kBlock;
  }

  // corner returns the thread's first entry of C.
  template <typename Word = int>
  __device__ __forceinline__ Word *corner(const Product &p) const {
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int y = warp * (kBlock / 2) + lane / 8, x = lane % 8;
    return reinterpret_cast<Word *>(list[job].x) + (long)(row + y) * p.ldc + col + x;
  }
};

// Source walks through the operands of a block of C: each thread copies its share of every slab, 16 bytes at a
// time. Four threads side by side copy 64 bytes of a row; fewer take longer, as they touch more rows at once.
struct Source {
  static constexpr int entries = 4, beside = 4, across = beside * entries, down = kBlock / beside;
  static_assert(across == kSlab && down == kSlab, "a thread copies from every down-th row of A, and a row of B");
  const int *a, *b;   // the thread's first entries in the slab
  const Entry *pair;  // after this one
  int pairs, slabs;   // pairs left, this one included; slabs left of this pair
  int row, col;
  unsigned toA, toB;  // where the thread's entries go in the first stage

  __device__ __forceinline__ Source(const Product &p, const Place &at, unsigned long long head, const Stage &s) {
    pair = at.list + static_cast<unsigned>(head);
    pairs = static_cast<int>(head >> 32) & 0x7fffffff;
    row = at.row, col = at.col;
    toA = sharedAddress(&s.a[threadIdx.x / beside][threadIdx.x % beside * entries]);
    toB = sharedAddress(&s.b[threadIdx.x / beside][threadIdx.x % beside * entries]);
    open(p);
  }

  __device__ __forceinline__ void open(const Product &p) {
    const Entry e = *pair++;
    const unsigned y = threadIdx.x / beside, x = threadIdx.x % beside * entries;
    slabs = p.depth / kSlab;
    a = reinterpret_cast<const int *>(e.x) + (long)(row + y) * p.lda + x;
    b = reinterpret_cast<const int *>(e.y) + (long)y * p.ldb + col + x;
  }

  // next goes to the next slab.
  __device__ __forceinline__ void next(const Product &p) {
    a += kSlab, b += static_cast<unsigned>(kSlab * p.ldb);
    if (__builtin_expect(--slabs == 0, 0) && --pairs > 0) open(p);
  }

  // copyA and copyB start to copy the slab, if there is one, to the stage at an offset in bytes from the first.
  __device__ __forceinline__ void copyA(unsigned offset, const Product &p) const {
#pragma unroll
    for (int i = 0; i < kBlock; i += down) stage16(pairs > 0, toA + offset + 4 * i * kRow, a + (long)i * p.lda);
  }
  __device__ __forceinline__ void copyB(unsigned offset) const {
#pragma unroll
    for (int j = 0; j < kBlock; j += across) stage16(pairs > 0, toB + offset + 4 * j, b + j);
  }
};

// Step s of a slab relaxes some of a thread's rows, and all its columns, with two k: first both pairs of k
// of the first rows, then of the next rows, and so on, then the next four k. What is read for it, it shares
// with others: the rows of A with the other pair of k, the columns of B with the other rows.
template <int Rows>
struct Step {
  static constexpr int rows = Rows, perGroup = 2 * kFragment / rows, count = kSlab / 4 * perGroup;
  int k, row, half;  // the four k's first; the first row; which two k
  __device__ __forceinline__ constexpr Step(int s)
      : k(4 * (s / perGroup)), row(s % perGroup / 2 * rows), half(s % 2) {}
};

// More rows a step take more registers, fewer leave less to do while the next are read: these came out best.
template <Variant V>
constexpr int rowsOfStep = V == F32Signed ? 2 : 4;

// Fragment is what a thread holds of A and B: the rows of this step and of the next; all columns.
template <int Rows>
struct Fragment {
  using S = Step<Rows>;
  int4 a[2][S::rows];           // of a row, 4 k
  int4 b[2][kFragment / 2];     // of two columns: odd k, even k, odd k, even k
  unsigned a0, b0;              // where the thread's entries lie in the first stage

  __device__ __forceinline__ explicit Fragment(const Stage &s) {
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    a0 = sharedAddress(&s.a[warp * (kBlock / 2) + lane / 8][0]);
    // The address that a thread gives to ldmatrix is that of a row of four entries: which of four results
    // (k odd or even, and columns), and which half of the columns of a warp.
    const int result = lane / 8;
    b0 = sharedAddress(&s.b[1 - result % 2][result / 2 * 8 + lane % 2 * 4]);
  }

  // read reads what step s is the first to need, at an offset in bytes from the first stage.
  __device__ __forceinline__ void read(int s, unsigned offset) {
    const S step(s);
    if (step.row == 0)
#pragma unroll
      for (int j = 0; j < kFragment / 2; j++)
        b[step.half][j] = loadMatrix(b0 + offset + 4 * ((step.k + 2 * step.half) * kBlock + 16 * j));
    if (step.half == 0)
#pragma unroll
      for (int i = 0; i < S::rows; i++)
        a[step.row / S::rows % 2][i] = loadShared(a0 + offset + 4 * (4 * (step.row + i) * kRow + step.k));
  }

  // relax takes step s.
  template <Variant V>
  __device__ __forceinline__ void relax(int s, int one, int (&c)[kFragment][kFragment]) const {
    const S step(s);
#pragma unroll
    for (int i = 0; i < S::rows; i++) {
      const int4 row = a[step.row / S::rows % 2][i];
      const int even = step.half == 0 ? row.x : row.z, odd = step.half == 0 ? row.y : row.w;
#pragma unroll
      for (int j = 0; j < kFragment; j += 2) {
        const int4 pair = b[step.half][j / 2];
        int *to = &c[step.row + i][j];
        // Half of the columns relax by the one way, half by the other: see relaxMixed.
        to[0] = relaxMixed<V>(to[0], even, pair.y, odd, pair.x, one);
        to[1] = relax2<V>(to[1], even, pair.w, odd, pair.z);
      }
    }
  }
};

// product computes one block of C of one job.
template <Variant V>
__device__ __forceinline__ void product(const Product &p) {
  __shared__ __align__(16) Stage stages[2];
  const Place at(p);
  const unsigned long long head = at.list[at.job].y;
  Source source(p, at, head, stages[0]);
  int slabs = source.pairs * source.slabs;  // left to do
  source.copyA(0, p);
  source.copyB(0);

  int c[kFragment][kFragment];
  {
    const bool fresh = head >> 63;
    const int *in = at.corner(p);
#pragma unroll
    for (int i = 0; i < kFragment; i++)
#pragma unroll
      for (int j = 0; j < kFragment; j++) c[i][j] = fresh ? infinity<V>() : in[4 * i * p.ldc + 8 * j];
  }

  constexpr int rows = rowsOfStep<V>, last = Step<rows>::count - 1;
  Fragment<rows> f(stages[0]);
  unsigned here = 0, there = sizeof(Stage);  // the slab's stage, and the other one
  arrive();
  __syncthreads();
  f.read(0, here);
  do {
    source.next(p);
#pragma unroll
    for (int s = 0; s < last; s++) {
      f.read(s + 1, here);
      // Not at once: reads from shared memory wait for copies to it that were started before.
      if (s == 2) source.copyA(there, p);
      if (s == 3) source.copyB(there);
      f.template relax<V>(s, p.one, c);
    }
    arrive();
    __syncthreads();
    here = there, there = sizeof(Stage) - there;
    f.read(0, here);  // of no use after the last slab
    f.template relax<V>(last, p.one, c);
  } while (--slabs > 0);

  // Worked out anew: nothing of it takes a register while the slabs pass.
  int *out = Place(p).corner(p);
#pragma unroll
  for (int i = 0; i < kFragment; i++)
#pragma unroll
    for (int j = 0; j < kFragment; j++) out[4 * i * p.ldc + 8 * j] = settle<V>(c[i][j]);
}
