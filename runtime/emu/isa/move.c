/* mov: a value, or the parts of one packed or taken apart.
 *
 * `mov.b64 d, {a, b}` puts a into the low half. Addresses and special registers are values like
 * others: the decoder has put them into the register file. Source: PTX ISA, "mov". */
#include "emu/isa/scalar.h"

#include <string.h>

/* Copies one array of lanes. */
static void copy_lanes(uint8_t *to, const uint8_t *from, size_t lane_bytes, uint32_t lanes) {
  if (lanes == UINT32_MAX) {
    memmove(to, from, lane_bytes * EMU_LANES);
    return;
  }
  for (size_t i = 0; i < EMU_LANES; i++) {
    if (lanes >> i & 1) memmove(to + i * lane_bytes, from + i * lane_bytes, lane_bytes);
  }
}

static emu_step run_mov(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  copy_lanes(EMU_AT(uint8_t, warp, &op->operands[0]), EMU_AT(uint8_t, warp, &op->operands[1]),
             op->operands[0].lane_bytes, lanes);
  return EMU_NEXT;
}

static emu_step run_mov_pred(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  emu_set_predicate(warp, &op->operands[0], lanes, emu_predicate(warp, &op->operands[1]));
  return EMU_NEXT;
}

/* Bytes of each part; operands: the whole, then the parts from the lowest on. */
typedef struct vector_facts {
  size_t whole, part;
  int count;
} vector_facts;

/* Parts are gathered before anything is written: the destination may be one of them. A part of 8
 * bits stands in the low byte of a register of 16. */
static emu_step run_pack(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  const vector_facts *facts = op->facts;
  uint8_t packed[16 * EMU_LANES];
  for (int part = 0; part < facts->count; part++) {
    const emu_operand *operand = &op->operands[1 + part];
    const uint8_t *from = EMU_AT(uint8_t, warp, operand);
    for (size_t i = 0; i < EMU_LANES; i++) {
      memcpy(packed + i * facts->whole + (size_t)part * facts->part, from + i * operand->lane_bytes,
             facts->part);
    }
  }
  copy_lanes(EMU_AT(uint8_t, warp, &op->operands[0]), packed, facts->whole, lanes);
  return EMU_NEXT;
}

static emu_step run_unpack(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  const vector_facts *facts = op->facts;
  uint8_t whole[16 * EMU_LANES], unpacked[16 * EMU_LANES];
  memcpy(whole, EMU_AT(uint8_t, warp, &op->operands[0]), facts->whole * EMU_LANES);
  for (int part = 0; part < facts->count; part++) {
    const emu_operand *operand = &op->operands[1 + part];
    if (operand->sink) continue;
    memset(unpacked, 0, sizeof unpacked);
    for (size_t i = 0; i < EMU_LANES; i++) {
      memcpy(unpacked + i * operand->lane_bytes,
             whole + i * facts->whole + (size_t)part * facts->part, facts->part);
    }
    copy_lanes(EMU_AT(uint8_t, warp, operand), unpacked, operand->lane_bytes, lanes);
  }
  return EMU_NEXT;
}

/* The most used: two parts, each a register of its own width. */
#define MOVE_TWO(whole, part, bits)                                                                \
  static emu_step pack_two_##bits(emu_warp *warp, const emu_op *op, uint32_t lanes) {              \
    whole *out = EMU_AT(whole, warp, &op->operands[0]);                                            \
    const part *low = EMU_AT(part, warp, &op->operands[1]);                                        \
    const part *high = EMU_AT(part, warp, &op->operands[2]);                                       \
    EMU_LANEWISE(lanes, out[i] = low[i] | (whole)high[i] << bits)                                  \
    return EMU_NEXT;                                                                               \
  }                                                                                                \
  static emu_step unpack_two_##bits(emu_warp *warp, const emu_op *op, uint32_t lanes) {            \
    const whole *in = EMU_AT(whole, warp, &op->operands[0]);                                       \
    part *low = EMU_AT(part, warp, &op->operands[1]);                                              \
    part *high = EMU_AT(part, warp, &op->operands[2]);                                             \
    EMU_LANEWISE(lanes, whole value = in[i]; low[i] = (part)value;                                 \
                 high[i] = (part)(value >> bits))                                                  \
    return EMU_NEXT;                                                                               \
  }
