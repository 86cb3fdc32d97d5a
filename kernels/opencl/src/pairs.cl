// The (min,+) product and the closure of tiles of pairs: a distance and its predecessor, two entries side by side, of which the second is only
// moved. Of a job the first element of its pairs is what C begins as, with rows of ldx pairs. What is lowered takes over the predecessor of B.

#if defined(F64)
#define NOBODY as_double(0xffffffffL) // entry.NoVertex, and 0 behind it
#else
#define NOBODY (-1) // entry.NoVertex
#endif

#ifdef CPU

// less is where a is less than b.
static inline MASK less(V a, V b) {
#if defined(F32_SIGNED)
  return FLOATS(a) < FLOATS(b);
#else
  return a < b;
#endif
}

// unpack and pack move pairs between memory and registers.
#define UNPACK(d, q, p) \
  { \
    const V lo = LOAD(p), hi = LOAD((p) + LANES); \
    d = (V)(lo.even, hi.even), q = (V)(lo.odd, hi.odd); \
  }
#define PACK(d, q, p) \
  { \
    V lo, hi; \
    lo.even = d.lo, lo.odd = q.lo, hi.even = d.hi, hi.odd = q.hi; \
    STORE(lo, p); \
    STORE(hi, (p) + LANES); \
  }

// pairSlab relaxes rows of C, which begin as x, with count rows of the strip.
static inline void pairSlab(global E *c, long ldc, global const E *x, long ldx, global const E *a, long lda, local const V *b, int count) {
  V d[PAIR_ROWS][VECTORS], q[PAIR_ROWS][VECTORS];
#pragma unroll
  for (int i = 0; i < PAIR_ROWS; i++)
#pragma unroll
    for (int j = 0; j < VECTORS; j++) UNPACK(d[i][j], q[i][j], x + 2 * (i * ldx + LANES * j))
  for (int k = 0; k < count; k++) {
    V v[VECTORS], from[VECTORS];
#pragma unroll
    for (int j = 0; j < VECTORS; j++) v[j] = b[2 * (k * VECTORS + j)], from[j] = b[2 * (k * VECTORS + j) + 1];
#pragma unroll
    for (int i = 0; i < PAIR_ROWS; i++) {
      const V w = (V)(a[2 * (i * lda + k)]);
#pragma unroll
      for (int j = 0; j < VECTORS; j++) {
        const V s = added(w, v[j]);
        const MASK low = less(s, d[i][j]);
        d[i][j] = select(d[i][j], s, low), q[i][j] = select(q[i][j], from[j], low);
      }
    }
  }
#pragma unroll
  for (int i = 0; i < PAIR_ROWS; i++)
#pragma unroll
    for (int j = 0; j < VECTORS; j++) {
#if defined(I32_SIGNED)
      const MASK none = d[i][j] >= LIMIT32;
      d[i][j] = select(d[i][j], (V)(NONE), none), q[i][j] = select(q[i][j], (V)(NOBODY), none);
#endif
      PACK(d[i][j], q[i][j], c + 2 * (i * ldc + LANES * j))
    }
}

__attribute__((reqd_work_group_size(1, 1, 1)))
kernel void product(MEMORY, global const Job *list, const int lda, const int ldb, const int ldc, const int ldx, const int depth,
                    const int rows, const int cols, const int one) {
  local V strip[2 * DEPTH * VECTORS];
  const int id = get_global_id(0), job = id / (rows * cols), block = id % (rows * cols);
  const int row = block % rows * BLOCK, col = block / rows * STRIP;
  const Job j = list[job];
  global E *c = AT(E, j.x) + 2 * ((long)row * ldc + col);
  global const E *x = AT(const E, list[FIRST(j)].x) + 2 * ((long)row * ldx + col);
  long begins = ldx;
  for (int pair = 1; pair <= PAIRS(j); pair++) {
    const Job p = list[FIRST(j) + pair];
    global const E *a = AT(const E, p.x) + 2 * (long)row * lda, *b = AT(const E, p.y) + 2 * col;
    for (int k0 = 0; k0 < depth; k0 += DEPTH) {
      const int count = min(DEPTH, depth - k0);
      for (int k = 0; k < count; k++)
#pragma unroll
        for (int v = 0; v < VECTORS; v++)
          UNPACK(strip[2 * (k * VECTORS + v)], strip[2 * (k * VECTORS + v) + 1], b + 2 * ((long)(k0 + k) * ldb + LANES * v))
      for (int i = 0; i < BLOCK; i += PAIR_ROWS)
        pairSlab(c + 2 * (long)i * ldc, ldc, x + 2 * (long)i * begins, begins, a + 2 * ((long)i * lda + k0), lda, strip, count);
      x = c, begins = ldc;
    }
  }
}

