/* Tensor-core arithmetic on tiles: which products are summed together, in which order, and what
 * else rounds (dots.def). The fused sum itself is in fused.c. */
#include "emu/tensor/dot.h"

#include <assert.h>
#include <math.h>

#include "emu/number/float.h"
#include "emu/tensor/fused.h"

enum { columns = EMU_FUSED_COLUMNS };

static const emu_dot_model models[] = {
#define EMU_DOT(arch, unit, operand, accumulator, method, fraction, width, rounding)               \
  {arch,     EMU_UNIT_##unit, EMU_##operand,       EMU_##accumulator, EMU_DOT_##method,            \
   fraction, width,           EMU_ROUND_##rounding},
#include "emu/tensor/dots.def"
#undef EMU_DOT
};

const emu_dot_model *emu_dot_find(int arch, emu_dot_unit unit, emu_type operand,
                                  emu_type accumulator) {
  const emu_dot_model *found = NULL;
  emu_type type = operand == EMU_E5M2 ? EMU_E4M3 : operand;
  for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
    const emu_dot_model *m = &models[i];
    if (m->unit == unit && m->operand == type && m->accumulator == accumulator && m->arch <= arch &&
        (!found || m->arch >= found->arch)) {
      found = m;
    }
  }
  return found;
}

/* As f16's numbers, subnormal ones of e4m3 are normal. */
void emu_dot_decode(const emu_dot_model *model, float *value, int16_t *exponent, emu_type type,
                    bool negate, const uint32_t *codes, size_t count) {
  bool normal = model->method == EMU_DOT_UNPACKED && type == EMU_E4M3;
  unsigned how = (negate ? EMU_OPERAND_NEGATE : 0) | (normal ? EMU_OPERAND_NORMAL : 0);
  emu_operand_decode(value, exponent, type, how, codes, count);
}

/* ---- Accumulators ----------------------------------------------------------------------- */

static void load_accumulators(float out[columns], const uint32_t *d, emu_type type) {
  for (int j = 0; j < columns; j++) {
    out[j] = type == EMU_F16 ? (float)emu_f16_value((uint16_t)d[j], 0) : emu_float(d[j]);
  }
}

static void store_accumulators(uint32_t *d, const float value[columns], emu_type type) {
  for (int j = 0; j < columns; j++) {
    if (type == EMU_F16) {
      d[j] = emu_f16_round(value[j], EMU_RN);
    } else {
      d[j] = isnan(value[j]) ? (uint32_t)emu_f32.nan : emu_float_bits(value[j]);
    }
  }
}

/* To f16's numbers, to nearest even. */
static float to_f16(double value) {
  return (float)emu_f16_value((uint16_t)emu_f16_round(value, EMU_RN), 0);
}

/* ---- Rows by columns -------------------------------------------------------------------- */

/* A row of A and the first of eight columns of B. */
typedef struct strip {
  const float *a, *b;
  const int16_t *a_exponent, *b_exponent;
  int n, k;
} strip;

typedef struct plan {
  const emu_dot_model *model;
  emu_fused_step *step;
  emu_fused_group group; /* the first; the others start `offset` elements of k later each */
  int groups, offset;
} plan;

static plan make_plan(const emu_dot_model *model, const emu_tile *tile) {
  plan p = {.model = model, .step = emu_fused_choose()};
  int spread = tile->sparse ? 2 : 1; /* elements of k to a stored one */
  int width = model->width * spread;
  if (model->method == EMU_DOT_UNPACKED) {
    p.offset = 2 * spread;
    p.groups = 2;
    p.group = (emu_fused_group){tile->k / (2 * p.offset), p.offset, 2 * p.offset};
  } else {
    p.offset = width < tile->k ? width : tile->k;
    p.groups = tile->k / p.offset;
    p.group = (emu_fused_group){1, p.offset, p.offset};
  }
  assert(p.group.runs * p.group.length <= emu_fused_room(model) * spread);
  return p;
}

static void fused(float sum[columns], const plan *p, const strip *s) {
  for (int g = 0; g < p->groups; g++) {
    int k = g * p->offset;
    p->step(sum, p->model, &p->group, s->a + k, s->a_exponent + k, s->b + k * s->n,
            s->b_exponent + k * s->n, s->n);
  }
}

/* The sum is begun from zero; then each accumulator is added to it. */
static void unpacked(float sum[columns], const plan *p, const strip *s) {
  float products[columns] = {0};
  fused(products, p, s);
  for (int j = 0; j < columns; j++) {
    sum[j] = p->model->accumulator == EMU_F16 ? to_f16((double)sum[j] + products[j])
                                              : sum[j] + products[j];
  }
}

