/* mma.sync and mma.sp: decoding (PTX ISA, "Warp Level Matrix Multiply-Accumulate Instructions"). */
#include "emu/isa/mma.h"

#include <stdlib.h>
#include <string.h>

#define T(type) (UINT64_C(1) << EMU_##type)

#define NARROW (T(E4M3) | T(E5M2) | T(E2M3) | T(E3M2) | T(E2M1))

typedef struct shape {
  emu_mma_kind kind;
  int rows, k;
  uint64_t operands, accumulators; /* bits of emu_type */
  bool sparse;
  int arch;
} shape;

static const shape shapes[] = {
#define EMU_MMA(rows, k, operands, accumulators, sparse, arch)                                     \
  {EMU_MMA_PLAIN, rows, k, operands, accumulators, sparse, arch},
#define EMU_MMA_KIND(kind, k, operands, accumulators, sparse)                                      \
  {EMU_MMA_##kind, EMU_MMA_ROWS, k, operands, accumulators, sparse, 120},
#include "emu/isa/mma.def"
#undef EMU_MMA
#undef EMU_MMA_KIND
};

static bool has(uint64_t types, emu_type type) {
  return type != EMU_NONE && types >> type & 1;
}

static const shape *find_shape(const emu_mma_facts *f, int arch) {
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
    const shape *s = &shapes[i];
    if (s->kind == f->kind && s->rows == f->m && s->k == f->k && s->sparse == f->sparse &&
        s->arch <= arch && has(s->operands, f->a) && has(s->operands, f->b) &&
        has(s->accumulators, f->c) && has(s->accumulators, f->d)) {
      return s;
    }
  }
  return NULL;
}

/* m8n8k4 of f16, which is four products of quads of lanes. */
static bool is_quadpair(const emu_mma_facts *f) {
  return f->m == 8 && f->k == 4 && f->a == EMU_F16;
}

/* ---- Modifiers -------------------------------------------------------------------------- */

static bool take_shape(emu_mma_facts *f, emu_decoder *d) {
  static const struct {
    const char *prefix;
    int rows;
  } prefixes[] = {{"m16n8k", 16}, {"m8n8k", 8}};
  for (int i = 0; i < 2; i++) {
    const char *text = emu_take_prefix(d, prefixes[i].prefix);
    if (text) {
      f->m = prefixes[i].rows;
      f->k = atoi(text + strlen(prefixes[i].prefix));
      return true;
    }
  }
  return false;
}

bool emu_take_layouts(bool column[2], emu_decoder *d) {
  const ptx_form *form = emu_decoder_ptx(d)->form;
  int count = 0;
  for (uint32_t i = 0; i < form->modifier_count; i++) {
    bool is_column = !strcmp(form->modifiers[i], "col");
    if (!is_column && strcmp(form->modifiers[i], "row")) continue;
    if (count == 2 || !emu_take(d, form->modifiers[i])) return false;
    column[count++] = is_column;
  }
  return count == 2;
}

gg_status emu_take_mma_operation(emu_mma_facts *f, emu_decoder *d, gg_error *err) {
  static const char *const operations[] = {"and", "xor", NULL};
  static const char *const roundings[] = {"rn", "rz", "rm", "rp", NULL}; /* EMU_RN and on */
  if (f->a == EMU_F64) {
    int rounding = emu_take_word(d, roundings);
    if (rounding > 0) f->rounding = (unsigned)rounding;
  }
  if (f->a != EMU_B1) return GG_OK;
  int operation = emu_take_word(d, operations);
  if (operation < 0 || !emu_take(d, "popc")) {
    return emu_unknown_form(d, err, "bits take .and.popc or .xor.popc");
  }
  f->exclusive = operation == 1;
  return GG_OK;
}

static gg_status take_modifiers(emu_mma_facts *f, emu_decoder *d, gg_error *err) {
  gg_status st;
  bool ordered = emu_take(d, "sp::ordered_metadata");
  f->sparse = ordered || emu_take(d, "sp");
  if (!emu_take(d, "sync") || !emu_take(d, "aligned")) {
    return emu_unknown_form(d, err, "it is .sync.aligned");
  }
  if (!take_shape(f, d)) return emu_unknown_form(d, err, "its shape is missing or not known");
  bool column[2];
  if (!emu_take_layouts(column, d)) {
    return emu_unknown_form(d, err, "two layouts, .row or .col, are needed");
  }
  f->a_column = column[0];
  f->b_column = column[1];
  f->saturate = emu_take(d, "satfinite");
  f->d = emu_take_type(d);
  f->a = emu_take_type(d);
  f->b = emu_take_type(d);
  f->c = emu_take_type(d);
  if ((st = emu_take_mma_kind(f, d, err))) return st;
  f->scale.type = emu_take_type(d);
  if ((st = emu_take_mma_operation(f, d, err))) return st;
  if ((st = emu_modifiers_end(d, err))) return st;
  if (!find_shape(f, emu_decoder_arch(d))) {
    return emu_unknown_form(d, err, "sm_%d has no m%dn8k%d of these types", emu_decoder_arch(d),
                            f->m, f->k);
  }
  if (!emu_mma_scale_fits(f)) {
    return emu_unknown_form(d, err, "the scale factors are ue8m0, of mxf4nvf4 with four ue4m3");
  }
  if (f->sparse && f->kind && !ordered) {
    return emu_unknown_form(d, err, "with .kind it is .sp::ordered_metadata");
  }
  bool quadpair = is_quadpair(f);
  if (quadpair ? f->d == EMU_F16 && f->c != EMU_F16 : f->d != f->c) {
    return emu_unknown_form(d, err, "D and C are of one type");
  }
  if (!quadpair && (f->a_column || !f->b_column)) {
    return emu_unknown_form(d, err, "A is .row and B is .col");
  }
  if (f->saturate && (f->d != EMU_S32 || f->a == EMU_B1)) {
    return emu_unknown_form(d, err, ".satfinite is for integers");
  }
  f->sparsity = (emu_sparsity){.type = emu_mma_stored(f, f->a), .k = f->k, .ordered = ordered};
  return GG_OK;
}

