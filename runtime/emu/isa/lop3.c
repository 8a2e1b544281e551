/* lop3: any function of three bits, and a predicate of what comes out. Source: PTX ISA, "lop3". */
#include "emu/isa/scalar.h"
#include "emu/number/integer.h"

typedef uint32_t u32;

typedef struct lop3_facts {
  unsigned table;
  bool both;      /* .and; else .or */
  bool predicate; /* d|p */
} lop3_facts;

/* Operands: d, a, b, c; then p and q of lop3.BoolOp. */
static emu_step run_lop3(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  const lop3_facts *facts = op->facts;
  const u32 *in_a = EMU_AT(u32, warp, &op->operands[1]);
  const u32 *in_b = EMU_AT(u32, warp, &op->operands[2]);
  const u32 *in_c = EMU_AT(u32, warp, &op->operands[3]);
  const unsigned table = facts->table;
  u32 result[EMU_LANES], set = 0;
  for (int i = 0; i < EMU_LANES; i++) {
    result[i] = emu_lop3(in_a[i], in_b[i], in_c[i], table);
  }
  if (!op->operands[0].sink) {
    u32 *out = EMU_AT(u32, warp, &op->operands[0]);
    EMU_LANEWISE(lanes, out[i] = result[i])
  }
  if (!facts->predicate) return EMU_NEXT;
  for (int i = 0; i < EMU_LANES; i++) {
    set |= (u32)(result[i] != 0) << i;
  }
  u32 q = emu_predicate(warp, &op->operands[5]);
  emu_set_predicate(warp, &op->operands[4], lanes, facts->both ? set & q : set | q);
  return EMU_NEXT;
}

/* lop3.b32 d, a, b, c, table; lop3.{or,and}.b32 d|p, a, b, c, table, q. */
gg_status emu_decode_lop3(emu_op *op, emu_decoder *d, gg_error *err) {
  static const char *const operations[] = {"or", "and", NULL};
  gg_status st;
  int operation = emu_take_word(d, operations);
  if (emu_take_type(d) != EMU_B32) return emu_unknown_form(d, err, "its type is .b32");
  if ((st = emu_modifiers_end(d, err))) return st;
  bool predicate = operation >= 0;
  int64_t table;
  emu_operand results[2];
  int result_count;
  void *facts;
  if ((st = emu_operands_are(d, predicate ? 6 : 5, err))) return st;
  if ((st = emu_operand_immediate(&table, d, 4, err))) return st;
  if (table < 0 || table > 255) return emu_unknown_form(d, err, "its table has 8 bits");
  if ((st = emu_op_room(op, d, 6, &facts, sizeof(lop3_facts), err))) return st;
  if ((st = emu_operand_results(results, &result_count, d, 0, EMU_B32, EMU_PRED, err))) return st;
  if (result_count != 1 + predicate) {
    return emu_unknown_form(d, err, "d|p goes with .or or .and, and d without");
  }
  op->operands[0] = results[0];
  for (int i = 1; i <= 3; i++) {
    if ((st = emu_operand_value(&op->operands[i], d, i, EMU_B32, err))) return st;
  }
  if (predicate) {
    op->operands[4] = results[1];
    if ((st = emu_operand_value(&op->operands[5], d, 5, EMU_PRED, err))) return st;
  }
  *(lop3_facts *)facts = (lop3_facts){(unsigned)table, operation == 1, predicate};
  op->kind = EMU_KIND_INTEGER;
  op->exec = run_lop3;
  return GG_OK;
}
