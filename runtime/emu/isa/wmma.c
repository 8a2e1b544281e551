/* wmma.mma, and what all wmmas share: shapes and fragments (wmma.h). */
#include "emu/isa/wmma.h"

#include <stdio.h>
#include <string.h>

#include "emu/isa/mma.h"

#define T(type) (UINT64_C(1) << EMU_##type)

enum { quad = 4, side = 8, products_most = 2 };

static const emu_wmma_shape shapes[] = {
#define EMU_WMMA(m, n, k, operands, accumulators, free) {m, n, k, operands, accumulators, free},
#include "emu/isa/wmma.def"
#undef EMU_WMMA
};

const emu_wmma_shape *emu_wmma_find(const char *text, emu_type operand, emu_type accumulator) {
  for (size_t i = 0; text && i < sizeof shapes / sizeof *shapes; i++) {
    const emu_wmma_shape *s = &shapes[i];
    char name[24];
    snprintf(name, sizeof name, "m%dn%dk%d", s->m, s->n, s->k);
    if (strcmp(name, text)) continue;
    if (operand != EMU_NONE && !(s->operands >> operand & 1)) continue;
    if (accumulator == EMU_NONE || s->accumulators >> accumulator & 1) return s;
  }
  return NULL;
}

/* ---- Fragments -------------------------------------------------------------------------- */

/* Whether mma.sync computes the transposed product. */
static bool is_transposed(const emu_wmma_shape *s) {
  return s->m < s->n;
}

static emu_wmma_fragment accumulator_of(const emu_wmma_shape *s, emu_type type) {
  bool transposed = is_transposed(s);
  int bits = emu_type_of(type)->bits;
  emu_wmma_fragment f = {.rows = transposed ? s->n : s->m,
                         .columns = transposed ? s->m : s->n,
                         .accumulator = true,
                         .by_columns = transposed,
                         .bits = bits,
                         .each = bits == 16 ? 2 : 1};
  f.registers = f.own = f.rows * f.columns / f.each / EMU_LANES;
  return f;
}

emu_wmma_fragment emu_wmma_fragment_of(const emu_wmma_shape *s, emu_wmma_role role, emu_type type) {
  if (role == EMU_WMMA_C) return accumulator_of(s, type);
  bool first = role == EMU_WMMA_A;
  int bits = emu_type_of(type)->bits;
  emu_wmma_fragment f = {.rows = first ? s->m : s->n,
                         .columns = s->k,
                         .left = first != is_transposed(s),
                         .by_columns = !first,
                         .bits = bits,
                         .each = bits == 64 ? 1 : 32 / bits};
  f.own = f.rows * f.columns / f.each / EMU_LANES;
  f.registers = type == EMU_F16 ? side : f.own;
  return f;
}

/* Eight rows of four registers' elements each are a block, eight rows of eight columns one of
 * accumulators. mma.sync's A and its accumulators have two blocks of rows, one below the other,
 * before the next block of columns; mma.sync's B goes along the columns first. */
void emu_wmma_element(int *row, int *column, const emu_wmma_fragment *f, int reg, int lane) {
  int width = f->accumulator ? side : quad * f->each, along = f->columns / width;
  int span = f->accumulator && f->each == 1 ? 2 : 1; /* registers that a block has */
  int block = reg % f->own / span, pair = f->rows > side && (f->left || f->accumulator) ? 2 : 1;
  int unit = pair * along, in_unit = block % unit;
  int row_block = block / unit * pair + in_unit % pair, column_block = in_unit / pair;
  *row = row_block * side + lane / quad;
  *column = column_block * width + lane % quad * span * f->each + reg % span;
}

/* ---- wmma.mma --------------------------------------------------------------------------- */

typedef struct product {
  const emu_wmma_shape *shape;
  emu_type a, b, c, d;
} product;

/* .dtype.ctype of f16, or all four. */
static gg_status take_types(product *p, emu_decoder *d, gg_error *err) {
  emu_type types[4];
  int count = 0;
  while (count < 4 && (types[count] = emu_take_type(d)) != EMU_NONE) {
    count++;
  }
  if (count != 2 && count != 4) return emu_unknown_form(d, err, "it has two types, or four");
  p->d = types[0];
  p->a = count == 4 ? types[1] : EMU_F16;
  p->b = count == 4 ? types[2] : EMU_F16;
  p->c = types[count - 1];
  return GG_OK;
}

