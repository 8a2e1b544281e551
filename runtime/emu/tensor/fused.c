/* The fused sum of tensor cores: products and accumulator are aligned to the largest exponent among
 * them, cut off some bits below it, added exactly, and rounded once. (MMA-Sim, arXiv 2511.10909.)
 *
 * The exponent of a product is the sum of its operands' exponents, whatever its leading bit; a zero
 * has none. The fast step works on eight columns at a time: the largest exponent `top` from the
 * decoded exponents, then every product as a float, exactly (significands have at most 11 bits),
 * times the power of two that makes the last kept bit a 1, cut off by the conversion to integer.
 * What a float cannot hold exactly needs an exponent that is very small, and is then far below the
 * last kept bit of any `top` of ordinary size: so only the sums whose `top` is out of the ordinary,
 * or says that there is an infinity or NaN, are done again by integer arithmetic. */
#include "emu/tensor/fused.h"

#include <math.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "emu/tensor/vector.h"

enum { columns = EMU_FUSED_COLUMNS, lowest_top = -100, highest_top = 120 };

int emu_fused_room(const emu_dot_model *model) {
  return 1 << (31 - 2 - model->fraction); /* a product of significands is less than 4 */
}

/* ---- By integers ------------------------------------------------------------------------ */

/* value * 2^shift, cut off at the binary point. */
static int64_t shifted(int64_t value, int shift) {
  if (shift >= 0) return value * ((int64_t)1 << shift);
  return shift < -62 ? 0 : value / ((int64_t)1 << -shift);
}

float emu_fused_round(int64_t value, int exponent, emu_dot_rounding rounding) {
  int fraction = rounding == EMU_ROUND_RZ23 ? 23 : rounding == EMU_ROUND_RZ13 ? 13 : 10;
  int smallest = rounding == EMU_ROUND_RNE10 ? -14 : -126;
  int largest = rounding == EMU_ROUND_RNE10 ? 15 : 127;
  uint64_t magnitude = value < 0 ? -(uint64_t)value : (uint64_t)value;
  if (!magnitude) return 0;
  int leading = 63 - __builtin_clzll(magnitude) + exponent;
  int unit = (leading > smallest ? leading : smallest) - fraction, cut = unit - exponent;
  uint64_t kept = cut > 63 ? 0 : cut > 0 ? magnitude >> cut : magnitude << -cut;
  if (rounding == EMU_ROUND_RNE10 && cut > 0 && cut < 64) {
    uint64_t rest = magnitude - (kept << cut), half = (uint64_t)1 << (cut - 1);
    kept += rest > half || (rest == half && kept & 1);
  }
  double result = ldexp((double)kept, unit);
  if (result >= ldexp(1, largest + 1)) result = INFINITY;
  return kept ? (float)(value < 0 ? -result : result) : 0;
}

typedef struct exact_sum {
  int top; /* the largest exponent */
  bool nan, infinite[2];
  int64_t sum;
} exact_sum;

static void meet(exact_sum *s, float a, int a_exponent, float b, int b_exponent) {
  int e = a_exponent + b_exponent;
  if (e > EMU_PRODUCT_SPECIAL) {
    bool nan = a_exponent == EMU_EXPONENT_NAN || b_exponent == EMU_EXPONENT_NAN ||
               a_exponent == EMU_EXPONENT_ZERO || b_exponent == EMU_EXPONENT_ZERO;
    s->nan |= nan;
    if (!nan) s->infinite[!signbit(a) != !signbit(b)] = true;
  } else if (e > s->top) {
    s->top = e;
  }
}

static int accumulator_exponent(float value, const emu_dot_model *model) {
  int smallest = model->accumulator == EMU_F16 ? -14 : -126;
  if (isnan(value)) return EMU_EXPONENT_NAN;
  if (isinf(value)) return EMU_EXPONENT_INFINITY;
  if (value == 0) return EMU_EXPONENT_ZERO;
  int e = ilogbf(value);
  return e < smallest ? smallest : e;
}

enum { significand = 12, wide_significand = 24 }; /* bits after the point, as integers */

static int64_t product(float a, int a_exponent, float b, int b_exponent) {
  return (int64_t)ldexpf(a, significand - a_exponent) *
         (int64_t)ldexpf(b, significand - b_exponent);
}