MOVE_TWO(uint32_t, uint16_t, 16)
MOVE_TWO(uint64_t, uint32_t, 32)

/* The function for two parts where both are registers; NULL where there is none. */
static emu_exec *move_two(const emu_op *op, int part_bits, bool unpacks) {
  if (op->operands[0].sink || op->operands[1].sink || op->operands[2].sink) return NULL;
  if (part_bits == 16) return unpacks ? unpack_two_16 : pack_two_16;
  if (part_bits == 32) return unpacks ? unpack_two_32 : pack_two_32;
  return NULL;
}

static emu_type untyped(int bits) {
  return bits == 8 ? EMU_B8 : bits == 16 ? EMU_B16 : bits == 32 ? EMU_B32 : EMU_B64;
}

static gg_status decode_vector(emu_op *op, emu_decoder *d, emu_type type, bool unpacks,
                               gg_error *err) {
  gg_status st;
  void *room;
  const ptx_operand *vector = emu_operand_at(d, unpacks ? 0 : 1);
  int count = (int)vector->element_count, bits = emu_type_of(type)->bits;
  bool fits = emu_type_of(type)->kind == 'b' && (count == 2 || count == 4) && bits / count >= 8 &&
              bits / count <= 64;
  if (!fits)
    return emu_unknown_form(d, err, ".%s has no %d parts", emu_type_of(type)->spelling, count);
  if ((st = emu_op_room(op, d, 1 + count, &room, sizeof(vector_facts), err))) return st;
  st = unpacks ? emu_operand_value(&op->operands[0], d, 1, type, err)
               : emu_operand_register(&op->operands[0], d, 0, type, err);
  if (st) return st;
  st = emu_operand_vector(&op->operands[1], &count, count, d, unpacks ? 0 : 1,
                          untyped(bits / count), unpacks, err);
  if (st) return st;
  *(vector_facts *)room = (vector_facts){(size_t)bits / 8, (size_t)(bits / count / 8), count};
  op->exec = unpacks ? run_unpack : op->operands[0].sink ? emu_exec_nothing : run_pack;
  emu_exec *two = count == 2 ? move_two(op, bits / count, unpacks) : NULL;
  if (two) op->exec = two;
  return GG_OK;
}

gg_status emu_decode_mov(emu_op *op, emu_decoder *d, gg_error *err) {
  gg_status st;
  void *room;
  emu_type type = emu_take_type(d);
  if ((st = emu_modifiers_end(d, err))) return st;
  const emu_type_info *info = emu_type_of(type);
  bool small = info->bits < (info->kind == 'f' ? 32 : 16) && type != EMU_PRED;
  if (type == EMU_NONE || info->packed > 1 || small || type == EMU_TF32) {
    return emu_unknown_form(d, err, "mov has no such type");
  }
  if ((st = emu_operands_are(d, 2, err))) return st;
  op->kind = EMU_KIND_MOVE;
  bool unpacks = emu_operand_at(d, 0)->kind == PTX_VECTOR;
  if (unpacks || emu_operand_at(d, 1)->kind == PTX_VECTOR) {
    return decode_vector(op, d, type, unpacks, err);
  }
  if ((st = emu_op_room(op, d, 2, &room, 1, err))) return st;
  if ((st = emu_operand_register(&op->operands[0], d, 0, type, err))) return st;
  if ((st = emu_operand_value(&op->operands[1], d, 1, type, err))) return st;
  op->exec = op->operands[0].sink ? emu_exec_nothing : type == EMU_PRED ? run_mov_pred : run_mov;
  return GG_OK;
}
