/* Races, where nobody watches for them. */
#include "emu/hazard.h"

gg_status emu_hazards_open(struct emu_hazards **out, emu_cluster *cluster, gg_error *err) {
  (void)cluster, (void)err;
  *out = NULL;
  return GG_OK;
}

void emu_hazards_close(struct emu_hazards *hazards) {
  (void)hazards;
}

bool emu_hazard_access(emu_warp *warp, const emu_op *op, uint32_t lanes,
                       const emu_place place[EMU_LANES], unsigned bytes, bool write, bool atomic) {
  (void)warp, (void)op, (void)lanes, (void)place, (void)bytes, (void)write, (void)atomic;
  return true;
}

void emu_hazard_flag(emu_warp *warp, uint64_t address) {
  (void)warp, (void)address;
}

void emu_hazard_release(emu_warp *warp, const void *object) {
  (void)warp, (void)object;
}

void emu_hazard_acquire(emu_warp *warp, const void *object) {
  (void)warp, (void)object;
}

void emu_hazard_fence(emu_warp *warp) {
  (void)warp;
}

void emu_hazard_converge(emu_warp *warp) {
  (void)warp;
}

void emu_hazard_fence_proxy(emu_warp *warp) {
  (void)warp;
}
