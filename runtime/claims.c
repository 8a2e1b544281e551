#include "claims.h"

/* How many clusters a GPC has room for. Loose multiprocessors hold clusters of two CTAs at most. */
static int64_t room_in(const gg_gpcs *gpcs, int gpc, int64_t ctas) {
  enum { pair = 2 };
  return gpcs->loose[gpc] && ctas > pair ? 0 : gpcs->size[gpc] / ctas;
}

void gg_claims_deal(gg_gpc_table *out, const gg_gpcs *gpcs, int64_t works, int64_t clusters,
                    int64_t ctas) {
  int64_t room = 0, room_before = 0, before = 0;
  *out = (gg_gpc_table){.clusters = {(uint16_t)clusters}, .works = {(uint16_t)works}};
  if (!gpcs || gpcs->multiprocessors > GG_GPC_MULTIPROCESSORS) return;
  for (int i = 0; i < gpcs->count; i++)
    room += room_in(gpcs, i, ctas);
  if (room == 0) return;
  for (int i = 0; i < gpcs->count; i++) {
    room_before += room_in(gpcs, i, ctas);
    int64_t behind = clusters * room_before / room, first = works * before / clusters;
    out->clusters[i] = (uint16_t)(behind - before);
    out->first[i] = (uint16_t)first;
    out->works[i] = (uint16_t)(works * behind / clusters - first);
    before = behind;
  }
  for (int sm = 0; sm < gpcs->multiprocessors; sm++)
    out->gpcs[sm / 2] |= (uint8_t)(gpcs->of[sm] << sm % 2 * 4);
}
