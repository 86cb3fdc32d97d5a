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
//
// Entries of 2 bytes are relaxed two at once. A word of A holds two neighbours of a row, which are two steps of k. ldmatrix
// transposes as it reads, so that a word of B holds the two rows of these steps in one column. So each half of a word of C
// is a minimum over every other k, and the lesser of both is the result. Sums of halves do not carry, as twice
// unreachable fits 16 bits, and minima with C, which is at most unreachable, cap them.
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

// kPerWord is how many entries a word holds.
template <Variant V>
constexpr int kPerWord = V == U16 ? 2 : 1;

// Stage is a slab of words. Of entries of 2 bytes b has twice as many rows, of half the length; in every other row
// neighbours of 16 bytes have changed places, so that two rows are read at once from different banks.
struct Stage {
  int a[kBlock][kRow];
  int b[kSlab][kBlock];
};

// Position is where in its warp's rows and columns a thread's are: for entries of 2 bytes as ldmatrix transposes them.
template <Variant V>
struct Position {
  int y, x;
  __device__ __forceinline__ Position() {
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    y = warp * (kBlock / 2) + (V == U16 ? lane % 4 : lane / 8);
    x = V == U16 ? lane / 4 : lane % 8;
  }
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
  template <Variant V>
  __device__ __forceinline__ Word<V> *corner(const Product &p) const {
    const Position<V> at;
    return reinterpret_cast<Word<V> *>(list[job].x) + (long)(row + at.y) * p.ldc + col + at.x;
  }
};

// Source walks through the operands of a block of C: each thread copies its share of every slab, 16 bytes at a
// time. Four threads side by side copy 64 bytes of a row; fewer take longer, as they touch more rows at once.
template <Variant V>
struct Source {
  static constexpr int per = kPerWord<V>, entries = 4 * per, beside = 4, across = beside * entries, down = kBlock / beside;
  static_assert(across == kSlab * per && down == kSlab, "a thread copies from every down-th row of A, and per rows of B");
  const Word<V> *a, *b;  // the thread's first entries in the slab
  const Entry *pair;  // after this one
  int pairs, slabs;   // pairs left, this one included; slabs left of this pair
  int row, col;
  unsigned toA, toB;  // where the thread's entries go in the first stage

  __device__ __forceinline__ Source(const Product &p, const Place &at, unsigned long long head, const Stage &s) {
    pair = at.list + static_cast<unsigned>(head);
    pairs = static_cast<int>(head >> 32) & 0x7fffffff;
    row = at.row, col = at.col;
    const unsigned y = threadIdx.x / beside, x = threadIdx.x % beside;
    toA = sharedAddress(&s.a[y][x * 4]);
    toB = per == 1 ? sharedAddress(&s.b[y][x * 4]) : sharedAddress(&s.b[y / 2][y % 2 * (kBlock / 2) + (x ^ y % 2) * 4]);
    open(p);
  }

  __device__ __forceinline__ void open(const Product &p) {
    const Entry e = *pair++;
    const unsigned y = threadIdx.x / beside, x = threadIdx.x % beside * entries;
    slabs = p.depth / (kSlab * per);
    a = reinterpret_cast<const Word<V> *>(e.x) + (long)(row + y) * p.lda + x;
    b = reinterpret_cast<const Word<V> *>(e.y) + (long)y * p.ldb + col + x;
  }

  // next goes to the next slab.
  __device__ __forceinline__ void next(const Product &p) {
    a += kSlab * per, b += static_cast<unsigned>(kSlab * per * p.ldb);
    if (__builtin_expect(--slabs == 0, 0) && --pairs > 0) open(p);
  }

