/* What a tcgen05.mma computes when it lands: operands are gathered from shared and tensor memory of
 * one CTA or of a pair, 64 columns of B at a time, and multiplied by the model of the device's
 * arithmetic (PTX ISA, "tcgen05.mma", "Data path layout organization"). */
#include "emu/isa/tcgen05_product.h"

#include <math.h>
#include <string.h>

#include "emu/number/float.h"
#include "emu/number/format.h"
#include "emu/tensor/dot.h"

enum { rows_most = 256, k_most = EMU_SPARSE_K, stored_most = 96 /* of k */ };
enum { blocks_most = 6, columns_at_once = 64 };

/* The lane of a CTA's row of D; of 64 rows 16 are in each 32 lanes, unless it is folded. */
static int lane_of(const emu_product *x, int row) {
  if (emu_product_rows(x) == 128 || emu_product_folds(x) > 1) return row;
  return x->d_lane + row % 16 + row / 16 * 32;
}

typedef struct matrices {
  uint32_t codes[rows_most * stored_most], d[128 * columns_at_once];
  float a[rows_most * k_most], b[k_most * columns_at_once], stored[rows_most * stored_most];
  int16_t a_exponent[rows_most * k_most], b_exponent[k_most * columns_at_once];
  int16_t stored_exponent[rows_most * stored_most];
  uint8_t positions[128 * stored_most]; /* of the stored elements of a CTA's rows of a sparse A */
  float a_scale[rows_most * blocks_most], b_scale[blocks_most * columns_at_once];
  int16_t a_scale_exponent[rows_most * blocks_most],
      b_scale_exponent[blocks_most * columns_at_once];
} matrices;

/* Elements of a unit, `stride` apart; made once for each number of bits, by inlining. */
static inline __attribute__((always_inline)) void split(uint32_t *out, int stride,
                                                        const uint8_t *bytes, int bits, int count) {
  for (int i = 0; i < count; i++) {
    uint32_t word = 0;
    if (bits < 8) {
      word = emu_packed_code(bytes, EMU_UNIT_BYTES, i, bits);
    } else {
      memcpy(&word, bytes + i * bits / 8, (size_t)bits / 8);
    }
    out[i * stride] = word;
  }
}

static void split_unit(uint32_t *out, int stride, const uint8_t *bytes, int bits, int count) {
  switch (bits) {
  case 4:
    split(out, stride, bytes, 4, count);
    return;
  case 6:
    split(out, stride, bytes, 6, count);
    return;
  case 8:
    split(out, stride, bytes, 8, count);
    return;
  case 16:
    split(out, stride, bytes, 16, count);
    return;
  default:
    split(out, stride, bytes, 32, count);
  }
}

/* Codes of `lines` rows of A, or columns of B, from the `first` on, each of k elements: line_stride
 * and k_stride apart. */
static void gather(uint32_t *codes, int line_stride, int k_stride, const emu_product *x,
                   const emu_umma_view *v, const emu_cta *cta, emu_type type, int first, int lines,
                   int k) {
  int each = emu_product_unit(x, type), bits = emu_type_of(type)->bits;
  const uint8_t *memory = cta->shared->bytes - EMU_SHARED_RESERVED;
  for (int line = 0; line < (v->along_k ? lines : k); line++) {
    for (int i = 0; i < (v->along_k ? k : lines); i += each) {
      if (v->along_k) {
        split_unit(codes + line * line_stride + i * k_stride, k_stride,
                   memory + emu_umma_unit(v, first + line, i / each), bits, each);
      } else {
        split_unit(codes + i * line_stride + line * k_stride, line_stride,
                   memory + emu_umma_unit(v, line, (first + i) / each), bits, each);
      }
    }
  }
}

/* The code of an element of a row of A. Those of 4 bits are in the middle of their bytes. */
static uint32_t code_in(const uint32_t *words, int i, int bits, int room) {
  int padding = room == 8 && bits == 4 ? 2 : 0;
  uint32_t mask = bits == 32 ? UINT32_MAX : (UINT32_C(1) << bits) - 1;
  return words[i * room / 32] >> (i * room % 32 + padding) & mask;
}

