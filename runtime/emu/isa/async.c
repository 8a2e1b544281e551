/* cp.async, its groups, and its arrivals at mbarriers (PTX ISA, "Data Movement and Conversion
 * Instructions: Non-bulk copy").
 *
 * What a warp's lanes copy in one instruction is one operation; lanes that are in different groups
 * of theirs make one each. Groups are a lane's own: an operation belongs to the group that its
 * lanes commit next. Waiting for groups lands their operations on the spot. */
#include <string.h>

#include "base/alloc.h"
#include "emu/async/decoders.h"
#include "emu/async/engine.h"
#include "emu/async/mbarrier.h"
#include "emu/async/modifiers.h"
#include "emu/hazard/beside.h"
#include "emu/isa/access.h"
#include "emu/report.h"

/* ---- Copies ----------------------------------------------------------------------------- */

typedef struct copy {
  emu_async base;
  uint32_t bytes; /* a lane */
  uint32_t lane_count;
  emu_span spans[EMU_LANES];
  uint64_t addresses[EMU_LANES]; /* of global memory */
  const uint8_t *sources[EMU_LANES];
  uint32_t given[EMU_LANES]; /* bytes that are copied; the rest is zero */
} copy;

static bool land_copy(emu_async *self, emu_cluster *cluster) {
  copy *c = (copy *)self;
  (void)cluster;
  for (uint32_t i = 0; i < c->lane_count; i++) {
    emu_place to = c->spans[i].place;
    if (c->given[i]) {
      emu_copy_in(self, to, c->sources[i], c->addresses[i], c->given[i]);
    }
    to.offset += c->given[i];
    emu_zero_in(self, to, c->bytes - c->given[i]);
  }
  return true;
}

static void drop(emu_async *self) {
  gg_free(self);
}

typedef struct copy_facts {
  emu_address source;
  uint32_t bytes;
  bool ignores; /* the last operand is a predicate: ignore-src */
  bool sized;   /* it is src-size */
} copy_facts;

/* How many bytes the lane copies; false after a fault. */
static bool given_bytes(uint32_t *out, emu_warp *warp, const emu_op *op, int lane) {
  const copy_facts *facts = op->facts;
  *out = facts->bytes;
  if (facts->ignores && emu_lane_value(warp, &op->operands[0], lane)) *out = 0;
  if (!facts->sized) return true;
  uint64_t size = emu_lane_value(warp, &op->operands[0], lane);
  *out = (uint32_t)size;
  if (size <= facts->bytes) return true;
  emu_fault(warp, op, lane, GG_E_EMU_ILLEGAL, "src-size %llu is more than cp-size %u",
            (unsigned long long)size, facts->bytes);
  return false;
}

static bool find_source(copy *c, emu_warp *warp, const emu_op *op, int lane) {
  uint32_t i = c->lane_count;
  uint64_t address = emu_lane_address(warp, &((const copy_facts *)op->facts)->source, lane);
  if (address % c->bytes) {
    emu_fault(warp, op, lane, GG_E_EMU_MISALIGNED,
              "copies %u bytes from 0x%llx, which is not a multiple of %u", c->bytes,
              (unsigned long long)address, c->bytes);
    return false;
  }
  c->addresses[i] = address;
  if (!c->given[i]) return true;
  c->sources[i] = emu_global(warp->cta->cluster->run->device, address, c->given[i], false);
  if (c->sources[i]) {
    return emu_beside_span(warp, op, lane, emu_beside_order(warp), address, c->given[i], EMU_READ);
  }
  gg_str why = GG_STR_INIT;
  emu_global_explain(&why, warp->cta->cluster->run->device, address, c->given[i]);
  emu_fault(warp, op, lane, GG_E_EMU_BOUNDS, "copies from %s", gg_str_text(&why));
  gg_str_free(&why);
  return false;
}

/* Adds a lane's part; false after a fault. */
static bool add_lane(copy *c, emu_warp *warp, const emu_op *op, int lane) {
  uint32_t i = c->lane_count;
  c->spans[i].bytes = c->bytes;
  if (!given_bytes(&c->given[i], warp, op, lane) ||
      !emu_lane_place(&c->spans[i].place, warp, op, lane, &op->address, EMU_SHARED, c->bytes,
                      c->bytes) ||
      !find_source(c, warp, op, lane)) {
    return false;
  }
  c->lane_count++;
  c->base.lanes |= 1u << lane;
  return true;
}

