/* tcgen05.mma: D = A * B + D in tensor memory (PTX ISA, "tcgen05.mma", "Data path layout
 * organization").
 *
 * At its issue descriptors are read and checked, and what it will touch is claimed: units of shared
 * memory, regions of tensor memory, in both CTAs of a pair. The product is computed when it lands.
 * Those of one warp land in the order of issue, so that each finds the sum of those before. Of a
 * pair each CTA has half of A's rows and half of B's columns, at the same addresses, and gets its
 * rows of D. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "emu/async/modifiers.h"
#include "emu/isa/tcgen05_mma.h"
#include "emu/isa/tcgen05_scale.h"
#include "emu/isa/tcgen05_sparse.h"
#include "emu/isa/unit_set.h"
#include "emu/number/float.h"
#include "emu/number/format.h"
#include "emu/report.h"
#include "emu/tensor/dot.h"

enum { rows_most = 256, k_most = EMU_SPARSE_K, stored_most = 96 /* of k */ };
enum { blocks_most = 6, columns_at_once = 64 };

typedef struct mma {
  emu_async base;
  emu_umma_shape shape;
  emu_umma_view a, b;
  emu_cta *ctas[2];
  emu_tmem_claim d_claims[2], a_claims[2], metadata_claims[2], a_scale_claims[2], b_scale_claims[2];
  emu_meta_view metadata;
  emu_scale_view a_scale, b_scale;
  int d_lane, d_column, a_column;
  bool accumulate, zero[256];             /* zero: columns of B that are so */
  int b_shift;                            /* B's column of D's first one */
  uint32_t masks[EMU_TCGEN05_MASKS_MOST]; /* lanes of D that stay as they are, of the first CTA,
                                             then of the other */
  emu_span spans[];
} mma;

static const emu_tcgen05_facts *facts_of(const mma *x) {
  return x->base.op->facts;
}

/* Elements of a unit of 16 bytes: those of 6 and 4 bits are padded to 16 of them (b6x16_p32,
 * b4x16_p64), but where they are packed. */
static int unit_elements(const mma *x, emu_type type) {
  int bits = emu_type_of(type)->bits;
  return bits < 8 && !x->shape.packed ? EMU_UNIT_BYTES : EMU_UNIT_BYTES * 8 / bits;
}

/* ---- Where things are ------------------------------------------------------------------- */

static int cta_rows(const mma *x) {
  return x->shape.m / facts_of(x)->group;
}

/* How many of the k elements of a row of A are stored. */
static int stored_k(const mma *x) {
  return x->shape.sparse ? x->shape.k / 2 : x->shape.k;
}

/* How many parts of D's columns stand one below the other: two of 128 rows of a pair, but of a
 * sparse A, and where mma.ws has fewer rows than there are lanes. */
static int folds(const mma *x) {
  if (facts_of(x)->ws) return EMU_TMEM_LANES / x->shape.m;
  return facts_of(x)->group == 2 && cta_rows(x) == 64 && !x->shape.sparse ? 2 : 1;
}

/* The lane of a CTA's row of D; of 64 rows 16 are in each 32 lanes, unless it is folded. */
static int lane_of(const mma *x, int row) {
  if (cta_rows(x) == 128 || folds(x) > 1) return row;
  return x->d_lane + row % 16 + row / 16 * 32;
}

/* Whether a CTA's rows have half of the lanes. */
static bool half_lanes(const mma *x) {
  return cta_rows(x) == 64 && folds(x) == 1;
}

static emu_tmem_region d_region(const mma *x, int column) {
  uint32_t lanes = half_lanes(x) ? UINT32_C(0xffff) << x->d_lane : UINT32_MAX;
  int columns = x->shape.n / folds(x);
  return (emu_tmem_region){{lanes, lanes, lanes, lanes}, column, columns};
}

