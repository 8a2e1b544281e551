/* cp.async.bulk and cp.reduce.async.bulk of plain bytes, and the bulk groups (PTX ISA, "Data
 * Movement and Conversion Instructions: Bulk copy").
 *
 * Addresses and sizes are multiples of 16. On the H100 a copy or reduction from shared::cta to
 * shared::cluster is an illegal instruction unless the launch has the cluster attribute. */
#include "emu/async/decoders.h"
#include "emu/async/modifiers.h"
#include "emu/async/transfer.h"

enum { unit = 16, barrier_bytes = 8 };

typedef struct bulk_facts {
  emu_address to, from, barrier;
  emu_space to_space, from_space;
  bool multicast, reduces, masked;
  emu_reduction reduction;
  emu_type type;
} bulk_facts;

/* operands: size, mask of CTAs or of bytes. */

static bool check_multiple(const emu_transfer *t, const char *what, uint64_t value) {
  if (value % unit == 0) return true;
  emu_fault(t->warp, t->op, t->lane, GG_E_EMU_MISALIGNED, "the %s, %llu, is not a multiple of %d",
            what, (unsigned long long)value, unit);
  return false;
}

static bool begin(emu_transfer *t, emu_warp *warp, const emu_op *op, int lane) {
  const bulk_facts *facts = op->facts;
  uint64_t bytes = emu_lane_value(warp, &op->operands[0], lane);
  *t = (emu_transfer){.warp = warp,
                      .op = op,
                      .lane = lane,
                      .bytes = (uint32_t)bytes,
                      .reduces = facts->reduces,
                      .reduction = facts->reduction,
                      .type = facts->type};
  if (facts->masked) {
    t->skipped = (uint16_t)~emu_lane_value(warp, &op->operands[1], lane);
  }
  return check_multiple(t, "size", bytes);
}

static bool find_global(emu_transfer *t, const emu_address *address) {
  t->address = emu_lane_address(t->warp, address, t->lane);
  return check_multiple(t, "global address", t->address);
}

static bool copy_in(emu_transfer *t, const bulk_facts *facts) {
  emu_place to, barrier;
  if (!find_global(t, &facts->from) ||
      !emu_lane_destination(&to, t->warp, t->op, t->lane, &facts->to, facts->to_space, t->bytes,
                            unit, facts->multicast) ||
      !emu_lane_place(&barrier, t->warp, t->op, t->lane, &facts->barrier, facts->to_space,
                      barrier_bytes, barrier_bytes)) {
    return false;
  }
  if (!facts->multicast) return emu_transfer_in(t, to, barrier);
  uint32_t mask = (uint32_t)emu_lane_value(t->warp, &t->op->operands[1], t->lane) & 0xffff;
  return emu_transfer_multicast(t, to, barrier, mask);
}

static bool copy_across(emu_transfer *t, const bulk_facts *facts) {
  emu_place to, from, barrier;
  if (!t->warp->cta->cluster->run->clustered) {
    emu_fault(t->warp, t->op, t->lane, GG_E_EMU_ILLEGAL,
              "shared::cta to shared::cluster in a launch without the cluster attribute");
    return false;
  }
  return emu_lane_destination(&to, t->warp, t->op, t->lane, &facts->to, facts->to_space, t->bytes,
                              unit, true) &&
         emu_lane_place(&from, t->warp, t->op, t->lane, &facts->from, facts->from_space, t->bytes,
                        unit) &&
         emu_lane_place(&barrier, t->warp, t->op, t->lane, &facts->barrier, facts->to_space,
                        barrier_bytes, barrier_bytes) &&
         emu_transfer_across(t, to, from, barrier);
}

static bool copy_out(emu_transfer *t, const bulk_facts *facts) {
  emu_place from;
  return find_global(t, &facts->to) &&
         emu_lane_place(&from, t->warp, t->op, t->lane, &facts->from, facts->from_space, t->bytes,
                        unit) &&
         emu_transfer_out(t, from);
}