  // copyA and copyB start to copy the slab, if there is one, to the stage at an offset in bytes from the first.
  __device__ __forceinline__ void copyA(unsigned offset, const Product &p) const {
#pragma unroll
    for (int i = 0; i < kBlock; i += down) stage16(pairs > 0, toA + offset + 4 * i * kRow, a + (long)i * p.lda);
  }
  __device__ __forceinline__ void copyB(unsigned offset, const Product &p) const {
#pragma unroll
    for (int i = 0; i < per; i++)
#pragma unroll
      for (int j = 0; j < kBlock; j += across)
        stage16(pairs > 0, toB + offset + 4 * (i * kSlab * kBlock + j) / per, b + (long)(i * kSlab) * p.ldb + j);
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
constexpr int rowsOfStep = V == F32Signed || V == U16 ? 2 : 4;

// mixed tells which of a thread's columns relax by relaxMixed: half of them, and of entries of 2 bytes one more.
template <Variant V>
__device__ constexpr bool mixed(int column) {
  return column % 2 == 0 || (V == U16 && column == 1);
}

// Fragment is what a thread holds of A and B: the rows of this step and of the next; all columns.
template <Variant V, int Rows = rowsOfStep<V>>
struct Fragment {
  using S = Step<Rows>;
  int4 a[2][S::rows];           // of a row, 4 k
  int4 b[2][kFragment / 2];     // of two columns: odd k, even k, odd k, even k
  unsigned a0, b0;              // where the thread's entries lie in the first stage

  __device__ __forceinline__ explicit Fragment(const Stage &s) {
    const int lane = threadIdx.x % 32;
    a0 = sharedAddress(&s.a[Position<V>().y][0]);
    // The address that a thread gives to ldmatrix is that of a row of four words: which of four results
    // (k odd or even, and columns), and which half of the columns of a warp. Transposed it is that of 8 entries of one of
    // two rows, which all threads of a column share.
    const int result = lane / 8, odd = lane % 2;
    if (V == U16)
      b0 = sharedAddress(&s.b[1 - result % 2][odd * (kBlock / 2) + (result / 2 ^ odd) * 4]);
    else
      b0 = sharedAddress(&s.b[1 - result % 2][result / 2 * 8 + odd * 4]);
  }

  // read reads what step s is the first to need, at an offset in bytes from the first stage.
  __device__ __forceinline__ void read(int s, unsigned offset) {
    const S step(s);
    if (step.row == 0)
#pragma unroll
      for (int j = 0; j < kFragment / 2; j++)
        b[step.half][j] = loadMatrix<V == U16>(b0 + offset + 4 * ((step.k + 2 * step.half) * kBlock + 16 * j / kPerWord<V>));
    if (step.half == 0)
#pragma unroll
      for (int i = 0; i < S::rows; i++)
        a[step.row / S::rows % 2][i] = loadShared(a0 + offset + 4 * (4 * (step.row + i) * kRow + step.k));
  }

  // relax takes step s.
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
        to[0] = relaxMixed<V>(to[0], even, pair.y, odd, pair.x, one);
        if (mixed<V>(j + 1))
          to[1] = relaxMixed<V>(to[1], even, pair.w, odd, pair.z, one);
        else
          to[1] = relax2<V>(to[1], even, pair.w, odd, pair.z);
      }
    }
  }
};

// begin is the word that a thread starts from where an entry of C is c; end is the entry of the word that it comes to.
template <Variant V>
__device__ __forceinline__ int begin(int c) {
  return V == U16 ? kInf16 << 16 | c : c;
}
template <Variant V>
__device__ __forceinline__ int end(int c) {
  return V == U16 ? min(c & 0xffff, static_cast<int>(static_cast<unsigned>(c) >> 16)) : settle<V>(c);
}

// product computes one block of C of one job.
template <Variant V>
__device__ __forceinline__ void product(const Product &p) {
  __shared__ __align__(16) Stage stages[2];
  const Place at(p);
  const unsigned long long head = at.list[at.job].y;
  Source<V> source(p, at, head, stages[0]);
  int slabs = source.pairs * source.slabs;  // left to do
  source.copyA(0, p);
  source.copyB(0, p);

  int c[kFragment][kFragment];
  {
    const bool fresh = head >> 63;
    const Word<V> *in = at.corner<V>(p);
#pragma unroll
    for (int i = 0; i < kFragment; i++)
#pragma unroll
      for (int j = 0; j < kFragment; j++) c[i][j] = begin<V>(fresh ? infinity<V>() : in[4 * i * p.ldc + 8 * j]);
  }

  constexpr int last = Step<rowsOfStep<V>>::count - 1;
  Fragment<V> f(stages[0]);
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
      if (s == 3) source.copyB(there, p);
      f.relax(s, p.one, c);
    }
    arrive();
    __syncthreads();
    here = there, there = sizeof(Stage) - there;
    f.read(0, here);  // of no use after the last slab
    f.relax(last, p.one, c);
  } while (--slabs > 0);

  // Worked out anew: nothing of it takes a register while the slabs pass.
  Word<V> *out = Place(p).corner<V>(p);
#pragma unroll
  for (int i = 0; i < kFragment; i++)
#pragma unroll
    for (int j = 0; j < kFragment; j++) out[4 * i * p.ldc + 8 * j] = end<V>(c[i][j]);
}
