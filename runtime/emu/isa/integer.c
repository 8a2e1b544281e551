/* Integer arithmetic: the functions and forms of integer.def.
 *
 * The carry (CC.CF) is a mask of lanes, one for each function: PTX keeps it neither across calls
 * nor across branches. After sub.cc it is the borrow. */
#include "emu/number/integer.h"
#include "emu/isa/scalar.h"

typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;

typedef struct emu_sum {
  u64 value;
  bool carry;
} emu_sum;

static inline emu_sum emu_sum_64(u64 a, u64 b, bool in) {
  u64 partial = a + b, value = partial + in;
  return (emu_sum){value, partial < a || value < partial};
}

static inline emu_sum emu_sum_32(u32 a, u32 b, bool in) {
  u64 value = (u64)a + b + in;
  return (emu_sum){(u32)value, value >> 32 != 0};
}

static inline emu_sum emu_difference_64(u64 a, u64 b, bool in) {
  return (emu_sum){a - b - in, a < b || (a == b && in)};
}

static inline emu_sum emu_difference_32(u32 a, u32 b, bool in) {
  return (emu_sum){(u32)(a - b - in), a < b || (a == b && in)};
}

/* Computes `sum` for each lane; the destination may be a source. */
#define EMU_CARRY_LOOP(uint, carry_index, load, sum)                                               \
  uint *out = EMU_AT(uint, warp, &op->operands[0]);                                                \
  u32 *carry = EMU_AT(u32, warp, &op->operands[carry_index]);                                      \
  u32 carries = 0;                                                                                 \
  for (int i = 0; i < EMU_LANES; i++) {                                                            \
    if (!(lanes >> i & 1)) continue;                                                               \
    load;                                                                                          \
    bool in = *carry >> i & 1;                                                                     \
    (void)in;                                                                                      \
    emu_sum result = sum;                                                                          \
    if (!op->operands[0].sink) out[i] = (uint)result.value;                                        \
    carries |= (u32)result.carry << i;                                                             \
  }                                                                                                \
  if (emu_facts(op)->modifiers & M(CC)) *carry = (*carry & ~lanes) | carries;                      \
  return EMU_NEXT;

#define CARRY2(name, opcode, types, needs, allows, uint, sum)                                      \
  static emu_step name(emu_warp *warp, const emu_op *op, uint32_t lanes) {                         \
    const uint *in_a = EMU_AT(uint, warp, &op->operands[1]);                                       \
    const uint *in_b = EMU_AT(uint, warp, &op->operands[2]);                                       \
    EMU_CARRY_LOOP(uint, 3, uint a = in_a[i]; uint b = in_b[i], sum)                               \
  }
#define CARRY3(name, opcode, types, needs, allows, uint, sum)                                      \
  static emu_step name(emu_warp *warp, const emu_op *op, uint32_t lanes) {                         \
    const uint *in_a = EMU_AT(uint, warp, &op->operands[1]);                                       \
    const uint *in_b = EMU_AT(uint, warp, &op->operands[2]);                                       \
    const uint *in_c = EMU_AT(uint, warp, &op->operands[3]);                                       \
    EMU_CARRY_LOOP(uint, 4, uint a = in_a[i]; uint b = in_b[i]; uint c = in_c[i], sum)             \
  }
#include "emu/isa/rows.h"

#include "emu/isa/integer.def"
#undef CARRY2
#undef CARRY3

#define CARRY2(name, opcode, types, needs, allows, uint, sum)                                      \
  EMU_FORM_OF(name, opcode, types, 0, needs, allows, "daaC")
#define CARRY3(name, opcode, types, needs, allows, uint, sum)                                      \
  EMU_FORM_OF(name, opcode, types, 0, needs, allows, "daaaC")
#include "emu/isa/rows.h"
static const emu_form forms[] = {
#include "emu/isa/integer.def"
};

const emu_form_table EMU_ROWS(integer) = {forms, sizeof forms / sizeof *forms};
