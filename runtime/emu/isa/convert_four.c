/* cvt.rs of four numbers: .e4m3x4, .e5m2x4, .e2m3x4, .e3m2x4 and .e2m1x4 from .f32, rounded up at
 * random (PTX ISA, "cvt").
 *
 * d, {a, b, e, f}, random: a comes to the upper end of d. Two numbers share 16 random bits: of
 * bytes e and f have the lower half and a and b the upper one; of .e2m1 e and f have the low byte
 * of each half, a and b the high byte of each. They are added below the last bit that is kept. */
#include "emu/isa/scalar.h"
#include "emu/number/soft.h"

enum { numbers = 4, random_bits = 16 };

typedef struct four_facts {
  const emu_format *to;
  unsigned how;
  int bits; /* from one number to the next in d */
} four_facts;

static const emu_format *format_of(emu_type type) {
  switch (type) {
  case EMU_E4M3X4:
    return &emu_e4m3;
  case EMU_E5M2X4:
    return &emu_e5m2;
  case EMU_E2M3X4:
    return &emu_e2m3;
  case EMU_E3M2X4:
    return &emu_e3m2;
  case EMU_E2M1X4:
    return &emu_e2m1;
  default:
    return NULL;
  }
}

/* The random bits of e and f, or of a and b. */
static uint32_t random_of(const four_facts *facts, uint32_t random, bool upper) {
  if (facts->bits == 8) return upper ? random >> 16 : random & 0xffff;
  uint32_t bytes = upper ? random >> 8 : random;
  return (bytes & 0xff) | (bytes >> 8 & 0xff00);
}

static emu_step run_four(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  const four_facts *facts = op->facts;
  const uint32_t *random = EMU_AT(const uint32_t, warp, &op->operands[numbers + 1]);
  uint32_t result[EMU_LANES] = {0};
  for (int i = 0; i < numbers; i++) {
    const uint32_t *from = EMU_AT(const uint32_t, warp, &op->operands[1 + i]);
    for (int lane = 0; lane < EMU_LANES; lane++) {
      emu_real x = emu_real_unpack(&emu_f32, from[lane], false);
      uint32_t bits = random_of(facts, random[lane], i < 2);
      uint64_t code = emu_real_pack_random(facts->to, x, facts->how, bits, random_bits);
      result[lane] |= (uint32_t)code << (numbers - 1 - i) * facts->bits;
    }
  }
  for (int lane = 0; lane < EMU_LANES; lane++) {
    if (!(lanes >> lane & 1)) continue;
    if (facts->bits == 8) {
      EMU_AT(uint32_t, warp, &op->operands[0])[lane] = result[lane];
    } else {
      EMU_AT(uint16_t, warp, &op->operands[0])[lane] = (uint16_t)result[lane];
    }
  }
  return EMU_NEXT;
}

gg_status emu_decode_convert_four(emu_op *op, emu_decoder *d, const emu_scalar_facts *scalar,
                                  emu_type to, emu_type from, gg_error *err) {
  const uint64_t needed = M(RS) | M(SATFINITE), allowed = needed | M(RELU) | M(ROUNDED);
  gg_status st;
  void *room;
  int count;
  const emu_format *format = format_of(to);
  if (!format || from != EMU_F32 || (scalar->modifiers & needed) != needed ||
      (scalar->modifiers & ~allowed)) {
    return emu_unknown_form(d, err, "four numbers are made of .f32 alone, by .rs{.relu}.satfinite");
  }
  if (emu_decoder_arch(d) != 100 && emu_decoder_arch(d) != 103) {
    return emu_unknown_form(d, err, "it is of sm_100a and sm_103a alone");
  }
  if ((st = emu_operands_are(d, 3, err))) return st;
  if ((st = emu_op_room(op, d, numbers + 2, &room, sizeof(four_facts), err))) return st;
  *(four_facts *)room =
      (four_facts){.to = format, .how = scalar->how, .bits = emu_type_of(to)->bits / numbers};
  emu_type word = emu_type_of(to)->bits == 32 ? EMU_B32 : EMU_B16;
  if ((st = emu_operand_register(&op->operands[0], d, 0, word, err))) return st;
  st = emu_operand_vector(&op->operands[1], &count, numbers, d, 1, EMU_F32, false, err);
  if (!st && count != numbers) return emu_unknown_form(d, err, "%d sources, not four", count);
  if (!st) st = emu_operand_value(&op->operands[numbers + 1], d, 2, EMU_B32, err);
  op->kind = EMU_KIND_CONVERT;
  op->exec = op->operands[0].sink ? emu_exec_nothing : run_four;
  return st;
}
