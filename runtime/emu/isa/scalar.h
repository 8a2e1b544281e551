/* Scalar instructions are rows of tables, which give a form and the loop over lanes that runs it.
 *
 * A row (integer.def, logic.def, float.def, packed.def) names an opcode, its types, the modifiers
 * that it needs and those that it allows, its operands, and the value of one lane as an expression.
 * From it come the form by which an instruction finds its row, and the function that runs it: a
 * plain loop over arrays of 32 lanes, which compilers vectorise. Rows of one opcode are tried in
 * order, so that a common form may stand before the general one. Source: PTX ISA, the section of
 * each opcode. */
#ifndef GG_EMU_ISA_SCALAR_H
#define GG_EMU_ISA_SCALAR_H

#include "emu/machine.h"

/* Bits of modifiers. */
enum emu_modifier {
#define EMU_MODIFIER(word, name, how) EMU_MODIFIER_##name,
#include "emu/isa/modifiers.def"
#undef EMU_MODIFIER
  EMU_MODIFIER_COUNT,
  EMU_MODIFIER_ROUNDED = EMU_MODIFIER_COUNT, /* a rounding mode is there */
};

#define M(name) ((uint64_t)1 << EMU_MODIFIER_##name)
#define T(name) ((uint64_t)1 << EMU_##name)

/* Operands, a letter each, in the order written:
 *   d a  of the type: the destination, a source
 *   D A  of twice its width
 *   U u  of 32 bits
 *   h    of 16 bits
 *   x    of the second type
 *   P p  predicates
 *   y    a byte constant (lop3's table)
 * and past those written:
 *   C    the carry: a mask that the function's instructions share */
typedef struct emu_form {
  const char *opcode;
  uint64_t types, types2; /* bits of emu_type; types2 0: there is no second type */
  uint64_t needs, allows; /* bits of emu_modifier; what is needed is allowed */
  const char *operands;
  emu_exec *exec;
} emu_form;

typedef struct emu_form_table {
  const emu_form *forms;
  size_t count;
} emu_form_table;

/* The rows are compiled once for any host and, where it can be, once for hosts with AVX2 and FMA
 * (meson.build): the same results, several lanes at a time. EMU_ROWS names the tables of the
 * compilation that it stands in. */
#ifdef EMU_WIDE
#define EMU_ROWS(family) emu_##family##_forms_wide
#else
#define EMU_ROWS(family) emu_##family##_forms
#endif

extern const emu_form_table emu_integer_forms, emu_logic_forms, emu_float_forms, emu_packed_forms;
extern const emu_form_table emu_integer_forms_wide, emu_logic_forms_wide, emu_float_forms_wide,
    emu_packed_forms_wide;

/* What a running scalar instruction knows besides its operands. */
typedef struct emu_scalar_facts {
  unsigned how;       /* EMU_RN and the like */
  uint64_t modifiers; /* bits of emu_modifier */
} emu_scalar_facts;

static inline const emu_scalar_facts *emu_facts(const emu_op *op) {
  return op->facts;
}

/* The modifiers that are there, taken; `how` of an operation on floats. Fails with EMU_FORM where
 * two rounding modes are named. */
gg_status emu_take_scalar_modifiers(emu_scalar_facts *out, emu_decoder *d, gg_error *err);

/* Fills `op` from the row that has this opcode, these modifiers and types, and as many operands as
 * are written; EMU_FORM where there is none. */
gg_status emu_decode_row(emu_op *op, emu_decoder *d, const emu_scalar_facts *facts, emu_type type,
                         emu_type type2, gg_error *err);
/* The function of that row alone; NULL where there is none. */
emu_exec *emu_row_exec(const char *opcode, const emu_scalar_facts *facts, emu_type type,
                       emu_type type2, int operands);

/* cvt.rs to four packed numbers: convert_four.c. */
gg_status emu_decode_convert_four(emu_op *op, emu_decoder *d, const emu_scalar_facts *scalar,
                                  emu_type to, emu_type from, gg_error *err);

/* Fails with EMU_FORM unless the instruction has `count` operands. */
gg_status emu_operands_are(emu_decoder *d, int count, gg_error *err);

/* A destination `d` or `d|p`: *count of them. */
gg_status emu_operand_results(emu_operand out[2], int *count, emu_decoder *d, int index,
                              emu_type first, emu_type second, gg_error *err);

/* Room for operands and facts in the module's arena; MEMORY. */
gg_status emu_op_room(emu_op *op, emu_decoder *d, int operands, void **facts, size_t facts_bytes,
                      gg_error *err);

/* A function that runs instructions whose result goes to a sink. */
emu_exec emu_exec_nothing;

/* Iterations of a lane loop do not depend on each other: a lane's result is stored in that lane,
 * and two registers are the same or do not overlap. Clang's code tests that when it runs. */
