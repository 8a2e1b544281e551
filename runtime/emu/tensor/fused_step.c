/* The fused sum by vectors: eight columns at a time.
 *
 * The largest exponent `top` comes from the decoded exponents; then every product is made as a
 * float, exactly (significands have at most 11 bits), times the power of two that makes the last
 * kept bit a 1, and cut off by the conversion to integer. What a float cannot hold exactly needs an
 * exponent that is very small, and is then far below the last kept bit of any `top` of ordinary
 * size: so only the sums whose `top` is out of the ordinary, or says that there is an infinity or
 * NaN, are done again by emu_fused_exact. The file is compiled a second time, with EMU_WIDE, for
 * processors with AVX2: some of their instructions are none that compilers find. */
#include <math.h>
#include <string.h>
#ifdef __SSE2__
#include <immintrin.h>
#endif

#include "emu/tensor/fused.h"
#include "emu/tensor/vector.h"

enum { columns = EMU_FUSED_COLUMNS, lowest_ordinary = -100, highest_top = 120 };

#define INLINE   static inline __attribute__((always_inline))
#define UNROLLED _Pragma("GCC unroll 8")

#ifdef __SSE2__
#define LARGER_SHORT(x, y) ((v8h)_mm_max_epi16((__m128i)(x), (__m128i)(y)))
#else
#define LARGER_SHORT(x, y) CHOOSE((x) > (y), x, y)
#endif

#ifdef __AVX2__
#define LARGER(x, y)    ((v8i)_mm256_max_epi32((__m256i)(x), (__m256i)(y)))
#define SMALLER(x, y)   ((v8i)_mm256_min_epi32((__m256i)(x), (__m256i)(y)))
#define WIDEN(shorts)   ((v8i)_mm256_cvtepi16_epi32((__m128i)(shorts)))
#define LOW(v)          ((v4i)_mm256_castsi256_si128((__m256i)(v)))
#define HIGH(v)         ((v4i)_mm256_extracti128_si256((__m256i)(v), 1))
#define TO_DOUBLES(v)   ((v4d)_mm256_cvtepi32_pd((__m128i)(v)))
#define JOIN(low, high) ((v8f)_mm256_set_m128((__m128)(high), (__m128)(low)))
#define DIFFER(x, y)    (!_mm256_testc_si256((__m256i)((x) == (y)), _mm256_set1_epi32(-1)))
#else
#define LARGER(x, y)    CHOOSE((x) > (y), x, y)
#define SMALLER(x, y)   CHOOSE((x) < (y), x, y)
#define WIDEN(shorts)   __builtin_convertvector(shorts, v8i)
#define LOW(v)          __builtin_shufflevector(v, v, 0, 1, 2, 3)
#define HIGH(v)         __builtin_shufflevector(v, v, 4, 5, 6, 7)
#define TO_DOUBLES(v)   __builtin_convertvector(v, v4d)
#define JOIN(low, high) __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7)
#define DIFFER(x, y)    differ(&(x), &(y))

INLINE bool differ(const v8i *x, const v8i *y) {
  return memcmp(x, y, sizeof *x) != 0;
}
#endif

/* ---- Rounding --------------------------------------------------------------------------- */

/* sum + own, which may have more than 32 bits: four of eight, as doubles. */
INLINE void exact_half(v4d *out, const v4i *sum, const v4i *own) {
  *out = TO_DOUBLES(*sum) + TO_DOUBLES(*own);
}

/* To f16's numbers, to nearest even: adding and taking away 1.5 * 2^52 units leaves whole units. */
INLINE void round_f16(v4f *out, const v4d *exact) {
  v4l field = (v4l)*exact & UINT64_C(0x7ff) << 52;
  v4l smallest = (v4l){0} + ((uint64_t)(1023 - 14) << 52);
  field = CHOOSE((v4l)((v4d)field < (v4d)smallest), smallest, field);
  v4d magic = (v4d)field * 0x1.8p42;
  *out = __builtin_convertvector((*exact + magic) - magic, v4f);
}

INLINE void to_f16(v8f *out, const v4d exact[2], const v8i *unit) {
  v4f half[2];
  v4d scaled[2];
  v4i units[2] = {LOW(*unit), HIGH(*unit)};
  for (int i = 0; i < 2; i++) {
    v4f power = (v4f)units[i];
    scaled[i] = exact[i] * __builtin_convertvector(power, v4d);
    round_f16(&half[i], &scaled[i]);
  }
  v8i bits = (v8i)JOIN(half[0], half[1]), sign = bits & INT32_MIN, magnitude = bits & INT32_MAX;
  v8i infinity = (v8i){0} + 0x7f800000;
  *out = (v8f)(CHOOSE(magnitude > 0x477fe000, infinity, magnitude) | sign);
}

