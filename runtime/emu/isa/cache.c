/* Instructions about caches, which there are none of here: prefetch, prefetchu, discard,
 * applypriority, createpolicy. (PTX ISA, "Data Movement and Conversion Instructions".)
 *
 * They change nothing that a program can see, but for discard, which leaves memory undefined. A
 * prefetch of an address that is not there is no error. */
#include <string.h>

#include "emu/isa/access.h"
#include "emu/isa/lanes.h"
#include "emu/memory.h"
#include "emu/state.h"

static emu_step nothing(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  (void)warp, (void)op, (void)lanes;
  return EMU_NEXT;
}

/* prefetch{.space}.level [a]; prefetch{.tensormap space}.tensormap [a]; prefetchu.L1 [a] */
gg_status emu_decode_prefetch(emu_op *op, emu_decoder *d, gg_error *err) {
  static const char *const levels[] = {"L1", "L2", "tensormap", NULL};
  op->exec = nothing;
  op->kind = EMU_KIND_LOAD;
  op->space = emu_take_space(d);
  bool hinted = emu_take_prefix(d, "L2::evict") != NULL;
  if (emu_take_word(d, levels) < 0 && !hinted) return emu_unknown_form(d, err, "no level");
  gg_status st = emu_operand_address(&op->address, d, 0, err);
  return st ? st : emu_modifiers_end(d, err);
}

gg_status emu_decode_applypriority(emu_op *op, emu_decoder *d, gg_error *err) {
  op->exec = nothing;
  op->kind = EMU_KIND_LOAD;
  op->space = emu_take_space(d);
  if (!emu_take(d, "L2::evict_normal")) return emu_unknown_form(d, err, "L2::evict_normal alone");
  gg_status st = emu_operand_address(&op->address, d, 0, err);
  return st ? st : emu_modifiers_end(d, err);
}

/* The bytes are undefined from now on: they read as an odd pattern. */
static emu_step discard(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  enum { line = 128, part = 32, pattern = 0xff };
  uint64_t address[EMU_LANES];
  uint8_t *host[EMU_LANES];
  emu_addresses(address, warp, &op->address);
  for (int i = 0; i < line / part; i++) {
    if (!emu_access(warp, op, (emu_space)op->space, address, lanes, part, EMU_WRITE, host)) {
      return EMU_FAULT;
    }
    EMU_EACH_LANE(lanes, lane) {
      memset(host[lane], pattern, part);
      address[lane] += part;
    }
  }
  return EMU_NEXT;
}

gg_status emu_decode_discard(emu_op *op, emu_decoder *d, gg_error *err) {
  int64_t size = 0;
  op->exec = discard;
  op->kind = EMU_KIND_STORE;
  op->space = emu_take_space(d);
  if (!emu_take(d, "L2")) return emu_unknown_form(d, err, "discard is of L2");
  gg_status st = emu_operand_address(&op->address, d, 0, err);
  if (!st) st = emu_operand_immediate(&size, d, 1, err);
  if (!st && size != 128) return emu_unknown_form(d, err, "128 bytes are discarded");
  return st ? st : emu_modifiers_end(d, err);
}

/* A policy is a number that cache hints take and nothing reads. */
static emu_step createpolicy(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  uint64_t *to = EMU_AT(uint64_t, warp, &op->operands[0]);
  if (op->operands[0].sink) return EMU_NEXT;
  EMU_EACH_LANE(lanes, lane) {
    to[lane] = 0;
  }
  return EMU_NEXT;
}

gg_status emu_decode_createpolicy(emu_op *op, emu_decoder *d, gg_error *err) {
  static const char *const kinds[] = {"fractional", "range", "cvt", NULL};
  int kind = emu_take_word(d, kinds);
  if (kind < 0) return emu_unknown_form(d, err, "fractional, range or cvt");
  op->exec = createpolicy;
  op->kind = EMU_KIND_MOVE;
  emu_take_space(d);
  while (emu_take_prefix(d, "L2")) {
  }
  emu_type type = emu_take_type(d);
  if (type != EMU_B64) return emu_unknown_form(d, err, "a policy is .b64");
  op->operands = GG_ARENA_NEW(emu_decoder_arena(d), emu_operand);
  if (!op->operands) return gg_fail(err, MEMORY, NULL, "");
  op->operand_count = 1;
  gg_status st = emu_operand_register(&op->operands[0], d, 0, EMU_B64, err);
  return st ? st : emu_modifiers_end(d, err);
}
