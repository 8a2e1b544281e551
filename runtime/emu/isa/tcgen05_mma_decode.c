/* tcgen05.mma: modifiers and operands of its forms. */
#include <stdio.h>

#include "emu/async/modifiers.h"
#include "emu/isa/tcgen05_mma.h"

/* How many scale factors a row of A has, as ptxas takes it. */
static gg_status take_factors(emu_tcgen05_facts *f, emu_decoder *d, gg_error *err) {
  static const char *const words[] = {"scale_vec::1X", "scale_vec::2X", "scale_vec::4X",
                                      "block16",       "block32",       NULL};
  static const int of_f8[] = {1, 0, 0, 0, 1}, of_mxf4[] = {0, 2, 0, 0, 2},
                   of_nvf4[] = {0, 2, 4, 4, 2};
  bool scales = emu_take(d, "block_scale");
  if (scales != (f->kind >= EMU_UMMA_MXF8F6F4)) {
    return emu_unknown_form(d, err,
                            scales ? "the kind has no scale factors" : "the kind is .block_scale");
  }
  if (!scales) return GG_OK;
  int word = emu_take_word(d, words);
  if (f->kind == EMU_UMMA_MXF8F6F4) f->factors = word < 0 ? 1 : of_f8[word];
  if (f->kind == EMU_UMMA_MXF4) f->factors = word < 0 ? 2 : of_mxf4[word];
  if (f->kind == EMU_UMMA_MXF4NVF4) f->factors = word < 0 ? 0 : of_nvf4[word];
  if (f->factors) return GG_OK;
  return emu_unknown_form(d, err,
                          "kind::mxf8f6f4 is .scale_vec::1X or .block32, kind::mxf4 ::2X or "
                          ".block32, kind::mxf4nvf4 one of ::2X, ::4X, .block16 and .block32");
}

/* .collector::b0::fill and the like: what is kept in the collector changes no result. */
static void take_b_use(emu_decoder *d) {
  static const char *const uses[] = {"fill", "use", "lastuse", "discard"};
  for (int i = 0; i < 16; i++) {
    char word[32];
    snprintf(word, sizeof word, "collector::b%d::%s", i / 4, uses[i % 4]);
    if (emu_take(d, word)) return;
  }
}

static gg_status take_modifiers(emu_tcgen05_facts *f, emu_decoder *d, gg_error *err) {
  static const char *const kinds[] = {"kind::f16",      "kind::tf32", "kind::f8f6f4",   "kind::i8",
                                      "kind::mxf8f6f4", "kind::mxf4", "kind::mxf4nvf4", NULL};
  static const char *const uses[] = {"collector::a::fill", "collector::a::use",
                                     "collector::a::lastuse", "collector::a::discard", NULL};
  f->ws = emu_take(d, "ws");
  f->sparse = emu_take(d, "sp");
  int arch = emu_decoder_arch(d);
  f->group = emu_take_cta_group(d);
  if (!f->group) return emu_unknown_form(d, err, "it is .cta_group::1 or ::2");
  if (f->ws && f->group != 1) return emu_unknown_form(d, err, ".ws is .cta_group::1");
  int kind = emu_take_word(d, kinds);
  if (kind < 0) {
    return emu_unknown_form(d, err, "kinds are f16, tf32, f8f6f4, i8, mxf8f6f4, mxf4 and mxf4nvf4");
  }
  f->kind = (emu_umma_kind)kind;
  if (f->kind == EMU_UMMA_I8 && arch == 103) {
    return emu_unknown_form(d, err, "sm_103 has no kind::i8");
  }
  if (f->ws && f->kind > EMU_UMMA_I8) {
    return emu_unknown_form(d, err, "kinds of .ws are f16, tf32, f8f6f4 and i8");
  }
  gg_status st = take_factors(f, d, err);
  if (st) return st;
  if (f->ws) {
    take_b_use(d);
    return emu_modifiers_end(d, err);
  }
  int use = emu_take_word(d, uses); /* what is kept in the collector changes no result */
  f->shifts = emu_take(d, "ashift");
  if (f->shifts && (f->factors || use == 0 || use == 1)) {
    return emu_unknown_form(d, err,
                            ".ashift is without scale factors and .collector::a::fill or ::use");
  }
  return emu_modifiers_end(d, err);
}

