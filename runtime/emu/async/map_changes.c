/* See map_changes.h. */
#include "emu/async/map_changes.h"

#include "base/alloc.h"
#include "emu/async.h"
#include "emu/async/tensor_map.h"
#include "emu/unit.h"

typedef struct change {
  uint64_t address;
  const emu_op *op;
  bool released;
} change;

/* The unit's state of a cluster: maps that no fence has acquired since they were written. */
typedef struct changes {
  change *list;
  size_t count, room;
} changes;

static void close(void *state) {
  gg_free(((changes *)state)->list);
}

const emu_unit emu_unit_map_changes = {
    .name = "changes of tensor maps", .cluster_bytes = sizeof(changes), .close_cluster = close};

static changes *changes_of(const emu_warp *warp) {
  return warp->cta->cluster->units[EMU_UNIT_ID_MAP_CHANGES];
}

static change *find(const changes *all, uint64_t address) {
  for (size_t i = 0; all && i < all->count; i++)
    if (all->list[i].address == address) return &all->list[i];
  return NULL;
}

static bool add(changes *all, change one) {
  if (all->count == all->room) {
    size_t room = all->room ? 2 * all->room : 8;
    change *list = gg_realloc(all->list, room * sizeof *list);
    if (!list) return false;
    all->list = list;
    all->room = room;
  }
  all->list[all->count++] = one;
  return true;
}

/* Whether no store in flight reads the map. */
static bool is_free(emu_warp *warp, const emu_op *op, uint64_t address) {
  const emu_async *reader = emu_async_first(warp->cta->cluster);
  while (reader && reader->map != address)
    reader = reader->next;
  return !reader ||
         emu_tolerated(warp, op, -1, GG_E_EMU_IN_FLIGHT,
                       "changes the tensor map at 0x%llx, which the store of line %u has yet to "
                       "read: nothing has waited for it",
                       (unsigned long long)address, reader->op->ptx->place.line);
}

bool emu_map_changed(emu_warp *warp, const emu_op *op, uint64_t address, bool released) {
  changes *all = emu_unit_of_cluster(warp, op, EMU_UNIT_ID_MAP_CHANGES);
  if (!all || !is_free(warp, op, address)) return false;
  change *known = find(all, address), now = {address, op, released};
  if (known) *known = now;
  if (known || add(all, now)) return true;
  emu_fault(warp, op, -1, GG_E_MEMORY, " for %s", emu_unit_map_changes.name);
  return false;
}

void emu_map_release(emu_warp *warp) {
  changes *all = changes_of(warp);
  for (size_t i = 0; all && i < all->count; i++)
    all->list[i].released = true;
}

void emu_map_acquire(emu_warp *warp, uint64_t address) {
  changes *all = changes_of(warp);
  change *known = find(all, address);
  if (known && known->released) *known = all->list[--all->count];
}

bool emu_map_use(emu_warp *warp, const emu_op *op, int lane, uint64_t address) {
  const change *changed = find(changes_of(warp), address);
  return !changed || emu_tolerated(warp, op, lane, GG_E_EMU_RACE,
                                   "uses the tensor map at 0x%llx, which is changed at line %u: no "
                                   "fence.proxy.tensormap::generic.%s comes between",
                                   (unsigned long long)address, changed->op->ptx->place.line,
                                   changed->released ? "acquire of it" : "release");
}
