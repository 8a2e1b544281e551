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

/* The vector extensions of GNU C: gcc and clang lower them to what any processor has. */
typedef int16_t v8h __attribute__((vector_size(16)));
typedef float v8f __attribute__((vector_size(32)));
typedef int32_t v8i __attribute__((vector_size(32)));
typedef uint32_t v8u __attribute__((vector_size(32)));
typedef double v8d __attribute__((vector_size(64)));
typedef int64_t v8l __attribute__((vector_size(64)));

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

float emu_fused_exact(float accumulator, const emu_dot_model *model, const emu_fused_group *group,
                      const float *a, const int16_t *a_exponent, const float *b,
                      const int16_t *b_exponent, int n) {
  exact_sum s = {.top = EMU_PRODUCT_NOTHING};
  int own = accumulator_exponent(accumulator, model);
  meet(&s, accumulator, own, 1, 0);
  for (int run = 0; run < group->runs; run++) {
    for (int k = run * group->stride, end = k + group->length; k < end; k++) {
      meet(&s, a[k], a_exponent[k], b[k * n], b_exponent[k * n]);
    }
  }
  if (s.nan || (s.infinite[0] && s.infinite[1])) return NAN;
  if (s.infinite[0] || s.infinite[1]) return s.infinite[0] ? INFINITY : -INFINITY;
  if (own > EMU_PRODUCT_NOTHING) {
    s.sum = shifted((int64_t)ldexpf(accumulator, wide_significand - own),
                    own - s.top + model->fraction - wide_significand);
  }
  for (int run = 0; run < group->runs; run++) {
    for (int k = run * group->stride, end = k + group->length; k < end; k++) {
      int e = a_exponent[k] + b_exponent[k * n];
      if (e > EMU_PRODUCT_NOTHING) {
        s.sum += shifted(product(a[k], a_exponent[k], b[k * n], b_exponent[k * n]),
                         e - s.top + model->fraction - 2 * significand);
      }
    }
  }
  return emu_fused_round(s.sum, s.top - model->fraction, model->rounding);
}

/* ---- By vectors ------------------------------------------------------------------------- */

#define INLINE static inline __attribute__((always_inline)) /* into each processor's variant */

/* where ? x : y, lane by lane */
#define CHOOSE(where, x, y) (((x) & (where)) | ((y) & ~(where)))

/* Exponents of accumulators; those of infinities and NaNs are above EMU_PRODUCT_SPECIAL. */
INLINE void accumulator_exponents(v8i *out, const v8f *accumulator, const emu_dot_model *model) {
  int smallest = model->accumulator == EMU_F16 ? -14 : -126;
  v8i magnitude = (v8i)*accumulator & 0x7fffffff, e = (magnitude >> 23) - 127;
  v8i floor = (v8i){0} + smallest;
  e = CHOOSE(e < floor, floor, e);
  e = CHOOSE(magnitude == 0, (v8i){0} + EMU_EXPONENT_ZERO, e);
  *out = CHOOSE(magnitude >= 0x7f800000, (v8i){0} + EMU_EXPONENT_INFINITY, e);
}

/* sum * 2^exponent, where both are of ordinary size, cut off to `fraction` bits. */
INLINE void round_down(v8f *out, const v8d *sum, int fraction) {
  v8l kept = (v8l)*sum & -((int64_t)1 << (52 - fraction));
  *out = __builtin_convertvector((v8d)kept, v8f);
}

/* To f16's numbers, to nearest even: adding and taking away 1.5 * 2^52 units leaves whole units. */
INLINE void round_f16(v8f *out, const v8d *sum) {
  v8l field = (v8l)*sum >> 52 & 0x7ff, smallest = (v8l){0} + (1023 - 14);
  field = CHOOSE(field < smallest, smallest, field);
  v8d magic = (v8d)(((field + 42) << 52) | ((int64_t)1 << 51));
  v8f value = __builtin_convertvector((*sum + magic) - magic, v8f);
  v8i bits = (v8i)value, sign = bits & INT32_MIN, magnitude = bits & INT32_MAX;
  v8i infinity = (v8i){0} + 0x7f800000;
  *out = (v8f)(CHOOSE(magnitude > 0x477fe000, infinity, magnitude) | sign);
}

