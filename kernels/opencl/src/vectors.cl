// The (min,+) product and the closure of a block for processors: an item is a thread, and computes with vectors.
//
// An item has STRIP columns of some rows of C. It copies DEPTH rows of the strip of B to where they lie side by side, since rows of a
// tile share few sets of a cache, and then takes ROWS rows of C at a time, whose entries stay in registers.

#define STRIP (LANES * VECTORS)

#ifndef PAIRED

// slab relaxes the rows of C with count rows of the strip.
static inline void slab(global E *c, long ldc, bool fresh, global const E *a, long lda, local const V *b, int count) {
  V d[ROWS][VECTORS];
#pragma unroll
  for (int i = 0; i < ROWS; i++)
#pragma unroll
    for (int j = 0; j < VECTORS; j++) {
      d[i][j] = (V)(NONE);
      if (!fresh) d[i][j] = LOAD(c + i * ldc + LANES * j);
    }
  for (int k = 0; k < count; k++) {
    V v[VECTORS];
#pragma unroll
    for (int j = 0; j < VECTORS; j++) v[j] = b[k * VECTORS + j];
#pragma unroll
    for (int i = 0; i < ROWS; i++) {
      const V w = (V)(a[i * lda + k]);
#pragma unroll
      for (int j = 0; j < VECTORS; j++) d[i][j] = relaxed(d[i][j], w, v[j]);
    }
  }
#pragma unroll
  for (int i = 0; i < ROWS; i++)
#pragma unroll
    for (int j = 0; j < VECTORS; j++) STORE(settled(d[i][j]), c + i * ldc + LANES * j);
}

// product computes rows×cols blocks of C of each job, each of BLOCK rows and STRIP columns.
__attribute__((reqd_work_group_size(1, 1, 1)))
kernel void product(MEMORY, global const Job *list, const int lda, const int ldb, const int ldc, const int ldx, const int depth,
                    const int rows, const int cols, const int one) {
  local V strip[DEPTH * VECTORS];
  const int id = get_global_id(0), job = id / (rows * cols), block = id % (rows * cols);
  const int row = block % rows * BLOCK, col = block / rows * STRIP;
  const Job j = list[job];
  global E *c = AT(E, j.x) + (long)row * ldc + col;
  bool fresh = FRESH(j);
  for (int pair = 0; pair < PAIRS(j); pair++) {
    const Job p = list[FIRST(j) + pair];
    global const E *a = AT(const E, p.x) + (long)row * lda, *b = AT(const E, p.y) + col;
    for (int k0 = 0; k0 < depth; k0 += DEPTH) {
      const int count = min(DEPTH, depth - k0);
      for (int k = 0; k < count; k++)
#pragma unroll
        for (int v = 0; v < VECTORS; v++) strip[k * VECTORS + v] = LOAD(b + (long)(k0 + k) * ldb + LANES * v);
      for (int i = 0; i < BLOCK; i += ROWS) slab(c + (long)i * ldc, ldc, fresh, a + (long)i * lda + k0, lda, strip, count);
      fresh = false;
    }
  }
}

// diagonal closes a block of 64×64 entries, which is C of the one job.
__attribute__((reqd_work_group_size(1, 1, 1)))
kernel void diagonal(MEMORY, global const Job *list, const int lda, const int ldb, const int ldc, const int ldx, const int depth,
                     const int rows, const int cols, const int one) {
  local V d[64 * 64 / LANES];
  const int across = 64 / LANES;
  global E *c = AT(E, list[0].x);
  for (int i = 0; i < 64; i++) {
    for (int j = 0; j < across; j++) d[i * across + j] = LOAD(c + (long)i * ldc + LANES * j);
    local E *on = (local E *)&d[i * across] + i;
    if (*on > 0) *on = 0; // the walk without arcs; a positive float is a positive integer too
  }
  for (int k = 0; k < 64; k++)
    for (int i = 0; i < 64; i++) {
      const V w = (V)(((local E *)&d[i * across])[k]);
      for (int j = 0; j < across; j++) d[i * across + j] = settled(relaxed(d[i * across + j], w, d[k * across + j]));
    }
  for (int i = 0; i < 64; i++)
    for (int j = 0; j < across; j++) STORE(d[i * across + j], c + (long)i * ldc + LANES * j);
}

// ceiling relaxes with operands in registers, steps times.
__attribute__((reqd_work_group_size(1, 1, 1)))
kernel void ceiling(global E *io, const int steps, const int one) {
  global E *at = io + get_global_id(0) % 64 * STRIP;
  V d[ROWS][VECTORS], v[VECTORS];
#pragma unroll
  for (int j = 0; j < VECTORS; j++) v[j] = LOAD(at + LANES * j);
#pragma unroll
  for (int i = 0; i < ROWS; i++)
#pragma unroll
    for (int j = 0; j < VECTORS; j++) d[i][j] = v[j];
  for (int k = 0; k < steps; k++) {
#pragma unroll
    for (int i = 0; i < ROWS; i++)
#pragma unroll
      for (int j = 0; j < VECTORS; j++) d[i][j] = relaxed(d[i][j], (V)(at[i]), v[j]);
#pragma unroll
    for (int j = 0; j < VECTORS; j++) v[j] = CHANGED(v[j], (V)((E)k));
  }
#pragma unroll
  for (int i = 0; i < ROWS; i++)
#pragma unroll
    for (int j = 0; j < VECTORS; j++) v[0] = relaxed(v[0], v[0], d[i][j]);
  if (one == 0) STORE(v[0], at); // never, which the compiler does not know
}
#endif
