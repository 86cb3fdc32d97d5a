// What all kernels share: the arithmetic of the variants, the lists of products, the copies to
// shared memory.
//
// Entries of 4 bytes are handled as 32-bit patterns. A sum of two non-negative floats compares as an integer does;
// only f32-signed compares as floats. Entries of 2 bytes are widened to such, but for products (product.cuh).
#pragma once

enum Variant { I32, I32Signed, F32, F32Signed, U16, F64 };

constexpr int kInf32 = 0x3f3f3f3f;       // entry.Inf32
constexpr int kLimit32 = kInf32 / 2;     // entry.Limit32
constexpr int kInf16 = 0x7f7f;           // entry.Inf16
constexpr int kFloatInf = 0x7f800000;    // +Inf
constexpr int kNoPredecessor = -1;       // entry.NoPredecessor

// Entry is a job, followed in its list by what the jobs name, or a pair of operands.
struct alignas(16) Entry {
  unsigned long long x;  // job: address of C; pair: address of A
  unsigned long long y;  // job: first pair | pairs << 32 | fresh << 63; pair: address of B
};

constexpr int kInline = 240;  // entries that travel with the launch, below the 4 KiB of parameters

// Product is the one parameter of the product kernels.
struct Product {
  const Entry *list;         // in device memory; null: `entries` holds it
  int lda, ldb, ldc;         // entries from a row to the next
  int depth;                 // columns of A, rows of B, of each pair: a multiple of 16
  int rows, cols;            // blocks of C in each job
  int one;                   // 1, which the compiler is not to know
  int pad[3];
  Entry entries[kInline];
};

// WidePair is a double and its predecessor, as they lie in memory: 16 bytes, of which the last 4 are 0.
struct alignas(16) WidePair {
  int low, high, before, zero;

  __device__ __forceinline__ WidePair(double d, int q) : low(__double2loint(d)), high(__double2hiint(d)), before(q), zero(0) {}
  __device__ __forceinline__ double distance() const { return __hiloint2double(high, low); }
};

// Stored is how entries and pairs lie in memory, and what a thread holds of an entry, of two, and of four.
template <Variant V>
struct Stored {
  using Word = int;
  using Pair = int2;
  using Value = int;
  using Two = int2;
  using Four = int4;
};
template <>
struct Stored<U16> {
  using Word = unsigned short;
  using Value = int;
  using Four = int4;
};
struct alignas(16) FourDoubles {
  double x, y, z, w;
};
template <>
struct Stored<F64> {
  using Word = double;
  using Pair = WidePair;
  using Value = double;
  using Two = double2;
  using Four = FourDoubles;
};
template <Variant V>
using Word = typename Stored<V>::Word;
template <Variant V>
using Pair = typename Stored<V>::Pair;
template <Variant V>
using Value = typename Stored<V>::Value;
template <Variant V>
using Two = typename Stored<V>::Two;
template <Variant V>
using Four = typename Stored<V>::Four;

// load4 and store4 move four neighbouring entries.
template <Variant V>
__device__ __forceinline__ Four<V> load4(const Word<V> *from) {
  if constexpr (V == U16) {
    const ushort4 s = *reinterpret_cast<const ushort4 *>(from);
    return Four<V>{s.x, s.y, s.z, s.w};
  } else {
    return *reinterpret_cast<const Four<V> *>(from);
  }
}

template <Variant V>
__device__ __forceinline__ void store4(Word<V> *to, Four<V> v) {
  if constexpr (V == U16)
    *reinterpret_cast<ushort4 *>(to) = make_ushort4(v.x, v.y, v.z, v.w);
  else
    *reinterpret_cast<Four<V> *>(to) = v;
}

__device__ __forceinline__ int predecessorOf(const int2 &pair) { return pair.y; }
__device__ __forceinline__ int predecessorOf(const WidePair &pair) { return pair.before; }