/* Where D's columns stand in two parts, each part has a copy of A's rows in its lanes, as CuTe's
 * fragments (TmemAllocMode::Duplicated) have it. */
static bool gather_tensor_memory(uint32_t *codes, const emu_product *x, int which) {
  int bits = emu_type_of(x->shape.a)->bits, room = emu_product_a_room(x);
  int rows = emu_product_rows(x), k = emu_product_stored(x);
  const emu_tmem *memory = x->a_claims[which].memory;
  for (int row = 0; row < rows; row++) {
    int lane = lane_of(x, row), last = lane + rows * (emu_product_folds(x) - 1);
    const uint32_t *words = &memory->cells[lane][x->a_column];
    const uint32_t *copy = &memory->cells[last][x->a_column];
    bool same = true;
    for (int i = 0; i < k; i++) {
      codes[row * k + i] = code_in(words, i, bits, room);
      same &= code_in(copy, i, bits, room) == codes[row * k + i];
    }
    if (!same && !emu_tolerated(x->base.warp, x->base.op, -1, GG_E_EMU_UNDEFINED,
                                "reads row %d of A at lane %d of tensor memory, which differs from "
                                "its copy at lane %d",
                                row, lane, last)) {
      return false;
    }
  }
  return true;
}

static const emu_dot_model *model_of(const emu_product *x) {
  int arch = x->base.warp->cta->cluster->run->options->arch;
  emu_dot_unit unit = x->shape.packed                     ? EMU_UNIT_MXF4
                      : emu_product_facts(x)->factors > 0 ? EMU_UNIT_MXF8F6F4
                                                          : EMU_UNIT_TCGEN05;
  return emu_dot_find(arch, unit, x->shape.a, x->shape.d);
}

static void decode(float *value, int16_t *exponent, const emu_product *x, emu_type type,
                   bool negate, const uint32_t *codes, int count) {
  if (x->shape.d == EMU_S32) {
    emu_operand_decode_integer(value, type, codes, (size_t)count);
  } else {
    emu_dot_decode(model_of(x), value, exponent, type, negate, codes, (size_t)count);
  }
}

/* Brings the elements of a CTA's rows of a sparse A to where its metadata has them; those between
 * are absent. */
static bool spread_a(matrices *t, const emu_product *x, int which) {
  int rows = emu_product_rows(x), k = x->shape.k, at = which * rows * k;
  bool integers = x->shape.d == EMU_S32;
  emu_stored stored = {t->stored + at / 2, integers ? NULL : t->stored_exponent + at / 2};
  const emu_tmem_claim *claim = &x->metadata_claims[which];
  if (!emu_meta_gather(t->positions, &x->metadata, claim, &stored)) return false;
  emu_sparse_spread(t->a + at, integers ? NULL : t->a_exponent + at, &stored, t->positions, rows,
                    k);
  return true;
}

/* Rows of A that nobody has written make garbage of their own rows of D, which nobody may want: a
 * kernel of CUTLASS's attention that decodes has 32 rows of 128. Where there is no other row all of
 * D is garbage. */
static gg_status code_of_gap(const emu_tmem_claim *a) {
  return emu_tmem_written_partly(a) ? GG_E_EMU_UNINITIALISED : GG_E_EMU_UNDEFINED;
}

static bool load_a(matrices *t, const emu_product *x) {
  const emu_umma_shape *s = &x->shape;
  int rows = emu_product_rows(x), k = emu_product_stored(x);
  for (int i = 0; i < emu_product_facts(x)->group; i++) {
    uint32_t *codes = t->codes + i * rows * k;
    if (emu_product_facts(x)->a_in_tensor_memory) {
      gg_status code = code_of_gap(&x->a_claims[i]);
      if (!emu_tmem_written(&x->a_claims[i], code, "A")) return false;
      if (!gather_tensor_memory(codes, x, i)) return false;
    } else {
      gather(codes, k, 1, x, &x->a, x->ctas[i], s->a, 0, rows, k);
    }
  }
  decode(s->sparse ? t->stored : t->a, s->sparse ? t->stored_exponent : t->a_exponent, x, s->a,
         s->negate_a, t->codes, s->m * k);
  for (int i = 0; i < emu_product_facts(x)->group && s->sparse; i++) {
    if (!spread_a(t, x, i)) return false;
  }
  return true;
}