/* The words of disable-output-lane. */
static gg_status take_masks(emu_tcgen05_facts *f, emu_op *op, emu_decoder *d, int index,
                            gg_error *err) {
  int expected = 4 * f->group;
  gg_status st = emu_operand_vector(op->operands + EMU_TCGEN05_MASKS, &f->masks,
                                    EMU_TCGEN05_MASKS_MOST, d, index, EMU_B32, false, err);
  if (st || f->masks == expected) return st;
  return emu_unknown_form(d, err, "disable-output-lane has %d words, not %d", expected, f->masks);
}

static gg_status take_scale(emu_tcgen05_facts *f, emu_decoder *d, int index, gg_error *err) {
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

/* [d], a or [a], b, instruction {, masks}, enable-d {, scale-input-d}, or with scale factors [d],
 * a or [a], b, instruction, [a's], [b's], enable-d; .ws: [d], a or [a], b, instruction, enable-d
 * {, zero-column mask}. With .sp [metadata] follows b. */
static gg_status take_operands(emu_tcgen05_facts *f, emu_op *op, emu_decoder *d, gg_error *err) {
  const ptx_operand *a = emu_operand_at(d, 1), *masks = emu_operand_at(d, 4 + f->sparse);
  int index = 3;
  gg_status st;
  f->a_in_tensor_memory = a && a->kind == PTX_ADDRESS;
  if (f->shifts && !f->a_in_tensor_memory) {
    return emu_unknown_form(d, err, "with .ashift A is in tensor memory");
  }
  if ((st = emu_operand_tmem(&f->d, d, 0, err))) return st;
  st = f->a_in_tensor_memory ? emu_operand_tmem(&f->a, d, 1, err)
                             : emu_operand_value(&op->operands[EMU_TCGEN05_A], d, 1, EMU_B64, err);
  if (!st) st = emu_operand_value(&op->operands[EMU_TCGEN05_B], d, 2, EMU_B64, err);
  if (!st && f->sparse) st = emu_operand_tmem(&f->metadata, d, index++, err);
  if (!st) st = emu_operand_value(&op->operands[EMU_TCGEN05_INSTRUCTION], d, index++, EMU_B32, err);
  if (!st && f->factors) {
    st = emu_operand_tmem(&f->a_scale, d, index++, err);
    if (!st) st = emu_operand_tmem(&f->b_scale, d, index++, err);
  } else if (!st && !f->ws && masks && masks->kind == PTX_VECTOR) {
    st = take_masks(f, op, d, index++, err);
  }
  if (!st) st = emu_operand_value(&op->operands[EMU_TCGEN05_ENABLE], d, index++, EMU_PRED, err);
  bool more = !st && !f->factors && index < emu_operand_count(d);
  f->zeros = more && f->ws;
  if (f->zeros) {
    st = emu_operand_value(&op->operands[EMU_TCGEN05_MASKS], d, index++, EMU_B64, err);
  } else if (more) {
    st = take_scale(f, d, index++, err);
  }
  if (st || index == emu_operand_count(d)) return st;
  return emu_unknown_form(d, err, "it has %d operands, not %d", index, emu_operand_count(d));
}

gg_status emu_decode_tcgen05_mma(emu_op *op, emu_decoder *d, gg_error *err) {
  emu_tcgen05_facts *f = GG_ARENA_NEW(emu_decoder_arena(d), emu_tcgen05_facts);
  if (!f) return gg_fail(err, MEMORY, NULL, "");
  *f = (emu_tcgen05_facts){0};
  op->facts = f;
  op->exec = emu_run_tcgen05_mma;
  gg_status st = take_modifiers(f, d, err);
  if (!st) st = emu_operands_open(op, d, EMU_TCGEN05_OPERANDS, err);
  return st ? st : take_operands(f, op, d, err);
}