// load2Pairs and store2Pairs move two neighbouring pairs, of which the first is one of even number.
__device__ __forceinline__ void load2Pairs(const int2 *from, int *d, int *q) {
  const int4 v = *reinterpret_cast<const int4 *>(from);
  d[0] = v.x, q[0] = v.y, d[1] = v.z, q[1] = v.w;
}
__device__ __forceinline__ void load2Pairs(const WidePair *from, double *d, int *q) {
  const WidePair x = from[0], y = from[1];
  d[0] = x.distance(), q[0] = x.before, d[1] = y.distance(), q[1] = y.before;
}

__device__ __forceinline__ void store2Pairs(int2 *to, const int *d, const int *q) {
  *reinterpret_cast<int4 *>(to) = make_int4(d[0], q[0], d[1], q[1]);
}
__device__ __forceinline__ void store2Pairs(WidePair *to, const double *d, const int *q) {
  to[0] = WidePair(d[0], q[0]), to[1] = WidePair(d[1], q[1]);
}

template <Variant V>
__device__ __forceinline__ Value<V> infinity() {
  if constexpr (V == F64)
    return __longlong_as_double(0x7ff0000000000000);
  else
    return V == U16 ? kInf16 : V == F32 || V == F32Signed ? kFloatInf : kInf32;
}

// add returns a+b.
template <Variant V>
__device__ __forceinline__ Value<V> add(Value<V> a, Value<V> b) {
  if constexpr (V == F64)
    return __dadd_rn(a, b);
  else if constexpr (V == F32 || V == F32Signed)
    return __float_as_int(__fadd_rn(__int_as_float(a), __int_as_float(b)));
  else
    return a + b;
}

template <Variant V>
__device__ __forceinline__ Value<V> lower(Value<V> a, Value<V> b) {
  if constexpr (V == F64)
    return a < b ? a : b;
  else if constexpr (V == F32Signed)
    return __float_as_int(fminf(__int_as_float(a), __int_as_float(b)));
  else
    return min(a, b);
}

// relax returns min(c, a+b); for integers it is one instruction from sm_90 on.
template <Variant V>
__device__ __forceinline__ Value<V> relax(Value<V> c, Value<V> a, Value<V> b) {
  return lower<V>(add<V>(a, b), c);
}

// lowerPair returns the minima of both halves. Before Hopper the upper half of a minimum of words is that of the upper
// halves; the lower halves are moved there for another.
__device__ __forceinline__ int lowerPair(unsigned a, unsigned b) {
#if __CUDA_ARCH__ >= 900
  return __vminu2(a, b);
#else
  return __byte_perm(min(a << 16, b << 16), min(a, b), 0x7632);
#endif
}

// relaxPair relaxes both halves of a word; sums do not carry.
__device__ __forceinline__ int relaxPair(int c, int a, int b) {
#if __CUDA_ARCH__ >= 900
  return __viaddmin_u16x2(a, b, c);
#else
  return lowerPair(a + b, c);
#endif
}

// relax2 relaxes twice; words of U16 are pairs of entries here. For f32, and for f32-signed from sm_100 on, the two minima are one instruction.
template <Variant V>
__device__ __forceinline__ int relax2(int c, int a0, int b0, int a1, int b1) {
  if constexpr (V == U16) return relaxPair(relaxPair(c, a0, b0), a1, b1);
  if (V == F32) return min(min(add<V>(a0, b0), add<V>(a1, b1)), c);
#if __CUDA_ARCH__ < 900
  if (V == I32 || V == I32Signed) return min(min(add<V>(a0, b0), add<V>(a1, b1)), c);
#endif
  return relax<V>(relax<V>(c, a0, b0), a1, b1);
}