static void count(emu_warp *warp, const emu_op *op, const copy *c) {
  emu_counters *counters = emu_counting(warp);
  uint32_t offsets[EMU_LANES] = {0};
  uint64_t addresses[EMU_LANES] = {0};
  uint32_t i = 0, given = 0;
  EMU_EACH_LANE(c->base.lanes, lane) {
    offsets[lane] = (uint32_t)c->spans[i].place.offset + EMU_SHARED_RESERVED;
    addresses[lane] = c->addresses[i];
    if (c->given[i]) given |= 1u << lane;
    counters->async_bytes_in += c->given[i++];
  }
  emu_count_shared(warp, op, c->base.lanes, offsets, c->bytes);
  if (given) emu_count_global(warp, op, given, addresses, c->bytes);
}

static bool issue_copy(emu_warp *warp, const emu_op *op, emu_groups *groups, uint32_t lanes) {
  copy *c = gg_malloc(sizeof *c);
  if (!c) return emu_async_no_memory(warp, op);
  *c = (copy){.base = {.warp = warp,
                       .op = op,
                       .proxy = EMU_PROXY_GENERIC,
                       .group = groups->committed[__builtin_ctz(lanes)],
                       .unit = "cp.async",
                       .land = land_copy,
                       .drop = drop},
              .bytes = ((const copy_facts *)op->facts)->bytes};
  EMU_EACH_LANE(lanes, lane) {
    if (add_lane(c, warp, op, (int)lane)) continue;
    gg_free(c);
    return false;
  }
  c->base.writes = c->spans;
  c->base.write_count = c->lane_count;
  c->base.agent = emu_hazard_agent(warp->cta->cluster, groups);
  c->base.clock = ++groups->issued;
  count(warp, op, c);
  return emu_async_issue(warp->cta->cluster, &c->base);
}

static emu_step run_copy(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  emu_groups *groups = emu_unit_of_warp(warp, op, EMU_UNIT_ID_COPIES);
  if (!groups) return EMU_FAULT;
  while (lanes) {
    uint64_t group = groups->committed[__builtin_ctz(lanes)];
    uint32_t alike = 0;
    EMU_EACH_LANE(lanes, lane) {
      if (groups->committed[lane] == group) alike |= 1u << lane;
    }
    if (!issue_copy(warp, op, groups, alike)) return EMU_FAULT;
    lanes &= ~alike;
  }
  return EMU_NEXT;
}

bool emu_is_thread_copy(const emu_op *op) {
  return op->exec == run_copy;
}

/* ---- Groups ----------------------------------------------------------------------------- */

const emu_unit emu_unit_copies = {.name = "asynchronous work", .warp_bytes = sizeof(emu_groups)};

static emu_step run_commit(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  emu_groups *groups = emu_unit_of_warp(warp, op, EMU_UNIT_ID_COPIES);
  if (!groups) return EMU_FAULT;
  emu_groups_commit(groups, lanes);
  return EMU_NEXT;
}

/* Lands the copies of `lanes` whose group comes before before[lane]. */
static bool land_groups(emu_warp *warp, uint32_t lanes, const uint64_t before[EMU_LANES]) {
  emu_cluster *cluster = warp->cta->cluster;
  for (emu_async *next, *async = emu_async_first(cluster); async; async = next) {
    next = async->next;
    if (async->land != land_copy || async->warp != warp || !(async->lanes & lanes)) continue;
    uint64_t limit = 0;
    EMU_EACH_LANE(async->lanes & lanes, lane) {
      if (before[lane] > limit) limit = before[lane];
    }
    if (async->group < limit && !emu_async_land(cluster, async)) return false;
  }
  return true;
}