#if defined(__GNUC__) && !defined(__clang__)
#define EMU_INDEPENDENT _Pragma("GCC ivdep")
#else
#define EMU_INDEPENDENT
#endif

/* Runs `statement` with `i` as each lane of `lanes`. */
#define EMU_LANEWISE(lanes, statement)                                                             \
  if ((lanes) == UINT32_MAX) {                                                                     \
    EMU_INDEPENDENT for (int i = 0; i < EMU_LANES; i++) {                                          \
      statement;                                                                                   \
    }                                                                                              \
  } else {                                                                                         \
    for (int i = 0; i < EMU_LANES; i++) {                                                          \
      if ((lanes) >> i & 1) {                                                                      \
        statement;                                                                                 \
      }                                                                                            \
    }                                                                                              \
  }

/* Functions of a destination and one, two or three sources; `value` is of a, b, c and `how`. */
#define EMU_LANES_1(name, D, A, value)                                                             \
  static emu_step name(emu_warp *warp, const emu_op *op, uint32_t lanes) {                         \
    D *out = EMU_AT(D, warp, &op->operands[0]);                                                    \
    const A *in_a = EMU_AT(A, warp, &op->operands[1]);                                             \
    const unsigned how = emu_facts(op)->how;                                                       \
    (void)how;                                                                                     \
    EMU_LANEWISE(lanes, A a = in_a[i]; out[i] = (D)(value))                                        \
    return EMU_NEXT;                                                                               \
  }

#define EMU_LANES_2(name, D, A, B, value)                                                          \
  static emu_step name(emu_warp *warp, const emu_op *op, uint32_t lanes) {                         \
    D *out = EMU_AT(D, warp, &op->operands[0]);                                                    \
    const A *in_a = EMU_AT(A, warp, &op->operands[1]);                                             \
    const B *in_b = EMU_AT(B, warp, &op->operands[2]);                                             \
    const unsigned how = emu_facts(op)->how;                                                       \
    (void)how;                                                                                     \
    EMU_LANEWISE(lanes, A a = in_a[i]; B b = in_b[i]; out[i] = (D)(value))                         \
    return EMU_NEXT;                                                                               \
  }

#define EMU_LANES_3(name, D, A, B, C, value)                                                       \
  static emu_step name(emu_warp *warp, const emu_op *op, uint32_t lanes) {                         \
    D *out = EMU_AT(D, warp, &op->operands[0]);                                                    \
    const A *in_a = EMU_AT(A, warp, &op->operands[1]);                                             \
    const B *in_b = EMU_AT(B, warp, &op->operands[2]);                                             \
    const C *in_c = EMU_AT(C, warp, &op->operands[3]);                                             \
    const unsigned how = emu_facts(op)->how;                                                       \
    (void)how;                                                                                     \
    EMU_LANEWISE(lanes, A a = in_a[i]; B b = in_b[i]; C c = in_c[i]; out[i] = (D)(value))          \
    return EMU_NEXT;                                                                               \
  }

/* Four sources: bfi. */
#define EMU_LANES_4(name, D, A, B, C, E, value)                                                    \
  static emu_step name(emu_warp *warp, const emu_op *op, uint32_t lanes) {                         \
    D *out = EMU_AT(D, warp, &op->operands[0]);                                                    \
    const A *in_a = EMU_AT(A, warp, &op->operands[1]);                                             \
    const B *in_b = EMU_AT(B, warp, &op->operands[2]);                                             \
    const C *in_c = EMU_AT(C, warp, &op->operands[3]);                                             \
    const E *in_e = EMU_AT(E, warp, &op->operands[4]);                                             \
    EMU_LANEWISE(lanes, A a = in_a[i]; B b = in_b[i]; C c = in_c[i]; E e = in_e[i];                \
                 out[i] = (D)(value))                                                              \
    return EMU_NEXT;                                                                               \
  }

/* Rows whose operands all have the same type, and so the same C type for each lane. */
#define SAME1(name, opcode, types, needs, allows, uint, value)                                     \
  ROW1(name, opcode, types, 0, needs, allows, "da", uint, uint, value)
#define SAME2(name, opcode, types, needs, allows, uint, value)                                     \
  ROW2(name, opcode, types, 0, needs, allows, "daa", uint, uint, uint, value)
#define SAME3(name, opcode, types, needs, allows, uint, value)                                     \
  ROW3(name, opcode, types, 0, needs, allows, "daaa", uint, uint, uint, uint, value)

/* What the table's rows become: first functions, then forms. */
#define EMU_FORM_OF(name, opcode, types, types2, needs, allows, operands)                          \
  {opcode, types, types2, needs, (needs) | (allows), operands, name},

#endif
