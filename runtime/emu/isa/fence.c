/* membar and fence. (PTX ISA, "membar / fence", "Memory Consistency Model".)
 *
 * Warps of a cluster run one at a time, clusters on threads of the host: a fence is the host's.
 * What it means for races is hazard.h's. */
#include <stdatomic.h>

#include "emu/async/map_changes.h"
#include "emu/async/modifiers.h"
#include "emu/async/tensor_map.h"
#include "emu/hazard.h"
#include "emu/hazard/beside.h"
#include "emu/isa/access.h"

static emu_step fence(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  (void)op, (void)lanes;
  atomic_thread_fence(memory_order_seq_cst);
  emu_hazard_fence(warp);
  return EMU_NEXT;
}

/* Of the GPU's scope, or the system's. */
static emu_step fence_far(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  emu_step step = fence(warp, op, lanes);
  emu_beside_fence(warp);
  return step;
}

static emu_step fence_mbarrier_init(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  (void)op, (void)lanes;
  emu_hazard_fence_inits(warp);
  return EMU_NEXT;
}

static emu_step fence_proxy_async(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  (void)op, (void)lanes;
  emu_hazard_fence_proxy(warp);
  return EMU_NEXT;
}

static emu_step fence_map_acquire(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  EMU_EACH_LANE(lanes, lane)
  emu_map_acquire(warp, emu_lane_address(warp, &op->address, (int)lane));
  return fence(warp, op, lanes);
}

static emu_step fence_map_release(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  emu_map_release(warp);
  return fence(warp, op, lanes);
}

static gg_status decode_tensormap(emu_op *op, emu_decoder *d, gg_error *err) {
  bool acquires = emu_take(d, "acquire");
  int64_t bytes = 0;
  if (!acquires && !emu_take(d, "release")) return emu_unknown_form(d, err, "acquire or release");
  emu_take_scope(d);
  gg_status st = emu_modifiers_end(d, err);
  op->exec = acquires ? fence_map_acquire : fence_map_release;
  if (st || !acquires) return st;
  st = emu_operand_address(&op->address, d, 0, err);
  if (!st) st = emu_operand_immediate(&bytes, d, 1, err);
  if (!st && bytes != EMU_TENSOR_MAP_BYTES)
    return emu_unknown_form(d, err, "128 bytes are acquired");
  return st;
}

/* Aliases see the same memory here. */
static gg_status decode_proxy(emu_op *op, emu_decoder *d, gg_error *err) {
  static const char *const orders[] = {"acquire", "release", NULL};
  static const char *const scopes[] = {"cta", "cluster", "gpu", "sys", NULL};
  op->exec = fence;
  if (emu_take_prefix(d, "async")) {
    /* Global memory is not watched. */
    op->exec = emu_take_space(d) == EMU_GLOBAL ? fence : fence_proxy_async;
    if (emu_take_word(d, orders) >= 0) {
      emu_take_prefix(d, "sync_restrict::");
      emu_take_word(d, scopes);
    }
  } else if (emu_take(d, "tensormap::generic")) {
    return decode_tensormap(op, d, err);
  } else if (!emu_take(d, "alias")) {
    return emu_unknown_form(d, err, "no proxy");
  }
  return emu_modifiers_end(d, err);
}

gg_status emu_decode_fence(emu_op *op, emu_decoder *d, gg_error *err) {
  static const char *const orders[] = {"sc", "acq_rel", "acquire", "release", NULL};
  static const char *const scopes[] = {"cta", "cluster", "gpu", "sys", NULL};
  op->kind = EMU_KIND_FENCE;
  if (emu_take(d, "proxy")) return decode_proxy(op, d, err);
  bool inits = emu_take(d, "mbarrier_init");
  emu_take_word(d, orders);
  emu_take_prefix(d, "sync_restrict::");
  int scope = emu_take_word(d, scopes);
  if (scope < 0) return emu_unknown_form(d, err, "no scope");
  op->exec = inits ? fence_mbarrier_init : scope >= 2 ? fence_far : fence;
  return emu_modifiers_end(d, err);
}

gg_status emu_decode_membar(emu_op *op, emu_decoder *d, gg_error *err) {
  static const char *const levels[] = {"cta", "gl", "sys", NULL};
  op->kind = EMU_KIND_FENCE;
  if (emu_take(d, "proxy")) return decode_proxy(op, d, err);
  int level = emu_take_word(d, levels);
  op->exec = level > 0 ? fence_far : fence;
  if (level < 0) return emu_unknown_form(d, err, "cta, gl or sys");
  return emu_modifiers_end(d, err);
}