/* Elements of k to a scale factor, as the arithmetic has them: 16 that are stored, or all. */
static int block_of(const emu_product *x) {
  return !x->shape.packed ? x->shape.k : x->shape.sparse ? 32 : 16;
}

static int blocks_of(const emu_product *x) {
  return x->shape.k / block_of(x);
}

static bool load_a_scale(matrices *t, const emu_product *x) {
  int rows = emu_product_rows(x), blocks = blocks_of(x), factors = x->shape.factors;
  for (int i = 0; i < emu_product_facts(x)->group; i++) {
    if (!emu_scale_gather(t->codes + i * rows * blocks, blocks, 1, blocks / factors, &x->a_scale,
                          &x->a_scale_claims[i], 0, rows)) {
      return false;
    }
  }
  emu_operand_decode_scale(t->a_scale, t->a_scale_exponent, x->shape.scale, t->codes,
                           (size_t)(x->shape.m * blocks));
  return true;
}

/* Each CTA of a pair has those of all columns. */
static bool load_b_scale(matrices *t, const emu_product *x, int which, int column, int columns) {
  int blocks = blocks_of(x), factors = x->shape.factors;
  if (!emu_scale_gather(t->codes, 1, columns, blocks / factors, &x->b_scale,
                        &x->b_scale_claims[which], column, columns)) {
    return false;
  }
  emu_operand_decode_scale(t->b_scale, t->b_scale_exponent, x->shape.scale, t->codes,
                           (size_t)(blocks * columns));
  return true;
}

/* Columns of B, which in a pair are the first CTA's, then the other's. */
static void load_b(matrices *t, const emu_product *x, int column, int columns) {
  const emu_umma_shape *s = &x->shape;
  int own = s->n / emu_product_facts(x)->group;
  for (int done = 0; done < columns;) {
    int at = column + done, cta = at / own, left = own - at % own;
    int count = left < columns - done ? left : columns - done;
    gather(t->codes + done, 1, columns, x, &x->b, x->ctas[cta], s->b, at % own + x->b_shift, count,
           s->k);
    done += count;
  }
  for (int i = 0; i < columns * s->k && emu_product_facts(x)->zeros; i++) {
    if (x->zero[column + i % columns]) t->codes[i] = 0;
  }
  decode(t->b, t->b_exponent, x, s->b, s->negate_b, t->codes, s->k * columns);
}

/* The cell of D of a CTA's row and column of the product. */
static size_t cell_of(const emu_product *x, int which, int row, int column) {
  const emu_tmem_region *r = &x->d_claims[which].region;
  int lane = lane_of(x, row);
  lane += column / r->columns * (EMU_TMEM_LANES / emu_product_folds(x));
  column %= r->columns;
  return (size_t)lane * EMU_TMEM_COLUMNS + (size_t)(r->column + column);
}

/* D * 2^-scale-input-d. */
static uint32_t scaled(uint32_t code, emu_type type, int scale) {
  float value;
  if (type == EMU_F16) {
    return emu_f16_round(ldexp(emu_f16_value((uint16_t)code, 0), -scale), EMU_RN);
  }
  memcpy(&value, &code, sizeof value);
  value = ldexpf(value, -scale);
  memcpy(&code, &value, sizeof code);
  return code;
}

/* How many columns of D from one on, of `most`, are beside each other in a lane. */
static int run_of(const emu_product *x, int column, int most) {
  int width = x->shape.n / emu_product_folds(x), left = width - column % width;
  return left < most ? left : most;
}

