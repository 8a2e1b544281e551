/* tcgen05: which instruction it is; columns of tensor memory, waits, fences, commits (PTX ISA,
 * "TensorCore 5th Generation Family Instructions").
 *
 * Where ptxas and the ISA differ on what a target has, ptxas decides: sm_100 to sm_110 have
 * tcgen05, sm_120 and sm_121 have none. */
#include "emu/isa/tcgen05.h"

#include "base/alloc.h"
#include "emu/async/engine.h"
#include "emu/async/mbarrier.h"
#include "emu/async/modifiers.h"

int emu_take_cta_group(emu_decoder *d) {
  return emu_take(d, "cta_group::1") ? 1 : emu_take(d, "cta_group::2") ? 2 : 0;
}

gg_status emu_operand_tmem(emu_address *out, emu_decoder *d, int index, gg_error *err) {
  gg_status st = emu_operand_address(out, d, index, err);
  if (st || out->base.lane_bytes == 4 || out->base.constant) return st;
  return emu_unknown_form(d, err, "operand %d is an address of tensor memory, of 32 bits",
                          index + 1);
}

uint32_t emu_tmem_address(const emu_warp *warp, const emu_address *address, int lane) {
  return (uint32_t)(emu_lane_value(warp, &address->base, lane) + (uint64_t)address->offset);
}

bool emu_tcgen05_ctas(emu_cta *ctas[2], emu_warp *warp, const emu_op *op, int lane, int group) {
  ctas[0] = ctas[1] = warp->cta;
  for (unsigned i = 0; group == 2 && i < 2; i++)
    ctas[i] = &warp->cta->cluster->ctas[(warp->cta->rank & ~1u) + i];
  return emu_async_alive(warp, op, lane, ctas[0]) && emu_async_alive(warp, op, lane, ctas[1]);
}

emu_tmem *emu_tcgen05_memory(emu_warp *warp, const emu_op *op, const emu_cta *cta, int group) {
  return cta == warp->cta ? emu_tmem_of(warp, op, group) : emu_tmem_of_peer(warp, op);
}

/* ---- Waits and fences ------------------------------------------------------------------- */

/* `vector`: of stores. */
static emu_step run_wait(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  bool stores = op->vector;
  if (!emu_converge(warp, op, UINT32_MAX, &lanes)) return EMU_WAIT;
  emu_hazard_converge(warp);
  emu_tmem_user *user = emu_tmem_user_of(warp, op);
  if (!user || !emu_tcgen05_land(warp, stores)) return EMU_FAULT;
  if (!stores && !emu_tcgen05_early(warp, user, false)) return EMU_FAULT;
  emu_tmem_wait(warp, user, stores ? EMU_TMEM_STORES : EMU_TMEM_LOADS);
  return EMU_NEXT;
}

static emu_step run_fence_before(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  const emu_tmem_user *user = emu_tmem_user_of(warp, op);
  (void)lanes;
  if (!user) return EMU_FAULT;
  emu_tmem_tell(warp, user);
  return EMU_NEXT;
}

static emu_step run_fence_after(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  (void)op, (void)lanes;
  emu_hazard_fence_tensor(warp);
  return EMU_NEXT;
}

/* ---- The pipe --------------------------------------------------------------------------- */

static void drop(emu_async *async) {
  gg_free(async);
}

emu_async emu_tcgen05_work(emu_warp *warp, const emu_op *op, int lane, emu_tmem_user *user) {
  return (emu_async){.warp = warp,
                     .op = op,
                     .lanes = UINT32_C(1) << lane,
                     .chain = user,
                     .proxy = EMU_PROXY_ASYNC,
                     .trusting = !warp->cta->cluster->run->fences,
                     .agent = user->work[EMU_TMEM_PIPE].agent,
                     .clock = user->work[EMU_TMEM_PIPE].issued + 1,
                     .binds = true,
                     .drop = drop};
}

void emu_tcgen05_list_reads(emu_async *work, emu_span *spans, const emu_unit_set sets[2],
                            emu_cta *ctas[2]) {
  uint32_t first = emu_unit_count_spans(&sets[0]);
  emu_unit_list_spans(spans, &sets[0], ctas[0]);
  emu_unit_list_spans(spans + first, &sets[1], ctas[1]);
  work->reads = spans;
  work->read_count = first + emu_unit_count_spans(&sets[1]);
}

/* ---- Commit ----------------------------------------------------------------------------- */

