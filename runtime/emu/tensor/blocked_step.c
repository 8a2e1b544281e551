/* The fused sum of exact sums (EMU_DOT_BLOCKED), by vectors: eight columns at a time.
 *
 * 16 products of e2m1 are a multiple of 1/4 of at most 576: exact in a float. With the significands
 * of two scale factors, aligned to 35 bits, a term has 47 bits: doubles hold it, and the sum of
 * seven, exactly. Of a sparse A a term is of 32 elements of k, of which 16 are stored; a k of 96
 * has six terms. Their exponents reach from -254 to 254, so that no case is out of the ordinary but
 * infinities, NaNs and results that are subnormal. The file is compiled a second time, with
 * EMU_WIDE, for processors with AVX2. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "emu/tensor/fused.h"
#include "emu/tensor/vector.h"

enum { columns = EMU_FUSED_COLUMNS, halves = 2, terms_most = 6 };

#define INLINE static inline __attribute__((always_inline))

#define LARGER(x, y) CHOOSE((x) > (y), x, y)

/* Four columns' terms, C behind them. */
typedef struct quad {
  v4d value[terms_most + 1];
  v4i exponent[terms_most + 1];
} quad;

/* Each |x| is less than 2^51. */
INLINE void cut_off(v4d *out, const v4d *x) {
  v4l sign = (v4l)*x & (UINT64_C(1) << 63);
  v4d magnitude = (v4d)((v4l)*x ^ sign), whole = (magnitude + 0x1p52) - 0x1p52;
  v4d one = (v4d)((v4l)(whole > magnitude) & (v4l)((v4d){0} + 1));
  *out = (v4d)((v4l)(whole - one) | sign);
}

/* 2^exponent, of a double's ordinary range. */
INLINE void power_of_two(v4d *out, const v4i *exponent) {
  typedef int64_t wide __attribute__((vector_size(32)));
  *out = (v4d)((__builtin_convertvector(*exponent, wide) + 1023) << 52);
}

/* The sum of some products in eight columns, and the largest exponent among them: that of nothing
 * where all are zero. */
INLINE void sum_products(v8f *sum, v8h *top, const emu_fused *u, int row, int k, int products) {
  const float *a = u->a + row * u->k + k, *b = u->b + (ptrdiff_t)k * u->n;
  const int16_t *a_exponent = u->a_exponent + row * u->k + k;
  const int16_t *b_exponent = u->b_exponent + (ptrdiff_t)k * u->n;
  v8f total = {0};
  v8h largest = (v8h){0} + INT16_MIN;
  for (int i = 0; i < products; i++) {
    v8f x;
    v8h e;
    memcpy(&x, b + (ptrdiff_t)i * u->n, sizeof x);
    memcpy(&e, b_exponent + (ptrdiff_t)i * u->n, sizeof e);
    total += x * a[i];
    e += a_exponent[i];
    largest = LARGER(e, largest);
  }
  *sum = total;
  *top = largest;
}

/* Term `j` of eight columns. */
INLINE void make_term(quad q[halves], const emu_fused *u, int row, int j, int products) {
  int block = j * products / u->scales->block;
  const float *b_scale = u->b_scale + (ptrdiff_t)block * u->n;
  const int16_t *b_exponent = u->b_scale_exponent + (ptrdiff_t)block * u->n;
  int at = row * (u->k / u->scales->block) + block;
  double a_scale = (double)u->a_scale[at];
  v8f sum;
  v8h top;
  sum_products(&sum, &top, u, row, j * products, products);
  for (int h = 0; h < halves; h++) {
    v4f part, scale;
    v4h b, largest;
    memcpy(&part, (char *)&sum + h * sizeof part, sizeof part);
    memcpy(&largest, (char *)&top + h * sizeof largest, sizeof largest);
    memcpy(&scale, b_scale + h * 4, sizeof scale);
    memcpy(&b, b_exponent + h * 4, sizeof b);
    v4i e = __builtin_convertvector(b, v4i) + u->a_scale_exponent[at];
    v4i nothing =
        (__builtin_convertvector(largest, v4i) < EMU_PRODUCT_NOTHING) | (e < EMU_PRODUCT_NOTHING);
    v4i special = e > EMU_PRODUCT_SPECIAL, zero = (v4i){0} + u->model->zero;
    q[h].exponent[j] = CHOOSE(nothing & ~special, zero, e);
    q[h].value[j] =
        __builtin_convertvector(part, v4d) * a_scale * __builtin_convertvector(scale, v4d);
  }
}