/* facts: the number of groups that may stay in flight; NULL: none, those not committed neither. */
static emu_step run_wait(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  emu_groups *groups = emu_unit_of_warp(warp, op, EMU_UNIT_ID_COPIES);
  if (!groups) return EMU_FAULT;
  const uint64_t *pending = op->facts;
  uint64_t before[EMU_LANES], clock = 0;
  EMU_EACH_LANE(lanes, lane) {
    before[lane] = pending ? emu_groups_first_pending(groups, (int)lane, *pending) : UINT64_MAX;
    uint64_t known = pending ? emu_groups_clock(groups, (int)lane, *pending) : groups->issued;
    if (known > clock) clock = known;
  }
  if (!land_groups(warp, lanes, before)) return EMU_FAULT;
  emu_hazard_learn(warp, emu_hazard_agent(warp->cta->cluster, groups), clock);
  return EMU_NEXT;
}

/* ---- Arrivals --------------------------------------------------------------------------- */

/* An arrival at an mbarrier for each lane, once its copies until now have landed. */
typedef struct arrival {
  emu_async base;
  emu_mbarrier *barriers[EMU_LANES];
} arrival;

static bool land_arrival(emu_async *self, emu_cluster *cluster) {
  arrival *a = (arrival *)self;
  for (emu_async *next, *async = emu_async_first(cluster); async; async = next) {
    next = async->next;
    bool before = async->land == land_copy && async->warp == self->warp &&
                  (async->lanes & self->lanes) && async->clock <= self->clock;
    if (before && !emu_async_land(cluster, async)) return false;
  }
  const emu_mbarrier *told = NULL;
  uint64_t phase = 0;
  EMU_EACH_LANE(self->lanes, lane) {
    emu_mbarrier *barrier = a->barriers[lane];
    if (barrier != told) {
      emu_hazard_pass(cluster, emu_mbarrier_key(barrier), a);
      emu_hazard_teach(cluster, emu_mbarrier_key(barrier), self->agent, self->clock);
      phase = barrier->phase;
    }
    told = barrier;
    if (!emu_mbarrier_same_phase(self->warp, self->op, (int)lane, barrier, phase) ||
        !emu_mbarrier_arrive(self->warp, self->op, (int)lane, barrier, 1, false)) {
      return false;
    }
  }
  emu_hazard_forget(cluster, a);
  return true;
}

/* facts: not NULL for .noinc. */
static emu_step run_arrive(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  emu_groups *groups = emu_unit_of_warp(warp, op, EMU_UNIT_ID_COPIES);
  if (!groups) return EMU_FAULT;
  emu_cluster *cluster = warp->cta->cluster;
  arrival *a = gg_malloc(sizeof *a);
  if (!a) return emu_async_no_memory(warp, op), EMU_FAULT;
  *a = (arrival){.base = {.warp = warp,
                          .op = op,
                          .lanes = lanes,
                          .agent = emu_hazard_agent(cluster, groups),
                          .clock = groups->issued,
                          .land = land_arrival,
                          .drop = drop}};
  EMU_EACH_LANE(lanes, lane) {
    emu_place place;
    bool ok = emu_lane_place(&place, warp, op, (int)lane, &op->address, (emu_space)op->space, 8, 8);
    ok = ok && (a->barriers[lane] = emu_mbarrier_at(warp, op, (int)lane, place));
    ok = ok && (op->facts || emu_mbarrier_promise(warp, op, (int)lane, a->barriers[lane]));
    if (ok) continue;
    gg_free(a);
    return EMU_FAULT;
  }
  emu_hazard_release(warp, a);
  return emu_async_issue(cluster, &a->base) ? EMU_NEXT : EMU_FAULT;
}

/* ---- Decoding --------------------------------------------------------------------------- */

/* [to], [from], cp-size {, src-size | ignore-src} {, cache-policy}. */
static gg_status decode_copy_operands(emu_op *op, emu_decoder *d, bool hinted, copy_facts *facts,
                                      gg_error *err) {
  emu_operand policy;
  int64_t bytes = 0;
  gg_status st = emu_operands_open(op, d, 1, err);
  if (!st) st = emu_operand_address(&op->address, d, 0, err);
  if (!st) st = emu_operand_address(&facts->source, d, 1, err);
  if (!st) st = emu_operand_immediate(&bytes, d, 2, err);
  if (st) return st;
  facts->bytes = (uint32_t)bytes;
  if (bytes != 4 && bytes != 8 && bytes != 16) {
    return emu_unknown_form(d, err, "cp-size is %lld: it is 4, 8 or 16", (long long)bytes);
  }
  int last = emu_operand_count(d) - (hinted ? 1 : 0);
  if (hinted && (st = emu_operand_value(&policy, d, last, EMU_B64, err))) return st;
  if (last <= 3) return GG_OK;
  facts->ignores = emu_operand_at(d, 3)->kind == PTX_REGISTER &&
                   emu_operand_value(&op->operands[0], d, 3, EMU_PRED, NULL) == GG_OK;
  facts->sized = !facts->ignores;
  return facts->ignores ? GG_OK : emu_operand_value(&op->operands[0], d, 3, EMU_U32, err);
}

