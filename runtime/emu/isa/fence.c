/* fence, membar, prefetch (PTX ISA, "membar/fence", "prefetch").
 *
 * Memory here is one: accesses happen in the order in which they are issued. A fence has no effect
 * but for the race detector, which knows what it makes visible. */
#include "emu/async/modifiers.h"

static emu_step run_fence(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  (void)op, (void)lanes;
  emu_hazard_fence(warp);
  return EMU_NEXT;
}

static emu_step run_proxy_fence(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  (void)op, (void)lanes;
  emu_hazard_fence_proxy(warp);
  return EMU_NEXT;
}

static emu_step run_nothing(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  (void)warp, (void)op, (void)lanes;
  return EMU_NEXT;
}

/* .proxy.async and its narrowed forms; proxy is taken. Aliases, global memory and tensor maps are
 * not watched. */
static gg_status decode_proxy(emu_op *op, emu_decoder *d, gg_error *err) {
  static const char *const kinds[] = {"async", "async::generic", "alias", "tensormap::generic",
                                      NULL};
  int kind = emu_take_word(d, kinds);
  if (kind < 0) return emu_unknown_form(d, err, "no such proxy");
  emu_space space = emu_take_space(d);
  emu_take_sem(d);
  emu_take_prefix(d, "sync_restrict::");
  emu_take_scope(d);
  op->exec = kind < 2 && space != EMU_GLOBAL ? run_proxy_fence : run_nothing;
  return emu_modifiers_end(d, err);
}

gg_status emu_decode_fence(emu_op *op, emu_decoder *d, gg_error *err) {
  op->kind = EMU_KIND_FENCE;
  if (emu_take(d, "proxy")) return decode_proxy(op, d, err);
  op->exec = run_fence;
  emu_take(d, "mbarrier_init");
  emu_take_sem(d);
  emu_take_prefix(d, "sync_restrict::");
  emu_take_scope(d);
  return emu_modifiers_end(d, err);
}

gg_status emu_decode_membar(emu_op *op, emu_decoder *d, gg_error *err) {
  static const char *const levels[] = {"cta", "gl", "sys", NULL};
  op->kind = EMU_KIND_FENCE;
  if (emu_take(d, "proxy")) return decode_proxy(op, d, err);
  op->exec = run_fence;
  if (emu_take_word(d, levels) < 0) return emu_unknown_form(d, err, "it is .cta, .gl or .sys");
  return emu_modifiers_end(d, err);
}

/* ---- Prefetches ------------------------------------------------------------------------- */

gg_status emu_decode_prefetch(emu_op *op, emu_decoder *d, gg_error *err) {
  static const char *const levels[] = {"L1",        "L2", "L2::evict_last", "L2::evict_normal",
                                       "tensormap", NULL};
  op->kind = EMU_KIND_LOAD;
  op->exec = run_nothing;
  emu_take_space(d);
  if (emu_take_word(d, levels) < 0) return emu_unknown_form(d, err, "no such level");
  gg_status st = emu_modifiers_end(d, err);
  return st ? st : emu_operand_address(&op->address, d, 0, err);
}
