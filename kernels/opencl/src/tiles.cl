// The (min,+) product and the closure of a block for GPUs.
//
// A group of GROUP items computes BLOCK×BLOCK entries of C, 8×8 each, in registers. Slabs of A and B, SLAB deep, pass through two stages in
// local memory: while one is worked on, the next is on its way through registers to the other. An item's rows and columns are two times
// four neighbours, so that it moves four entries at a time: tiles are aligned for that.

#define ACROSS (BLOCK / 8)
#define GROUP (ACROSS * ACROSS)
#define LOADS (BLOCK * SLAB / 4 / GROUP) // of four entries, by an item, for each of A and B
#define PAD 4 // rows of A lie in different banks

#ifndef PAIRED
// relax2 relaxes twice. On chips with a minimum of three the two minima are one instruction. MIXED makes half of the columns add integers by
// a multiplication with one, which the compiler does not know to be 1: on NVIDIA's chips the pipe of multiplications would be idle otherwise,
// and the other half is one fused instruction each.
static inline W relax2(W c, W a0, W b0, W a1, W b1, int mixed, int one) {
#if MIXED && (defined(I32) || defined(I32_SIGNED) || defined(U16))
  if (mixed) return min(min(a0 * one + b0, a1 * one + b1), c);
  return lower(add(a1, b1), lower(add(a0, b0), c));
#elif defined(F32_SIGNED) || defined(F64)
  return lower(add(a1, b1), lower(add(a0, b0), c));
#else
  return lower(lower(add(a0, b0), add(a1, b1)), c);
#endif
}

__attribute__((reqd_work_group_size(GROUP, 1, 1)))
kernel void product(MEMORY, global const Job *list, const int lda, const int ldb, const int ldc, const int ldx, const int depth,
                    const int rows, const int cols, const int one) {
  local E a[2][SLAB][BLOCK + PAD] __attribute__((aligned(32)));
  local E b[2][SLAB][BLOCK] __attribute__((aligned(32)));
  const int item = get_local_id(0), x = item % ACROSS * 4, y = item / ACROSS * 4;
  const int blocks = rows * cols, job = get_group_id(0) / blocks, block = get_group_id(0) % blocks;
  // Groups that run at the same time share rows of A and columns of B: a band of rows is visited before the next column.
  const int top = block / (BAND * cols) * BAND, height = min(BAND, rows - top), in = block - top * cols;
  const int row = (top + in % height) * BLOCK, col = in / height * BLOCK;
  const Job j = list[job];
  global E *c = AT(E, j.x) + (long)(row + y) * ldc + col + x;

  W d[8][8];
  if (FRESH(j)) {
#pragma unroll
    for (int i = 0; i < 64; i++) d[i / 8][i % 8] = NONE;
  } else {
#pragma unroll
    for (int i = 0; i < 8; i++)
#pragma unroll
      for (int h = 0; h < 2; h++) {
        const E4 v = *(global const E4 *)(c + (long)(i / 4 * (BLOCK / 2) + i % 4) * ldc + h * (BLOCK / 2));
        d[i][4 * h] = v.x, d[i][4 * h + 1] = v.y, d[i][4 * h + 2] = v.z, d[i][4 * h + 3] = v.w;
      }
  }

  const int ka = item % (SLAB / 4) * 4, ra = item / (SLAB / 4); // what the item copies of A
  const int xb = item % (BLOCK / 4) * 4, rb = item / (BLOCK / 4);
  const int perPair = depth / SLAB;
  int slabs = PAIRS(j) * perPair, left = perPair;
  uint pair = FIRST(j);
  Job p = list[pair];
  global const E *from = AT(const E, p.x) + (long)(row + ra) * lda + ka, *with = AT(const E, p.y) + (long)rb * ldb + col + xb;
  E4 va[LOADS], vb[LOADS];
  int stage = 0;
#define FETCH \
  _Pragma("unroll") for (int l = 0; l < LOADS; l++) { \
    va[l] = *(global const E4 *)(from + (long)(l * (GROUP / (SLAB / 4))) * lda); \
    vb[l] = *(global const E4 *)(with + (long)(l * (GROUP / (BLOCK / 4))) * ldb); \
  }
#define PUT(stage) \
  _Pragma("unroll") for (int l = 0; l < LOADS; l++) { \
    const int r = ra + l * (GROUP / (SLAB / 4)); \
    a[stage][ka][r] = va[l].x, a[stage][ka + 1][r] = va[l].y, a[stage][ka + 2][r] = va[l].z, a[stage][ka + 3][r] = va[l].w; \
    *(local E4 *)&b[stage][rb + l * (GROUP / (BLOCK / 4))][xb] = vb[l]; \
  }
  FETCH
  PUT(0)
  barrier(CLK_LOCAL_MEM_FENCE);
  while (true) {
    const bool more = --slabs > 0;
    if (more) {
      if (--left == 0) {
        p = list[++pair];
        from = AT(const E, p.x) + (long)(row + ra) * lda + ka, with = AT(const E, p.y) + (long)rb * ldb + col + xb;
        left = perPair;
      } else {
        from += SLAB, with += (long)SLAB * ldb;
      }
      FETCH
    }
#pragma unroll
    for (int k = 0; k < SLAB; k += 2) {
      W u[2][8], v[2][8];
#pragma unroll
      for (int s = 0; s < 2; s++)
#pragma unroll
        for (int h = 0; h < 2; h++) {
          const E4 e = *(local const E4 *)&a[stage][k + s][y + h * (BLOCK / 2)], f = *(local const E4 *)&b[stage][k + s][x + h * (BLOCK / 2)];
          u[s][4 * h] = e.x, u[s][4 * h + 1] = e.y, u[s][4 * h + 2] = e.z, u[s][4 * h + 3] = e.w;
          v[s][4 * h] = f.x, v[s][4 * h + 1] = f.y, v[s][4 * h + 2] = f.z, v[s][4 * h + 3] = f.w;
        }
#pragma unroll
      for (int i = 0; i < 8; i++)
#pragma unroll
        for (int n = 0; n < 8; n++) d[i][n] = relax2(d[i][n], u[0][i], v[0][n], u[1][i], v[1][n], n % 2 == 0, one);
    }
    if (!more) break;
    stage ^= 1;
    PUT(stage)
    barrier(CLK_LOCAL_MEM_FENCE);
  }
#pragma unroll
  for (int i = 0; i < 8; i++)
#pragma unroll
    for (int h = 0; h < 2; h++) {
      E4 v;
      v.x = settle(d[i][4 * h]), v.y = settle(d[i][4 * h + 1]), v.z = settle(d[i][4 * h + 2]), v.w = settle(d[i][4 * h + 3]);
      *(global E4 *)(c + (long)(i / 4 * (BLOCK / 2) + i % 4) * ldc + h * (BLOCK / 2)) = v;
    }
}