INLINE void largest_exponents(v8i *out, const emu_fused_group *group, const int16_t *a_exponent,
                              const int16_t *b_exponent, int n) {
  v8h top = (v8h){0} + INT16_MIN;
  for (int run = 0; run < group->runs; run++) {
    for (int k = run * group->stride, end = k + group->length; k < end; k++) {
      v8h e;
      memcpy(&e, b_exponent + (ptrdiff_t)k * n, sizeof e);
      e += a_exponent[k];
      top = CHOOSE(e > top, e, top);
    }
  }
  *out = __builtin_convertvector(top, v8i);
}

INLINE void add_products(v8i *out, const emu_fused_group *group, const float *a, const float *b,
                         int n, const v8f *scale) {
  v8u sum = {0}; /* wraps around in lanes that are done again */
  for (int run = 0; run < group->runs; run++) {
    for (int k = run * group->stride, end = k + group->length; k < end; k++) {
      v8f x;
      memcpy(&x, b + (ptrdiff_t)k * n, sizeof x);
      sum += (v8u)__builtin_convertvector(x * a[k] * *scale, v8i);
    }
  }
  *out = (v8i)sum;
}

/* The sum in `result`; lanes of *strange are to be done again. The vector operations on those may
 * overflow, to whatever the processor makes of that. */
INLINE void fast_sum(v8f *result, v8i *strange, const float accumulator[columns],
                     const emu_dot_model *model, const emu_fused_group *group, const float *a,
                     const int16_t *a_exponent, const float *b, const int16_t *b_exponent, int n) {
  v8f c;
  v8i top, own, sum;
  memcpy(&c, accumulator, sizeof c);
  accumulator_exponents(&own, &c, model);
  largest_exponents(&top, group, a_exponent, b_exponent, n);
  top = CHOOSE(own > top, own, top);
  v8i outside = (top > highest_top) | (top < lowest_top);
  *strange = outside & (top > EMU_PRODUCT_NOTHING);
  top &= ~outside;
  v8f scale = (v8f)((127 + model->fraction - top) << 23);
  add_products(&sum, group, a, b, n, &scale);
  c = (v8f)((v8i)c & (own < EMU_PRODUCT_SPECIAL));
  v8i own_sum = __builtin_convertvector(c * scale, v8i);
  v8d exact = __builtin_convertvector(sum, v8d) + __builtin_convertvector(own_sum, v8d);
  v8l unit = __builtin_convertvector(top, v8l) + (1023 - model->fraction);
  exact *= (v8d)(unit << 52);
  if (model->rounding == EMU_ROUND_RNE10) {
    round_f16(result, &exact);
  } else {
    round_down(result, &exact, model->rounding == EMU_ROUND_RZ13 ? 13 : 23);
  }
}

INLINE void step(float accumulator[columns], const emu_dot_model *model,
                 const emu_fused_group *group, const float *a, const int16_t *a_exponent,
                 const float *b, const int16_t *b_exponent, int n) {
  v8f result;
  v8i strange;
  fast_sum(&result, &strange, accumulator, model, group, a, a_exponent, b, b_exponent, n);
  float sums[columns];
  int32_t again[columns], any = 0;
  memcpy(sums, &result, sizeof sums);
  memcpy(again, &strange, sizeof again);
  for (int j = 0; j < columns; j++) {
    any |= again[j];
  }
  for (int j = 0; any && j < columns; j++) {
    if (again[j]) {
      sums[j] =
          emu_fused_exact(accumulator[j], model, group, a, a_exponent, b + j, b_exponent + j, n);
    }
  }
  memcpy(accumulator, sums, sizeof sums);
}

static void step_any(float accumulator[columns], const emu_dot_model *model,
                     const emu_fused_group *group, const float *a, const int16_t *a_exponent,
                     const float *b, const int16_t *b_exponent, int n) {
  step(accumulator, model, group, a, a_exponent, b, b_exponent, n);
}

#ifdef __x86_64__
/* Twice as wide as what every x86-64 has. */
__attribute__((target("avx2"))) static void step_avx2(float accumulator[columns],
                                                      const emu_dot_model *model,
                                                      const emu_fused_group *group, const float *a,
                                                      const int16_t *a_exponent, const float *b,
                                                      const int16_t *b_exponent, int n) {
  step(accumulator, model, group, a, a_exponent, b, b_exponent, n);
}
#endif

emu_fused_step *emu_fused_choose(void) {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx2")) return step_avx2;
#endif
  return step_any;
}
