// Checksums of tiles: CRC-32C, which is linear, so that threads sum parts that are added in the end.
//
// A state is a polynomial over GF(2) modulo Castagnoli's, reflected: bit 31 is the coefficient of 1. To take a word is to
// add it and to multiply by x^32. Of 1024 words a thread takes four that lie together, and of the next 1024 those at the
// same place: its state moves on by 1024 words, a multiplication by a constant. Multiplying by constants is what the
// tables are for, one for each byte.
#pragma once

constexpr int kSumThreads = 256, kSumWords = 4 * kSumThreads;

struct Sums {
  const uint4 *data;
  unsigned *sums;
  long long words;      // of a tile, a multiple of kSumWords
  unsigned advance[4];  // x^(32·1) to x^(32·4)
  unsigned round;       // x^(32·kSumWords)
  unsigned tree[8];     // x^(32·4·1), x^(32·4·2), … x^(32·4·128)
  unsigned zeros;       // the checksum of a tile of zeros
  int count, pad;
};

// times multiplies.
__device__ __forceinline__ unsigned times(unsigned a, unsigned b) {
  unsigned product = 0;
#pragma unroll
  for (int bit = 31; bit >= 0; bit--) {
    product ^= b & -(a >> bit & 1);
    b = b >> 1 ^ (0x82f63b78u & -(b & 1));
  }
  return product;
}

struct SumTables {
  unsigned of[20][256];  // four for each of four words, and four for a thread's state

  __device__ __forceinline__ unsigned multiply(int by, unsigned w) const {
    return of[4 * by][w & 255] ^ of[4 * by + 1][w >> 8 & 255] ^ of[4 * by + 2][w >> 16 & 255] ^ of[4 * by + 3][w >> 24];
  }
};

__device__ __forceinline__ void sums(const Sums &p) {
  __shared__ SumTables tables;
  __shared__ unsigned of[kSumThreads / 32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int k = 0; k < 20; k++)
    tables.of[k][threadIdx.x] = times(k < 16 ? p.advance[3 - k / 4] : p.round, threadIdx.x << 8 * (k % 4));
  __syncthreads();
  const int rounds = static_cast<int>(p.words / kSumWords);
  for (int tile = blockIdx.x; tile < p.count; tile += gridDim.x) {
    const uint4 *in = p.data + tile * (p.words / 4) + threadIdx.x;
    unsigned s = 0;
#pragma unroll 4
    for (int r = 0; r < rounds; r++) {
      const uint4 w = in[r * kSumThreads];
      s = tables.multiply(4, s) ^ tables.multiply(0, w.x) ^ tables.multiply(1, w.y) ^ tables.multiply(2, w.z) ^ tables.multiply(3, w.w);
    }
#pragma unroll
    for (int j = 0; j < 5; j++) s = times(p.tree[j], s) ^ __shfl_down_sync(~0u, s, 1 << j);
    if (lane == 0) of[warp] = s;
    __syncthreads();
    if (warp == 0) {
      s = of[lane % (kSumThreads / 32)];
#pragma unroll
      for (int j = 0; j < 3; j++) s = times(p.tree[5 + j], s) ^ __shfl_down_sync(~0u, s, 1 << j);
      if (lane == 0) p.sums[tile] = s ^ p.zeros;
    }
    __syncthreads();
  }
}