/* Cut off to 23 bits of fraction before it is scaled: sums of ordinary size stay normal floats. */
INLINE void cut_off(v8f *out, const v4d exact[2], const v8i *unit) {
  v4f half[2];
  for (int i = 0; i < 2; i++) {
    v4l kept = (v4l)exact[i] & ~((UINT64_C(1) << (52 - 23)) - 1);
    half[i] = __builtin_convertvector((v4d)kept, v4f);
  }
  *out = JOIN(half[0], half[1]) * (v8f)*unit;
}

/* (sum + own) * unit, rounded. With a fraction of 13 bits sums are exact in floats. */
INLINE void finish(v8f *out, const v8i *sum, const v8i *own, const v8i *unit,
                   emu_dot_rounding rounding) {
  if (rounding == EMU_ROUND_RZ13) {
    v8i whole = (v8i)((v8u)*sum + (v8u)*own);
    v8i kept = (v8i) __builtin_convertvector(whole, v8f) & -(1 << (23 - 13));
    *out = (v8f)kept * (v8f)*unit;
    return;
  }
  v4i low[2] = {LOW(*sum), LOW(*own)}, high[2] = {HIGH(*sum), HIGH(*own)};
  v4d exact[2];
  exact_half(&exact[0], &low[0], &low[1]);
  exact_half(&exact[1], &high[0], &high[1]);
  if (rounding == EMU_ROUND_RNE10) {
    to_f16(out, exact, unit);
  } else {
    cut_off(out, exact, unit);
  }
}

/* ---- Summing ---------------------------------------------------------------------------- */

INLINE void largest_exponents(v8i *out, const emu_fused *u, const int16_t *a_exponent) {
  v8h top = (v8h){0} + INT16_MIN;
  int length = u->length, n = u->n;
  for (int run = 0; run < u->runs; run++) {
    const int16_t *a = a_exponent + run * u->stride;
    const int16_t *b = u->b_exponent + (ptrdiff_t)run * u->stride * n;
    UNROLLED
    for (int k = 0; k < length; k++, b += n) {
      v8h e;
      memcpy(&e, b, sizeof e);
      e += a[k];
      top = LARGER_SHORT(e, top);
    }
  }
  *out = WIDEN(top);
}

INLINE void add_products(v8i *out, const emu_fused *u, const float *first, const v8f *scale) {
  v8u sum = {0}; /* wraps around in lanes that are done again */
  v8f factor = *scale;
  int length = u->length, n = u->n;
  for (int run = 0; run < u->runs; run++) {
    const float *a = first + run * u->stride, *b = u->b + (ptrdiff_t)run * u->stride * n;
    UNROLLED
    for (int k = 0; k < length; k++, b += n) {
      v8f x;
      memcpy(&x, b, sizeof x);
      sum += (v8u) __builtin_convertvector(x * a[k] * factor, v8i);
    }
  }
  *out = (v8i)sum;
}

/* Whether a sum has more products than 32 bits hold. A half of it and an accumulator have room
 * there, as significands of formats of 8 bits and fewer are 1.875 at most. */
INLINE bool in_halves(const emu_fused *u) {
  return u->model->width > emu_fused_room(u->model) && u->length > emu_fused_room(u->model);
}

/* Exponents of the scale factors of a row and eight columns. */
INLINE void scale_exponents(v8i *out, const emu_fused *u, int row) {
  *out = (v8i){0};
  if (!u->scales) return;
  v8h e;
  memcpy(&e, u->b_scale_exponent, sizeof e);
  *out = WIDEN(e) + u->a_scale_exponent[row * (u->k / u->scales->block)];
}

/* The power of two that scales products is `shift` more than the accumulator's; a product that is
 * not zero never needs one that floats do not have, but a tiny one, to become zero. */
INLINE void scale_products(v8f *scale, const v8i *power, const v8i *shift) {
  v8i field = (*power >> 23) + *shift, one = (v8i){0} + 1, most = (v8i){0} + 254;
  field = LARGER(field, one);
  *scale = (v8f)(SMALLER(field, most) << 23);
}

/* Whether an infinity or NaN of a largest exponent makes a NaN, whatever the other products. */
static bool makes_nan(int top) {
  enum { margin = 500 }; /* more than exponents of numbers */
  return (top > EMU_EXPONENT_INFINITY + EMU_EXPONENT_ZERO - margin &&
          top < EMU_EXPONENT_NAN + EMU_EXPONENT_ZERO + margin) ||
         (top > EMU_EXPONENT_NAN - margin && top < EMU_EXPONENT_NAN + margin) ||
         top > 2 * EMU_EXPONENT_INFINITY + margin;
}

