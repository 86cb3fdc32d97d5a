// Reductions of int32, and what asks for no variant besides.
#pragma once

struct Differ {
  int *flag;
  const unsigned char *a, *b;
  long long bytes;
};

// differ sets the flag if two blocks of memory are not the same.
__device__ __forceinline__ void differ(const Differ &p) {
  const long long thread = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  const long long threads = static_cast<long long>(gridDim.x) * blockDim.x;
  const bool aligned = ((reinterpret_cast<unsigned long long>(p.a) | reinterpret_cast<unsigned long long>(p.b)) & 15) == 0;
  const long long words = p.bytes / 4, quads = aligned ? words / 4 : 0;
  bool same = true;
#pragma unroll 4
  for (long long i = thread; i < quads; i += threads) {
    const int4 x = reinterpret_cast<const int4 *>(p.a)[i], y = reinterpret_cast<const int4 *>(p.b)[i];
    same = same && ((x.x ^ y.x) | (x.y ^ y.y) | (x.z ^ y.z) | (x.w ^ y.w)) == 0;
  }
  for (long long i = 4 * quads + thread; i < words; i += threads)
    same = same && reinterpret_cast<const int *>(p.a)[i] == reinterpret_cast<const int *>(p.b)[i];
  for (long long i = 4 * words + thread; i < p.bytes; i += threads) same = same && p.a[i] == p.b[i];
  if (!same) *p.flag = 1;
}

// Found is an entry and where it is.
struct Found {
  int value;
  unsigned index;
};

__device__ __forceinline__ Found nearer(Found a, Found b) {
  return b.value < a.value || (b.value == a.value && b.index < a.index) ? b : a;
}

constexpr int kLeastThreads = 1024;

// everyLeast returns the least of all threads of the block to all of them.
__device__ __forceinline__ Found everyLeast(Found f) {
  __shared__ Found of[kLeastThreads / 32];
  for (int half = 16; half > 0; half /= 2)
    f = nearer(f, Found{__shfl_xor_sync(~0u, f.value, half), __shfl_xor_sync(~0u, f.index, half)});
  __syncthreads();  // whoever read it before has done so
  if (threadIdx.x % 32 == 0) of[threadIdx.x / 32] = f;
  __syncthreads();
  f = of[threadIdx.x % 32];
  for (int half = 16; half > 0; half /= 2)
    f = nearer(f, Found{__shfl_xor_sync(~0u, f.value, half), __shfl_xor_sync(~0u, f.index, half)});
  return f;
}

struct Least {
  const int *source;
  Found *result;
  Found *parts;      // an entry a block, where there are several
  unsigned *arrived;  // 0 between launches
  unsigned n, pad;
};

// least reduces in one launch: each block its share, and the one that ends last the results of all.
__device__ __forceinline__ void least(const Least &p) {
  const unsigned step = gridDim.x * kLeastThreads;
  Found f = {0x7fffffff, ~0u};
#pragma unroll 8
  for (unsigned i = blockIdx.x * kLeastThreads + threadIdx.x; i < p.n; i += step) f = nearer(f, Found{p.source[i], i});
  f = everyLeast(f);
  if (gridDim.x > 1) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
      p.parts[blockIdx.x] = f;
      __threadfence();
      last = atomicInc(p.arrived, gridDim.x - 1) == gridDim.x - 1;  // which makes it 0 again
      __threadfence();
    }
    __syncthreads();
    if (!last) return;
    f = Found{0x7fffffff, ~0u};
    for (unsigned i = threadIdx.x; i < gridDim.x; i += kLeastThreads) {
      const volatile Found *part = p.parts + i;
      f = nearer(f, Found{part->value, part->index});
    }
    f = everyLeast(f);
  }
  if (threadIdx.x == 0) *p.result = f;
}

// Grow is kernels.Grow, with what its reduction needs.
struct Grow {
  const int *offsets, *ends, *weights;
  int *keys, *parents, *tree;
  Least least;  // of the keys
  int steps, pad;
};

constexpr int kKeyTaken = 0x7fffffff;

// take takes the vertex that least names, and offers its neighbours their edges to it. They are all different.
__device__ __forceinline__ void take(const Grow &p) {
  const Found from = *p.least.result;
  const int u = from.index;
  const int hi = p.offsets[u + 1];
  for (int k = p.offsets[u] + blockIdx.x * kLeastThreads + threadIdx.x; k < hi; k += gridDim.x * kLeastThreads) {
    const int v = p.ends[k], w = p.weights[k], key = p.keys[v];
    if (w < key && key != kKeyTaken && v != u) p.keys[v] = w, p.parents[v] = u;
  }
  if (blockIdx.x == 0 && threadIdx.x == 0) p.tree[u] = from.value, p.keys[u] = kKeyTaken;
}

// grow is whole steps by one block.
__device__ __forceinline__ void grow(const Grow &p) {
  for (int step = 0; step < p.steps; step++) {
    take(p);
    __syncthreads();
    least(p.least);
    __syncthreads();
  }
}