static gg_status take_modifiers(product *p, emu_mma_facts *f, emu_decoder *d, gg_error *err) {
  bool column[2];
  gg_status st;
  if (!emu_take(d, "sync") || !emu_take(d, "aligned")) {
    return emu_unknown_form(d, err, "it is .sync.aligned");
  }
  if (!emu_take_layouts(column, d)) {
    return emu_unknown_form(d, err, "two layouts, .row or .col, are needed");
  }
  const char *text = emu_take_prefix(d, "m");
  f->saturate = emu_take(d, "satfinite");
  if ((st = take_types(p, d, err))) return st;
  p->shape = emu_wmma_find(text, p->a, p->c);
  f->a = p->a;
  if ((st = emu_take_mma_operation(f, d, err))) return st;
  if ((st = emu_modifiers_end(d, err))) return st;
  if (!p->shape || p->a != p->b || !(p->shape->accumulators >> p->d & 1)) {
    return emu_unknown_form(d, err, "no %s of these types", text ? text : "shape");
  }
  if (!p->shape->free && (column[0] || !column[1])) {
    return emu_unknown_form(d, err, "A is .row and B is .col");
  }
  if (f->saturate && (p->d != EMU_S32 || p->a == EMU_B1)) {
    return emu_unknown_form(d, err, ".satfinite is for integers");
  }
  return GG_OK;
}

/* D, A, B, C; `at` is the first register of each. */
static gg_status take_operands(emu_op *op, int at[4], const product *p, emu_decoder *d,
                               gg_error *err) {
  static const emu_wmma_role roles[] = {EMU_WMMA_C, EMU_WMMA_A, EMU_WMMA_B, EMU_WMMA_C};
  const emu_type types[] = {p->d, p->a, p->b, p->c};
  gg_status st;
  if (emu_operand_count(d) != 4) return emu_unknown_form(d, err, "it has four operands");
  op->operands = GG_ARENA_ARRAY(emu_decoder_arena(d), emu_operand, EMU_MMA_REGISTERS);
  if (!op->operands) return gg_fail(err, MEMORY, NULL, "");
  for (int i = 0; i < 4; i++) {
    emu_wmma_fragment f = emu_wmma_fragment_of(p->shape, roles[i], types[i]);
    emu_type type = types[i] == EMU_F64 ? EMU_F64 : EMU_B32;
    if ((st = emu_take_registers(op, &at[i], d, i, f.registers, type, err))) return st;
  }
  return GG_OK;
}

/* The products of mma.sync that it is; f[0] has what all share. */
static void make_products(emu_mma_facts *f, const product *p, const int at[4]) {
  const emu_wmma_shape *s = p->shape;
  bool transposed = is_transposed(s);
  int rows = transposed ? s->n : s->m, columns = transposed ? s->m : s->n;
  f->m = rows < 2 * side ? rows : 2 * side;
  f->steps = p->a == EMU_TF32 ? 2 : 1; /* of k 4, as the hardware has it */
  f->k = s->k / f->steps;
  f->b = p->b;
  f->c = p->c;
  f->d = p->d;
  f->products = rows / f->m * (columns / side);
  for (int i = 0; i < f->products; i++) {
    bool below = rows > f->m;
    f[i] = *f;
    f[i].d_at = at[0] + i * emu_mma_registers(p->d, f->m * side);
    f[i].c_at = at[3] + i * emu_mma_registers(p->c, f->m * side);
    f[i].a_at = at[transposed ? 2 : 1] + (below ? i * emu_mma_registers(p->a, f->m * s->k) : 0);
    f[i].b_at = at[transposed ? 1 : 2] + (below ? 0 : i * emu_mma_registers(p->a, side * s->k));
  }
}

static gg_status decode_mma(emu_op *op, emu_decoder *d, gg_error *err) {
  product p = {0};
  int at[4];
  gg_status st;
  emu_mma_facts *f = GG_ARENA_ARRAY(emu_decoder_arena(d), emu_mma_facts, products_most);
  if (!f) return gg_fail(err, MEMORY, NULL, "");
  *f = (emu_mma_facts){0};
  if ((st = take_modifiers(&p, f, d, err))) return st;
  bool wide = p.c == EMU_F32 || p.d == EMU_F32;
  f->model = emu_dot_find(emu_decoder_arch(d), EMU_UNIT_MMA, p.a, wide ? EMU_F32 : p.d);
  if ((st = take_operands(op, at, &p, d, err))) return st;
  make_products(f, &p, at);
  op->facts = f;
  op->kind = EMU_KIND_MMA;
  op->converges = true;
  op->exec = p.a == EMU_F64 ? emu_mma_f64 : p.a == EMU_B1 ? emu_mma_bits : emu_mma_products;
  return GG_OK;
}

gg_status emu_decode_wmma(emu_op *op, emu_decoder *d, gg_error *err) {
  if (emu_take(d, "mma")) return decode_mma(op, d, err);
  if (emu_take(d, "load")) return emu_decode_wmma_load(op, d, err);
  if (emu_take(d, "store")) return emu_decode_wmma_store(op, d, err);
  return emu_unknown_form(d, err, "it is load, store or mma");
}
