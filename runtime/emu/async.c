/* The engine of a cluster in which nothing is asynchronous. */
#include "emu/async.h"

gg_status emu_engine_open(struct emu_engine **out, emu_cluster *cluster, gg_error *err) {
  (void)cluster, (void)err;
  *out = NULL;
  return GG_OK;
}

void emu_engine_close(struct emu_engine *engine) {
  (void)engine;
}

bool emu_async_touched(emu_warp *warp, const emu_op *op, int lane, emu_place place, uint32_t bytes,
                       bool write) {
  (void)warp, (void)op, (void)lane, (void)place, (void)bytes, (void)write;
  return true;
}

bool emu_engine_land_one(emu_cluster *cluster) {
  (void)cluster;
  return false;
}

bool emu_engine_time_out(emu_cluster *cluster) {
  (void)cluster;
  return false;
}

bool emu_engine_tick(emu_cluster *cluster) {
  (void)cluster;
  return true;
}

bool emu_engine_cta_exit(emu_cta *cta) {
  (void)cta;
  return true;
}
