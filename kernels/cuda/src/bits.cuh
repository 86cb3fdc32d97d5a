// Searches from many sources at once over arcs of one length. A row of bits of each vertex has one for each source, its lane; word w has
// lanes 32w to 32w+31. At each level a vertex takes the bits of those from which arcs lead to it, without what it has seen.
#pragma once

constexpr int kBitWarps = 8;     // of a block
constexpr int kHubArcs = 1024;   // arcs of a hub are more
constexpr int kPieceArcs = 256;  // those that a warp takes of a hub
constexpr int kPartRows = 128;   // rows that a warp counts, before it adds up
constexpr int kStripWords = 32;  // words of a row that it counts

struct BitPiece {
  int row, slot, first, last;  // the hub, its row of hubs, arcs
};

// BitHeader is what the device itself knows of a search.
struct BitHeader {
  int any[3];  // at level%3: 1 if there is a bit at that level
  int hubs, pieces;
};

// BitSearch is the one parameter of the kernels of a search.
struct BitSearch {
  const int *offsets, *ends;  // arcs into each row
  const int *order;           // rows, in the order in which the first is looked for
  const int *sources;         // a row for each of the first count lanes
  unsigned *seen;             // rows of bits
  unsigned *from, *to;        // those of the level before, and of this one; only those that are live mean something
  unsigned *hubs;             // those that arcs of hubs bring, zeros between levels
  BitPiece *pieces;
  BitHeader *header;
  int *slot;                           // of a hub: its row of hubs
  unsigned char *live, *liveTo, *full;  // rows of from and of to that have a bit, and rows of seen that have all
  unsigned *planes;                    // bit i of the level, of each lane, is in plane i
  unsigned *results;                   // of the level: of each lane how many rows there are, and then the first
  int n, words, level, count;
  int plane_count, result_words;
};

// clearBits makes results those of levels without rows. Before a search it clears the header.
__device__ __forceinline__ void clearBits(const BitSearch &p) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (p.level == 0 && i == 0) *p.header = BitHeader{{1, 0, 0}, 0, 0};
  if (i < p.result_words) p.results[i] = i / (32 * p.words) % 2 == 0 ? 0 : ~0u;
}

// startBits begins a search, a warp for each row. Lanes without a source have seen everything.
__device__ __forceinline__ void startBits(const BitSearch &p) {
  const int v = blockIdx.x * kBitWarps + threadIdx.x / 32, t = threadIdx.x % 32;
  if (v >= p.n) return;
  for (int w = t; w < p.words; w += 32) {
    const int own = min(max(p.count - 32 * w, 0), 32);  // lanes of the word with a source
    p.seen[(long)v * p.words + w] = own == 32 ? 0 : ~0u << own;
    p.from[(long)v * p.words + w] = 0;
    for (int i = 0; i < p.plane_count; i++) p.planes[((long)i * p.n + v) * p.words + w] = 0;
  }
  const int first = p.offsets[v], arcs = p.offsets[v + 1] - first;
  int slot = 0, piece = 0;
  const int pieces = (arcs + kPieceArcs - 1) / kPieceArcs;
  if (t == 0) {
    p.live[v] = p.full[v] = 0;
    if (arcs > kHubArcs) {
      slot = p.slot[v] = atomicAdd(&p.header->hubs, 1);
      piece = atomicAdd(&p.header->pieces, pieces);
    }
  }
  if (arcs <= kHubArcs) return;
  slot = __shfl_sync(~0u, slot, 0), piece = __shfl_sync(~0u, piece, 0);
  for (int i = t; i < pieces; i += 32)
    p.pieces[piece + i] = BitPiece{v, slot, first + i * kPieceArcs, first + min(arcs, (i + 1) * kPieceArcs)};
  for (int w = t; w < p.words; w += 32) p.hubs[(long)slot * p.words + w] = 0;
}

// seedBits sets the bit of each source in its row, a thread for each lane.
__device__ __forceinline__ void seedBits(const BitSearch &p) {
  const int lane = blockIdx.x * blockDim.x + threadIdx.x;
  if (lane >= p.count) return;
  const int v = p.sources[lane];
  atomicOr(p.from + (long)v * p.words + lane / 32, 1u << lane % 32);
  atomicOr(p.seen + (long)v * p.words + lane / 32, 1u << lane % 32);
  p.live[v] = 1;
}

