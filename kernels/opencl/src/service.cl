// Kernels that only move entries or look at them once. unit is how many entries an item takes: 1 on GPUs, where neighbouring items read
// neighbouring memory, and more on processors, where an item is a thread. PAIRED says that entries are pairs.

#ifdef PAIRED
#define WORDS 2
#else
#define WORDS 1
#endif

// pivot lowers every entry of m×m tiles of edge t with pivot k: single-stage Floyd–Warshall. C of the jobs are the tiles.
kernel void pivot(MEMORY, global const Job *list, const int t, const int m, const int k, const int unit) {
  const int perTile = t * t / unit;
  const ulong id = get_global_id(0); // of a large pivot more than an int counts
  const int tile = id / perTile, at = (int)(id % perTile) * unit, row = at / t, col = at % t;
  global E *d = AT(E, list[tile].x) + WORDS * (long)at;
  global const E *left = AT(const E, list[tile / m * m + k / t].x) + WORDS * ((long)row * t + k % t);
  global const E *above = AT(const E, list[k / t * m + tile % m].x) + WORDS * ((long)(k % t) * t + col);
  const W w = left[0];
  for (int j = 0; j < unit; j++) {
    const W s = add(w, above[WORDS * j]), was = d[WORDS * j];
#if defined(F32_SIGNED)
    bool low = as_float(s) < as_float(was);
#elif defined(I32_SIGNED)
    bool low = s < was && s < LIMIT32;
#else
    bool low = s < was;
#endif
    if (low) {
      d[WORDS * j] = s;
#ifdef PAIRED
      d[WORDS * j + 1] = above[WORDS * j + 1];
#endif
    }
  }
}

// putPanel copies rows of cols entries, what C begins as, to C.
kernel void putPanel(MEMORY, global const Job *list, const int rows, const int cols, const int ldc, const int unit) {
  const int id = get_global_id(0), per = rows * cols / unit, job = id / per, at = id % per * unit, row = at / cols, col = at % cols;
  const Job p = list[FIRST(list[job])];
  global const E *from = AT(const E, p.x) + WORDS * (long)at;
  global E *to = AT(E, list[job].x) + WORDS * ((long)row * ldc + col);
  for (int j = 0; j < WORDS * unit; j++) to[j] = from[j];
}

// differ sets the flag, C of the job, if so many words of A and B differ.
kernel void differ(MEMORY, global const Job *list, const ulong words, const int share) {
  const Job p = list[FIRST(list[0])];
  global const uint *a = AT(const uint, p.x), *b = AT(const uint, p.y);
#ifdef CPU
  const ulong lo = (ulong)get_global_id(0) * share, hi = min(words, lo + share), step = 1;
#else
  const ulong lo = get_global_id(0), hi = words, step = get_global_size(0);
#endif
  uint other = 0;
  for (ulong i = lo; i < hi; i += step) other |= a[i] ^ b[i];
  if (other != 0) *AT(uint, list[0].x) = 1;
}

// transpose makes C the transpose of A, tiles of edge t, in patches of 16×16 entries.
#define PATCH 16
__attribute__((reqd_work_group_size(ITEMS, 1, 1)))
kernel void transpose(MEMORY, global const Job *list, const int t) {
  local E patch[PATCH][PATCH + 1];
  const int across = t / PATCH, row = get_group_id(0) / across * PATCH, col = get_group_id(0) % across * PATCH;
  global const E *from = AT(const E, list[FIRST(list[0])].x) + (long)row * t + col;
  global E *to = AT(E, list[0].x) + (long)col * t + row;
  for (int e = get_local_id(0); e < PATCH * PATCH; e += ITEMS) patch[e / PATCH][e % PATCH] = from[(long)(e / PATCH) * t + e % PATCH];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int e = get_local_id(0); e < PATCH * PATCH; e += ITEMS) to[(long)(e / PATCH) * t + e % PATCH] = patch[e % PATCH][e / PATCH];
}