static void quadpair(float sum[columns], const plan *p, const strip *s) {
  for (int j = 0; j < columns; j++) {
    float a[4], b[4];
    for (int k = 0; k < 4; k++) {
      a[k] = emu_operand_float(s->a[k], s->a_exponent[k]);
      b[k] = emu_operand_float(s->b[k * s->n + j], s->b_exponent[k * s->n + j]);
    }
    if (p->model->method == EMU_DOT_CHAINED) {
      sum[j] += fmaf(a[3], b[3], fmaf(a[2], b[2], fmaf(a[1], b[1], fmaf(a[0], b[0], 0))));
    } else {
      float low = sum[j] + fmaf(a[1], b[1], a[0] * b[0]);
      sum[j] = to_f16(low + fmaf(a[3], b[3], a[2] * b[2]));
    }
  }
}

void emu_dot(const emu_dot_model *model, const emu_tile *tile) {
  plan p = make_plan(model, tile);
  for (int i = 0; i < tile->m; i++) {
    for (int j = 0; j < tile->n; j += columns) {
      strip s = {tile->a + i * tile->k, tile->b + j, tile->a_exponent + i * tile->k,
                 tile->b_exponent + j,  tile->n,     tile->k};
      uint32_t *d = tile->d + i * tile->n + j;
      float sum[columns];
      load_accumulators(sum, d, model->accumulator);
      switch (model->method) {
      case EMU_DOT_FUSED:
        fused(sum, &p, &s);
        break;
      case EMU_DOT_UNPACKED:
        unpacked(sum, &p, &s);
        break;
      case EMU_DOT_CHAINED:
      case EMU_DOT_PAIRED:
        quadpair(sum, &p, &s);
        break;
      }
      store_accumulators(d, sum, model->accumulator);
    }
  }
}

/* ---- Integers, bits, doubles ------------------------------------------------------------ */

static uint32_t saturated(int64_t value) {
  return (uint32_t)(value < INT32_MIN ? INT32_MIN : value > INT32_MAX ? INT32_MAX : value);
}

/* The sums of up to 256 products of bytes are exact in floats: less than 2^24. */
void emu_dot_integer(const emu_tile *tile, bool saturate) {
  for (int i = 0; i < tile->m; i++) {
    const float *a = tile->a + i * tile->k;
    for (int j = 0; j < tile->n; j += columns) {
      float sum[columns] = {0};
      for (int k = 0; k < tile->k; k++) {
        const float *b = tile->b + k * tile->n + j;
        for (int l = 0; l < columns; l++) {
          sum[l] += a[k] * b[l];
        }
      }
      uint32_t *d = tile->d + i * tile->n + j;
      for (int l = 0; l < columns; l++) {
        int64_t whole = (int64_t)(int32_t)d[l] + (int32_t)sum[l];
        d[l] = saturate ? saturated(whole) : (uint32_t)whole;
      }
    }
  }
}

void emu_dot_bits(uint32_t *d, const uint32_t *a, const uint32_t *b, int m, int n, int k,
                  bool exclusive) {
  int words = k / 32;
  for (int i = 0; i < m; i++) {
    for (int j = 0; j < n; j++) {
      uint32_t count = 0;
      for (int w = 0; w < words; w++) {
        uint32_t x = a[i * words + w], y = b[j * words + w];
        count += (uint32_t)__builtin_popcount(exclusive ? x ^ y : x & y);
      }
      d[i * n + j] += count;
    }
  }
}

/* The NaN that a multiply-add hands on: the sum's, else a's, else b's, made quiet. */
static double handed_on(double a, double b, double sum) {
  double nan = isnan(sum) ? sum : isnan(a) ? a : b;
  return emu_double(isnan(nan) ? emu_double_bits(nan) | UINT64_C(1) << 51 : emu_f64.nan);
}

void emu_dot_f64(double *d, const double *a, const double *b, int m, int n, int k) {
  for (int i = 0; i < m; i++) {
    for (int j = 0; j < n; j++) {
      double sum = d[i * n + j];
      for (int l = 0; l < k; l++) {
        double x = a[i * k + l], y = b[l * n + j], next = fma(x, y, sum);
        sum = isnan(next) ? handed_on(x, y, sum) : next;
      }
      d[i * n + j] = sum;
    }
  }
}
