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
#include <string.h>

#include "base/alloc.h"
#include "emu/async/modifiers.h"
#include "emu/isa/tcgen05.h"
#include "emu/isa/umma.h"
#include "emu/isa/unit_set.h"
#include "emu/number/float.h"
#include "emu/report.h"
#include "emu/tensor/dot.h"

enum { rows_most = 256, k_most = 32, columns_at_once = 64, masks_most = 8, a_columns = 8 };

/* operands: A's descriptor (a sink where A is in tensor memory), B's, the instruction's, enable-d,
 * then words of disable-output-lane. */
enum { AT_A, AT_B, AT_INSTRUCTION, AT_ENABLE, AT_MASKS, OPERANDS = AT_MASKS + masks_most };

typedef struct mma_facts {
  emu_umma_kind kind;
  int group, masks, scale;
  bool a_in_tensor_memory;
  emu_address d, a;
} mma_facts;

typedef struct mma {
  emu_async base;
  emu_umma_shape shape;
  emu_umma_view a, b;
  emu_cta *ctas[2];
  emu_tmem_claim d_claims[2], a_claims[2];
  int d_lane, a_column;
  bool accumulate;
  uint32_t
      masks[masks_most]; /* lanes of D that stay as they are, of the first CTA, then of the other */
  emu_span spans[];
} mma;

static const mma_facts *facts_of(const mma *x) {
  return x->base.op->facts;
}

/* Elements of a unit of 16 bytes: those of 6 and 4 bits are padded to 16 of them (b6x16_p32,
 * b4x16_p64). */
static int unit_elements(emu_type type) {
  int bits = emu_type_of(type)->bits;
  return bits < 8 ? EMU_UNIT_BYTES : EMU_UNIT_BYTES * 8 / bits;
}

/* ---- Where things are ------------------------------------------------------------------- */

static int cta_rows(const mma *x) {
  return x->shape.m / facts_of(x)->group;
}

/* Whether two halves of D's columns stand one below the other: 128 rows of a pair. */
static bool is_folded(const mma *x) {
  return facts_of(x)->group == 2 && cta_rows(x) == 64;
}

/* The lane of a CTA's row of D; of 64 rows 16 are in each 32 lanes, unless it is folded. */
static int lane_of(const mma *x, int row) {
  if (cta_rows(x) == 128 || is_folded(x)) return row;
  return x->d_lane + row % 16 + row / 16 * 32;
}

static emu_tmem_region d_region(const mma *x, int column) {
  uint32_t half = UINT32_C(0xffff) << x->d_lane;
  bool sparse = cta_rows(x) == 64 && !is_folded(x);
  uint32_t lanes = sparse ? half : UINT32_MAX;
  int columns = is_folded(x) ? x->shape.n / 2 : x->shape.n;
  return (emu_tmem_region){{lanes, lanes, lanes, lanes}, column, columns};
}

/* ---- Landing ---------------------------------------------------------------------------- */

typedef struct matrices {
  uint32_t codes[rows_most * k_most], d[128 * columns_at_once];
  float a[rows_most * k_most], b[k_most * columns_at_once];
  int16_t a_exponent[rows_most * k_most], b_exponent[k_most * columns_at_once];
} matrices;

/* Elements of a unit, `stride` apart. */
static void split_unit(uint32_t *out, int stride, const uint8_t *bytes, emu_type type) {
  int bits = emu_type_of(type)->bits, count = unit_elements(type);
  uint32_t mask = bits == 32 ? UINT32_MAX : (UINT32_C(1) << bits) - 1;
  for (int i = 0; i < count; i++) {
    int at = i * bits;
    uint32_t word = 0;
    memcpy(&word, bytes + at / 8,
           bits >= 8                     ? (size_t)bits / 8
           : at / 8 < EMU_UNIT_BYTES - 1 ? 2
                                         : 1);
    out[i * stride] = word >> at % 8 & mask;
  }
}

/* Codes of `lines` rows of A, or columns of B, from the `first` on: line_stride and k_stride
 * apart. */
static void gather(uint32_t *codes, int line_stride, int k_stride, const emu_umma_view *v,
                   const emu_cta *cta, emu_type type, int first, int lines, int k) {
  int each = unit_elements(type);
  const uint8_t *memory = cta->shared->bytes - EMU_SHARED_RESERVED;
  for (int line = 0; line < (v->along_k ? lines : k); line++) {
    for (int i = 0; i < (v->along_k ? k : lines); i += each) {
      if (v->along_k) {
        split_unit(codes + line * line_stride + i * k_stride, k_stride,
                   memory + emu_umma_unit(v, first + line, i / each), type);
      } else {
        split_unit(codes + i * line_stride + line * k_stride, line_stride,
                   memory + emu_umma_unit(v, line, (first + i) / each), type);
      }
    }
  }
}