static gg_status decode_copy(emu_op *op, emu_decoder *d, gg_error *err) {
  copy_facts *facts = GG_ARENA_NEW(emu_decoder_arena(d), copy_facts);
  if (!facts) return gg_fail(err, MEMORY, NULL, "");
  bool all = emu_take(d, "ca");
  bool global = !all && emu_take(d, "cg");
  bool shared = emu_take_space(d) == EMU_SHARED;
  bool from_global = emu_take_space(d) == EMU_GLOBAL;
  bool hinted = emu_take(d, "L2::cache_hint");
  emu_take_prefix(d, "L2::");
  gg_status st = emu_modifiers_end(d, err);
  if (st) return st;
  if (!(all || global) || !shared || !from_global) {
    return emu_unknown_form(d, err, "it is cp.async.ca or .cg, .shared or .shared::cta, .global");
  }
  op->exec = run_copy;
  op->facts = facts;
  st = decode_copy_operands(op, d, hinted, facts, err);
  if (!st && global && facts->bytes != 16) {
    return emu_unknown_form(d, err, "cp-size is %u: with .cg it is 16", facts->bytes);
  }
  return st;
}

static gg_status decode_wait_group(emu_op *op, emu_decoder *d, gg_error *err) {
  int64_t pending = 0;
  gg_status st = emu_operand_immediate(&pending, d, 0, err);
  if (st) return st;
  if (pending < 0) return emu_unknown_form(d, err, "a negative number of groups");
  uint64_t *facts = GG_ARENA_NEW(emu_decoder_arena(d), uint64_t);
  if (!facts) return gg_fail(err, MEMORY, NULL, "");
  *facts = (uint64_t)pending;
  op->facts = facts;
  op->exec = run_wait;
  return emu_modifiers_end(d, err);
}

static gg_status decode_arrival(emu_op *op, emu_decoder *d, gg_error *err) {
  static const char noinc;
  bool arrives = emu_take(d, "arrive");
  op->facts = emu_take(d, "noinc") ? &noinc : NULL;
  op->space = (uint8_t)emu_take_space(d);
  op->exec = run_arrive;
  bool typed = emu_take(d, "b64");
  gg_status st = emu_modifiers_end(d, err);
  if (!st && !(arrives && typed)) {
    return emu_unknown_form(d, err, "it is cp.async.mbarrier.arrive.b64");
  }
  return st ? st : emu_operand_address(&op->address, d, 0, err);
}

gg_status emu_decode_cp(emu_op *op, emu_decoder *d, gg_error *err) {
  op->kind = EMU_KIND_ASYNC_COPY;
  bool reduces = emu_take(d, "reduce");
  if (!emu_take(d, "async")) return emu_unknown_form(d, err, "it is cp.async or cp.reduce.async");
  if (emu_take(d, "bulk")) {
    op->type2 = reduces;
    return emu_take(d, "tensor") ? emu_decode_tensor_copy(op, d, err) : emu_decode_bulk(op, d, err);
  }
  if (reduces) return emu_unknown_form(d, err, "reductions are .bulk");
  if (emu_take(d, "mbarrier")) return decode_arrival(op, d, err);
  if (emu_take(d, "wait_group")) return decode_wait_group(op, d, err);
  op->exec = run_wait;
  if (emu_take(d, "wait_all")) return emu_modifiers_end(d, err);
  op->exec = run_commit;
  if (emu_take(d, "commit_group")) return emu_modifiers_end(d, err);
  return decode_copy(op, d, err);
}