INLINE void make_accumulators(quad q[halves], const float sums[columns], int zero_exponent,
                              int terms) {
  for (int h = 0; h < halves; h++) {
    v4f c;
    memcpy(&c, sums + h * 4, sizeof c);
    v4i field = (v4i)((v4u)c << 1 >> 24), least = (v4i){0} + 1, zero = (v4i){0} + zero_exponent;
    v4i e = LARGER(field, least) - 127;
    q[h].exponent[terms] = CHOOSE((v4i)(c == 0), zero, e);
    q[h].value[terms] = __builtin_convertvector(c, v4d);
  }
}

/* Four sums, before they are rounded; and the largest of their exponents. */
INLINE void add_terms(v4d *out, v4i *top, const quad *q, int fraction, int terms) {
  v4i largest = q->exponent[0];
  for (int j = 1; j <= terms; j++) {
    largest = LARGER(q->exponent[j], largest);
  }
  v4i least = (v4i){0} - 500, most = (v4i){0} + 500; /* past what numbers have */
  v4i inside = LARGER(largest, least);
  inside = CHOOSE(inside < most, inside, most);
  v4i up = fraction - inside, down = inside - fraction;
  v4d scale, unit, sum = {0};
  power_of_two(&scale, &up);
  power_of_two(&unit, &down);
  for (int j = 0; j <= terms; j++) {
    v4d scaled = q->value[j] * scale, kept;
    cut_off(&kept, &scaled);
    sum += kept;
  }
  *out = sum * unit;
  *top = largest;
}

/* Cut off to f32, whose smallest numbers are multiples of 2^-149. */
static float rounded(double value) {
  if (fabs(value) < 0x1p-126) return (float)(trunc(value * 0x1p149) * 0x1p-149) + 0.0f;
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  bits &= ~((UINT64_C(1) << (52 - 23)) - 1);
  memcpy(&value, &bits, sizeof bits);
  return (float)value;
}

INLINE void sum_row(float sums[columns], const emu_fused *u, int row, int terms, int products) {
  quad q[halves];
  for (int j = 0; j < terms; j++) {
    make_term(q, u, row, j, products);
  }
  make_accumulators(q, sums, u->model->zero, terms);
  for (int h = 0; h < halves; h++) {
    v4d sum;
    v4i top;
    add_terms(&sum, &top, &q[h], u->model->fraction, terms);
    for (int i = 0; i < 4; i++) {
      float c = sums[h * 4 + i];
      bool nan = top[i] > EMU_PRODUCT_SPECIAL || isnan(c);
      sums[h * 4 + i] = nan ? NAN : isinf(c) ? c : rounded(sum[i]);
    }
  }
}

INLINE void sum_rows(float (*sums)[columns], const emu_fused *u, int terms, int products) {
  for (int row = 0; row < u->rows; row++) {
    sum_row(sums[row], u, row, terms, products);
  }
}

#ifdef EMU_WIDE
void emu_blocked_step_wide(float (*sums)[columns], const emu_fused *u) {
#else
void emu_blocked_step_any(float (*sums)[columns], const emu_fused *u) {
#endif
  switch (u->length) {
  case 64:
    sum_rows(sums, u, 4, 16);
    return;
  case 96:
    sum_rows(sums, u, 6, 16);
    return;
  default:
    assert(u->length == 128);
    sum_rows(sums, u, 4, 32);
  }
}