/* ---- Landing ---------------------------------------------------------------------------- */

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
static void gather(uint32_t *codes, int line_stride, int k_stride, const mma *x,
                   const emu_umma_view *v, const emu_cta *cta, emu_type type, int first, int lines,
                   int k) {
  int each = unit_elements(x, type), bits = emu_type_of(type)->bits;
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

/* Bits of an element of A in tensor memory: those of 6 and 4 bits have a byte each, but where they
 * are packed. */
static int a_room(const mma *x) {
  int bits = emu_type_of(x->shape.a)->bits;
  return bits < 8 && !x->shape.packed ? 8 : bits;
}

/* Elements of 4 bits are in the middle of their bytes. */
static void gather_tensor_memory(uint32_t *codes, const mma *x, int which) {
  int bits = emu_type_of(x->shape.a)->bits, k = stored_k(x);
  int room = a_room(x), padding = room == 8 && bits == 4 ? 2 : 0;
  uint32_t mask = bits == 32 ? UINT32_MAX : (UINT32_C(1) << bits) - 1;
  const emu_tmem *memory = x->a_claims[which].memory;
  for (int row = 0; row < cta_rows(x); row++) {
    const uint32_t *words = &memory->cells[lane_of(x, row)][x->a_column];
    for (int i = 0; i < k; i++)
      codes[row * k + i] = words[i * room / 32] >> (i * room % 32 + padding) & mask;
  }
}

static const emu_dot_model *model_of(const mma *x) {
  int arch = x->base.warp->cta->cluster->run->options->arch;
  emu_dot_unit unit = x->shape.packed            ? EMU_UNIT_MXF4
                      : facts_of(x)->factors > 0 ? EMU_UNIT_MXF8F6F4
                                                 : EMU_UNIT_TCGEN05;
  return emu_dot_find(arch, unit, x->shape.a, x->shape.d);
}

static void decode(float *value, int16_t *exponent, const mma *x, emu_type type, bool negate,
                   const uint32_t *codes, int count) {
  if (x->shape.d == EMU_S32) {
    emu_operand_decode_integer(value, type, codes, (size_t)count);
  } else {
    emu_dot_decode(model_of(x), value, exponent, type, negate, codes, (size_t)count);
  }
}

/* Brings the elements of a CTA's rows of a sparse A to where its metadata has them; those between
 * are absent. */
static bool spread_a(matrices *t, const mma *x, int which) {
  int rows = cta_rows(x), k = x->shape.k, at = which * rows * k;
  bool integers = x->shape.d == EMU_S32;
  emu_stored stored = {t->stored + at / 2, integers ? NULL : t->stored_exponent + at / 2};
  const emu_tmem_claim *claim = &x->metadata_claims[which];
  if (!emu_meta_gather(t->positions, &x->metadata, claim, &stored)) return false;
  emu_sparse_spread(t->a + at, integers ? NULL : t->a_exponent + at, &stored, t->positions, rows,
                    k);
  return true;
}

static bool load_a(matrices *t, const mma *x) {
  const emu_umma_shape *s = &x->shape;
  int rows = cta_rows(x), k = stored_k(x);
  for (int i = 0; i < facts_of(x)->group; i++) {
    uint32_t *codes = t->codes + i * rows * k;
    if (facts_of(x)->a_in_tensor_memory) {
      if (!emu_tmem_written(&x->a_claims[i], GG_E_EMU_UNDEFINED, "A")) return false;
      gather_tensor_memory(codes, x, i);
    } else {
      gather(codes, k, 1, x, &x->a, x->ctas[i], s->a, 0, rows, k);
    }
  }
  decode(s->sparse ? t->stored : t->a, s->sparse ? t->stored_exponent : t->a_exponent, x, s->a,
         s->negate_a, t->codes, s->m * k);
  for (int i = 0; i < facts_of(x)->group && s->sparse; i++) {
    if (!spread_a(t, x, i)) return false;
  }
  return true;
}

/* Elements of k to a scale factor, as the arithmetic has them: 16 that are stored, or all. */
static int block_of(const mma *x) {
  return !x->shape.packed ? x->shape.k : x->shape.sparse ? 32 : 16;
}

static int blocks_of(const mma *x) {
  return x->shape.k / block_of(x);
}

static bool load_a_scale(matrices *t, const mma *x) {
  int rows = cta_rows(x), blocks = blocks_of(x), factors = x->shape.factors;
  for (int i = 0; i < facts_of(x)->group; i++) {
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
static bool load_b_scale(matrices *t, const mma *x, int which, int column, int columns) {
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
static void load_b(matrices *t, const mma *x, int column, int columns) {
  const emu_umma_shape *s = &x->shape;
  int own = s->n / facts_of(x)->group;
  for (int done = 0; done < columns;) {
    int at = column + done, cta = at / own, left = own - at % own;
    int count = left < columns - done ? left : columns - done;
    gather(t->codes + done, 1, columns, x, &x->b, x->ctas[cta], s->b, at % own + x->b_shift, count,
           s->k);
    done += count;
  }
  for (int i = 0; i < columns * s->k && facts_of(x)->zeros; i++) {
    if (x->zero[column + i % columns]) t->codes[i] = 0;
  }
  decode(t->b, t->b_exponent, x, s->b, s->negate_b, t->codes, s->k * columns);
}

/* The cell of D of a CTA's row and column of the product. */
static size_t cell_of(const mma *x, int which, int row, int column) {
  const emu_tmem_region *r = &x->d_claims[which].region;
  int lane = lane_of(x, row);
  lane += column / r->columns * (EMU_TMEM_LANES / folds(x));
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
static int run_of(const mma *x, int column, int most) {
  int width = x->shape.n / folds(x), left = width - column % width;
  return left < most ? left : most;
}

static void load_d(matrices *t, const mma *x, int which, int column, int columns) {
  const uint32_t *cells = &x->d_claims[which].memory->cells[0][0];
  int rows = cta_rows(x), scale = facts_of(x)->scale;
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

static void store_d(const matrices *t, const mma *x, int which, int column, int columns) {
  emu_tmem *memory = x->d_claims[which].memory;
  const uint32_t *masks = x->masks + which * 4;
  for (int at = 0, run; at < columns; at += run) {
    run = run_of(x, column + at, columns - at);
    for (int row = 0; row < cta_rows(x); row++) {
      size_t cell = cell_of(x, which, row, column + at), lane = cell / EMU_TMEM_COLUMNS;
      if (masks[lane / 32] >> lane % 32 & 1) continue;
      memcpy(&memory->cells[0][0] + cell, &t->d[row * columns + at], (size_t)run * sizeof *t->d);
      memset(&memory->written[0][0] + cell, 1, (size_t)run);
    }
  }
}

static bool multiply(matrices *t, const mma *x, int which, int column, int columns) {
  const emu_umma_shape *s = &x->shape;
  int rows = cta_rows(x), at = which * rows * s->k;
  load_d(t, x, which, column, columns);
  emu_tile tile = {rows, columns,       s->k, s->sparse, t->a + at, t->a_exponent + at,
                   t->b, t->b_exponent, t->d};
  if (facts_of(x)->factors) {
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
static void shift_a(const mma *x, int which) {
  for (int lane = 0; lane < EMU_TMEM_LANES; lane += EMU_TMEM_SLICE)
    emu_tmem_shift_down(x->a_claims[which].memory, lane, x->a_column);
}

static bool compute(const mma *x) {
  matrices t;
  int n = x->shape.n, group = facts_of(x)->group;
  for (int i = 0; i < group && x->accumulate; i++) {
    if (!emu_tmem_written(&x->d_claims[i], GG_E_EMU_UNDEFINED, "D")) return false;
  }
  if (!load_a(&t, x) || (facts_of(x)->factors && !load_a_scale(&t, x))) return false;
  for (int column = 0; column < n; column += columns_at_once) {
    int columns = n - column < columns_at_once ? n - column : columns_at_once;
    load_b(&t, x, column, columns);
    for (int i = 0; i < group; i++) {
      if (!multiply(&t, x, i, column, columns)) return false;
    }
  }
  for (int i = 0; i < group && facts_of(x)->shifts; i++)
    shift_a(x, i);
  return true;
}

static void release(mma *x, bool done) {
  for (int i = 0; i < 2; i++) {
    emu_tmem_release(&x->d_claims[i], done);
    emu_tmem_release(&x->a_claims[i], done);
    emu_tmem_release(&x->metadata_claims[i], done);
    emu_tmem_release(&x->a_scale_claims[i], done);
    emu_tmem_release(&x->b_scale_claims[i], done);
  }
}

static bool land(emu_async *async, emu_cluster *cluster) {
  mma *x = (mma *)async;
  (void)cluster;
  bool ok = compute(x);
  release(x, ok);
  return ok;
}

static void describe(emu_async_words *out, const emu_async *async) {
  const mma *x = (const mma *)async;
  const emu_umma_shape *s = &x->shape;
  snprintf(out->shape, sizeof out->shape, "m%dn%dk%d", s->m, s->n, s->k);
  emu_tmem_put_region(out->where, sizeof out->where, "D", &x->d_claims[0].region);
}

/* ---- Issue ------------------------------------------------------------------------------ */

static bool read_view(emu_umma_view *out, emu_warp *warp, const emu_op *op, int lane, int operand,
                      const char *name, bool along_k) {
  uint64_t descriptor = emu_lane_value(warp, &op->operands[operand], lane);
  int arch = warp->cta->cluster->run->options->arch;
  const char *why = emu_umma_operand_read(out, descriptor, along_k, arch);
  if (!why) return true;
  emu_fault(warp, op, lane, GG_E_EMU_DESCRIPTOR, "descriptor of %s 0x%016" PRIx64 ": %s", name,
            descriptor, why);
  return false;
}

static bool read_shape(mma *x, emu_warp *warp, const emu_op *op, int lane) {
  const emu_tcgen05_facts *f = op->facts;
  char why[160];
  uint32_t descriptor =
      (uint32_t)emu_lane_value(warp, &op->operands[EMU_TCGEN05_INSTRUCTION], lane);
  int arch = warp->cta->cluster->run->options->arch;
  emu_umma_form form = {f->kind, f->group, f->factors, f->ws, f->sparse, arch};
  if (emu_umma_shape_read(&x->shape, why, sizeof why, descriptor, &form)) return true;
  emu_fault(warp, op, lane, GG_E_EMU_DESCRIPTOR, "instruction descriptor 0x%08" PRIx32 ": %s",
            descriptor, why);
  return false;
}

/* A in tensor memory: rows along K; .ashift is of 128 rows a CTA. */
static bool check_a(const mma *x, emu_warp *warp, const emu_op *op, int lane) {
  const emu_tcgen05_facts *f = op->facts;
  if (!x->shape.a_along_k) {
    emu_fault(warp, op, lane, GG_E_EMU_DESCRIPTOR,
              "A in tensor memory is stored along K, not along M");
    return false;
  }
  if (!(f->shifts || f->ws) || x->shape.m == 128 * f->group) return true;
  emu_fault(warp, op, lane, GG_E_EMU_DESCRIPTOR, "M is %d; %s it is %d", x->shape.m,
            f->ws ? "of mma.ws with A in tensor memory" : "with .ashift", 128 * f->group);
  return false;
}

/* The zero-column mask. Where B is stored along N its columns come by units. */
static bool read_zeros(mma *x, emu_warp *warp, const emu_op *op, int lane) {
  uint64_t descriptor = emu_lane_value(warp, &op->operands[EMU_TCGEN05_MASKS], lane);
  const char *why = emu_umma_zero_read(x->zero, &x->b_shift, descriptor, &x->shape);
  if (!why && !x->shape.b_along_k && x->b_shift % unit_elements(x, x->shape.b)) {
    why = "a shift of B that is stored along N by other than 16 bytes is not emulated";
  }
  if (!why) return true;
  emu_fault(warp, op, lane, GG_E_EMU_DESCRIPTOR, "zero-column mask 0x%016" PRIx64 ": %s",
            descriptor, why);
  return false;
}

static bool read_operands(mma *x, emu_warp *warp, const emu_op *op, int lane) {
  const emu_tcgen05_facts *f = op->facts;
  if (!read_shape(x, warp, op, lane)) return false;
  const emu_umma_shape *s = &x->shape;
  if (f->a_in_tensor_memory && !check_a(x, warp, op, lane)) return false;
  if (!f->a_in_tensor_memory &&
      !read_view(&x->a, warp, op, lane, EMU_TCGEN05_A, "A", s->a_along_k)) {
    return false;
  }
  if (!read_view(&x->b, warp, op, lane, EMU_TCGEN05_B, "B", s->b_along_k)) return false;
  x->accumulate = emu_lane_value(warp, &op->operands[EMU_TCGEN05_ENABLE], lane);
  if (f->zeros && !read_zeros(x, warp, op, lane)) return false;
  for (int i = 0; i < f->masks; i++)
    x->masks[i] = (uint32_t)emu_lane_value(warp, &op->operands[EMU_TCGEN05_MASKS + i], lane);
  return true;
}

/* What it reads must have been written, but for padding. */
static bool add_view(emu_unit_set *set, const mma *x, emu_warp *warp, const emu_op *op,
                     const char *name, const emu_umma_view *v, emu_cta *cta, emu_type type,
                     int count, int k) {
  emu_unit_set own = {{0}};
  int each = unit_elements(x, type), lines = v->along_k ? count : k;
  int units = ((v->along_k ? k : count) + each - 1) / each;
  for (int line = 0; line < lines; line++) {
    for (int unit = 0; unit < units; unit++) {
      if (!emu_unit_add(&own, warp, op, name, cta, emu_umma_unit(v, line, unit))) return false;
    }
  }
  emu_unit_set_join(set, &own);
  size_t bytes = (size_t)(each * emu_type_of(type)->bits / 8);
  return emu_unit_set_written(warp, op, &own, cta, bytes);
}

static bool add_reads(emu_unit_set sets[2], const mma *x, emu_warp *warp, const emu_op *op) {
  const emu_tcgen05_facts *f = op->facts;
  const emu_umma_shape *s = &x->shape;
  for (int i = 0; i < f->group; i++) {
    if (!f->a_in_tensor_memory && !add_view(&sets[i], x, warp, op, "A", &x->a, x->ctas[i], s->a,
                                            s->m / f->group, stored_k(x))) {
      return false;
    }
    if (!add_view(&sets[i], x, warp, op, "B", &x->b, x->ctas[i], s->b, s->n / f->group + x->b_shift,
                  s->k)) {
      return false;
    }
  }
  return true;
}

/* A in tensor memory starts at lane 0, D too, but where 16 of each 32 lanes are used. */
static bool check_lane(emu_warp *warp, const emu_op *op, int lane, const char *name,
                       uint32_t address, bool half) {
  uint32_t first = address >> 16;
  if (!first || (half && first == 16)) return true;
  emu_fault(warp, op, lane, GG_E_EMU_TENSOR_MEMORY,
            "%s is at lane %" PRIu32 "; its first lane is %s", name, first, half ? "0 or 16" : "0");
  return false;
}

/* Where scale factors of A or B are. Bits 30 and 31 of the address may say the id too, as in
 * CUTLASS, whose addresses are of bytes. */
static bool find_scale(emu_scale_view *v, const mma *x, emu_warp *warp, const emu_op *op, int lane,
                       bool of_b) {
  const emu_tcgen05_facts *f = op->facts;
  uint32_t address = emu_tmem_address(warp, of_b ? &f->b_scale : &f->a_scale, lane);
  int byte = (int)(address >> 30), id = of_b ? x->shape.scale_b_id : x->shape.scale_a_id;
  const char *name = of_b ? "scale_B" : "scale_A";
  *v = (emu_scale_view){.name = of_b ? "B's scale factor of column" : "A's scale factor of row",
                        .column = (int)(address & 0xffff),
                        .byte = id,
                        .rows = of_b ? x->shape.n : cta_rows(x),
                        .factors = x->shape.factors,
                        .folded = of_b && folds(x) == 2};
  if (byte && byte != id) {
    emu_fault(warp, op, lane, GG_E_EMU_DESCRIPTOR,
              "%s is at 0x%08" PRIx32
              ", whose bits 30 and 31 say byte %d; its id in the instruction "
              "descriptor is %d",
              name, address, byte, id);
    return false;
  }
  return check_lane(warp, op, lane, name, address & 0x3fffffff, false);
}

/* Where a sparse A's metadata is: in the lanes that D's rows have, from an even column on. */
static bool find_metadata(mma *x, emu_warp *warp, const emu_op *op, int lane) {
  const emu_tcgen05_facts *f = op->facts;
  uint32_t address = emu_tmem_address(warp, &f->metadata, lane), first = address >> 16;
  emu_type type = x->shape.packed ? EMU_E2M1 : f->kind > EMU_UMMA_TF32 ? EMU_B8 : x->shape.a;
  x->metadata = (emu_meta_view){.sparsity = {type, x->shape.k, x->shape.selector, true, true},
                                .lane = (int)first,
                                .column = (int)(address & 0xffff),
                                .rows = cta_rows(x),
                                .half = half_lanes(x)};
  if (first != (uint32_t)x->d_lane) {
    emu_fault(warp, op, lane, GG_E_EMU_TENSOR_MEMORY,
              "the metadata is at lane %" PRIu32 "; its first lane is that of D, %d", first,
              x->d_lane);
    return false;
  }
  if (address % 2 == 0) return true;
  emu_fault(warp, op, lane, GG_E_EMU_TENSOR_MEMORY,
            "the metadata is at column %d; it begins at an even one", x->metadata.column);
  return false;
}

static bool find_operands(mma *x, emu_warp *warp, const emu_op *op, int lane) {
  const emu_tcgen05_facts *f = op->facts;
  uint32_t d = emu_tmem_address(warp, &f->d, lane), a = 0;
  bool half = half_lanes(x);
  if (f->a_in_tensor_memory) a = emu_tmem_address(warp, &f->a, lane);
  x->d_lane = (int)(d >> 16 & 16);
  x->d_column = (int)(d & 0xffff);
  x->a_column = (int)(a & 0xffff);
  if (!check_lane(warp, op, lane, "D", d, half)) return false;
  if (!check_lane(warp, op, lane, "A", a, half)) return false;
  if (f->sparse && !find_metadata(x, warp, op, lane)) return false;
  return !f->factors || (find_scale(&x->a_scale, x, warp, op, lane, false) &&
                         find_scale(&x->b_scale, x, warp, op, lane, true));
}

/* Claims what is read of a CTA's tensor memory and D must not overwrite. */
static bool hold_beside(emu_tmem_claim *claim, emu_tmem_region r, emu_tmem *memory, const mma *x,
                        const char *name) {
  emu_tmem_region d = d_region(x, x->d_column);
  if (r.column < d.column + d.columns && d.column < r.column + r.columns) {
    emu_fault(x->base.warp, x->base.op, -1, GG_E_EMU_TENSOR_MEMORY,
              "%s is in columns %d to %d, and D in columns %d to %d", name, r.column,
              r.column + r.columns - 1, d.column, d.column + d.columns - 1);
    return false;
  }
  return emu_tmem_hold(claim, memory, &r, false, EMU_TMEM_PIPE, &x->base, name);
}

static bool hold_in(mma *x, int which, emu_tmem *memory) {
  const emu_tcgen05_facts *f = facts_of(x);
  emu_tmem_region region = d_region(x, x->d_column), from = region;
  from.column = x->a_column;
  from.columns = stored_k(x) * a_room(x) / 32;
  if (!emu_tmem_hold(&x->d_claims[which], memory, &region, true, EMU_TMEM_PIPE, &x->base, "D")) {
    return false;
  }
  if (f->a_in_tensor_memory &&
      !emu_tmem_hold(&x->a_claims[which], memory, &from, f->shifts, EMU_TMEM_PIPE, &x->base, "A")) {
    return false;
  }
  if (f->sparse && !hold_beside(&x->metadata_claims[which], emu_meta_region(&x->metadata), memory,
                                x, "the metadata")) {
    return false;
  }
  if (!f->factors) return true;
  return hold_beside(&x->a_scale_claims[which], emu_scale_region(&x->a_scale), memory, x,
                     "scale_A") &&
         hold_beside(&x->b_scale_claims[which], emu_scale_region(&x->b_scale), memory, x,
                     "scale_B");
}

static bool hold(mma *x, emu_warp *warp, const emu_op *op, int lane) {
  const emu_tcgen05_facts *f = op->facts;
  if (!find_operands(x, warp, op, lane)) return false;
  for (int i = 0; i < f->group; i++) {
    emu_tmem *memory = emu_tcgen05_memory(warp, op, x->ctas[i], f->group);
    if (!memory || !hold_in(x, i, memory)) return false;
  }
  return true;
}

/* The work, with what it reads of shared memory; NULL after a fault. */
static mma *prepare(emu_warp *warp, const emu_op *op, int lane, emu_tmem_user *user) {
  const emu_tcgen05_facts *f = op->facts;
  emu_unit_set sets[2] = {{{0}}, {{0}}};
  mma draft = {.base = emu_tcgen05_work(warp, op, lane, user)};
  draft.base.unit = "MMA pipe";
  draft.base.describe = describe;
  draft.base.land = land;
  if (!emu_tcgen05_ctas(draft.ctas, warp, op, lane, f->group)) return NULL;
  if (!read_operands(&draft, warp, op, lane) || !add_reads(sets, &draft, warp, op)) return NULL;
  uint32_t reads = emu_unit_count_spans(&sets[0]) + emu_unit_count_spans(&sets[1]);
  mma *x = gg_malloc(sizeof *x + reads * sizeof *x->spans);
  if (!x) {
    emu_fault(warp, op, -1, GG_E_MEMORY, " for tcgen05.mma");
    return NULL;
  }
  *x = draft;
  emu_tcgen05_list_reads(&x->base, x->spans, sets, x->ctas);
  return x;
}

static void count(emu_counters *counters, const mma *x) {
  const emu_tcgen05_facts *f = facts_of(x);
  uint64_t macs = (uint64_t)x->shape.m * (uint64_t)(x->shape.n * stored_k(x));
  _Static_assert(EMU_UMMA_MXF4NVF4 + 1 == EMU_COUNTED_KINDS, "all kinds are counted");
  counters->tensor_macs += macs;
  counters->umma_macs[f->kind] += macs;
  counters->umma_count[f->kind]++;
  if (x->accumulate) counters->tmem_columns_read += (uint64_t)(x->shape.n / folds(x) * f->group);
}

static bool issue(emu_warp *warp, const emu_op *op, int lane) {
  const emu_tcgen05_facts *f = op->facts;
  emu_tmem_user *user = emu_tmem_user_of(warp, op);
  if (!user || !emu_tmem_of(warp, op, f->group)) return false;
  mma *x = prepare(warp, op, lane, user);
  if (!x) return false;
  if (!hold(x, warp, op, lane)) {
    release(x, false);
    gg_free(x);
    return false;
  }
  user->work[EMU_TMEM_PIPE].issued++;
  user->products++;
  emu_hazard_moment(warp, &x->base.since);
  count(emu_counting(warp), x);
  return emu_async_issue(warp->cta->cluster, &x->base);
}

emu_step emu_run_tcgen05_mma(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  EMU_EACH_LANE(lanes, lane) {
    if (!issue(warp, op, (int)lane)) return EMU_FAULT;
  }
  return EMU_NEXT;
}