/* ---- Operands --------------------------------------------------------------------------- */

int emu_mma_registers(emu_type type, int elements) {
  int bits = emu_type_of(type)->bits;
  return elements * bits / EMU_LANES / (bits == 64 ? 64 : 32);
}

gg_status emu_take_registers(emu_op *op, int *at, emu_decoder *d, int index, int count,
                             emu_type type, gg_error *err) {
  int written;
  emu_operand *out = op->operands + op->operand_count;
  gg_status st = emu_operand_vector(out, &written, count, d, index, type, index == 0, err);
  if (st) return st;
  if (written != count) {
    return emu_unknown_form(d, err, "operand %d has %d registers, not %d", index + 1, count,
                            written);
  }
  *at = op->operand_count;
  op->operand_count = (uint16_t)(op->operand_count + count);
  return GG_OK;
}

static gg_status take_metadata(emu_op *op, emu_mma_facts *f, emu_decoder *d, gg_error *err) {
  int64_t selector;
  int count;
  gg_status st;
  f->metadata_at = op->operand_count++;
  st = emu_operand_vector(&op->operands[f->metadata_at], &count, 1, d, 4, EMU_B32, false, err);
  if (st) return st;
  if ((st = emu_operand_immediate(&selector, d, 5, err))) return st;
  int most = emu_sparse_selectors(f->sparsity.type, f->k);
  if (selector < 0 || selector > most) {
    return emu_unknown_form(d, err, "the sparsity selector is %lld; 0 to %d are allowed",
                            (long long)selector, most);
  }
  f->sparsity.selector = (int)selector;
  return GG_OK;
}

static gg_status take_operands(emu_op *op, emu_mma_facts *f, emu_decoder *d, gg_error *err) {
  int plain = f->sparse ? 6 : 4, written = plain + (f->scale.count ? 4 : 0);
  int each = is_quadpair(f) ? 4 : 1; /* every quad pair has a product of its own */
  emu_type words = f->a == EMU_F64 ? EMU_F64 : EMU_B32;
  emu_type a = emu_mma_stored(f, f->a), b = emu_mma_stored(f, f->b);
  const struct {
    int *at, count;
    emu_type type;
  } wants[] = {
      {&f->d_at, emu_mma_registers(f->d, each * f->m * EMU_MMA_N),
       f->d == EMU_F16 ? EMU_B32 : f->d},
      {&f->a_at, emu_mma_registers(a, each * f->m * f->k / (f->sparse ? 2 : 1)), words},
      {&f->b_at, emu_mma_registers(b, each * f->k * EMU_MMA_N), words},
      {&f->c_at, emu_mma_registers(f->c, each * f->m * EMU_MMA_N),
       f->c == EMU_F16 ? EMU_B32 : f->c},
  };
  gg_status st;
  if (emu_operand_count(d) != written) {
    return emu_unknown_form(d, err, "it has %d operands, not %d", written, emu_operand_count(d));
  }
  op->operands = GG_ARENA_ARRAY(emu_decoder_arena(d), emu_operand, EMU_MMA_REGISTERS);
  if (!op->operands) return gg_fail(err, MEMORY, NULL, "");
  for (int i = 0; i < 4; i++) {
    if ((st = emu_take_registers(op, wants[i].at, d, i, wants[i].count, wants[i].type, err))) {
      return st;
    }
  }
  st = f->sparse ? take_metadata(op, f, d, err) : GG_OK;
  return st || !f->scale.count ? st : emu_take_mma_scales(op, f, d, plain, err);
}

static emu_exec *exec_of(const emu_mma_facts *f) {
  if (is_quadpair(f)) return emu_mma_quadpair;
  if (f->a == EMU_F64) return emu_mma_f64;
  if (f->a == EMU_B1) return emu_mma_bits;
  return emu_mma_products;
}

gg_status emu_decode_mma(emu_op *op, emu_decoder *d, gg_error *err) {
  gg_status st;
  emu_mma_facts *f = GG_ARENA_NEW(emu_decoder_arena(d), emu_mma_facts);
  if (!f) return gg_fail(err, MEMORY, NULL, "");
  *f = (emu_mma_facts){.products = 1, .steps = 1};
  if ((st = take_modifiers(f, d, err))) return st;
  if ((st = take_operands(op, f, d, err))) return st;
  static const emu_dot_unit units[] = {[EMU_MMA_PLAIN] = EMU_UNIT_MMA,
                                       [EMU_MMA_F8F6F4] = EMU_UNIT_MMA,
                                       [EMU_MMA_MXF8F6F4] = EMU_UNIT_MXF8F6F4,
                                       [EMU_MMA_MXF4] = EMU_UNIT_MXF4};
  emu_dot_unit unit = is_quadpair(f) ? EMU_UNIT_QUADPAIR : units[f->kind];
  f->model = emu_dot_find(emu_decoder_arch(d), unit, f->a, f->d);
  if (!f->model && (is_quadpair(f) || (exec_of(f) == emu_mma_products && f->d != EMU_S32))) {
    return emu_unknown_form(d, err, "the arithmetic of sm_%d is not known", emu_decoder_arch(d));
  }
  op->facts = f;
  op->kind = EMU_KIND_MMA;
  op->converges = true;
  op->exec = exec_of(f);
  return GG_OK;
}