static emu_step run_bulk(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  const bulk_facts *facts = op->facts;
  EMU_EACH_LANE(lanes, lane) {
    emu_transfer transfer;
    if (!begin(&transfer, warp, op, (int)lane)) return EMU_FAULT;
    bool ok = facts->to_space == EMU_GLOBAL     ? copy_out(&transfer, facts)
              : facts->from_space == EMU_GLOBAL ? copy_in(&transfer, facts)
                                                : copy_across(&transfer, facts);
    if (!ok) return EMU_FAULT;
  }
  return EMU_NEXT;
}

/* Nothing moves, but the rules are those of copies. */
static emu_step run_prefetch(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  const bulk_facts *facts = op->facts;
  EMU_EACH_LANE(lanes, lane) {
    emu_transfer transfer;
    if (!begin(&transfer, warp, op, (int)lane) || !find_global(&transfer, &facts->from)) {
      return EMU_FAULT;
    }
  }
  return EMU_NEXT;
}

/* ---- Groups ----------------------------------------------------------------------------- */

typedef struct wait_facts {
  uint64_t pending;
  bool reading;
} wait_facts;

static emu_step run_commit(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  return emu_bulk_commit(warp, op, lanes) ? EMU_NEXT : EMU_FAULT;
}

static emu_step run_wait(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  const wait_facts *facts = op->facts;
  return emu_bulk_wait(warp, op, lanes, facts->pending, facts->reading) ? EMU_NEXT : EMU_FAULT;
}

static gg_status decode_wait(emu_op *op, emu_decoder *d, gg_error *err) {
  wait_facts *facts = GG_ARENA_NEW(emu_decoder_arena(d), wait_facts);
  if (!facts) return gg_fail(err, MEMORY, NULL, "");
  int64_t pending = 0;
  gg_status st = emu_operand_immediate(&pending, d, 0, err);
  if (st) return st;
  if (pending < 0) return emu_unknown_form(d, err, "a negative number of groups");
  *facts = (wait_facts){(uint64_t)pending, emu_take(d, "read")};
  op->facts = facts;
  op->exec = run_wait;
  return emu_modifiers_end(d, err);
}

/* ---- Decoding --------------------------------------------------------------------------- */

/* Which reductions there are depends on where they go. */
static gg_status take_reduction(bulk_facts *facts, emu_decoder *d, gg_error *err) {
  int reduction = emu_take_reduction(d);
  if (reduction < 0) return emu_unknown_form(d, err, "no reduction");
  bool exact = emu_take(d, "noftz");
  facts->reduction = (emu_reduction)reduction;
  facts->type = emu_take_type(d);
  bool is_half = facts->type == EMU_F16 || facts->type == EMU_BF16;
  bool is_shared = facts->to_space != EMU_GLOBAL;
  bool exists = is_shared ? emu_shared_reduction_exists(facts->reduction, facts->type)
                          : emu_reduction_exists(facts->reduction, facts->type);
  if (!exists || exact != (is_half && reduction == EMU_REDUCE_ADD)) {
    return emu_unknown_form(d, err, "no such reduction of .%s%s",
                            emu_type_of(facts->type)->spelling, is_half ? "; .add has .noftz" : "");
  }
  return GG_OK;
}

/* Completion as the destination demands. */
static gg_status take_completion(const bulk_facts *facts, emu_decoder *d, gg_error *err) {
  bool to_shared = facts->to_space == EMU_SHARED || facts->to_space == EMU_SHARED_CLUSTER;
  if (to_shared ? !emu_take(d, "mbarrier::complete_tx::bytes") : !emu_take(d, "bulk_group")) {
    return emu_unknown_form(d, err, "it completes on %s",
                            to_shared ? ".mbarrier::complete_tx::bytes" : ".bulk_group");
  }
  bool known = to_shared ? facts->from_space == EMU_GLOBAL || facts->from_space == EMU_SHARED
                         : facts->to_space == EMU_GLOBAL && facts->from_space == EMU_SHARED;
  if (known) return GG_OK;
  return emu_unknown_form(d, err, "it copies between .global and .shared::cta or .shared::cluster");
}

