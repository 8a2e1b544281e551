/* Addresses of one space as those of another: cvta, isspacep, mapa, getctarank. (PTX ISA, "cvta",
 * "isspacep", "mapa", "getctarank".)
 *
 * Global and constant memory have the same address in their space and generically; shared and
 * local memory are windows; parameters of a launch have addresses of global memory. */
#include <inttypes.h>

#include "emu/isa/lanes.h"
#include "emu/memory.h"
#include "emu/state.h"

static gg_status two_operands(emu_op *op, emu_decoder *d, gg_error *err) {
  op->operands = GG_ARENA_ARRAY(emu_decoder_arena(d), emu_operand, 3);
  op->operand_count = 2;
  return op->operands ? GG_OK : gg_fail(err, MEMORY, NULL, "");
}

/* What is added to an address of the space to make it generic. */
static uint64_t window(const emu_warp *warp, emu_space space) {
  switch (space) {
  case EMU_SHARED:
  case EMU_SHARED_CLUSTER:
    return EMU_SHARED_WINDOW;
  case EMU_LOCAL:
    return EMU_LOCAL_WINDOW;
  case EMU_PARAM:
    return warp->cta->cluster->run->state->params->base;
  default:
    return 0;
  }
}

/* ---- cvta ------------------------------------------------------------------------------- */

static emu_step cvta(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  uint64_t add = window(warp, (emu_space)op->space);
  if (op->target) add = 0 - add;
  if (op->operands[0].sink) return EMU_NEXT;
  uint64_t *to = EMU_AT(uint64_t, warp, &op->operands[0]);
  const uint64_t *from = EMU_AT(const uint64_t, warp, &op->operands[1]);
  EMU_EACH_LANE(lanes, lane) {
    to[lane] = from[lane] + add;
  }
  return EMU_NEXT;
}

gg_status emu_decode_cvta(emu_op *op, emu_decoder *d, gg_error *err) {
  op->exec = cvta;
  op->kind = EMU_KIND_INTEGER;
  op->target = emu_take(d, "to");
  op->space = emu_take_space(d);
  if (op->space == EMU_GENERIC) return emu_unknown_form(d, err, "no space");
  if (emu_take_type(d) != EMU_U64) return emu_unknown_form(d, err, "addresses are .u64");
  if (op->space == EMU_PARAM && !emu_decoder_function(d)->entry) op->space = EMU_LOCAL;
  gg_status st = two_operands(op, d, err);
  if (!st) st = emu_operand_register(&op->operands[0], d, 0, EMU_U64, err);
  if (!st) st = emu_operand_value(&op->operands[1], d, 1, EMU_U64, err);
  return st ? st : emu_modifiers_end(d, err);
}

/* ---- isspacep --------------------------------------------------------------------------- */

static bool is_in_space(const emu_warp *warp, emu_space space, uint64_t address) {
  const emu_run *run = warp->cta->cluster->run;
  emu_space found = emu_space_of(address);
  const emu_bank *range = NULL;
  switch (space) {
  case EMU_SHARED:
    return found == EMU_SHARED_CLUSTER &&
           (address - EMU_SHARED_WINDOW) >> EMU_SHARED_RANK_SHIFT == warp->cta->rank;
  case EMU_SHARED_CLUSTER:
  case EMU_LOCAL:
    return found == space;
  default:
    if (found != EMU_GLOBAL) return false;
    range = emu_range_find(run->device, address, 1);
    if (space == EMU_PARAM) return range == run->state->params;
    if (space == EMU_CONST) return range && range->read_only && range != run->state->params;
    return !range || !range->read_only;
  }
}

static emu_step isspacep(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  const uint64_t *address = EMU_AT(const uint64_t, warp, &op->operands[1]);
  uint32_t holds = 0;
  EMU_EACH_LANE(lanes, lane) {
    holds |= (uint32_t)is_in_space(warp, (emu_space)op->space, address[lane]) << lane;
  }
  emu_set_predicate(warp, &op->operands[0], lanes, holds);
  return EMU_NEXT;
}

gg_status emu_decode_isspacep(emu_op *op, emu_decoder *d, gg_error *err) {
  op->exec = isspacep;
  op->kind = EMU_KIND_INTEGER;
  op->space = emu_take_space(d);
  if (op->space == EMU_GENERIC) return emu_unknown_form(d, err, "no space");
  gg_status st = two_operands(op, d, err);
  if (!st) st = emu_operand_register(&op->operands[0], d, 0, EMU_PRED, err);
  if (!st) st = emu_operand_value(&op->operands[1], d, 1, EMU_U64, err);
  return st ? st : emu_modifiers_end(d, err);
}