float emu_fused_exact(float sum, const emu_fused *u, int row, int column) {
  const float *a = u->a + row * u->k, *b = u->b + column;
  const int16_t *a_exponent = u->a_exponent + row * u->k, *b_exponent = u->b_exponent + column;
  int fraction = u->model->fraction, own = accumulator_exponent(sum, u->model);
  exact_sum s = {.top = EMU_PRODUCT_NOTHING};
  meet(&s, sum, own, 1, 0);
  for (int run = 0; run < u->runs; run++) {
    for (int k = run * u->stride, end = k + u->length; k < end; k++) {
      meet(&s, a[k], a_exponent[k], b[k * u->n], b_exponent[k * u->n]);
    }
  }
  if (s.nan || (s.infinite[0] && s.infinite[1])) return NAN;
  if (s.infinite[0] || s.infinite[1]) return s.infinite[0] ? INFINITY : -INFINITY;
  if (own > EMU_PRODUCT_NOTHING) {
    s.sum = shifted((int64_t)ldexpf(sum, wide_significand - own),
                    own - s.top + fraction - wide_significand);
  }
  for (int run = 0; run < u->runs; run++) {
    for (int k = run * u->stride, end = k + u->length; k < end; k++) {
      int e = a_exponent[k] + b_exponent[k * u->n];
      if (e > EMU_PRODUCT_NOTHING) {
        s.sum += shifted(product(a[k], a_exponent[k], b[k * u->n], b_exponent[k * u->n]),
                         e - s.top + fraction - 2 * significand);
      }
    }
  }
  return emu_fused_round(s.sum, s.top - fraction, u->model->rounding);
}

/* ---- By vectors ------------------------------------------------------------------------- */

#define INLINE static inline __attribute__((always_inline)) /* into each processor's variant */

/* The larger of each lane, of v8h: one instruction that the compilers do not find. */
#ifdef __SSE2__
#define LARGER(x, y) ((v8h)_mm_max_epi16((__m128i)(x), (__m128i)(y)))
#else
#define LARGER(x, y) CHOOSE((x) > (y), x, y)
#endif

/* Exponents of accumulators; those of infinities and NaNs are above EMU_PRODUCT_SPECIAL. */
INLINE void accumulator_exponents(v8i *out, const v8f *accumulator, const emu_dot_model *model) {
  int smallest = model->accumulator == EMU_F16 ? -14 : -126;
  v8i magnitude = (v8i)*accumulator & 0x7fffffff, e = (magnitude >> 23) - 127;
  v8i floor = (v8i){0} + smallest;
  e = CHOOSE(e < floor, floor, e);
  e = CHOOSE(magnitude == 0, (v8i){0} + EMU_EXPONENT_ZERO, e);
  *out = CHOOSE(magnitude >= 0x7f800000, (v8i){0} + EMU_EXPONENT_INFINITY, e);
}

/* A number of ordinary size, cut off to `fraction` bits. */
INLINE void round_down(v4f *out, const v4d *exact, int fraction) {
  v4l kept = (v4l)*exact & -((int64_t)1 << (52 - fraction));
  *out = __builtin_convertvector((v4d)kept, v4f);
}

/* To f16's numbers, to nearest even: adding and taking away 1.5 * 2^52 units leaves whole units. */
INLINE void round_f16(v4f *out, const v4d *exact) {
  v4l field = (v4l)*exact >> 52 & 0x7ff, smallest = (v4l){0} + (1023 - 14);
  field = CHOOSE(field < smallest, smallest, field);
  v4d magic = (v4d)(((field + 42) << 52) | ((int64_t)1 << 51));
  v4f value = __builtin_convertvector((*exact + magic) - magic, v4f);
  v4i bits = (v4i)value, sign = bits & INT32_MIN, magnitude = bits & INT32_MAX;
  v4i infinity = (v4i){0} + 0x7f800000;
  *out = (v4f)(CHOOSE(magnitude > 0x477fe000, infinity, magnitude) | sign);
}