// Next gives rows that are in a set of 32, four at a time. Those that are missing are the last one again.
struct NextFour {
  int of[4];

  __device__ __forceinline__ NextFour(unsigned &set) {
#pragma unroll
    for (int i = 0; i < 4; i++) {
      of[i] = set != 0 ? __ffs(set) - 1 : of[i > 0 ? i - 1 : 0];
      set &= set - 1;
    }
  }
};

// hubBits brings hubs the bits of their pieces' arcs.
__device__ __forceinline__ void hubBits(const BitSearch &p) {
  const int t = threadIdx.x % 32;
  if (p.header->any[(p.level + 2) % 3] == 0) return;
  const int pieces = p.header->pieces;
  for (int i = blockIdx.x * kBitWarps + threadIdx.x / 32; i < pieces; i += gridDim.x * kBitWarps) {
    const BitPiece piece = p.pieces[i];
    if (p.full[piece.row]) continue;
    for (int k = piece.first; k < piece.last; k += 32) {
      const int u = k + t < piece.last ? p.ends[k + t] : 0;
      const unsigned live = __ballot_sync(~0u, k + t < piece.last && p.live[u]);
      if (live == 0) continue;
      for (int w = t; w < p.words; w += 32) {
        unsigned bits = 0;
        for (unsigned left = live; left != 0;) {
          const NextFour next(left);
#pragma unroll
          for (int j = 0; j < 4; j++) bits |= p.from[(long)__shfl_sync(~0u, u, next.of[j]) * p.words + w];
        }
        if (bits != 0) atomicOr(p.hubs + (long)piece.slot * p.words + w, bits);
      }
    }
  }
}

// BitRow is what a thread of a warp has of a row of 32·W words.
template <int W>
struct BitRow {
  unsigned of[W];

  __device__ __forceinline__ void load(const unsigned *row) {
    const int t = threadIdx.x % 32;
    if constexpr (W == 1) {
      of[0] = row[t];
    } else if constexpr (W == 2) {
      const uint2 x = reinterpret_cast<const uint2 *>(row)[t];
      of[0] = x.x, of[1] = x.y;
    } else {
#pragma unroll
      for (int i = 0; i < W; i += 4) {
        const uint4 x = reinterpret_cast<const uint4 *>(row)[8 * i + t];
        of[i] = x.x, of[i + 1] = x.y, of[i + 2] = x.z, of[i + 3] = x.w;
      }
    }
  }
  __device__ __forceinline__ void store(unsigned *row) const {
    const int t = threadIdx.x % 32;
    if constexpr (W == 1) {
      row[t] = of[0];
    } else if constexpr (W == 2) {
      reinterpret_cast<uint2 *>(row)[t] = make_uint2(of[0], of[1]);
    } else {
#pragma unroll
      for (int i = 0; i < W; i += 4)
        reinterpret_cast<uint4 *>(row)[8 * i + t] = make_uint4(of[i], of[i + 1], of[i + 2], of[i + 3]);
    }
  }
  __device__ __forceinline__ void clear() {
#pragma unroll
    for (int i = 0; i < W; i++) of[i] = 0;
  }
  __device__ __forceinline__ void join(const BitRow &other) {
#pragma unroll
    for (int i = 0; i < W; i++) of[i] |= other.of[i];
  }
};

// full reports whether two rows have all bits together.
template <int W>
__device__ __forceinline__ bool full(const BitRow<W> &a, const BitRow<W> &b) {
  unsigned all = ~0u;
#pragma unroll
  for (int i = 0; i < W; i++) all &= a.of[i] | b.of[i];
  return __all_sync(~0u, all == ~0u);
}

