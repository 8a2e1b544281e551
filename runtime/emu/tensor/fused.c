/* The fused sum of tensor cores: products and accumulator are aligned to the largest exponent among
 * them, cut off some bits below it, added exactly, and rounded once. (MMA-Sim, arXiv 2511.10909.)
 *
 * The exponent of a product is the sum of its operands' exponents, whatever its leading bit, and of
 * its scale factors'; that of a zero is the model's, if it has any. Here a sum is computed by
 * integers, whatever its operands; fused_step.c computes ordinary ones by vectors. */
#include "emu/tensor/fused.h"

#include <math.h>

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

/* `scale` is the exponent of the product's scale factors; `zero` that of zeros. */
static void meet(exact_sum *s, float a, int a_exponent, float b, int b_exponent, int scale,
                 int zero) {
  int e = a_exponent + b_exponent;
  bool absent = a_exponent == EMU_EXPONENT_ABSENT || b_exponent == EMU_EXPONENT_ABSENT;
  if (e < EMU_PRODUCT_NOTHING) {
    if (!absent && zero > s->top) s->top = zero;
    return;
  }
  if (e > EMU_PRODUCT_SPECIAL) {
    bool nan = a_exponent == EMU_EXPONENT_NAN || b_exponent == EMU_EXPONENT_NAN ||
               a_exponent == EMU_EXPONENT_ZERO || b_exponent == EMU_EXPONENT_ZERO;
    s->nan |= nan;
    if (!nan) s->infinite[!signbit(a) != !signbit(b)] = true;
  } else if (e + scale > s->top) {
    s->top = e + scale;
  }
}

/* The exponent of the factors that scale a sum's products; one covers all of them. */
static int scale_exponent(const emu_fused *u, int row, int column) {
  if (!u->scales) return 0;
  int per_row = u->k / u->scales->block;
  return u->a_scale_exponent[row * per_row] + u->b_scale_exponent[column];
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
  int scale = scale_exponent(u, row, column), zero = u->model->zero;
  exact_sum s = {.top = EMU_PRODUCT_NOTHING, .nan = scale > EMU_PRODUCT_SPECIAL};
  meet(&s, sum, own, 1, 0, 0, zero);
  for (int run = 0; run < u->runs; run++) {
    for (int k = run * u->stride, end = k + u->length; k < end; k++) {
      meet(&s, a[k], a_exponent[k], b[k * u->n], b_exponent[k * u->n], scale, zero);
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
                         e + scale - s.top + fraction - 2 * significand);
      }
    }
  }
  return emu_fused_round(s.sum, s.top - fraction, u->model->rounding);
}

emu_fused_step *emu_fused_choose(void) {
#ifdef EMU_HAVE_WIDE
  if (__builtin_cpu_supports("avx2")) return emu_fused_step_wide;
#endif
  return emu_fused_step_any;
}

emu_fused_step *emu_blocked_choose(void) {
#ifdef EMU_HAVE_WIDE
  if (__builtin_cpu_supports("avx2")) return emu_blocked_step_wide;
#endif
  return emu_blocked_step_any;
}