static void gather_tensor_memory(uint32_t *codes, const mma *x, int which) {
  int bits = emu_type_of(x->shape.a)->bits, each = 32 / bits, k = x->shape.k;
  uint32_t mask = bits == 32 ? UINT32_MAX : (UINT32_C(1) << bits) - 1;
  const emu_tmem *memory = x->a_claims[which].memory;
  for (int row = 0; row < cta_rows(x); row++) {
    const uint32_t *words = &memory->cells[lane_of(x, row)][x->a_column];
    for (int i = 0; i < k; i++)
      codes[row * k + i] = words[i / each] >> i % each * bits & mask;
  }
}

static const emu_dot_model *model_of(const mma *x) {
  int arch = x->base.warp->cta->cluster->run->options->arch;
  return emu_dot_find(arch, EMU_UNIT_TCGEN05, x->shape.a, x->shape.d);
}

static void decode(float *value, int16_t *exponent, const mma *x, emu_type type, bool negate,
                   const uint32_t *codes, int count) {
  if (x->shape.d == EMU_S32) {
    emu_operand_decode_integer(value, type, codes, (size_t)count);
  } else {
    emu_dot_decode(model_of(x), value, exponent, type, negate, codes, (size_t)count);
  }
}

static bool load_a(matrices *t, const mma *x) {
  const emu_umma_shape *s = &x->shape;
  int rows = cta_rows(x);
  for (int i = 0; i < facts_of(x)->group; i++) {
    uint32_t *codes = t->codes + i * rows * s->k;
    if (facts_of(x)->a_in_tensor_memory) {
      if (!emu_tmem_written(&x->a_claims[i], GG_E_EMU_UNDEFINED, "A")) return false;
      gather_tensor_memory(codes, x, i);
    } else {
      gather(codes, s->k, 1, &x->a, x->ctas[i], s->a, 0, rows, s->k);
    }
  }
  decode(t->a, t->a_exponent, x, s->a, s->negate_a, t->codes, s->m * s->k);
  return true;
}

/* Columns of B, which in a pair are the first CTA's, then the other's. */
static void load_b(matrices *t, const mma *x, int column, int columns) {
  const emu_umma_shape *s = &x->shape;
  int own = s->n / facts_of(x)->group;
  for (int done = 0; done < columns;) {
    int at = column + done, cta = at / own, left = own - at % own;
    int count = left < columns - done ? left : columns - done;
    gather(t->codes + done, 1, columns, &x->b, x->ctas[cta], s->b, at % own, count, s->k);
    done += count;
  }
  decode(t->b, t->b_exponent, x, s->b, s->negate_b, t->codes, s->k * columns);
}