// diagonal closes a block of 64×64 entries, which is C of the one job: 256 items hold 4×4 each. Before step k the owners of row and column
// k put them where all read them, in two buffers by turns, so that a step has one barrier.
__attribute__((reqd_work_group_size(256, 1, 1)))
kernel void diagonal(MEMORY, global const Job *list, const int lda, const int ldb, const int ldc, const int ldx, const int depth,
                     const int rows, const int cols, const int one) {
  local W row[2][64], col[2][64];
  const int y = get_local_id(0) / 16 * 4, x = get_local_id(0) % 16 * 4;
  global E *c = AT(E, list[0].x) + (long)y * ldc + x;
  W d[4][4];
#pragma unroll
  for (int i = 0; i < 4; i++)
#pragma unroll
    for (int j = 0; j < 4; j++) {
      d[i][j] = c[(long)i * ldc + j];
      if (y + i == x + j && d[i][j] > 0) d[i][j] = 0; // the walk without arcs; a positive float is a positive integer too
    }
  for (int k4 = 0; k4 < 64; k4 += 4) {
#pragma unroll
    for (int s = 0; s < 4; s++) {
      if (y == k4)
#pragma unroll
        for (int j = 0; j < 4; j++) row[s & 1][x + j] = d[s][j];
      if (x == k4)
#pragma unroll
        for (int i = 0; i < 4; i++) col[s & 1][y + i] = d[i][s];
      barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
      for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) d[i][j] = settle(lower(add(col[s & 1][y + i], row[s & 1][x + j]), d[i][j]));
    }
  }
#pragma unroll
  for (int i = 0; i < 4; i++)
#pragma unroll
    for (int j = 0; j < 4; j++) c[(long)i * ldc + j] = d[i][j];
}

// ceiling relaxes with operands in registers, 2·steps times.
__attribute__((reqd_work_group_size(GROUP, 1, 1)))
kernel void ceiling(global E *io, const int steps, const int one) {
  global E *at = io + get_local_id(0) % 64;
  W d[8][8], u[8], v[8];
#pragma unroll
  for (int i = 0; i < 8; i++) u[i] = at[8 * i], v[i] = at[8 * i + 1];
#pragma unroll
  for (int i = 0; i < 64; i++) d[i / 8][i % 8] = u[i % 8];
  for (int k = 0; k < steps; k++) {
#pragma unroll
    for (int i = 0; i < 8; i++)
#pragma unroll
      for (int n = 0; n < 8; n++) d[i][n] = relax2(d[i][n], u[i], v[n], u[(i + 1) % 8], v[n], n % 2 == 0, one);
#pragma unroll
    for (int n = 0; n < 8; n++) v[n] = CHANGED(v[n], (W)k);
  }
#pragma unroll
  for (int i = 0; i < 64; i++) u[i % 8] = lower(u[i % 8], d[i / 8][i % 8]);
#pragma unroll
  for (int i = 0; i < 8; i++) u[0] = lower(u[0], u[i]);
  if (one == 0) at[0] = u[0]; // never, which the compiler does not know
}
#endif
