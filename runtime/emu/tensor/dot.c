/* Tensor-core arithmetic on tiles: which products are summed together, in which order, and what
 * else rounds (dots.def). The fused sum itself: fused.c, fused_step.c. */
#include "emu/tensor/dot.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "emu/number/float.h"
#include "emu/tensor/fused.h"
#include "emu/tensor/vector.h"

enum { columns = EMU_FUSED_COLUMNS, rows_most = 16 /* at a time */ };

static const emu_dot_model models[] = {
#define NONE EMU_PRODUCT_NOTHING
#define EMU_DOT(arch, unit, operand, accumulator, method, fraction, width, zero, rounding)         \
  {arch,     EMU_UNIT_##unit, EMU_##operand, EMU_##accumulator,   EMU_DOT_##method,                \
   fraction, width,           zero,          EMU_ROUND_##rounding},
#include "emu/tensor/dots.def"
#undef EMU_DOT
#undef NONE
};

/* Types of 6 and 4 bits came with sm_100. */
static bool has_operand(const emu_dot_model *m, emu_type type) {
  bool narrow = type == EMU_E3M2 || type == EMU_E2M3 || type == EMU_E2M1;
  return type == m->operand ||
         (m->operand == EMU_E4M3 && (type == EMU_E5M2 || (narrow && m->arch >= 100)));
}

const emu_dot_model *emu_dot_find(int arch, emu_dot_unit unit, emu_type operand,
                                  emu_type accumulator) {
  const emu_dot_model *found = NULL;
  for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
    const emu_dot_model *m = &models[i];
    if (m->unit == unit && has_operand(m, operand) && m->accumulator == accumulator &&
        m->arch <= arch && (!found || m->arch >= found->arch)) {
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

/* Numbers of f16 as floats, whatever they are, and back. */
static void from_halves(v4f *out, const v4i *codes) {
  v4i magnitude = *codes & 0x7fff, sign = (*codes & 0x8000) << 16;
  v4i small = (v4i)(__builtin_convertvector(magnitude, v4f) * 0x1p-24f);
  v4i bits = CHOOSE(magnitude < 0x400, small, (magnitude << 13) + ((127 - 15) << 23));
  v4i special = magnitude >= 0x7c00;
  *out = (v4f)((bits + (special & (127 - 15) << 23)) | sign);
}

static void to_halves(v4i *out, const v4f *values) {
  v4i bits = (v4i)*values, magnitude = bits & INT32_MAX, sign = bits >> 16 & 0x8000;
  v4i small = __builtin_convertvector((v4f)magnitude * 0x1p24f, v4i);
  v4i code = (magnitude >> 13) - ((127 - 15) << 10);
  code = CHOOSE(magnitude < (127 - 14) << 23, small, code);
  code = CHOOSE(magnitude >= 0x7f800000, (v4i){0} + (int32_t)emu_f16.infinity, code) | sign;
  *out = CHOOSE(magnitude > 0x7f800000, (v4i){0} + (int32_t)emu_f16.nan, code);
}

static void load_accumulators(float out[columns], const uint32_t *d, emu_type type) {
  if (type == EMU_F32) {
    memcpy(out, d, columns * sizeof *out);
    return;
  }
  for (int j = 0; j < columns; j += 4) {
    v4i codes;
    v4f values;
    memcpy(&codes, d + j, sizeof codes);
    from_halves(&values, &codes);
    memcpy(out + j, &values, sizeof values);
  }
}

static void store_accumulators(uint32_t *d, const float value[columns], emu_type type) {
  for (int j = 0; j < columns; j += 4) {
    v4f values;
    v4i bits, nan = (v4i){0} + (int32_t)emu_f32.nan;
    memcpy(&values, value + j, sizeof values);
    if (type == EMU_F16) {
      to_halves(&bits, &values);
    } else {
      bits = CHOOSE(((v4i)values & INT32_MAX) > 0x7f800000, nan, (v4i)values);
    }
    memcpy(d + j, &bits, sizeof bits);
  }
}

/* To f16's numbers, to nearest even. */
static float to_f16(double value) {
  return (float)emu_f16_value((uint16_t)emu_f16_round(value, EMU_RN), 0);
}

/* ---- Eight columns ---------------------------------------------------------------------- */

/* The groups of a sum: how many, and how much later in k each starts than the one before. */
typedef struct grouping {
  int groups, offset;
} grouping;

/* Fills `first`, the first group. */
static grouping make_groups(emu_fused *first, const emu_dot_model *model, const emu_tile *tile) {
  int spread = tile->sparse ? 2 : 1; /* elements of k to a stored one */
  int width = model->width * spread < tile->k ? model->width * spread : tile->k;
  if (model->method == EMU_DOT_BLOCKED) width = tile->k;
  *first = (emu_fused){.model = model, .k = tile->k, .n = tile->n};
  if (model->method == EMU_DOT_UNPACKED) {
    first->length = 2 * spread;
    first->stride = 2 * first->length;
    first->runs = tile->k / first->stride;
    return (grouping){2, first->length};
  }
  assert(model->method == EMU_DOT_BLOCKED || width <= 2 * emu_fused_room(model) * spread);
  first->length = first->stride = width;
  first->runs = 1;
  return (grouping){tile->k / width, width};
}

/* To the scale factors of the products that are `offset` later in k. */
static void next_scales(emu_fused *group, int offset) {
  int blocks = offset / group->scales->block;
  group->a_scale += blocks;
  group->a_scale_exponent += blocks;
  group->b_scale += (ptrdiff_t)blocks * group->n;
  group->b_scale_exponent += (ptrdiff_t)blocks * group->n;
}

static void add_groups(float (*sums)[columns], const emu_fused *first, grouping g) {
  bool blocked = first->model->method == EMU_DOT_BLOCKED;
  emu_fused_step *step = blocked ? emu_blocked_choose() : emu_fused_choose();
  emu_fused group = *first;
  for (int i = 0; i < g.groups; i++) {
    step(sums, &group);
    group.a += g.offset;
    group.a_exponent += g.offset;
    group.b += (ptrdiff_t)g.offset * group.n;
    group.b_exponent += (ptrdiff_t)g.offset * group.n;
    if (group.scales) next_scales(&group, g.offset);
  }
}

/* The sums are begun from zero; then each accumulator is added to its own. */
static void add_unpacked(float (*sums)[columns], const emu_fused *first, grouping g) {
  float products[rows_most][columns] = {{0}};
  add_groups(products, first, g);
  for (int i = 0; i < first->rows * columns; i++) {
    float *sum = &sums[i / columns][i % columns], product = products[i / columns][i % columns];
    bool half = first->model->accumulator == EMU_F16;
    *sum = half ? to_f16((double)*sum + product) : *sum + product;
  }
}

static float quadpair(float sum, const emu_fused *u, int row, int column) {
  float a[4], b[4];
  for (int k = 0; k < 4; k++) {
    int of_a = row * u->k + k, of_b = k * u->n + column;
    a[k] = emu_operand_float(u->a[of_a], u->a_exponent[of_a]);
    b[k] = emu_operand_float(u->b[of_b], u->b_exponent[of_b]);
  }
  if (u->model->method == EMU_DOT_CHAINED) {
    return sum + fmaf(a[3], b[3], fmaf(a[2], b[2], fmaf(a[1], b[1], fmaf(a[0], b[0], 0))));
  }
  float low = sum + fmaf(a[1], b[1], a[0] * b[0]);
  return to_f16(low + fmaf(a[3], b[3], a[2] * b[2]));
}

static void add_columns(float (*sums)[columns], const emu_fused *first, grouping g) {
  switch (first->model->method) {
  case EMU_DOT_FUSED:
  case EMU_DOT_BLOCKED:
    add_groups(sums, first, g);
    return;
  case EMU_DOT_UNPACKED:
    add_unpacked(sums, first, g);
    return;
  case EMU_DOT_CHAINED:
  case EMU_DOT_PAIRED:
    for (int i = 0; i < first->rows * columns; i++) {
      float *sum = &sums[i / columns][i % columns];
      *sum = quadpair(*sum, first, i / columns, i % columns);
    }
  }
}

static void add_block(const emu_tile *tile, const emu_fused *first, grouping g, uint32_t *d) {
  emu_type type = first->model->accumulator;
  float sums[rows_most][columns];
  for (int i = 0; i < first->rows; i++) {
    load_accumulators(sums[i], d + i * tile->n, type);
  }
  add_columns(sums, first, g);
  for (int i = 0; i < first->rows; i++) {
    store_accumulators(d + i * tile->n, sums[i], type);
  }
}

void emu_dot(const emu_dot_model *model, const emu_tile *tile) {
  emu_dot_scaled(model, tile, NULL);
}

/* Those of a block's first row and column. */
static void place_scales(emu_fused *u, const emu_scales *scales, int row, int column) {
  int per_row = u->k / scales->block;
  u->a_scale = scales->a + row * per_row;
  u->a_scale_exponent = scales->a_exponent + row * per_row;
  u->b_scale = scales->b + column;
  u->b_scale_exponent = scales->b_exponent + column;
}

void emu_dot_scaled(const emu_dot_model *model, const emu_tile *tile, const emu_scales *scales) {
  emu_fused u;
  grouping g = make_groups(&u, model, tile);
  u.scales = scales;
  for (int row = 0; row < tile->m; row += rows_most) {
    u.rows = tile->m - row < rows_most ? tile->m - row : rows_most;
    u.a = tile->a + row * tile->k;
    u.a_exponent = tile->a_exponent + row * tile->k;
    for (int column = 0; column < tile->n; column += columns) {
      u.b = tile->b + column;
      u.b_exponent = tile->b_exponent + column;
      if (scales) place_scales(&u, scales, row, column);
      add_block(tile, &u, g, tile->d + row * tile->n + column);
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

void emu_dot_f64(double *d, const double *a, const double *b, int m, int n, int k, unsigned how) {
  for (int i = 0; i < m; i++) {
    for (int j = 0; j < n; j++) {
      uint64_t sum = emu_double_bits(d[i * n + j]);
      for (int l = 0; l < k; l++) {
        uint64_t x = emu_double_bits(a[i * k + l]), y = emu_double_bits(b[l * n + j]);
        sum = emu_f64_fma(x, y, sum, how);
      }
      d[i * n + j] = emu_double(sum);
    }
  }
}