/* ---- mapa, getctarank ------------------------------------------------------------------- */

/* The address of a lane, of shared memory; false after a fault. */
static bool shared_address(uint64_t *out, emu_warp *warp, const emu_op *op, uint32_t lane) {
  const emu_operand *operand = &op->operands[1];
  *out = operand->lane_bytes == 8 ? EMU_AT(const uint64_t, warp, operand)[lane]
                                  : EMU_AT(const uint32_t, warp, operand)[lane];
  if (op->space != EMU_GENERIC) return true;
  if (emu_space_of(*out) == EMU_SHARED_CLUSTER) {
    *out -= EMU_SHARED_WINDOW;
    return true;
  }
  emu_fault(warp, op, (int)lane, GG_E_EMU_BOUNDS, "0x%" PRIx64 " is no address of shared memory",
            *out);
  return false;
}

static void put(emu_warp *warp, const emu_operand *to, uint32_t lane, uint64_t value) {
  if (to->sink) return;
  if (to->lane_bytes == 8) {
    EMU_AT(uint64_t, warp, to)[lane] = value;
  } else {
    EMU_AT(uint32_t, warp, to)[lane] = (uint32_t)value;
  }
}

/* Of a CTA that the cluster has not, an address that nothing is at: CUTLASS has all lanes of a warp
 * map one for the CTA of their number, and those alone use it whose CTA is there. */
static emu_step mapa(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  enum { nowhere = 0xff };
  const uint32_t *ranks = EMU_AT(const uint32_t, warp, &op->operands[2]);
  EMU_EACH_LANE(lanes, lane) {
    uint64_t address;
    if (!shared_address(&address, warp, op, lane)) return EMU_FAULT;
    uint64_t rank = ranks[lane] < EMU_CLUSTER_MAX ? ranks[lane] : nowhere;
    address &= (UINT64_C(1) << EMU_SHARED_RANK_SHIFT) - 1;
    address |= rank << EMU_SHARED_RANK_SHIFT;
    if (op->space == EMU_GENERIC) address += EMU_SHARED_WINDOW;
    put(warp, &op->operands[0], lane, address);
  }
  return EMU_NEXT;
}

static emu_step getctarank(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  EMU_EACH_LANE(lanes, lane) {
    uint64_t address;
    if (!shared_address(&address, warp, op, lane)) return EMU_FAULT;
    put(warp, &op->operands[0], lane, address >> EMU_SHARED_RANK_SHIFT);
  }
  return EMU_NEXT;
}

/* The space, which is shared::cluster or generic, and the type of addresses. */
static gg_status take_cluster_address(emu_op *op, emu_decoder *d, gg_error *err) {
  op->space = emu_take_space(d);
  if (op->space != EMU_GENERIC && op->space != EMU_SHARED_CLUSTER) {
    return emu_unknown_form(d, err, "the space is shared::cluster, or generic");
  }
  op->type = emu_take_type(d);
  if (op->type != EMU_U32 && op->type != EMU_U64) {
    return emu_unknown_form(d, err, "addresses are .u32 or .u64");
  }
  return GG_OK;
}

gg_status emu_decode_mapa(emu_op *op, emu_decoder *d, gg_error *err) {
  op->exec = mapa;
  op->kind = EMU_KIND_INTEGER;
  gg_status st = take_cluster_address(op, d, err);
  if (!st) st = two_operands(op, d, err);
  if (!st) st = emu_operand_register(&op->operands[0], d, 0, (emu_type)op->type, err);
  if (!st) st = emu_operand_value(&op->operands[1], d, 1, (emu_type)op->type, err);
  if (!st) st = emu_operand_value(&op->operands[2], d, 2, EMU_U32, err);
  return st ? st : emu_modifiers_end(d, err);
}

gg_status emu_decode_getctarank(emu_op *op, emu_decoder *d, gg_error *err) {
  op->exec = getctarank;
  op->kind = EMU_KIND_INTEGER;
  gg_status st = take_cluster_address(op, d, err);
  if (!st) st = two_operands(op, d, err);
  if (!st) st = emu_operand_register(&op->operands[0], d, 0, EMU_U32, err);
  if (!st) st = emu_operand_value(&op->operands[1], d, 1, (emu_type)op->type, err);
  return st ? st : emu_modifiers_end(d, err);
}