/* [to], [from], size {, [barrier]} {, mask of CTAs} {, policy} {, mask of bytes}. */
static gg_status decode_copy_operands(emu_op *op, emu_decoder *d, bulk_facts *facts, bool hinted,
                                      gg_error *err) {
  emu_operand policy;
  int at = 3;
  gg_status st = emu_operands_open(op, d, 2, err);
  if (!st) st = emu_operand_address(&facts->to, d, 0, err);
  if (!st) st = emu_operand_address(&facts->from, d, 1, err);
  if (!st) st = emu_operand_value(&op->operands[0], d, 2, EMU_U32, err);
  if (!st && facts->to_space != EMU_GLOBAL) {
    st = emu_operand_address(&facts->barrier, d, at++, err);
  }
  if (!st && facts->multicast) {
    st = emu_operand_value(&op->operands[1], d, at++, EMU_U16, err);
  }
  if (!st && hinted) st = emu_operand_value(&policy, d, at++, EMU_B64, err);
  if (!st && facts->masked) st = emu_operand_value(&op->operands[1], d, at, EMU_U16, err);
  return st;
}

static gg_status decode_copy(emu_op *op, emu_decoder *d, bool reduces, gg_error *err) {
  bulk_facts *facts = GG_ARENA_NEW(emu_decoder_arena(d), bulk_facts);
  if (!facts) return gg_fail(err, MEMORY, NULL, "");
  facts->to_space = emu_take_space(d);
  facts->from_space = emu_take_space(d);
  facts->multicast = emu_take(d, "multicast::cluster");
  facts->reduces = reduces;
  facts->masked = emu_take(d, "cp_mask");
  bool hinted = emu_take(d, "L2::cache_hint");
  gg_status st = take_completion(facts, d, err);
  if (!st && reduces && facts->from_space != EMU_SHARED) {
    return emu_unknown_form(d, err, "reductions are from .shared::cta");
  }
  if (!st && reduces) st = take_reduction(facts, d, err);
  if (!st && facts->multicast && facts->from_space != EMU_GLOBAL) {
    return emu_unknown_form(d, err, ".multicast::cluster is from .global");
  }
  if (!st && facts->masked && (reduces || facts->to_space != EMU_GLOBAL)) {
    return emu_unknown_form(d, err, ".cp_mask is of copies to .global");
  }
  if (!st && facts->masked && emu_decoder_arch(d) < 100) {
    return emu_unknown_form(d, err, ".cp_mask needs sm_100");
  }
  if (!st) st = emu_modifiers_end(d, err);
  op->updates = reduces;
  op->facts = facts;
  op->exec = run_bulk;
  return st ? st : decode_copy_operands(op, d, facts, hinted, err);
}

/* [from], size {, policy}. */
static gg_status decode_prefetch(emu_op *op, emu_decoder *d, gg_error *err) {
  bulk_facts *facts = GG_ARENA_NEW(emu_decoder_arena(d), bulk_facts);
  if (!facts) return gg_fail(err, MEMORY, NULL, "");
  emu_operand policy;
  bool known = emu_take(d, "L2") && emu_take(d, "global"), hinted = emu_take(d, "L2::cache_hint");
  if (!known) return emu_unknown_form(d, err, "it is cp.async.bulk.prefetch.L2.global");
  op->facts = facts;
  op->exec = run_prefetch;
  gg_status st = emu_modifiers_end(d, err);
  if (!st) st = emu_operands_open(op, d, 1, err);
  if (!st) st = emu_operand_address(&facts->from, d, 0, err);
  if (!st) st = emu_operand_value(&op->operands[0], d, 1, EMU_U32, err);
  if (!st && hinted) st = emu_operand_value(&policy, d, 2, EMU_B64, err);
  return st;
}

gg_status emu_decode_bulk(emu_op *op, emu_decoder *d, gg_error *err) {
  bool reduces = op->type2;
  gg_status st = emu_check_bulk_modifiers(d, err);
  if (st || reduces) return st ? st : decode_copy(op, d, true, err);
  if (emu_take(d, "wait_group")) return decode_wait(op, d, err);
  if (emu_take(d, "commit_group")) {
    op->exec = run_commit;
    return emu_modifiers_end(d, err);
  }
  return emu_take(d, "prefetch") ? decode_prefetch(op, d, err) : decode_copy(op, d, false, err);
}