/* (sum + own) * 2^exponent, rounded: four of eight lanes, so that doubles fit in a register. */
INLINE void finish(v4f *out, const v4i *sum, const v4i *own, const v4i *exponent,
                   emu_dot_rounding rounding) {
  v4l unit = __builtin_convertvector(*exponent, v4l) + 1023;
  v4d exact = __builtin_convertvector(*sum, v4d) + __builtin_convertvector(*own, v4d);
  exact *= (v4d)(unit << 52);
  if (rounding == EMU_ROUND_RNE10) {
    round_f16(out, &exact);
  } else {
    round_down(out, &exact, rounding == EMU_ROUND_RZ13 ? 13 : 23);
  }
}

INLINE void largest_exponents(v8i *out, const emu_fused *u, const int16_t *a_exponent) {
  v8h top = (v8h){0} + INT16_MIN;
  for (int run = 0; run < u->runs; run++) {
    for (int k = run * u->stride, end = k + u->length; k < end; k++) {
      v8h e;
      memcpy(&e, u->b_exponent + (ptrdiff_t)k * u->n, sizeof e);
      e += a_exponent[k];
      top = LARGER(e, top);
    }
  }
  *out = __builtin_convertvector(top, v8i);
}

INLINE void add_products(v8i *out, const emu_fused *u, const float *a, const v8f *scale) {
  v8u sum = {0}; /* wraps around in lanes that are done again */
  for (int run = 0; run < u->runs; run++) {
    for (int k = run * u->stride, end = k + u->length; k < end; k++) {
      v8f x;
      memcpy(&x, u->b + (ptrdiff_t)k * u->n, sizeof x);
      sum += (v8u) __builtin_convertvector(x * a[k] * *scale, v8i);
    }
  }
  *out = (v8i)sum;
}

/* A row's sums in `result`; lanes of *strange are to be done again. The vector operations on those
 * may overflow, to whatever the processor makes of that. */
INLINE void fast_sums(float result[columns], v8i *strange, const float sums[columns],
                      const emu_fused *u, int row) {
  int fraction = u->model->fraction;
  v8f c;
  v8i top, own, sum;
  memcpy(&c, sums, sizeof c);
  accumulator_exponents(&own, &c, u->model);
  largest_exponents(&top, u, u->a_exponent + row * u->k);
  top = CHOOSE(own > top, own, top);
  v8i outside = (top > highest_top) | (top < lowest_top);
  *strange = outside & (top > EMU_PRODUCT_NOTHING);
  top &= ~outside;
  v8f scale = (v8f)((127 + fraction - top) << 23);
  add_products(&sum, u, u->a + row * u->k, &scale);
  c = (v8f)((v8i)c & (own < EMU_PRODUCT_SPECIAL));
  own = __builtin_convertvector(c * scale, v8i);
  top -= fraction;
  v4i halves[3][2];
  v4f rounded[2];
  memcpy(halves[0], &sum, sizeof sum);
  memcpy(halves[1], &own, sizeof own);
  memcpy(halves[2], &top, sizeof top);
  for (int i = 0; i < 2; i++) {
    finish(&rounded[i], &halves[0][i], &halves[1][i], &halves[2][i], u->model->rounding);
  }
  memcpy(result, rounded, sizeof rounded);
}

INLINE void step(float (*sums)[columns], const emu_fused *u) {
  for (int row = 0; row < u->rows; row++) {
    float result[columns];
    int32_t again[columns];
    v8i strange;
    int64_t any[4];
    fast_sums(result, &strange, sums[row], u, row);
    memcpy(any, &strange, sizeof any);
    if (any[0] | any[1] | any[2] | any[3]) {
      memcpy(again, &strange, sizeof again);
      for (int j = 0; j < columns; j++) {
        if (again[j]) result[j] = emu_fused_exact(sums[row][j], u, row, j);
      }
    }
    memcpy(sums[row], result, sizeof result);
  }
}

static void step_any(float (*sums)[columns], const emu_fused *fused) {
  step(sums, fused);
}

#ifdef __x86_64__
/* Twice as wide as what every x86-64 has. */
__attribute__((target("avx2"))) static void step_avx2(float (*sums)[columns],
                                                      const emu_fused *fused) {
  step(sums, fused);
}
#endif

emu_fused_step *emu_fused_choose(void) {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx2")) return step_avx2;
#endif
  return step_any;
}
