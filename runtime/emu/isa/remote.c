/* st.async and red.async (PTX ISA, "st.async", "red.async").
 *
 * Either one writes a few bytes to shared memory of the cluster and completes on an mbarrier there.
 * From sm_100 on it may write to global memory instead. Then no mbarrier says when it is done: it
 * lands at any later time, and other threads see it only by reading the place until it has changed.
 * What one warp writes to global memory in this way lands in the order of issue. */
#include <string.h>

#include "base/alloc.h"
#include "emu/async/decoders.h"
#include "emu/async/engine.h"
#include "emu/async/mbarrier.h"
#include "emu/async/modifiers.h"
#include "emu/async/reduce.h"
#include "emu/hazard/beside.h"

enum { vector_max = 4, value_bytes_max = 16, barrier_bytes = 8 };

typedef struct remote_facts {
  emu_address to, barrier;
  emu_space space;
  bool reduces, global;
  emu_reduction reduction;
  emu_type type;
  int count; /* elements */
} remote_facts;

typedef struct remote {
  emu_async base;
  emu_span span;
  emu_mbarrier *barrier;
  uint64_t address; /* of global memory */
  emu_order order;  /* when it was issued */
  uint8_t value[value_bytes_max];
} remote;

static void drop(emu_async *self) {
  gg_free(self);
}

static bool land(emu_async *self, emu_cluster *cluster) {
  remote *r = (remote *)self;
  const remote_facts *facts = self->op->facts;
  uint8_t *to = emu_place_bytes(r->span.place), *marks = emu_place_marks(r->span.place);
  (void)cluster;
  if (facts->reduces) {
    emu_reduce_bytes(facts->reduction, facts->type, false, to, r->value, r->span.bytes);
  } else {
    memcpy(to, r->value, r->span.bytes);
    for (uint32_t i = 0; i < r->span.bytes; i++)
      marks[i] |= EMU_MARK_WRITTEN;
  }
  int lane = __builtin_ctz(self->lanes);
  if (!r->barrier->live) {
    emu_fault(self->warp, self->op, lane, GG_E_EMU_MBARRIER,
              "the mbarrier at 0x%x is invalidated while this operation was to complete on it",
              emu_place_address(r->barrier->place));
    return false;
  }
  self->agent = r->barrier->agent;
  self->clock = emu_mbarrier_clock(r->barrier);
  return emu_mbarrier_complete(self->warp, self->op, lane, r->barrier, r->span.bytes);
}

/* ---- Global memory ---------------------------------------------------------------------- */

static bool refuse_global(const emu_async *self, const remote *r, emu_device *device) {
  gg_str why = GG_STR_INIT;
  emu_global_explain(&why, device, r->address, r->span.bytes);
  emu_fault(self->warp, self->op, __builtin_ctz(self->lanes), GG_E_EMU_BOUNDS, "writes to %s",
            gg_str_text(&why));
  gg_str_free(&why);
  return false;
}

static bool land_global(emu_async *self, emu_cluster *cluster) {
  const remote *r = (const remote *)self;
  const remote_facts *facts = self->op->facts;
  emu_device *device = cluster->run->device;
  uint32_t bytes = r->span.bytes;
  uint8_t *to = emu_global(device, r->address, bytes, true);
  if (!to) return refuse_global(self, r, device);
  unsigned intent = facts->reduces ? EMU_READ | EMU_WRITE | EMU_STRONG : EMU_WRITE | EMU_STRONG;
  if (!emu_beside_span(self->warp, self->op, __builtin_ctz(self->lanes), r->order, r->address,
                       bytes, intent)) {
    return false;
  }
  if (facts->reduces && cluster->run->checked && !emu_global_written(device, r->address, bytes) &&
      !emu_tolerated(self->warp, self->op, __builtin_ctz(self->lanes), GG_E_EMU_UNDEFINED,
                     "updates %u bytes at 0x%llx of global memory, not all of which somebody has "
                     "written",
                     bytes, (unsigned long long)r->address)) {
    return false;
  }
  if (facts->reduces) {
    emu_reduce_bytes(facts->reduction, facts->type, false, to, r->value, bytes);
  } else {
    memcpy(to, r->value, bytes);
  }
  emu_global_mark(device, r->address, bytes);
  return true;
}

