// What all kernels share: the arithmetic of the four variants, the lists of products, the copies to
// shared memory.
//
// Entries are handled as 32-bit patterns. A sum of two non-negative floats compares as an integer does;
// only f32-signed compares as floats.
#pragma once

enum Variant { I32, I32Signed, F32, F32Signed };

constexpr int kInf32 = 0x3f3f3f3f;       // kernels.Inf32
constexpr int kLimit32 = kInf32 / 2;     // kernels.Limit32
constexpr int kFloatInf = 0x7f800000;    // +Inf
constexpr int kNoPredecessor = -1;       // kernels.NoPredecessor

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

template <Variant V>
__device__ __forceinline__ int infinity() {
  return V == F32 || V == F32Signed ? kFloatInf : kInf32;
}

// add returns a+b.
template <Variant V>
__device__ __forceinline__ int add(int a, int b) {
  if (V == F32 || V == F32Signed) return __float_as_int(__fadd_rn(__int_as_float(a), __int_as_float(b)));
  return a + b;
}

template <Variant V>
__device__ __forceinline__ int lower(int a, int b) {
  if (V == F32Signed) return __float_as_int(fminf(__int_as_float(a), __int_as_float(b)));
  return min(a, b);
}

// relax returns min(c, a+b); for integers it is one instruction from sm_90 on.
template <Variant V>
__device__ __forceinline__ int relax(int c, int a, int b) {
  return lower<V>(add<V>(a, b), c);
}

// relax2 relaxes twice. For f32, and for f32-signed from sm_100 on, the two minima are one instruction.
template <Variant V>
__device__ __forceinline__ int relax2(int c, int a0, int b0, int a1, int b1) {
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
  return min(min(s0, s1), c);
}

// settle is what is stored of a result.
template <Variant V>
__device__ __forceinline__ int settle(int c) {
  return V == I32Signed && c >= kLimit32 ? kInf32 : c;
}

__device__ __forceinline__ unsigned sharedAddress(const int *shared) {
  return static_cast<unsigned>(__cvta_generic_to_shared(shared));
}

// stage16 copies 16 bytes from device to shared memory, if it is to, without passing through registers where
// the chip can: they have landed after arrive() and a barrier.
__device__ __forceinline__ void stage16(bool go, unsigned shared, const int *global) {
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
// t/4, by thread 8+t/4, 16+t/4 and 24+t/4.
__device__ __forceinline__ int4 loadMatrix(unsigned address) {
  int4 v;
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