typedef struct commit_facts {
  int group;
  bool multicast;
} commit_facts;

/* Arrivals at mbarriers, one a CTA, once the products and copies of the warp until now are done:
 * who waits knows that they are, and what the warp knew when it committed, that their operands had
 * come among it. */
typedef struct commit {
  emu_async base;
  int count;
  emu_mbarrier *barriers[EMU_CLUSTER_MAX];
} commit;

static bool land_commit(emu_async *async, emu_cluster *cluster) {
  const commit *c = (const commit *)async;
  int lane = __builtin_ctz(async->lanes);
  for (int i = 0; i < c->count; i++) {
    emu_mbarrier *barrier = c->barriers[i];
    emu_hazard_pass(cluster, emu_mbarrier_key(barrier), c);
    emu_hazard_teach(cluster, emu_mbarrier_key(barrier), async->agent, async->clock);
    if (!emu_mbarrier_arrive(async->warp, async->op, lane, barrier, 1, false)) return false;
  }
  emu_hazard_forget(cluster, c);
  return true;
}

/* The barriers: the lane's, or those at its offset in each CTA of the mask. */
static bool find_barriers(commit *c, emu_warp *warp, const emu_op *op, int lane) {
  const commit_facts *f = op->facts;
  const emu_cluster *cluster = warp->cta->cluster;
  emu_place place;
  if (!emu_lane_place(&place, warp, op, lane, &op->address, (emu_space)op->space, 8, 8)) {
    return false;
  }
  uint32_t mask = f->multicast ? (uint32_t)emu_lane_value(warp, &op->operands[0], lane) & 0xffff
                               : UINT32_C(1) << place.bank->cta->rank;
  EMU_EACH_LANE(mask, rank) {
    if (rank >= cluster->cta_count) {
      emu_fault(warp, op, lane, GG_E_EMU_CLUSTER, "the mask 0x%04x has CTA %u; the cluster has %u",
                mask, rank, cluster->cta_count);
      return false;
    }
    emu_place at = {cluster->ctas[rank].shared, place.offset};
    emu_mbarrier *barrier = emu_mbarrier_at(warp, op, lane, at);
    if (!barrier || !emu_async_alive(warp, op, lane, &cluster->ctas[rank])) return false;
    c->barriers[c->count++] = barrier;
  }
  return true;
}

static emu_step run_commit(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  const commit_facts *f = op->facts;
  emu_tmem_user *user = emu_tmem_user_of(warp, op);
  if (!user || !emu_tmem_of(warp, op, f->group)) return EMU_FAULT;
  EMU_EACH_LANE(lanes, lane) {
    commit *c = gg_malloc(sizeof *c);
    if (!c) return emu_async_no_memory(warp, op), EMU_FAULT;
    *c = (commit){.base = {.warp = warp,
                           .op = op,
                           .lanes = UINT32_C(1) << lane,
                           .chain = user,
                           .agent = user->work[EMU_TMEM_PIPE].agent,
                           .clock = user->work[EMU_TMEM_PIPE].issued,
                           .land = land_commit,
                           .drop = drop}};
    if (!find_barriers(c, warp, op, (int)lane)) {
      gg_free(c);
      return EMU_FAULT;
    }
    emu_hazard_release(warp, c);
    if (!emu_async_issue(warp->cta->cluster, &c->base)) return EMU_FAULT;
  }
  return EMU_NEXT;
}

/* [mbarrier] {, mask of CTAs}. */
static gg_status decode_commit(emu_op *op, emu_decoder *d, gg_error *err) {
  commit_facts *f = GG_ARENA_NEW(emu_decoder_arena(d), commit_facts);
  if (!f) return gg_fail(err, MEMORY, NULL, "");
  f->group = emu_take_cta_group(d);
  bool arrives = emu_take(d, "mbarrier::arrive::one");
  op->space = (uint8_t)emu_take_space(d);
  f->multicast = emu_take(d, "multicast::cluster");
  bool typed = emu_take(d, "b64");
  gg_status st = emu_modifiers_end(d, err);
  if (st) return st;
  if (!f->group || !arrives || !typed ||
      (op->space != EMU_GENERIC && op->space != EMU_SHARED_CLUSTER)) {
    return emu_unknown_form(d, err,
                            "it is tcgen05.commit.cta_group::1 or ::2, .mbarrier::arrive::one, "
                            ".shared::cluster, .b64");
  }
  if (emu_operand_count(d) != 1 + f->multicast) {
    return emu_unknown_form(d, err, "it has %d operands, not %d", 1 + f->multicast,
                            emu_operand_count(d));
  }
  op->facts = f;
  op->exec = run_commit;
  if ((st = emu_operands_open(op, d, 1, err))) return st;
  if (f->multicast && (st = emu_operand_value(&op->operands[0], d, 1, EMU_B16, err))) return st;
  return emu_operand_address(&op->address, d, 0, err);
}

