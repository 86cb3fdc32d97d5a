// Arithmetic on vectors of LANES entries.

#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)
#if defined(F64)
typedef PASTE(double, LANES) V;
typedef PASTE(long, LANES) MASK;
#elif defined(U16)
typedef PASTE(ushort, LANES) V;
#else
typedef PASTE(int, LANES) V;
typedef PASTE(int, LANES) MASK;
#endif
#ifdef CPU
#define LOAD(p) PASTE(vload, LANES)(0, p)
#define STORE(v, p) PASTE(vstore, LANES)(v, 0, p)
#else // what items of a GPU take is aligned to its size, which a compiler is told so
#define LOAD(p) (*(global const V *)(p))
#define STORE(v, p) (*(global V *)(p) = (v))
#endif
#define FLOATS(v) PASTE(as_float, LANES)(v)
#define INTS(v) PASTE(as_int, LANES)(v)

static inline V added(V a, V b) {
#if defined(F32) || defined(F32_SIGNED)
  return INTS(FLOATS(a) + FLOATS(b));
#else
  return a + b;
#endif
}

// lowest is c where s is not less.
static inline V lowest(V c, V s) {
#if defined(F32_SIGNED)
  return INTS(select(FLOATS(c), FLOATS(s), FLOATS(s) < FLOATS(c)));
#elif defined(F64)
  return select(c, s, s < c);
#else
  return min(s, c);
#endif
}

static inline V relaxed(V c, V a, V b) { return lowest(c, added(a, b)); }

static inline V settled(V c) {
#if defined(I32_SIGNED)
  return select(c, (V)(INF32), c >= LIMIT32);
#else
  return c;
#endif
}