// relaxMixed does the same, but adds integers in the multiplier's pipe: minima, and the fused instruction,
// keep the other one busy, which is where the assembler puts integer additions too. one is 1; were it known,
// the assembler would see through it.
template <Variant V>
__device__ __forceinline__ int relaxMixed(int c, int a0, int b0, int a1, int b1, int one) {
  if (V == F32 || V == F32Signed) return relax2<V>(c, a0, b0, a1, b1);
  int s0, s1;
  asm("mad.lo.s32 %0, %1, %2, %3;" : "=r"(s0) : "r"(a0), "r"(one), "r"(b0));
  asm("mad.lo.s32 %0, %1, %2, %3;" : "=r"(s1) : "r"(a1), "r"(one), "r"(b1));
#if __CUDA_ARCH__ >= 900
  if constexpr (V == U16) return __vimin3_u16x2(s0, s1, c);
#endif
  if constexpr (V == U16) return lowerPair(lowerPair(s0, s1), c);
  return min(min(s0, s1), c);
}

// settle is what is stored of a result.
template <Variant V>
__device__ __forceinline__ Value<V> settle(Value<V> c) {
  if constexpr (V == I32Signed) return c >= kLimit32 ? kInf32 : c;
  return c;
}

__device__ __forceinline__ unsigned sharedAddress(const int *shared) {
  return static_cast<unsigned>(__cvta_generic_to_shared(shared));
}

// stage16 copies 16 bytes from device to shared memory, if it is to, without passing through registers where
// the chip can: they have landed after arrive() and a barrier.
__device__ __forceinline__ void stage16(bool go, unsigned shared, const void *global) {
#if __CUDA_ARCH__ >= 800
  asm volatile("{ .reg .pred go; setp.ne.s32 go, %0, 0; @go cp.async.cg.shared.global [%1], [%2], 16; }" ::"r"(
                   static_cast<int>(go)),
               "r"(shared), "l"(global)
               : "memory");
#else
  if (go) *reinterpret_cast<int4 *>(__cvta_shared_to_generic(shared)) = *reinterpret_cast<const int4 *>(global);
#endif
}

// stage4 does the same with the 4 bytes of a distance.
__device__ __forceinline__ void stage4(bool go, unsigned shared, const int2 *global) {
#if __CUDA_ARCH__ >= 800
  asm volatile("{ .reg .pred go; setp.ne.s32 go, %0, 0; @go cp.async.ca.shared.global [%1], [%2], 4; }" ::"r"(
                   static_cast<int>(go)),
               "r"(shared), "l"(global)
               : "memory");
#else
  if (go) *reinterpret_cast<int *>(__cvta_shared_to_generic(shared)) = global->x;
#endif
}

__device__ __forceinline__ void arrive() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

// loadShared loads four words.
__device__ __forceinline__ int4 loadShared(unsigned address) {
  int4 v;
  asm volatile("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "r"(address)
               : "memory");
  return v;
}

// loadMatrix loads four words: thread t of a warp gets word t%4 of the row at the address given by thread
// t/4, by thread 8+t/4, 16+t/4 and 24+t/4. Transposed it gets entries t/4 of rows t%4*2 and t%4*2+1, of 2 bytes each.
template <bool Transposed>
__device__ __forceinline__ int4 loadMatrix(unsigned address) {
  int4 v;
  if constexpr (Transposed)
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "r"(address)
                 : "memory");
  else
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "r"(address)
                 : "memory");
  return v;
}

// mark stores 16 bits in shared memory, if it is to.
__device__ __forceinline__ void mark(bool go, unsigned address, int value) {
  asm volatile("{ .reg .pred go; setp.ne.s32 go, %0, 0; @go st.shared.u16 [%1], %2; }" ::"r"(static_cast<int>(go)),
               "r"(address), "h"(static_cast<short>(value))
               : "memory");
}

// A kernel of one variant, by the name under which package cuda finds it. NAME and VARIANT are set by generate.sh:
// one image for each variant, as a driver takes half a second to compile one, and a solve needs one.
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define KERNEL(name, threads, perSM, Parameter)                              \
  extern "C" __global__ void __launch_bounds__(threads, perSM) JOIN(name, NAME)( \
      const __grid_constant__ Parameter p)