static void load_d(matrices *t, const emu_product *x, int which, int column, int columns) {
  const uint32_t *cells = &x->d_claims[which].memory->cells[0][0];
  int rows = emu_product_rows(x), scale = emu_product_facts(x)->scale;
  if (!x->accumulate) {
    memset(t->d, 0, sizeof t->d);
    return;
  }
  for (int at = 0, run; at < columns; at += run) {
    run = run_of(x, column + at, columns - at);
    for (int row = 0; row < rows; row++)
      memcpy(&t->d[row * columns + at], &cells[cell_of(x, which, row, column + at)],
             (size_t)run * sizeof *cells);
  }
  for (int i = 0; i < rows * columns && x->shape.d == EMU_F16; i++)
    t->d[i] &= 0xffff;
  for (int i = 0; i < rows * columns && scale; i++)
    t->d[i] = scaled(t->d[i], x->shape.d, scale);
}

static void store_d(const matrices *t, const emu_product *x, int which, int column, int columns) {
  emu_tmem *memory = x->d_claims[which].memory;
  const uint32_t *masks = x->masks + which * 4;
  for (int at = 0, run; at < columns; at += run) {
    run = run_of(x, column + at, columns - at);
    for (int row = 0; row < emu_product_rows(x); row++) {
      size_t cell = cell_of(x, which, row, column + at), lane = cell / EMU_TMEM_COLUMNS;
      if (masks[lane / 32] >> lane % 32 & 1) continue;
      memcpy(&memory->cells[0][0] + cell, &t->d[row * columns + at], (size_t)run * sizeof *t->d);
      memset(&memory->written[0][0] + cell, 1, (size_t)run);
    }
  }
}

static bool multiply(matrices *t, const emu_product *x, int which, int column, int columns) {
  const emu_umma_shape *s = &x->shape;
  int rows = emu_product_rows(x), at = which * rows * s->k;
  load_d(t, x, which, column, columns);
  emu_tile tile = {rows, columns,       s->k, s->sparse, t->a + at, t->a_exponent + at,
                   t->b, t->b_exponent, t->d};
  if (emu_product_facts(x)->factors) {
    int first = which * rows * blocks_of(x);
    if (!load_b_scale(t, x, which, column, columns)) return false;
    emu_dot_scaled(model_of(x), &tile,
                   &(emu_scales){block_of(x), t->a_scale + first, t->a_scale_exponent + first,
                                 t->b_scale, t->b_scale_exponent});
  } else if (s->d == EMU_S32) {
    emu_dot_integer(&tile, s->saturate);
  } else {
    emu_dot(model_of(x), &tile);
  }
  store_d(t, x, which, column, columns);
  return true;
}

/* .ashift: once the product is made, A's rows go to the lane before; of each 32 lanes the last
 * stays. */
static void shift_a(const emu_product *x, int which) {
  for (int lane = 0; lane < EMU_TMEM_LANES; lane += EMU_TMEM_SLICE)
    emu_tmem_shift_down(x->a_claims[which].memory, lane, x->a_column);
}

bool emu_product_compute(const emu_product *x) {
  matrices t;
  int n = x->shape.n, group = emu_product_facts(x)->group;
  for (int i = 0; i < group && x->accumulate; i++) {
    if (!emu_tmem_written(&x->d_claims[i], GG_E_EMU_UNDEFINED, "D")) return false;
  }
  if (!load_a(&t, x) || (emu_product_facts(x)->factors && !load_a_scale(&t, x))) return false;
  for (int column = 0; column < n; column += columns_at_once) {
    int columns = n - column < columns_at_once ? n - column : columns_at_once;
    load_b(&t, x, column, columns);
    for (int i = 0; i < group; i++) {
      if (!multiply(&t, x, i, column, columns)) return false;
    }
  }
  for (int i = 0; i < group && emu_product_facts(x)->shifts; i++)
    shift_a(x, i);
  return true;
}