// diagonal closes a block of 64×64 entries, which is C of the one job.
__attribute__((reqd_work_group_size(1, 1, 1)))
kernel void diagonal(MEMORY, global const Job *list, const int lda, const int ldb, const int ldc, const int ldx, const int depth,
                     const int rows, const int cols, const int one) {
  local V d[64 * 64 / LANES], q[64 * 64 / LANES];
  const int across = 64 / LANES;
  global E *c = AT(E, list[0].x);
  for (int i = 0; i < 64; i++) {
    for (int j = 0; j < across; j++) UNPACK(d[i * across + j], q[i * across + j], c + 2 * ((long)i * ldc + LANES * j))
    local E *on = (local E *)&d[i * across] + i;
    if (*on >= 0) *on = 0, ((local E *)&q[i * across])[i] = NOBODY; // the walk without arcs
  }
  for (int k = 0; k < 64; k++)
    for (int i = 0; i < 64; i++) {
      const V w = (V)(((local E *)&d[i * across])[k]);
      for (int j = 0; j < across; j++) {
        const int at = i * across + j, by = k * across + j;
        const V s = added(w, d[by]);
#if defined(I32_SIGNED)
        const MASK low = less(s, d[at]) & (s < LIMIT32);
#else
        const MASK low = less(s, d[at]);
#endif
        d[at] = select(d[at], s, low), q[at] = select(q[at], q[by], low);
      }
    }
  for (int i = 0; i < 64; i++)
    for (int j = 0; j < across; j++) PACK(d[i * across + j], q[i * across + j], c + 2 * ((long)i * ldc + LANES * j))
}

#else

static inline bool less(W a, W b) {
#if defined(F32_SIGNED)
  return as_float(a) < as_float(b);
#else
  return a < b;
#endif
}