/* The tops of a row's sums: of products alone, and of all. */
typedef struct tops {
  int32_t products[columns], all[columns];
} tops;

/* What is below, zeros' exponent decides, or floats do not hold. */
INLINE int lowest_top(const emu_dot_model *m) {
  return m->zero >= lowest_ordinary ? m->zero + 1 : lowest_ordinary;
}

/* Those sums whose tops are out of the ordinary; but zero with nothing added is +0, as it is, and
 * an infinity with numbers added stays. */
static void do_again(float result[columns], const float sums[columns], const tops *top,
                     const emu_fused *u, int row) {
  for (int j = 0; j < columns; j++) {
    if (top->all[j] >= lowest_top(u->model) && top->all[j] <= highest_top) continue;
    if (sums[j] == 0 && top->products[j] < EMU_PRODUCT_NOTHING) continue;
    if (isnan(sums[j]) || makes_nan(top->products[j])) {
      result[j] = NAN;
    } else if (isinf(sums[j]) && top->products[j] < EMU_PRODUCT_SPECIAL) {
      result[j] = sums[j];
    } else {
      result[j] = emu_fused_exact(sums[j], u, row, j);
    }
  }
}

/* Exponents of accumulators. A zero's is less than any ordinary one; those of infinities and NaNs
 * are larger. */
INLINE void accumulator_exponents(v8i *out, const v8f *c, emu_dot_rounding rounding) {
  bool half = rounding == EMU_ROUND_RNE10;
  v8i field = (v8i)((v8u)*c << 1 >> 24), floor = (v8i){0} + (half ? 127 - 14 : 1);
  v8i raised = LARGER(field, floor);
  if (half) raised &= field > 0;
  *out = raised - 127;
}

INLINE void sum_row(float sums[columns], const emu_fused *u, int row, emu_dot_rounding rounding) {
  v8f c, result;
  v8i own, products, sum, shift, least = (v8i){0} + lowest_top(u->model),
                                 most = (v8i){0} + highest_top;
  memcpy(&c, sums, sizeof c);
  accumulator_exponents(&own, &c, rounding);
  largest_exponents(&products, u, u->a_exponent + row * u->k);
  scale_exponents(&shift, u, row);
  products += shift;
  v8i all = LARGER(own, products), inside = LARGER(all, least);
  inside = SMALLER(inside, most);
  v8i power = (127 + u->model->fraction - inside) << 23, unit = (254 << 23) - power;
  v8f scale = (v8f)power;
  own = __builtin_convertvector(c * scale, v8i);
  if (u->scales) scale_products(&scale, &power, &shift);
  if (in_halves(u)) {
    emu_fused half = *u;
    half.length /= 2;
    add_products(&sum, &half, u->a + row * u->k, &scale);
    own = (v8i)((v8u)own + (v8u)sum);
    half.b += (ptrdiff_t)half.length * u->n;
    add_products(&sum, &half, u->a + row * u->k + half.length, &scale);
  } else {
    add_products(&sum, u, u->a + row * u->k, &scale);
  }
  finish(&result, &sum, &own, &unit, rounding);
  if (DIFFER(inside, all)) {
    tops top;
    float ordinary[columns];
    memcpy(top.products, &products, sizeof products);
    memcpy(top.all, &all, sizeof all);
    memcpy(ordinary, &result, sizeof ordinary);
    do_again(ordinary, sums, &top, u, row);
    memcpy(&result, ordinary, sizeof result);
  }
  memcpy(sums, &result, sizeof result);
}

INLINE void sum_rows(float (*sums)[columns], const emu_fused *u, emu_dot_rounding rounding) {
  for (int row = 0; row < u->rows; row++) {
    sum_row(sums[row], u, row, rounding);
  }
}

#ifdef EMU_WIDE
void emu_fused_step_wide(float (*sums)[columns], const emu_fused *u) {
#else
void emu_fused_step_any(float (*sums)[columns], const emu_fused *u) {
#endif
  switch (u->model->rounding) {
  case EMU_ROUND_RZ23:
    sum_rows(sums, u, EMU_ROUND_RZ23);
    return;
  case EMU_ROUND_RZ13:
    sum_rows(sums, u, EMU_ROUND_RZ13);
    return;
  case EMU_ROUND_RNE10:
    sum_rows(sums, u, EMU_ROUND_RNE10);
  }
}