/* ---- Issue ------------------------------------------------------------------------------ */

static bool find_global(remote *r, emu_warp *warp, const emu_op *op, int lane) {
  const remote_facts *facts = op->facts;
  r->address = emu_lane_address(warp, &facts->to, lane);
  r->span.bytes = (uint32_t)emu_type_bytes(facts->type);
  r->base.writes = NULL;
  r->base.write_count = 0;
  r->base.binds = false;
  r->base.land = land_global;
  r->base.chain = warp;
  r->order = emu_beside_order(warp);
  if (r->address % r->span.bytes == 0) return true;
  emu_fault(warp, op, lane, GG_E_EMU_MISALIGNED, "address 0x%llx is not a multiple of %u",
            (unsigned long long)r->address, r->span.bytes);
  return false;
}

/* Finds the places; false after a fault. */
static bool find(remote *r, emu_warp *warp, const emu_op *op, int lane) {
  const remote_facts *facts = op->facts;
  emu_place barrier;
  if (facts->global) return find_global(r, warp, op, lane);
  r->span.bytes = (uint32_t)(facts->count * emu_type_bytes(facts->type));
  if (!emu_lane_place(&r->span.place, warp, op, lane, &facts->to, facts->space, r->span.bytes,
                      r->span.bytes) ||
      !emu_lane_place(&barrier, warp, op, lane, &facts->barrier, facts->space, barrier_bytes,
                      barrier_bytes) ||
      !emu_async_alive(warp, op, lane, barrier.bank->cta)) {
    return false;
  }
  if (barrier.bank != r->span.place.bank) {
    emu_fault(warp, op, lane, GG_E_EMU_MBARRIER,
              "the mbarrier at 0x%x is not in the CTA that gets the bytes, at 0x%x",
              emu_place_address(barrier), emu_place_address(r->span.place));
    return false;
  }
  return (r->barrier = emu_mbarrier_at(warp, op, lane, barrier)) != NULL;
}

static bool issue(emu_warp *warp, const emu_op *op, int lane) {
  const remote_facts *facts = op->facts;
  remote *r = gg_malloc(sizeof *r);
  if (!r) return emu_async_no_memory(warp, op);
  *r = (remote){.base = {.warp = warp,
                         .op = op,
                         .lanes = 1u << lane,
                         .proxy = EMU_PROXY_GENERIC,
                         .writes = &r->span,
                         .write_count = 1,
                         .binds = true,
                         .land = land,
                         .drop = drop}};
  if (!find(r, warp, op, lane)) {
    gg_free(r);
    return false;
  }
  int bytes = emu_type_bytes(facts->type);
  for (int i = 0; i < facts->count; i++) {
    uint64_t value = emu_lane_value(warp, &op->operands[i], lane);
    memcpy(r->value + i * bytes, &value, (size_t)bytes);
  }
  return emu_async_issue(warp->cta->cluster, &r->base);
}

static emu_step run_remote(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  EMU_EACH_LANE(lanes, lane) {
    if (!issue(warp, op, (int)lane)) return EMU_FAULT;
  }
  return EMU_NEXT;
}

/* ---- Decoding --------------------------------------------------------------------------- */

