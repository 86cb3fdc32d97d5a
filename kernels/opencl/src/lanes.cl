// Operations on rows of lanes (kernels.LaneOps), for GPUs and for processors.
//
// Vertices are rows and sources are lanes. On a GPU an item has four neighbouring lanes, on a processor, where an item is a thread, 64.
//
// An operand is memory, and where it begins there. With PIECES it may lie in several memory objects of one size: it is then the place of
// the first in a list of all, in the high byte of where it begins, and their size.

#ifdef PIECES
#define MEMORY_OBJECTS \
  global char *m0, global char *m1, global char *m2, global char *m3, global char *m4, global char *m5, global char *m6, global char *m7, \
  global char *m8, global char *m9, global char *m10, global char *m11, global char *m12, global char *m13, global char *m14, global char *m15, \
  global char *m16, global char *m17, global char *m18, global char *m19, global char *m20, global char *m21, global char *m22, global char *m23, \
  global char *m24, global char *m25, global char *m26, global char *m27, global char *m28, global char *m29, global char *m30, global char *m31
#define CASE(n) case n: return m##n + off;
static inline global char *locate(MEMORY_OBJECTS, ulong x, ulong piece, ulong bytes) {
  ulong off = (x & 0xffffffffffffffUL) + bytes;
  const uint which = (uint)(x >> 56) + (uint)(off / piece);
  off %= piece;
  switch (which) {
    CASE(1) CASE(2) CASE(3) CASE(4) CASE(5) CASE(6) CASE(7) CASE(8) CASE(9) CASE(10) CASE(11) CASE(12) CASE(13) CASE(14) CASE(15) CASE(16)
    CASE(17) CASE(18) CASE(19) CASE(20) CASE(21) CASE(22) CASE(23) CASE(24) CASE(25) CASE(26) CASE(27) CASE(28) CASE(29) CASE(30) CASE(31)
  }
  return m0 + off;
}
#define OBJECTS MEMORY_OBJECTS,
#define OPERAND(x) const ulong x, const ulong x##Piece
#define OF(type, x, index) \
  ((global type *)locate(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, \
                      m27, m28, m29, m30, m31, x, x##Piece, (ulong)(index) * sizeof(type)))
#else
#define OBJECTS
#define OPERAND(x) global char *x##Memory, const ulong x
#define OF(type, x, index) ((global type *)(x##Memory + x + (ulong)(index) * sizeof(type)))
#endif

#define UNIT 64 // kernels.DeviceLaneUnit
#ifdef CPU
#define PER_ITEM (UNIT / LANES) // of an item
#define TEAM 1 // items that take neighbouring lanes
#else
#define PER_ITEM 1
#define TEAM 64
#endif
#define STRIP (TEAM * PER_ITEM * LANES) // lanes of a team
#define TEAMS (ITEMS / TEAM)
#define AHEAD 4 // arcs whose rows are loaded before the first is used

typedef PASTE(int, LANES) N;

// level lowers rows lo to hi-1. The arcs of a row are shared by some teams.
__attribute__((reqd_work_group_size(ITEMS, 1, 1)))
kernel void level(OBJECTS OPERAND(lanes), OPERAND(offsets), OPERAND(ends), OPERAND(weights), OPERAND(sources), const int width, const int fresh,
                  const int named, const int lo, const int hi, const int share) {
  const int strips = (width + STRIP - 1) / STRIP, team = get_local_id(0) / TEAM, part = team % share;
  const int id = get_group_id(0) * (TEAMS / share) + team / share;
  const int row = lo + id / strips, at = id % strips * STRIP + get_local_id(0) % TEAM * LANES;
  const bool mine = row < hi && at < width;
  V c[PER_ITEM];
#pragma unroll
  for (int j = 0; j < PER_ITEM; j++) c[j] = (V)(NONE);
  if (mine) {
    if (part == 0 && !fresh)
#pragma unroll
      for (int j = 0; j < PER_ITEM; j++) c[j] = LOAD(OF(E, lanes, (ulong)row * width + at + LANES * j));
    const int begin = *OF(int, offsets, row), arcs = *OF(int, offsets, row + 1) - begin;
    const int last = begin + (int)((long)arcs * (part + 1) / share);
    int k = begin + (int)((long)arcs * part / share);
    for (; k + AHEAD <= last; k += AHEAD) {
      V a[AHEAD][PER_ITEM];
#pragma unroll
      for (int u = 0; u < AHEAD; u++) {
        const ulong from = (ulong)*OF(int, ends, k + u) * width + at;
#pragma unroll
        for (int j = 0; j < PER_ITEM; j++) a[u][j] = LOAD(OF(E, lanes, from + LANES * j));
      }
#pragma unroll
      for (int u = 0; u < AHEAD; u++) {
        const V w = (V)((E)*OF(W, weights, k + u));
#pragma unroll
        for (int j = 0; j < PER_ITEM; j++) c[j] = relaxed(c[j], a[u][j], w);
      }
    }
    for (; k < last; k++) {
      const ulong from = (ulong)*OF(int, ends, k) * width + at;
      const V w = (V)((E)*OF(W, weights, k));
#pragma unroll
      for (int j = 0; j < PER_ITEM; j++) c[j] = relaxed(c[j], LOAD(OF(E, lanes, from + LANES * j)), w);
    }
  }
#ifndef CPU
  local V parts[ITEMS];
  parts[get_local_id(0)] = c[0];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int other = 1; other < share && part == 0; other++) c[0] = lowest(c[0], parts[get_local_id(0) + other * TEAM]);
#endif
  if (part > 0 || !mine) return;
#pragma unroll
  for (int j = 0; j < PER_ITEM; j++) {
    const int lane = at + LANES * j;
    global E *to = OF(E, lanes, (ulong)row * width + lane);
    STORE(settled(c[j]), to);
    if (named && any(PASTE(vload, LANES)(0, OF(int, sources, lane)) == (N)(row)))
      for (int i = 0; i < LANES; i++)
        if (*OF(int, sources, lane + i) == row) to[i] = 0;
  }
}

// arcProduct makes a row of a product of two lists of arcs. Items share the arcs of a row of the second, which lead to different entries; before
// they take those of the next, all have written theirs.
__attribute__((reqd_work_group_size(ITEMS, 1, 1)))
kernel void arcProduct(OBJECTS OPERAND(to), OPERAND(offsets), OPERAND(ends), OPERAND(weights), OPERAND(offsets2), OPERAND(ends2), OPERAND(weights2),
                       const int edge, const int fresh) {
  const int row = get_group_id(0);
  const ulong first = (ulong)row * edge;
  if (fresh)
    for (int i = get_local_id(0); i < edge; i += ITEMS) *OF(E, to, first + i) = i == row ? (E)0 : (E)(NONE);
  const int end = *OF(int, offsets, row + 1);
  for (int k = *OF(int, offsets, row); k < end; k++) {
    barrier(CLK_GLOBAL_MEM_FENCE);
    const int by = *OF(int, ends, k), last = *OF(int, offsets2, by + 1);
    const V w = (V)((E)*OF(W, weights, k));
    for (int j = *OF(int, offsets2, by) + get_local_id(0); j < last; j += ITEMS) {
      const int y = *OF(int, ends2, j);
      if (y >= edge) break;
      global E *entry = OF(E, to, first + y);
      *entry = settled(relaxed((V)(*entry), (V)((E)*OF(W, weights2, j)), w)).s0;
    }
  }
}

// laneTranspose moves patches of rows of lanes to rows of tiles.
#define ACROSS 32
__attribute__((reqd_work_group_size(ITEMS, 1, 1)))
kernel void laneTranspose(OBJECTS OPERAND(to), OPERAND(lanes), OPERAND(columns), OPERAND(sources), const int width, const int edge, const int side,
                          const int named) {
  local E patch[ACROSS][ACROSS + 1];
  const int across = width / ACROSS, lane0 = get_group_id(0) % across * ACROSS, column0 = get_group_id(0) / across * ACROSS;
  for (int e = get_local_id(0); e < ACROSS * ACROSS; e += ITEMS) {
    const int column = e / ACROSS, lane = e % ACROSS, row = *OF(int, columns, column0 + column);
    E x = (E)(NONE);
    if (row >= 0) {
      x = *OF(E, lanes, (ulong)row * width + lane0 + lane);
      if (named && *OF(int, sources, lane0 + lane) == row) x = 0;
    }
    patch[lane][column] = x;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  const ulong tile = (ulong)(lane0 / edge) * side + column0 / edge, first = (tile * edge + lane0 % edge) * edge + column0 % edge;
  for (int e = get_local_id(0); e < ACROSS * ACROSS; e += ITEMS)
    *OF(E, to, first + (ulong)(e / ACROSS) * edge + e % ACROSS) = patch[e / ACROSS][e % ACROSS];
}

// laneBlocks computes the rows of one block for 64 lanes. Its rows, terms, first term, … are 5 integers of blocks; a term is a row of lanes, and where its
// weights begin in units of 16 entries.
#define BLOCK_FIELDS \
  const int strips = width / UNIT, block = get_group_id(0) / strips * 5, lane0 = get_group_id(0) % strips * UNIT; \
  const int top = *OF(int, blocks, block), rows = *OF(int, blocks, block + 1), start = *OF(int, blocks, block + 2), count = *OF(int, blocks, block + 3), \
            shift = *OF(int, blocks, block + 4);
#ifdef CPU
#define BLOCK_ROWS (16 / PER_ITEM) // in registers
__attribute__((reqd_work_group_size(1, 1, 1)))
kernel void laneBlocks(OBJECTS OPERAND(lanes), OPERAND(blocks), OPERAND(terms), OPERAND(weights), const int width, const int fresh) {
  BLOCK_FIELDS
  for (int row = 0; row < rows; row += BLOCK_ROWS) {
    V c[BLOCK_ROWS][PER_ITEM];
#pragma unroll
    for (int i = 0; i < BLOCK_ROWS; i++)
#pragma unroll
      for (int j = 0; j < PER_ITEM; j++) {
        c[i][j] = (V)(NONE);
        if (!fresh && row + i < rows) c[i][j] = LOAD(OF(E, lanes, (ulong)(top + row + i) * width + lane0 + LANES * j));
      }
    for (int k = 0; k < count; k++) {
      const int2 term = *OF(int2, terms, start + k);
      global const E *w = OF(E, weights, (ulong)(term.y + shift) * 16 + row);
      V x[PER_ITEM];
#pragma unroll
      for (int j = 0; j < PER_ITEM; j++) x[j] = LOAD(OF(E, lanes, (ulong)term.x * width + lane0 + LANES * j));
#pragma unroll
      for (int i = 0; i < BLOCK_ROWS; i++)
#pragma unroll
        for (int j = 0; j < PER_ITEM; j++) c[i][j] = relaxed(c[i][j], x[j], (V)(w[i]));
    }
#pragma unroll
    for (int i = 0; i < BLOCK_ROWS; i++)
      if (row + i < rows)
#pragma unroll
        for (int j = 0; j < PER_ITEM; j++) STORE(settled(c[i][j]), OF(E, lanes, (ulong)(top + row + i) * width + lane0 + LANES * j));
  }
}
#else
#define BLOCK_ITEMS 64
#define BLOCK_ROWS 32 // that a group computes at a time, of which an item has 8, for four lanes
#define BLOCK_TERMS 16 // that it holds at a time
__attribute__((reqd_work_group_size(BLOCK_ITEMS, 1, 1)))
kernel void laneBlocks(OBJECTS OPERAND(lanes), OPERAND(blocks), OPERAND(terms), OPERAND(weights), const int width, const int fresh) {
  local V x[BLOCK_TERMS][UNIT / 4];
  local E w[BLOCK_TERMS][BLOCK_ROWS] __attribute__((aligned(32)));
  BLOCK_FIELDS
  const int id = get_local_id(0), at = id % 16, mine = id / 16 * 8;
  for (int row0 = 0; row0 < rows; row0 += BLOCK_ROWS) {
    V c[8];
#pragma unroll
    for (int i = 0; i < 8; i++) {
      c[i] = (V)(NONE);
      if (!fresh && row0 + mine + i < rows) c[i] = LOAD(OF(E, lanes, (ulong)(top + row0 + mine + i) * width + lane0 + 4 * at));
    }
    for (int first = 0; first < count; first += BLOCK_TERMS) {
      const int n = min(BLOCK_TERMS, count - first);
      barrier(CLK_LOCAL_MEM_FENCE); // nobody reads the terms before any more
      for (int e = id; e < n * 16; e += BLOCK_ITEMS) x[e / 16][e % 16] = LOAD(OF(E, lanes, (ulong)OF(int2, terms, start + first + e / 16)->x * width + lane0 + e % 16 * 4));
      for (int e = id; e < n * (BLOCK_ROWS / 4); e += BLOCK_ITEMS) {
        const int k = e / (BLOCK_ROWS / 4), r = e % (BLOCK_ROWS / 4) * 4;
        *(local V *)&w[k][r] = LOAD(OF(E, weights, (ulong)(OF(int2, terms, start + first + k)->y + shift) * 16 + row0 + r));
      }
      barrier(CLK_LOCAL_MEM_FENCE);
      for (int k = 0; k < n; k++) {
        const V v = x[k][at];
#pragma unroll
        for (int i = 0; i < 8; i++) c[i] = relaxed(c[i], v, (V)(w[k][mine + i]));
      }
    }
#pragma unroll
    for (int i = 0; i < 8; i++)
      if (row0 + mine + i < rows) STORE(settled(c[i]), OF(E, lanes, (ulong)(top + row0 + mine + i) * width + lane0 + 4 * at));
  }
}
#endif

// Checksums: CRC-32C. A state is a polynomial over GF(2) modulo Castagnoli's, reflected: bit 31 is the coefficient of 1. To take a word is to add it
// and to multiply by x^32. An item takes four words that lie together, and then those at the same place of the next round of ITEMS times four;
// tables, one for each byte, multiply by constants.

// times multiplies.
static inline uint times(uint a, uint b) {
  uint product = 0;
  for (int bit = 31; bit >= 0; bit--) {
    product ^= b & -(a >> bit & 1);
    b = b >> 1 ^ (0x82f63b78u & -(b & 1));
  }
  return product;
}

#define MULTIPLY(by, w) (table[4 * by][(w)&255] ^ table[4 * by + 1][(w) >> 8 & 255] ^ table[4 * by + 2][(w) >> 16 & 255] ^ table[4 * by + 3][(w) >> 24])

// checksums sums count blocks of so many words.
__attribute__((reqd_work_group_size(ITEMS, 1, 1)))
kernel void checksums(OBJECTS OPERAND(sums), OPERAND(data), const ulong words, const int count) {
  local uint table[20][256], of[ITEMS];
  uint advance[4], tree[9]; // x^32 … x^128; of so many items, twice as many, …
  advance[0] = 0x82f63b78u;
  for (int i = 1; i < 4; i++) advance[i] = times(advance[i - 1], advance[0]);
  tree[0] = advance[3];
  int levels = 0;
  for (; 1 << levels < ITEMS; levels++) tree[levels + 1] = times(tree[levels], tree[levels]);
  const int id = get_local_id(0);
  for (int k = 0; k < 20; k++)
    for (int i = id; i < 256; i += ITEMS) table[k][i] = times(k < 16 ? advance[3 - k / 4] : tree[levels], (uint)i << 8 * (k % 4));
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int block = get_group_id(0); block < count; block += get_num_groups(0)) {
    uint s = 0;
    for (ulong at = 4 * id; at < words; at += 4 * ITEMS) {
      uint4 w = *OF(uint4, data, (block * words + at) / 4);
      if (at == 0) w.x = ~w.x; // a checksum begins with all bits set
      s = MULTIPLY(4, s) ^ MULTIPLY(0, w.x) ^ MULTIPLY(1, w.y) ^ MULTIPLY(2, w.z) ^ MULTIPLY(3, w.w);
    }
    of[id] = s;
    for (int j = 0; j < levels; j++) {
      barrier(CLK_LOCAL_MEM_FENCE);
      const uint next = of[(id + (1 << j)) % ITEMS];
      barrier(CLK_LOCAL_MEM_FENCE);
      of[id] = s = times(tree[j], s) ^ next;
    }
    if (id == 0) *OF(uint, sums, block) = ~s;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

#ifdef cl_khr_fp64
// Sums of rows of lanes.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define SUM_ROWS 1024 // kernels.LaneSumRows

typedef struct { // kernels.LaneSum
  ulong sum;
  double inverse;
  ulong top;
  int farthest, missing;
} LaneSum;

#if defined(F64) || defined(F32) || defined(F32_SIGNED)
#define FLOATING
#endif

static inline LaneSum joined(LaneSum s, LaneSum o) {
#ifdef FLOATING
  s.sum = as_ulong(as_double(s.sum) + as_double(o.sum));
#else
  s.sum += o.sum;
#endif
  s.inverse += o.inverse, s.missing += o.missing;
  if (o.top > s.top || (o.top == s.top && o.farthest >= 0 && o.farthest < s.farthest)) s.top = o.top, s.farthest = o.farthest;
  return s;
}

static inline LaneSum taken(LaneSum s, W x, int name) {
  if (x == (W)(NONE)) {
    s.missing++;
    return s;
  }
  LaneSum one = {0, 0, 0, -1, 0};
#if defined(F64)
  const double d = x;
  one.sum = as_ulong(d);
  const ulong bits = as_ulong(d);
#elif defined(FLOATING)
  const double d = as_float(x);
  one.sum = as_ulong(d);
  const ulong bits = (uint)x;
#else
  const double d = x;
  one.sum = (ulong)(long)x;
  const ulong bits = (uint)x;
#endif
  if (d > 0) one.inverse = 1 / d, one.top = bits, one.farthest = name;
  return joined(s, one);
}

// laneSums adds up a part of the rows of 64 lanes.
#define SHARERS (ITEMS < UNIT ? 1 : ITEMS / UNIT)
__attribute__((reqd_work_group_size(ITEMS, 1, 1)))
kernel void laneSums(OBJECTS OPERAND(lanes), OPERAND(names), OPERAND(byLane), const int width, const int rows) {
  local LaneSum of[SHARERS][UNIT];
  const int strips = width / UNIT, part = get_group_id(0) / strips, lane0 = get_group_id(0) % strips * UNIT;
  const int share = get_local_id(0) / UNIT, last = min(rows, (part + 1) * SUM_ROWS);
  for (int lane = get_local_id(0) % UNIT; lane < UNIT; lane += min(ITEMS, UNIT)) {
    LaneSum s = {0, 0, 0, -1, 0};
    for (int row = part * SUM_ROWS + share; row < last; row += SHARERS) s = taken(s, *OF(E, lanes, (ulong)row * width + lane0 + lane), *OF(int, names, row));
    of[share][lane] = s;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int lane = get_local_id(0); lane < UNIT; lane += ITEMS) {
    LaneSum s = of[0][lane];
    for (int i = 1; i < SHARERS; i++) s = joined(s, of[i][lane]);
    *OF(LaneSum, byLane, (ulong)(part + 1) * width + lane0 + lane) = s;
  }
}

// laneTotals adds up the parts.
kernel void laneTotals(OBJECTS OPERAND(byLane), const int width, const int parts) {
  const int lane = get_global_id(0);
  if (lane >= width) return;
  LaneSum s = {0, 0, 0, -1, 0};
  for (int i = 1; i <= parts; i++) s = joined(s, *OF(LaneSum, byLane, (ulong)i * width + lane));
  *OF(LaneSum, byLane, lane) = s;
}

// rowSums adds up the first lanes of a row.
#define SUM_ITEMS (ITEMS < UNIT ? ITEMS : UNIT)
__attribute__((reqd_work_group_size(SUM_ITEMS, 1, 1)))
kernel void rowSums(OBJECTS OPERAND(byRow), OPERAND(lanes), const int width, const int count) {
  local LaneSum of[SUM_ITEMS];
  const int row = get_group_id(0), id = get_local_id(0);
  LaneSum s = {0, 0, 0, -1, 0};
  for (int lane = id; lane < count; lane += SUM_ITEMS) s = taken(s, *OF(E, lanes, (ulong)row * width + lane), 0);
  of[id] = s;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (id > 0) return;
  for (int i = 1; i < SUM_ITEMS; i++) s = joined(s, of[i]);
  s.top = 0, s.farthest = -1;
  *OF(LaneSum, byRow, row) = s;
}
#endif