/* ---- Decoding --------------------------------------------------------------------------- */

/* alloc [shared], columns; dealloc address, columns; relinquish_alloc_permit. */
static gg_status decode_columns(emu_op *op, emu_decoder *d, emu_exec *exec, gg_error *err) {
  bool allocates = exec == emu_tmem_alloc;
  int values = allocates ? 1 : exec == emu_tmem_dealloc ? 2 : 0;
  gg_status st;
  op->exec = exec;
  op->vector = (uint8_t)emu_take_cta_group(d);
  if (!op->vector) return emu_unknown_form(d, err, "it is .cta_group::1 or ::2");
  if (!emu_take(d, "sync") || !emu_take(d, "aligned")) {
    return emu_unknown_form(d, err, "it is .sync.aligned");
  }
  if (allocates) op->space = (uint8_t)emu_take_space(d);
  if (op->space != EMU_GENERIC && op->space != EMU_SHARED) {
    return emu_unknown_form(d, err, "the address goes to .shared::cta");
  }
  if (values && emu_take_type(d) != EMU_B32) return emu_unknown_form(d, err, "its type is .b32");
  if ((st = emu_modifiers_end(d, err))) return st;
  if (emu_operand_count(d) != values + allocates) {
    return emu_unknown_form(d, err, "it has %d operands, not %d", values + allocates,
                            emu_operand_count(d));
  }
  if ((st = emu_operands_open(op, d, 2, err))) return st;
  if (allocates && (st = emu_operand_address(&op->address, d, 0, err))) return st;
  for (int i = 0; i < values; i++) {
    if ((st = emu_operand_value(&op->operands[i], d, i + allocates, EMU_B32, err))) return st;
  }
  return GG_OK;
}

static gg_status decode_wait(emu_op *op, emu_decoder *d, bool stores, gg_error *err) {
  op->vector = stores;
  op->exec = run_wait;
  if (!emu_take(d, "sync") || !emu_take(d, "aligned")) {
    return emu_unknown_form(d, err, "it is .sync.aligned");
  }
  return emu_modifiers_end(d, err);
}

gg_status emu_decode_tcgen05(emu_op *op, emu_decoder *d, gg_error *err) {
  int arch = emu_decoder_arch(d);
  op->kind = EMU_KIND_TCGEN05;
  op->converges = true;
  if (arch < 100 || arch >= 120) {
    return emu_unknown_form(d, err, "sm_%d has none: it is sm_100a's, sm_103a's and sm_110a's",
                            arch);
  }
  if (emu_take(d, "ld")) return emu_decode_tcgen05_ld(op, d, err);
  if (emu_take(d, "st")) return emu_decode_tcgen05_st(op, d, err);
  if (emu_take(d, "wait::ld")) return decode_wait(op, d, false, err);
  if (emu_take(d, "wait::st")) return decode_wait(op, d, true, err);
  if (emu_take(d, "alloc")) return decode_columns(op, d, emu_tmem_alloc, err);
  if (emu_take(d, "dealloc")) return decode_columns(op, d, emu_tmem_dealloc, err);
  if (emu_take(d, "relinquish_alloc_permit")) {
    return decode_columns(op, d, emu_tmem_relinquish, err);
  }
  op->converges = false;
  if (emu_take(d, "mma")) return emu_decode_tcgen05_mma(op, d, err);
  if (emu_take(d, "cp")) return emu_decode_tcgen05_cp(op, d, err);
  if (emu_take(d, "shift")) return emu_decode_tcgen05_shift(op, d, err);
  if (emu_take(d, "commit")) return decode_commit(op, d, err);
  bool before = emu_take(d, "fence::before_thread_sync");
  if (before || emu_take(d, "fence::after_thread_sync")) {
    op->exec = before ? run_fence_before : run_fence_after;
    return emu_modifiers_end(d, err);
  }
  return emu_unknown_form(d, err, "it is not emulated");
}