// pullBits goes a level on, a warp for each row.
template <int W>
__device__ __forceinline__ void pullBits(const BitSearch &p) {
  const int v = blockIdx.x * kBitWarps + threadIdx.x / 32, t = threadIdx.x % 32;
  if (blockIdx.x == 0 && threadIdx.x == 0) p.header->any[(p.level + 1) % 3] = 0;
  if (v >= p.n || p.header->any[(p.level + 2) % 3] == 0) return;
  if (p.full[v]) {
    if (t == 0) p.liveTo[v] = 0;
    return;
  }
  constexpr int words = 32 * W;
  unsigned *mine = p.seen + (long)v * words;
  BitRow<W> seen, found;
  seen.clear(), found.clear();
  bool any = false;
  int k = p.offsets[v];
  const int last = p.offsets[v + 1];
  if (last - k > kHubArcs) {
    unsigned *brought = p.hubs + (long)p.slot[v] * words;
    BitRow<W> zero;
    zero.clear();
    seen.load(mine), found.load(brought), zero.store(brought);
    k = last, any = true;
  }
  for (bool more = true; k < last && more; k += 32) {
    const int u = k + t < last ? p.ends[k + t] : 0;
    unsigned live = __ballot_sync(~0u, k + t < last && p.live[u]);
    if (live != 0 && !any) {
      seen.load(mine);
      any = true;
    }
    while (live != 0 && more) {
      const NextFour next(live);
      BitRow<W> row[4];
#pragma unroll
      for (int i = 0; i < 4; i++) row[i].load(p.from + (long)__shfl_sync(~0u, u, next.of[i]) * words);
#pragma unroll
      for (int i = 0; i < 4; i++) found.join(row[i]);
      more = !full(seen, found);
    }
  }
  unsigned bits = 0;
#pragma unroll
  for (int i = 0; i < W; i++) bits |= found.of[i] &= ~seen.of[i];
  any = __any_sync(~0u, bits != 0);
  if (t == 0) p.liveTo[v] = any;
  if (!any) return;
  found.store(p.to + (long)v * words);
  const bool all = full(seen, found);
  seen.join(found);
  seen.store(mine);
  for (int i = 0; i < p.plane_count; i++)
    if (p.level >> i & 1) {
      unsigned *plane = p.planes + ((long)i * p.n + v) * words;
      BitRow<W> was;
      was.load(plane), was.join(found), was.store(plane);
    }
  if (t == 0) {
    if (all) p.full[v] = 1;
    if (p.header->any[p.level % 3] == 0) p.header->any[p.level % 3] = 1;
  }
}

// addBits adds three numbers of one bit each, 32 times.
__device__ __forceinline__ unsigned addBits(unsigned &sum, unsigned b, unsigned c) {
  const unsigned x = sum ^ b, carry = sum & b | x & c;
  sum = x ^ c;
  return carry;
}

// countBits counts the rows of a level in each lane, and finds the first. A block takes 1024 rows of a strip of as many lanes. It adds up
// bits in columns: bit b of counter i is bit i of the count of lane b.
__device__ __forceinline__ void countBits(const BitSearch &p) {
  __shared__ unsigned counts[32][33], firsts[32][33];  // by bit and word
  if (p.header->any[p.level % 3] == 0) return;
  for (int i = threadIdx.x; i < 32 * 33; i += 32 * kBitWarps) counts[i / 33][i % 33] = 0, firsts[i / 33][i % 33] = ~0u;
  __syncthreads();
  constexpr int kCounters = 8;  // for kPartRows
  const int strips = p.words / kStripWords, t = threadIdx.x % 32;
  const int part = blockIdx.x / strips * kBitWarps + threadIdx.x / 32;
  const unsigned *from = p.to + blockIdx.x % strips * kStripWords + t;
  unsigned counter[kCounters] = {}, had = 0;
  for (int at = part * kPartRows; at < min((part + 1) * kPartRows, p.n); at += 32) {
    const int row = at + t < p.n ? p.order[at + t] : 0;
    unsigned live = __ballot_sync(~0u, at + t < p.n && p.liveTo[row]);
    while (live != 0) {
      const int count = __popc(live);
      const NextFour next(live);
      unsigned bits[4];
#pragma unroll
      for (int i = 0; i < 4; i++) {
        const int of = __shfl_sync(~0u, row, next.of[i]);
        bits[i] = i < count ? from[(long)of * p.words] : 0;
      }
#pragma unroll
      for (int i = 0; i < 4; i++) {
        unsigned first = bits[i] & ~had;
        had |= bits[i];
        for (; first != 0; first &= first - 1)
          atomicMin(&firsts[__ffs(first) - 1][t], static_cast<unsigned>(at + next.of[i]));
      }
      const unsigned two = addBits(counter[0], bits[0], bits[1]), more = addBits(counter[0], bits[2], bits[3]);
      unsigned carry = addBits(counter[1], two, more);
#pragma unroll
      for (int i = 2; i < kCounters; i++) {
        const unsigned sum = counter[i] ^ carry;
        carry &= counter[i];
        counter[i] = sum;
      }
    }
  }
  if (had != 0)
    for (int bit = 0; bit < 32; bit++) {
      unsigned count = 0;
#pragma unroll
      for (int i = 0; i < kCounters; i++) count |= (counter[i] >> bit & 1) << i;
      if (count != 0) atomicAdd(&counts[bit][t], count);
    }
  __syncthreads();
  unsigned *results = p.results + blockIdx.x % strips * 32 * kStripWords;
  for (int lane = threadIdx.x; lane < 32 * kStripWords; lane += 32 * kBitWarps) {
    const unsigned count = counts[lane % 32][lane / 32];
    if (count == 0) continue;
    atomicAdd(results + lane, count);
    atomicMin(results + 32 * p.words + lane, firsts[lane % 32][lane / 32]);
  }
}

