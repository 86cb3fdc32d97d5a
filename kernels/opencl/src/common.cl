// What all kernels share: the arithmetic of the variants, and the lists of products.
//
// One of I32, I32_SIGNED, F32, F32_SIGNED, F64 and U16 is defined, and CPU where items are not to share local memory. Entries
// of 4 bytes are handled as 32-bit patterns: a sum of two non-negative floats compares as an integer does.

#define INF32 0x3f3f3f3f // entry.Inf32
#define LIMIT32 (INF32 / 2) // entry.Limit32

#if defined(F64)
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef double E; // an entry in memory
typedef double W; // an entry in a register
typedef double4 E4;
#define NONE INFINITY
#elif defined(U16)
typedef ushort E;
typedef int W;
typedef ushort4 E4;
#define NONE 0x7f7f // entry.Inf16
#else
typedef int E;
typedef int W;
typedef int4 E4;
#if defined(F32) || defined(F32_SIGNED)
#define NONE 0x7f800000 // +Inf
#else
#define NONE INF32
#endif
#endif

// add returns the sum of two entries.
static inline W add(W a, W b) {
#if defined(F32) || defined(F32_SIGNED)
  return as_int(as_float(a) + as_float(b));
#else
  return a + b;
#endif
}

static inline W lower(W a, W b) {
#if defined(F64)
  return fmin(a, b);
#elif defined(F32_SIGNED)
  return as_int(fmin(as_float(a), as_float(b)));
#else
  return min(a, b);
#endif
}

// settle is what is stored of a result.
static inline W settle(W c) {
#if defined(I32_SIGNED)
  return c >= LIMIT32 ? INF32 : c;
#else
  return c;
#endif
}

// CHANGED gives an operand of ceiling() another value in each step, so that no compiler sees two steps as one.
#if defined(F64)
#define CHANGED(x, by) ((x) + (by))
#else
#define CHANGED(x, by) ((x) ^ (by))
#endif

// Memory that tiles lie in. The high byte of an address says which, the rest is the byte in it.
#define MEMORY \
  global char *m0, global char *m1, global char *m2, global char *m3, global char *m4, global char *m5, global char *m6, global char *m7
#define WHICH(address) \
  ((address) >> 56 == 0 ? m0 : (address) >> 56 == 1 ? m1 : (address) >> 56 == 2 ? m2 : (address) >> 56 == 3 ? m3 : \
   (address) >> 56 == 4 ? m4 : (address) >> 56 == 5 ? m5 : (address) >> 56 == 6 ? m6 : m7)
#define AT(type, address) ((global type *)(WHICH(address) + ((address) & 0xffffffffffffffUL)))

// An element of a list is a job, or a pair of operands. A job's x is the address of C; its y is where its pairs begin in the list, their
// number above bit 31, and in bit 63 whether C begins anew. A pair's x and y are the addresses of A and B.
typedef ulong2 Job;
#define FIRST(job) ((uint)(job).y)
#define PAIRS(job) ((int)((job).y >> 32) & 0x7fffffff)
#define FRESH(job) ((job).y >> 63)
