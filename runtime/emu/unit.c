/* See unit.h. */
#include "emu/unit.h"

#include "base/alloc.h"

const emu_unit *const emu_units[EMU_UNIT_COUNT] = {
#define EMU_UNIT(id, hooks) [EMU_UNIT_ID_##id] = &hooks,
#include "emu/units.def"
#undef EMU_UNIT
};

/* ---- States ----------------------------------------------------------------------------- */

/* Fills the slot; NULL after a fault. */
static void *make(void **slot, emu_warp *warp, const emu_op *op, emu_unit_id unit, size_t bytes) {
  *slot = gg_calloc(1, bytes);
  if (!*slot) emu_fault(warp, op, -1, GG_E_MEMORY, " for %s", emu_units[unit]->name);
  return *slot;
}

void *emu_unit_of_warp(emu_warp *warp, const emu_op *op, emu_unit_id unit) {
  void **slot = &warp->units[unit];
  if (*slot || !make(slot, warp, op, unit, emu_units[unit]->warp_bytes)) return *slot;
  if (emu_units[unit]->admit) warp->asked |= UINT32_C(1) << unit;
  return *slot;
}

void *emu_unit_of_cta(emu_warp *warp, const emu_op *op, emu_unit_id unit) {
  void **slot = &warp->cta->units[unit];
  return *slot ? *slot : make(slot, warp, op, unit, emu_units[unit]->cta_bytes);
}

void *emu_unit_of_cluster(emu_warp *warp, const emu_op *op, emu_unit_id unit) {
  void **slot = &warp->cta->cluster->units[unit];
  return *slot ? *slot : make(slot, warp, op, unit, emu_units[unit]->cluster_bytes);
}

static void close_state(void **state, void (*close)(void *state)) {
  if (*state && close) close(*state);
  gg_free(*state);
  *state = NULL;
}

void emu_units_close_warp(emu_warp *warp) {
  for (int u = 0; u < EMU_UNIT_COUNT; u++)
    close_state(&warp->units[u], emu_units[u]->close_warp);
}

void emu_units_close_cta(emu_cta *cta) {
  for (int u = 0; u < EMU_UNIT_COUNT; u++)
    close_state(&cta->units[u], emu_units[u]->close_cta);
}

void emu_units_close_cluster(emu_cluster *cluster) {
  for (int u = 0; u < EMU_UNIT_COUNT; u++)
    close_state(&cluster->units[u], emu_units[u]->close_cluster);
}

/* ---- Hooks ------------------------------------------------------------------------------ */

emu_step emu_units_admit(emu_warp *warp, const emu_op *op) {
  emu_step step = EMU_NEXT;
  for (uint32_t left = warp->asked; left && step == EMU_NEXT; left &= left - 1)
    step = emu_units[__builtin_ctz(left)]->admit(warp, op);
  return step;
}

void emu_units_lanes_exit(emu_warp *warp) {
  const emu_cta *cta = warp->cta;
  for (int u = 0; u < EMU_UNIT_COUNT; u++) {
    bool used = cta->units[u] || cta->cluster->units[u];
    if (used && emu_units[u]->lanes_exit) emu_units[u]->lanes_exit(warp);
  }
}

bool emu_units_cta_exit(emu_cta *cta) {
  for (int u = 0; u < EMU_UNIT_COUNT; u++) {
    if (cta->units[u] && emu_units[u]->cta_exit && !emu_units[u]->cta_exit(cta)) return false;
  }
  return true;
}

bool emu_units_give_up(emu_cluster *cluster) {
  bool any = false;
  for (int u = 0; u < EMU_UNIT_COUNT; u++) {
    if (cluster->units[u] && emu_units[u]->give_up) any |= emu_units[u]->give_up(cluster);
  }
  return any;
}

bool emu_units_explain(gg_str *out, const emu_warp *warp, const emu_split *split) {
  for (int u = 0; u < EMU_UNIT_COUNT; u++) {
    bool used = warp->units[u] || warp->cta->units[u] || warp->cta->cluster->units[u];
    if (used && emu_units[u]->explain && emu_units[u]->explain(out, warp, split)) return true;
  }
  return false;
}