constexpr int kMostPlanes = 12;
constexpr int kRowLanes = 256;   // lanes of a block of bitRows
constexpr int kRowColumns = 64;  // and columns

// BitRows is the one parameter of the kernels that write rows of tiles.
struct BitRows {
  const unsigned *planes;
  const int *columns;  // the row of bits of each column, or -1
  const int *sources;
  const void *values;  // entries by level; that of 0 is what is unreachable
  void *to;
  int n, words, count, plane_count;
  int edge, side, first, pad;  // of tiles: the first that is written of each row of them
};

template <class Entry>
struct alignas(sizeof(Entry) < 4 ? 4 * sizeof(Entry) : 16) FourEntries {
  Entry of[4];
};

// bitRows writes the entries of as many lanes in as many columns. Neighbouring threads write neighbouring columns.
template <class Entry>
__device__ __forceinline__ void bitRows(const BitRows &p) {
  __shared__ unsigned planes[kMostPlanes][kRowColumns][kRowLanes / 32 + 1];
  __shared__ int rows[kRowColumns];
  const int strips = (p.count + kRowLanes - 1) / kRowLanes;
  const int lane0 = blockIdx.x % strips * kRowLanes, column0 = p.first * p.edge + blockIdx.x / strips * kRowColumns;
  for (int i = threadIdx.x; i < kRowColumns * kRowLanes / 32; i += 32 * kBitWarps) {
    const int column = i / (kRowLanes / 32), word = i % (kRowLanes / 32), row = p.columns[column0 + column];
    if (word == 0) rows[column] = row;
    for (int j = 0; j < p.plane_count; j++)
      planes[j][column][word] = row < 0 ? 0 : p.planes[((long)j * p.n + row) * p.words + lane0 / 32 + word];
  }
  __syncthreads();
  const Entry *values = static_cast<const Entry *>(p.values);
  for (int i = threadIdx.x; i < kRowLanes * kRowColumns / 4; i += 32 * kBitWarps) {
    const int column = i % (kRowColumns / 4) * 4, own = i / (kRowColumns / 4), lane = lane0 + own;
    if (lane >= p.count) break;
    const int source = p.sources[lane];
    FourEntries<Entry> out;
#pragma unroll
    for (int k = 0; k < 4; k++) {
      int level = 0;
      for (int j = 0; j < p.plane_count; j++) level |= (planes[j][column + k][own / 32] >> own % 32 & 1) << j;
      out.of[k] = rows[column + k] == source ? 0 : values[level];
    }
    const long tile = (long)(lane / p.edge) * p.side + column0 / p.edge;
    Entry *to = static_cast<Entry *>(p.to) + (tile * p.edge + lane % p.edge) * p.edge + column0 % p.edge + column;
    *reinterpret_cast<FourEntries<Entry> *>(to) = out;
  }
}