/* 64 bits are added alone, as .u64 or .s64; and global memory takes stores of 8 and 16 bits. */
static gg_status check_type(remote_facts *facts, emu_decoder *d, gg_error *err) {
  const emu_type_info *type = emu_type_of(facts->type);
  bool wide = type->bits == 32 || type->bits == 64;
  bool narrow = facts->global && !facts->reduces && (type->bits == 8 || type->bits == 16) &&
                type->kind != 'f';
  bool known = (wide || narrow) && type->packed == 1 && facts->type != EMU_TF32;
  if (facts->reduces && facts->type == EMU_S64 && facts->reduction == EMU_REDUCE_ADD) {
    facts->type = EMU_U64;
  }
  if (facts->reduces) {
    known = known && type->kind != 'f' && emu_reduction_exists(facts->reduction, facts->type) &&
            facts->type != EMU_B64 && facts->type != EMU_S64 &&
            (facts->type != EMU_U64 || facts->reduction == EMU_REDUCE_ADD);
  }
  return known ? GG_OK : emu_unknown_form(d, err, "not for .%s", type->spelling);
}

/* Where it goes, and how it completes there. */
static gg_status take_place(remote_facts *facts, emu_decoder *d, gg_error *err) {
  bool ordered = emu_take(d, "mmio");
  emu_sem sem = emu_take_sem(d);
  emu_take(d, "weak");
  emu_take_scope(d);
  facts->space = emu_take_space(d);
  facts->global = !emu_take(d, "mbarrier::complete_tx::bytes");
  if (!facts->global) {
    bool shared = facts->space == EMU_SHARED_CLUSTER || facts->space == EMU_GENERIC;
    if (shared && !ordered && sem != EMU_SEM_RELEASE) return GG_OK;
    return emu_unknown_form(d, err, "with an mbarrier it is weak or relaxed, to .shared::cluster");
  }
  if (facts->space != EMU_GLOBAL && facts->space != EMU_GENERIC) {
    return emu_unknown_form(d, err,
                            "it completes on .mbarrier::complete_tx::bytes, or is to "
                            ".global");
  }
  if (emu_decoder_arch(d) < 100) return emu_unknown_form(d, err, "to .global it needs sm_100");
  return GG_OK;
}

/* [to], value or {values}, [barrier]; to global memory without the barrier. */
static gg_status decode_remote(emu_op *op, emu_decoder *d, bool reduces, gg_error *err) {
  static const char *const vectors[] = {"v2", "v4", NULL};
  remote_facts *facts = GG_ARENA_NEW(emu_decoder_arena(d), remote_facts);
  if (!facts) return gg_fail(err, MEMORY, NULL, "");
  facts->reduces = reduces;
  int reduction = reduces ? emu_take_reduction(d) : 0;
  if (reduction < 0) return emu_unknown_form(d, err, "no reduction");
  facts->reduction = (emu_reduction)reduction;
  gg_status st = take_place(facts, d, err);
  if (st) return st;
  int vector = reduces || facts->global ? 0 : 2 * (emu_take_word(d, vectors) + 1);
  facts->type = emu_take_type(d);
  st = emu_modifiers_end(d, err);
  if (!st) st = check_type(facts, d, err);
  if (!st) st = emu_operands_open(op, d, vector_max, err);
  if (!st) st = emu_operand_address(&facts->to, d, 0, err);
  if (!st) {
    st = emu_operand_vector(op->operands, &facts->count, vector_max, d, 1, facts->type, false, err);
  }
  if (!st && !facts->global) st = emu_operand_address(&facts->barrier, d, 2, err);
  if (!st && facts->count != (vector ? vector : 1)) {
    return emu_unknown_form(d, err, "%d values", facts->count);
  }
  if (!st && facts->count * emu_type_bytes(facts->type) > value_bytes_max) {
    return emu_unknown_form(d, err, "more than %d bytes", value_bytes_max);
  }
  op->kind = reduces ? EMU_KIND_ATOMIC : EMU_KIND_STORE;
  op->updates = reduces;
  op->facts = facts;
  op->exec = run_remote;
  return st;
}

gg_status emu_decode_store_async(emu_op *op, emu_decoder *d, gg_error *err) {
  return decode_remote(op, d, false, err);
}

gg_status emu_decode_reduce_async(emu_op *op, emu_decoder *d, gg_error *err) {
  return decode_remote(op, d, true, err);
}
