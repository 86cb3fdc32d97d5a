// Blocks of rows of lanes: dense (min,+) products of weights and chosen rows.
#pragma once
#include "common.cuh"

constexpr int kBlockThreads = 128;
constexpr int kBlockLanes = 128;  // of a block of threads
constexpr int kBlockRows = 32;    // that it computes at a time
constexpr int kBlockTerms = 16;   // that it holds at a time
constexpr int kWeightUnit = 16;   // entries: rows of weights begin at multiples of it

// LaneBlock is kernels.LaneBlock.
struct LaneBlock {
  int row, rows, first, terms, shift;
};

// LaneBlocks is the one parameter of laneBlocks.
struct LaneBlocks {
  const LaneBlock *blocks;
  const int2 *terms;  // x: a row of lanes, y: where its weights begin, in units
  const void *weights;
  void *lanes;
  int width;          // lanes
  int fresh;
};

// laneBlocks computes the rows of one block for a strip of lanes. A warp takes 8 rows of 32, a half of it 4 of these, and
// a thread eight lanes of them. Neighbouring blocks of threads take neighbouring strips of the same rows. Terms past the
// last one are unreachable.
template <Variant V>
__device__ __forceinline__ void laneBlocks(const LaneBlocks &p) {
  __shared__ Value<V> x[kBlockTerms][kBlockLanes];
  __shared__ Value<V> w[kBlockTerms][kBlockRows];
  const int strips = (p.width + kBlockLanes - 1) / kBlockLanes;
  const LaneBlock block = p.blocks[blockIdx.x / strips];
  const int lane0 = blockIdx.x % strips * kBlockLanes;
  const int thread = threadIdx.x, fragment = thread / 16 * 4, at = thread % 16 * 4;
  const bool second = lane0 + kBlockLanes / 2 < p.width;  // widths are multiples of a half
  const bool once = block.terms <= kBlockTerms;

  // What a thread copies: lanes column of the terms from term on, and four weights of one term.
  const int column = thread % 32 * 4, term = thread / 32;
  const bool there = column < kBlockLanes / 2 || second;
  const Word<V> *weights = static_cast<const Word<V> *>(p.weights) + (long)block.shift * kWeightUnit;
  const Word<V> *src = static_cast<const Word<V> *>(p.lanes) + lane0 + (there ? column : 0);

#pragma unroll 1
  for (int row0 = 0; row0 < block.rows; row0 += kBlockRows) {
    Value<V> c[4][8];
    Word<V> *dst = static_cast<Word<V> *>(p.lanes) + (long)(block.row + row0 + fragment) * p.width + lane0 + at;
#pragma unroll
    for (int i = 0; i < 4; i++) {
      Four<V> a = Four<V>{infinity<V>(), infinity<V>(), infinity<V>(), infinity<V>()}, b = a;
      if (!p.fresh && row0 + fragment + i < block.rows) {
        a = load4<V>(dst + (long)i * p.width);
        if (second) b = load4<V>(dst + (long)i * p.width + kBlockLanes / 2);
      }
      c[i][0] = a.x, c[i][1] = a.y, c[i][2] = a.z, c[i][3] = a.w;
      c[i][4] = b.x, c[i][5] = b.y, c[i][6] = b.z, c[i][7] = b.w;
    }
#pragma unroll 1
    for (int first = 0; first < block.terms; first += kBlockTerms) {
      const int n = min(kBlockTerms, block.terms - first);
      if (!once || row0 == 0) {
#pragma unroll
        for (int i = 0; i < kBlockTerms; i += 4) {
          Four<V> v = Four<V>{infinity<V>(), infinity<V>(), infinity<V>(), infinity<V>()};
          if (term + i < n) v = load4<V>(src + (long)p.terms[block.first + first + term + i].x * p.width);
          *reinterpret_cast<Four<V> *>(&x[term + i][column]) = v;
        }
      }
      {
        const int k = thread / 8, r = thread % 8 * 4;
        Four<V> v = Four<V>{infinity<V>(), infinity<V>(), infinity<V>(), infinity<V>()};
        if (k < n)
          v = load4<V>(weights + (long)p.terms[block.first + first + k].y * kWeightUnit + row0 + r);
        *reinterpret_cast<Four<V> *>(&w[k][r]) = v;
      }
      __syncthreads();
#pragma unroll 1
      for (int k = 0; k < n; k += 4) {
#pragma unroll
        for (int u = 0; u < 4; u += 2) {
          Value<V> a[2][4], b[2][8];
#pragma unroll
          for (int h = 0; h < 2; h++) {
            const Four<V> wide = *reinterpret_cast<const Four<V> *>(&w[k + u + h][fragment]);
            const Four<V> low = *reinterpret_cast<const Four<V> *>(&x[k + u + h][at]);
            const Four<V> high = *reinterpret_cast<const Four<V> *>(&x[k + u + h][at + kBlockLanes / 2]);
            a[h][0] = wide.x, a[h][1] = wide.y, a[h][2] = wide.z, a[h][3] = wide.w;
            b[h][0] = low.x, b[h][1] = low.y, b[h][2] = low.z, b[h][3] = low.w;
            b[h][4] = high.x, b[h][5] = high.y, b[h][6] = high.z, b[h][7] = high.w;
          }
#pragma unroll
          for (int i = 0; i < 4; i++)
#pragma unroll
            for (int j = 0; j < 8; j++) {
              if constexpr (V == F64 || V == U16)
                c[i][j] = relax<V>(relax<V>(c[i][j], a[0][i], b[0][j]), a[1][i], b[1][j]);
              else
                c[i][j] = relax2<V>(c[i][j], a[0][i], b[0][j], a[1][i], b[1][j]);
            }
        }
      }
      __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 4; i++) {
      if (row0 + fragment + i >= block.rows) break;
      store4<V>(dst + (long)i * p.width, Four<V>{settle<V>(c[i][0]), settle<V>(c[i][1]), settle<V>(c[i][2]), settle<V>(c[i][3])});
      if (second)
        store4<V>(dst + (long)i * p.width + kBlockLanes / 2,
                  Four<V>{settle<V>(c[i][4]), settle<V>(c[i][5]), settle<V>(c[i][6]), settle<V>(c[i][7])});
    }
  }
}