/* The cell of D of a CTA's row and column of the product. */
static size_t cell_of(const mma *x, int which, int row, int column) {
  const emu_tmem_region *r = &x->d_claims[which].region;
  int lane = lane_of(x, row);
  if (is_folded(x) && column >= r->columns) {
    lane += 64;
    column -= r->columns;
  }
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

static void load_d(matrices *t, const mma *x, int which, int column, int columns) {
  const uint32_t *cells = &x->d_claims[which].memory->cells[0][0];
  int rows = cta_rows(x), scale = facts_of(x)->scale;
  uint32_t mask = x->shape.d == EMU_F16 ? 0xffff : UINT32_MAX;
  if (!x->accumulate) {
    memset(t->d, 0, sizeof t->d);
    return;
  }
  for (int row = 0; row < rows; row++) {
    for (int i = 0; i < columns; i++) {
      uint32_t code = cells[cell_of(x, which, row, column + i)] & mask;
      t->d[row * columns + i] = scale ? scaled(code, x->shape.d, scale) : code;
    }
  }
}

static void store_d(const matrices *t, const mma *x, int which, int column, int columns) {
  emu_tmem *memory = x->d_claims[which].memory;
  const uint32_t *masks = x->masks + which * 4;
  for (int row = 0; row < cta_rows(x); row++) {
    for (int i = 0; i < columns; i++) {
      size_t cell = cell_of(x, which, row, column + i), lane = cell / EMU_TMEM_COLUMNS;
      if (masks[lane / 32] >> lane % 32 & 1) continue;
      (&memory->cells[0][0])[cell] = t->d[row * columns + i];
      (&memory->written[0][0])[cell] = 1;
    }
  }
}

static void multiply(matrices *t, const mma *x, int which, int column, int columns) {
  const emu_umma_shape *s = &x->shape;
  int rows = cta_rows(x), at = which * rows * s->k;
  load_d(t, x, which, column, columns);
  emu_tile tile = {rows, columns,       s->k, false, t->a + at, t->a_exponent + at,
                   t->b, t->b_exponent, t->d};
  if (s->d == EMU_S32) {
    emu_dot_integer(&tile, s->saturate);
  } else {
    emu_dot(model_of(x), &tile);
  }
  store_d(t, x, which, column, columns);
}

static bool compute(const mma *x) {
  matrices t;
  int n = x->shape.n, group = facts_of(x)->group;
  for (int i = 0; i < group && x->accumulate; i++) {
    if (!emu_tmem_written(&x->d_claims[i], GG_E_EMU_UNDEFINED, "D")) return false;
  }
  if (!load_a(&t, x)) return false;
  for (int column = 0; column < n; column += columns_at_once) {
    int columns = n - column < columns_at_once ? n - column : columns_at_once;
    load_b(&t, x, column, columns);
    for (int i = 0; i < group; i++)
      multiply(&t, x, i, column, columns);
  }
  return true;
}

static void release(mma *x, bool done) {
  for (int i = 0; i < 2; i++) {
    emu_tmem_release(&x->d_claims[i], done);
    emu_tmem_release(&x->a_claims[i], done);
  }
}

static bool land(emu_async *async, emu_cluster *cluster) {
  mma *x = (mma *)async;
  (void)cluster;
  bool ok = compute(x);
  release(x, ok);
  return ok;
}

static void drop(emu_async *async) {
  gg_free(async);
}

/* ---- Issue ------------------------------------------------------------------------------ */

static bool read_view(emu_umma_view *out, emu_warp *warp, const emu_op *op, int lane, int operand,
                      const char *name, bool along_k) {
  uint64_t descriptor = emu_lane_value(warp, &op->operands[operand], lane);
  const char *why = emu_umma_view_read(out, descriptor, along_k);
  if (!why) return true;
  emu_fault(warp, op, lane, GG_E_EMU_DESCRIPTOR, "descriptor of %s 0x%016" PRIx64 ": %s", name,
            descriptor, why);
  return false;
}

static bool read_shape(mma *x, emu_warp *warp, const emu_op *op, int lane) {
  const mma_facts *f = op->facts;
  char why[160];
  uint32_t descriptor = (uint32_t)emu_lane_value(warp, &op->operands[AT_INSTRUCTION], lane);
  if (emu_umma_shape_read(&x->shape, why, sizeof why, descriptor, f->kind, f->group)) return true;
  emu_fault(warp, op, lane, GG_E_EMU_DESCRIPTOR, "instruction descriptor 0x%08" PRIx32 ": %s",
            descriptor, why);
  return false;
}

/* A in tensor memory: rows along K, of elements that fill their bytes. */
static bool check_a(const emu_umma_shape *s, emu_warp *warp, const emu_op *op, int lane) {
  if (s->a_along_k && emu_type_of(s->a)->bits >= 8) return true;
  emu_fault(warp, op, lane, GG_E_EMU_DESCRIPTOR, "A in tensor memory %s",
            s->a_along_k ? "of 6 or 4 bits is not emulated" : "is stored along K, not along M");
  return false;
}

static bool read_operands(mma *x, emu_warp *warp, const emu_op *op, int lane) {
  const mma_facts *f = op->facts;
  if (!read_shape(x, warp, op, lane)) return false;
  const emu_umma_shape *s = &x->shape;
  if (f->a_in_tensor_memory && !check_a(s, warp, op, lane)) return false;
  if (!f->a_in_tensor_memory && !read_view(&x->a, warp, op, lane, AT_A, "A", s->a_along_k)) {
    return false;
  }
  if (!read_view(&x->b, warp, op, lane, AT_B, "B", s->b_along_k)) return false;
  x->accumulate = emu_lane_value(warp, &op->operands[AT_ENABLE], lane);
  for (int i = 0; i < f->masks; i++)
    x->masks[i] = (uint32_t)emu_lane_value(warp, &op->operands[AT_MASKS + i], lane);
  return true;
}

static bool add_view(emu_unit_set *set, emu_warp *warp, const emu_op *op, const char *name,
                     const emu_umma_view *v, const emu_cta *cta, emu_type type, int count, int k) {
  int each = unit_elements(type), lines = v->along_k ? count : k;
  int units = ((v->along_k ? k : count) + each - 1) / each;
  for (int line = 0; line < lines; line++) {
    for (int unit = 0; unit < units; unit++) {
      if (!emu_unit_add(set, warp, op, name, cta, emu_umma_unit(v, line, unit))) return false;
    }
  }
  return true;
}

static bool add_reads(emu_unit_set sets[2], const mma *x, emu_warp *warp, const emu_op *op) {
  const mma_facts *f = op->facts;
  const emu_umma_shape *s = &x->shape;
  for (int i = 0; i < f->group; i++) {
    if (!f->a_in_tensor_memory &&
        !add_view(&sets[i], warp, op, "A", &x->a, x->ctas[i], s->a, s->m / f->group, s->k)) {
      return false;
    }
    if (!add_view(&sets[i], warp, op, "B", &x->b, x->ctas[i], s->b, s->n / f->group, s->k)) {
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

static bool hold(mma *x, emu_warp *warp, const emu_op *op, int lane) {
  const mma_facts *f = op->facts;
  uint32_t d = emu_tmem_address(warp, &f->d, lane), a = 0;
  bool half = f->group == 1 && x->shape.m == 64;
  if (f->a_in_tensor_memory) a = emu_tmem_address(warp, &f->a, lane);
  x->d_lane = (int)(d >> 16 & 16);
  x->a_column = (int)(a & 0xffff);
  if (!check_lane(warp, op, lane, "D", d, half) || !check_lane(warp, op, lane, "A", a, half)) {
    return false;
  }
  emu_tmem_region region = d_region(x, (int)(d & 0xffff)), from = region;
  from.column = x->a_column;
  from.columns = a_columns;
  for (int i = 0; i < f->group; i++) {
    emu_tmem *memory =
        x->ctas[i] == warp->cta ? emu_tmem_of(warp, op, f->group) : emu_tmem_of_peer(warp, op);
    if (!memory ||
        !emu_tmem_hold(&x->d_claims[i], memory, &region, true, EMU_TMEM_PIPE, &x->base, "D")) {
      return false;
    }
    if (f->a_in_tensor_memory &&
        !emu_tmem_hold(&x->a_claims[i], memory, &from, false, EMU_TMEM_PIPE, &x->base, "A")) {
      return false;
    }
  }
  return true;
}

static void list_ctas(mma *x, emu_warp *warp, int group) {
  x->ctas[0] = x->ctas[1] = warp->cta;
  for (unsigned i = 0; group == 2 && i < 2; i++)
    x->ctas[i] = &warp->cta->cluster->ctas[(warp->cta->rank & ~1u) + i];
}

/* The work, with what it reads of shared memory; NULL after a fault. */
static mma *prepare(emu_warp *warp, const emu_op *op, int lane, emu_tmem_user *user) {
  const mma_facts *f = op->facts;
  emu_unit_set sets[2] = {{{0}}, {{0}}};
  mma draft = {.base = {.warp = warp,
                        .op = op,
                        .lanes = UINT32_C(1) << lane,
                        .chain = user,
                        .proxy = EMU_PROXY_ASYNC,
                        .agent = user->work[EMU_TMEM_PIPE].agent,
                        .clock = user->work[EMU_TMEM_PIPE].issued + 1,
                        .binds = true,
                        .unit = "tcgen05.mma",
                        .land = land,
                        .drop = drop}};
  list_ctas(&draft, warp, f->group);
  if (!read_operands(&draft, warp, op, lane) || !add_reads(sets, &draft, warp, op)) return NULL;
  uint32_t first = emu_unit_count_spans(&sets[0]), second = emu_unit_count_spans(&sets[1]);
  mma *x = gg_malloc(sizeof *x + (first + second) * sizeof *x->spans);
  if (!x) {
    emu_fault(warp, op, -1, GG_E_MEMORY, " for tcgen05.mma");
    return NULL;
  }
  *x = draft;
  emu_unit_list_spans(x->spans, &sets[0], x->ctas[0]);
  emu_unit_list_spans(x->spans + first, &sets[1], x->ctas[1]);
  x->base.reads = x->spans;
  x->base.read_count = first + second;
  return x;
}

static bool issue(emu_warp *warp, const emu_op *op, int lane) {
  const mma_facts *f = op->facts;
  emu_tmem_user *user = emu_tmem_user_of(warp, op);
  if (!user || !emu_tmem_of(warp, op, f->group)) return false;
  mma *x = prepare(warp, op, lane, user);
  if (!x) return false;
  if (!hold(x, warp, op, lane) || !emu_units_written(warp, op, x->spans, x->base.read_count)) {
    release(x, false);
    gg_free(x);
    return false;
  }
  user->work[EMU_TMEM_PIPE].issued++;
  emu_hazard_moment(warp, &x->base.since);
  emu_counting(warp)->tensor_macs += (uint64_t)x->shape.m * (uint64_t)(x->shape.n * x->shape.k);
  return emu_async_issue(warp->cta->cluster, &x->base);
}

static emu_step run(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  EMU_EACH_LANE(lanes, lane) {
    if (!issue(warp, op, (int)lane)) return EMU_FAULT;
  }
  return EMU_NEXT;
}

/* ---- Decoding --------------------------------------------------------------------------- */

static gg_status take_modifiers(mma_facts *f, emu_decoder *d, gg_error *err) {
  static const char *const kinds[] = {"kind::f16", "kind::tf32", "kind::f8f6f4", "kind::i8", NULL};
  static const char *const uses[] = {"collector::a::fill", "collector::a::use",
                                     "collector::a::lastuse", "collector::a::discard", NULL};
  int arch = emu_decoder_arch(d);
  f->group = emu_take_cta_group(d);
  if (!f->group) return emu_unknown_form(d, err, "it is .cta_group::1 or ::2");
  int kind = emu_take_word(d, kinds);
  if (kind < 0) {
    return emu_unknown_form(d, err, "of kinds f16, tf32, f8f6f4 and i8 are emulated");
  }
  f->kind = (emu_umma_kind)kind;
  if (f->kind == EMU_UMMA_I8 && arch == 103) {
    return emu_unknown_form(d, err, "sm_103 has no kind::i8");
  }
  emu_take_word(d, uses); /* what is kept in the collector changes no result */
  return emu_modifiers_end(d, err);
}

/* The words of disable-output-lane. */
static gg_status take_masks(mma_facts *f, emu_op *op, emu_decoder *d, int index, gg_error *err) {
  int expected = 4 * f->group;
  gg_status st = emu_operand_vector(op->operands + AT_MASKS, &f->masks, masks_most, d, index,
                                    EMU_B32, false, err);
  if (st || f->masks == expected) return st;
  return emu_unknown_form(d, err, "disable-output-lane has %d words, not %d", expected, f->masks);
}

static gg_status take_scale(mma_facts *f, emu_decoder *d, int index, gg_error *err) {
  int64_t value;
  gg_status st = emu_operand_immediate(&value, d, index, err);
  if (st) return st;
  if (value < 0 || value > 15) {
    return emu_unknown_form(d, err, "scale-input-d is %lld; 0 to 15 are allowed", (long long)value);
  }
  if ((f->kind != EMU_UMMA_F16 && f->kind != EMU_UMMA_TF32) || emu_decoder_arch(d) == 110) {
    return emu_unknown_form(d, err, "scale-input-d is of kinds f16 and tf32, of sm_100 and sm_103");
  }
  f->scale = (int)value;
  return GG_OK;
}

/* [d], a or [a], b, instruction {, masks}, enable-d {, scale-input-d}. */
static gg_status take_operands(mma_facts *f, emu_op *op, emu_decoder *d, gg_error *err) {
  const ptx_operand *a = emu_operand_at(d, 1), *masks = emu_operand_at(d, 4);
  int index = 4;
  gg_status st;
  f->a_in_tensor_memory = a && a->kind == PTX_ADDRESS;
  if ((st = emu_operand_tmem(&f->d, d, 0, err))) return st;
  st = f->a_in_tensor_memory ? emu_operand_tmem(&f->a, d, 1, err)
                             : emu_operand_value(&op->operands[AT_A], d, 1, EMU_B64, err);
  if (!st) st = emu_operand_value(&op->operands[AT_B], d, 2, EMU_B64, err);
  if (!st) st = emu_operand_value(&op->operands[AT_INSTRUCTION], d, 3, EMU_B32, err);
  if (!st && masks && masks->kind == PTX_VECTOR) st = take_masks(f, op, d, index++, err);
  if (!st) st = emu_operand_value(&op->operands[AT_ENABLE], d, index++, EMU_PRED, err);
  if (!st && index < emu_operand_count(d)) st = take_scale(f, d, index++, err);
  if (st || index == emu_operand_count(d)) return st;
  return emu_unknown_form(d, err, "it has %d operands, not %d", index, emu_operand_count(d));
}

gg_status emu_decode_tcgen05_mma(emu_op *op, emu_decoder *d, gg_error *err) {
  mma_facts *f = GG_ARENA_NEW(emu_decoder_arena(d), mma_facts);
  if (!f) return gg_fail(err, MEMORY, NULL, "");
  *f = (mma_facts){0};
  op->facts = f;
  op->exec = run;
  gg_status st = take_modifiers(f, d, err);
  if (!st) st = emu_operands_open(op, d, OPERANDS, err);
  return st ? st : take_operands(f, op, d, err);
}
