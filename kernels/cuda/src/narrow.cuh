// The (min,+) product of tiles of entries of 2 bytes: that of product.cuh on words, each of which holds two entries.
//
// A word of A holds two neighbours of a row, which are two steps of k. The words of B hold the two rows of these steps
// in the same column; B is interleaved to them on its way to shared memory, through registers, a chunk of columns after the
// other. So each half of a word of C is a minimum over every other k, and the lesser of both is the result. Sums of
// halves do not carry, as twice unreachable fits 16 bits, and minima with C, which is at most unreachable, cap them.
#pragma once
#include "product.cuh"

constexpr int kInf16s = kInf16 << 16 | kInf16;

// NarrowSource is Source for entries of 2 bytes.
struct NarrowSource {
  static constexpr int beside = 4, down = kBlock / beside, chunks = 8, across = kBlock / chunks;
  static_assert(down == kSlab && across == 2 * beside, "a thread copies from every down-th row of A, and two words of a chunk of B");
  const unsigned short *a, *b;  // the thread's first entries in the slab, of B in the first of two rows
  const Entry *pair;        // after this one
  int pairs, slabs;         // pairs left, this one included; slabs left of this pair
  int row, col;
  unsigned toA, toB;  // where the thread's words go in the first stage
  unsigned even, odd;  // its part of a chunk, of either row

  __device__ __forceinline__ NarrowSource(const Product &p, const Place &at, unsigned long long head, const Stage &s) {
    pair = at.list + static_cast<unsigned>(head);
    pairs = static_cast<int>(head >> 32) & 0x7fffffff;
    row = at.row, col = at.col;
    toA = sharedAddress(&s.a[threadIdx.x / beside][threadIdx.x % beside * 4]);
    toB = sharedAddress(&s.b[threadIdx.x / beside][threadIdx.x % beside * 2]);
    open(p);
  }

  __device__ __forceinline__ void open(const Product &p) {
    const Entry e = *pair++;
    const unsigned y = threadIdx.x / beside, x = threadIdx.x % beside * 4;
    slabs = p.depth / (2 * kSlab);
    a = reinterpret_cast<const unsigned short *>(e.x) + (long)(row + y) * p.lda + 2 * x;
    b = reinterpret_cast<const unsigned short *>(e.y) + (long)(2 * y) * p.ldb + col + x / 2;
  }

  // next goes to the next slab.
  __device__ __forceinline__ void next(const Product &p) {
    a += 2 * kSlab, b += static_cast<unsigned>(2 * kSlab * p.ldb);
    if (__builtin_expect(--slabs == 0, 0) && --pairs > 0) open(p);
  }

  // copyA starts to copy the slab, if there is one, to the stage at an offset in bytes from the first.
  __device__ __forceinline__ void copyA(unsigned offset, const Product &p) const {
#pragma unroll
    for (int i = 0; i < kBlock; i += down) stage16(pairs > 0, toA + offset + 4 * i * kRow, a + (long)i * p.lda);
  }

  // loadB loads a chunk of the slab, if there is one; storeB puts it into the stage at an offset.
  __device__ __forceinline__ void loadB(int chunk, const Product &p) {
    if (pairs <= 0) return;
    const unsigned short *from = b + across * chunk;
    even = __ldg(reinterpret_cast<const unsigned *>(from));
    odd = __ldg(reinterpret_cast<const unsigned *>(from + p.ldb));
  }
  __device__ __forceinline__ void storeB(int chunk, unsigned offset) const {
    if (pairs <= 0) return;
    asm volatile("st.shared.v2.b32 [%0], {%1, %2};" ::"r"(toB + offset + 4 * across * chunk),
                 "r"(__byte_perm(even, odd, 0x5410)), "r"(__byte_perm(even, odd, 0x7632))
                 : "memory");
  }
};

// narrowProduct computes one block of C of one job, as product does.
__device__ __forceinline__ void narrowProduct(const Product &p) {
  __shared__ __align__(16) Stage stages[2];
  const Place at(p);
  const unsigned long long head = at.list[at.job].y;
  NarrowSource source(p, at, head, stages[0]);
  int slabs = source.pairs * source.slabs;  // left to do
  source.copyA(0, p);
#pragma unroll
  for (int chunk = 0; chunk < NarrowSource::chunks; chunk++) source.loadB(chunk, p), source.storeB(chunk, 0);

  int c[kFragment][kFragment];
  {
    const bool fresh = head >> 63;
    const unsigned short *in = at.corner<unsigned short>(p);
#pragma unroll
    for (int i = 0; i < kFragment; i++)
#pragma unroll
      for (int j = 0; j < kFragment; j++) c[i][j] = fresh ? kInf16s : kInf16 << 16 | in[4 * i * p.ldc + 8 * j];
  }

  constexpr int rows = rowsOfStep<U16>, last = Step<rows>::count - 1;
  // A chunk of B is stored three steps after it was loaded, when the next is.
  constexpr int apart = 1, firstLoad = 0;
  static_assert(firstLoad + apart * NarrowSource::chunks < last, "all chunks are stored in a slab");
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
      if (s == 2) source.copyA(there, p);
      if (s % apart == firstLoad) {
        const int chunk = s / apart;
        if (chunk > 0 && chunk <= NarrowSource::chunks) source.storeB(chunk - 1, there);
        if (chunk < NarrowSource::chunks) source.loadB(chunk, p);
      }
      f.template relax<U16>(s, p.one, c);
    }
    arrive();
    __syncthreads();
    here = there, there = sizeof(Stage) - there;
    f.read(0, here);  // of no use after the last slab
    f.template relax<U16>(last, p.one, c);
  } while (--slabs > 0);

  unsigned short *out = Place(p).corner<unsigned short>(p);
#pragma unroll
  for (int i = 0; i < kFragment; i++)
#pragma unroll
    for (int j = 0; j < kFragment; j++) {
      const unsigned both = c[i][j];
      out[4 * i * p.ldc + 8 * j] = min(both & 0xffff, both >> 16);
    }
}