// A group of 256 items computes 64×64 entries of C, 4×4 each.
__attribute__((reqd_work_group_size(256, 1, 1)))
kernel void product(MEMORY, global const Job *list, const int lda, const int ldb, const int ldc, const int ldx, const int depth,
                    const int rows, const int cols, const int one) {
  local E a[PAIR_SLAB][64 + PAD], b[PAIR_SLAB][64], from[PAIR_SLAB][64];
  const int item = get_local_id(0), x = item % 16 * 4, y = item / 16 * 4;
  const int blocks = rows * cols, job = get_group_id(0) / blocks, block = get_group_id(0) % blocks;
  const int row = block % rows * 64, col = block / rows * 64;
  const Job j = list[job];
  global const E *begin = AT(const E, list[FIRST(j)].x) + 2 * ((long)(row + y) * ldx + col + x);
  W d[4][4], q[4][4];
#pragma unroll
  for (int i = 0; i < 4; i++)
#pragma unroll
    for (int n = 0; n < 4; n++) d[i][n] = begin[2 * (i * (long)ldx + n)], q[i][n] = begin[2 * (i * (long)ldx + n) + 1];
  for (int pair = 1; pair <= PAIRS(j); pair++) {
    const Job p = list[FIRST(j) + pair];
    global const E *pa = AT(const E, p.x) + 2 * (long)row * lda, *pb = AT(const E, p.y) + 2 * col;
    for (int k0 = 0; k0 < depth; k0 += PAIR_SLAB) {
      barrier(CLK_LOCAL_MEM_FENCE);
      for (int e = item; e < PAIR_SLAB * 64; e += 256) {
        a[e % PAIR_SLAB][e / PAIR_SLAB] = pa[2 * ((long)(e / PAIR_SLAB) * lda + k0 + e % PAIR_SLAB)];
        global const E *two = pb + 2 * ((long)(k0 + e / 64) * ldb + e % 64);
        b[e / 64][e % 64] = two[0], from[e / 64][e % 64] = two[1];
      }
      barrier(CLK_LOCAL_MEM_FENCE);
      for (int k = 0; k < PAIR_SLAB; k++) {
        W u[4], v[4], f[4];
#pragma unroll
        for (int i = 0; i < 4; i++) u[i] = a[k][y + i], v[i] = b[k][x + i], f[i] = from[k][x + i];
#pragma unroll
        for (int i = 0; i < 4; i++)
#pragma unroll
          for (int n = 0; n < 4; n++) {
            const W s = add(u[i], v[n]);
            const bool low = less(s, d[i][n]);
            d[i][n] = low ? s : d[i][n], q[i][n] = low ? f[n] : q[i][n];
          }
      }
    }
  }
  global E *c = AT(E, j.x) + 2 * ((long)(row + y) * ldc + col + x);
#pragma unroll
  for (int i = 0; i < 4; i++)
#pragma unroll
    for (int n = 0; n < 4; n++) {
#if defined(I32_SIGNED)
      if (d[i][n] >= LIMIT32) d[i][n] = NONE, q[i][n] = NOBODY;
#endif
      c[2 * (i * (long)ldc + n)] = d[i][n], c[2 * (i * (long)ldc + n) + 1] = q[i][n];
    }
}

// diagonal closes a block of 64×64 entries, as that of tiles.cl does.
__attribute__((reqd_work_group_size(256, 1, 1)))
kernel void diagonal(MEMORY, global const Job *list, const int lda, const int ldb, const int ldc, const int ldx, const int depth,
                     const int rows, const int cols, const int one) {
  local W row[2][64], before[2][64], col[2][64];
  const int y = get_local_id(0) / 16 * 4, x = get_local_id(0) % 16 * 4;
  global E *c = AT(E, list[0].x) + 2 * ((long)y * ldc + x);
  W d[4][4], q[4][4];
#pragma unroll
  for (int i = 0; i < 4; i++)
#pragma unroll
    for (int j = 0; j < 4; j++) {
      d[i][j] = c[2 * ((long)i * ldc + j)], q[i][j] = c[2 * ((long)i * ldc + j) + 1];
      if (y + i == x + j && d[i][j] >= 0) d[i][j] = 0, q[i][j] = NOBODY; // the walk without arcs
    }
  for (int k4 = 0; k4 < 64; k4 += 4) {
#pragma unroll
    for (int s = 0; s < 4; s++) {
      if (y == k4)
#pragma unroll
        for (int j = 0; j < 4; j++) row[s & 1][x + j] = d[s][j], before[s & 1][x + j] = q[s][j];
      if (x == k4)
#pragma unroll
        for (int i = 0; i < 4; i++) col[s & 1][y + i] = d[i][s];
      barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
      for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) {
          const W sum = add(col[s & 1][y + i], row[s & 1][x + j]);
#if defined(I32_SIGNED)
          const bool low = sum < d[i][j] && sum < LIMIT32;
#else
          const bool low = less(sum, d[i][j]);
#endif
          d[i][j] = low ? sum : d[i][j], q[i][j] = low ? before[s & 1][x + j] : q[i][j];
        }
    }
  }
#pragma unroll
  for (int i = 0; i < 4; i++)
#pragma unroll
    for (int j = 0; j < 4; j++) c[2 * ((long)i * ldc + j)] = d[i][j], c[2 * ((long)i * ldc + j) + 1] = q[i][j];
}
#endif
