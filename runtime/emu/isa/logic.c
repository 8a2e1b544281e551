/* Logic, shifts, bit fields and selections: the functions and forms of logic.def. */
#include "emu/isa/scalar.h"
#include "emu/number/float.h"
#include "emu/number/integer.h"

typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;

/* bfind.shiftamt: how far left the bit found has to go; 0xffffffff where there is none. */
static inline u32 shift_amount(u32 position, u32 top) {
  return position == UINT32_MAX ? position : top - position;
}

#define MASK1(name, opcode, operand_letters, value)                                                \
  static emu_step name(emu_warp *warp, const emu_op *op, uint32_t lanes) {                         \
    u32 a = emu_predicate(warp, &op->operands[1]);                                                 \
    emu_set_predicate(warp, &op->operands[0], lanes, value);                                       \
    return EMU_NEXT;                                                                               \
  }
#define MASK2(name, opcode, operand_letters, value)                                                \
  static emu_step name(emu_warp *warp, const emu_op *op, uint32_t lanes) {                         \
    u32 a = emu_predicate(warp, &op->operands[1]), b = emu_predicate(warp, &op->operands[2]);      \
    emu_set_predicate(warp, &op->operands[0], lanes, value);                                       \
    return EMU_NEXT;                                                                               \
  }
#define SELECT(name, opcode, types, operand_letters, uint)                                         \
  static emu_step name(emu_warp *warp, const emu_op *op, uint32_t lanes) {                         \
    uint *out = EMU_AT(uint, warp, &op->operands[0]);                                              \
    const uint *in_a = EMU_AT(uint, warp, &op->operands[1]);                                       \
    const uint *in_b = EMU_AT(uint, warp, &op->operands[2]);                                       \
    const u32 chosen = emu_predicate(warp, &op->operands[3]);                                      \
    EMU_LANEWISE(lanes, uint a = in_a[i]; uint b = in_b[i]; out[i] = chosen >> i & 1 ? a : b)      \
    return EMU_NEXT;                                                                               \
  }
#include "emu/isa/rows.h"

#include "emu/isa/logic.def"
#undef MASK1
#undef MASK2
#undef SELECT

#define MASK1(name, opcode, operands, value) EMU_FORM_OF(name, opcode, T(PRED), 0, 0, 0, operands)
#define MASK2                                MASK1
#define SELECT(name, opcode, types, operands, uint)                                                \
  EMU_FORM_OF(name, opcode, types, 0, 0, 0, operands)
#include "emu/isa/rows.h"
static const emu_form forms[] = {
#include "emu/isa/logic.def"
};

const emu_form_table EMU_ROWS(logic) = {forms, sizeof forms / sizeof *forms};
