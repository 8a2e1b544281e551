/* mbarrier objects: counts, phases, and everything that must not be done to them.
 *
 * A phase completes when no arrival and no byte is pending. The next begins at once, with as many
 * pending arrivals as are expected. Bytes may come before they are expected, so that the tx-count
 * is negative for a while. But when all arrivals of a phase have been made, nobody is left to
 * expect more, and a negative count is a fault. (PTX ISA, "mbarrier", "Tracking asynchronous
 * operations by the mbarrier object".)
 *
 * Order: arrivals release to emu_mbarrier_key. At the end of a phase, what that knows is passed to
 * the barrier, which those who have waited acquire. So they do not learn of arrivals of the next
 * phase. */
#include "emu/async/mbarrier.h"

#include <string.h>

#include "base/alloc.h"
#include "emu/async/engine.h"

enum { object_bytes = 8, first_capacity = 64 };

/* ---- The table -------------------------------------------------------------------------- */

static size_t hash(emu_place place) {
  return ((size_t)place.offset / object_bytes + place.bank->cta->rank * 977u) * 0x9e3779b1u;
}

static emu_mbarrier **slot_of(const emu_mbarriers *barriers, emu_place place) {
  size_t i = hash(place) & (barriers->capacity - 1);
  while (barriers->slots[i] && !emu_place_same(barriers->slots[i]->place, place)) {
    i = (i + 1) & (barriers->capacity - 1);
  }
  return &barriers->slots[i];
}

static bool grow(emu_mbarriers *barriers) {
  if (barriers->count * 2 < barriers->capacity) return true;
  emu_mbarriers wider = {.capacity = barriers->capacity ? barriers->capacity * 2 : first_capacity};
  wider.slots = gg_malloc(wider.capacity * sizeof(emu_mbarrier *));
  if (!wider.slots) return false;
  for (size_t i = 0; i < wider.capacity; i++)
    wider.slots[i] = NULL;
  for (size_t i = 0; i < barriers->capacity; i++) {
    if (barriers->slots[i]) *slot_of(&wider, barriers->slots[i]->place) = barriers->slots[i];
  }
  wider.count = barriers->count;
  gg_free(barriers->slots);
  *barriers = wider;
  return true;
}

static emu_mbarrier *find(const emu_mbarriers *barriers, emu_place place) {
  return barriers && barriers->capacity ? *slot_of(barriers, place) : NULL;
}

/* How many mbarriers a CTA has had. */
static uint32_t count_of(const emu_mbarriers *barriers, const emu_cta *cta) {
  uint32_t count = 0;
  for (size_t i = 0; i < barriers->capacity; i++) {
    count += barriers->slots[i] && barriers->slots[i]->place.bank->cta == cta;
  }
  return count;
}

static emu_mbarrier *find_or_make(emu_mbarriers *barriers, emu_place place) {
  emu_mbarrier *barrier = find(barriers, place);
  if (barrier) return barrier;
  if (!grow(barriers) || !(barrier = gg_malloc(sizeof *barrier))) return NULL;
  *barrier = (emu_mbarrier){.place = place, .number = count_of(barriers, place.bank->cta)};
  *slot_of(barriers, place) = barrier;
  barriers->count++;
  return barrier;
}

void emu_mbarriers_free(emu_mbarriers *barriers) {
  for (size_t i = 0; i < barriers->capacity; i++)
    gg_free(barriers->slots[i]);
  gg_free(barriers->slots);
}

/* ---- Life ------------------------------------------------------------------------------- */

static unsigned line_of(const emu_op *op) {
  return op->ptx ? op->ptx->place.line : 0;
}

static void mark(emu_place place, bool live) {
  uint8_t *marks = emu_place_marks(place);
  for (int i = 0; i < object_bytes; i++) {
    marks[i] &= (uint8_t) ~(EMU_MARK_BARRIER | EMU_MARK_WRITTEN);
    if (live) marks[i] |= EMU_MARK_BARRIER | EMU_MARK_WRITTEN;
  }
  memset(emu_place_bytes(place), 0, object_bytes);
}

/* init and inval write the object as any store does. */
static bool store(emu_warp *warp, const emu_op *op, int lane, emu_place place) {
  emu_place places[EMU_LANES];
  places[lane] = place;
  const uint8_t *marks = emu_place_marks(place);
  for (uint32_t i = 0; i < object_bytes; i++) {
    if (!(marks[i] & (EMU_MARK_LANDING | EMU_MARK_LEAVING))) continue;
    emu_place byte = {place.bank, place.offset + i};
    if (!emu_async_touched(warp, op, lane, byte, 1, true)) return false;
    break;
  }
  return emu_hazard_access(warp, op, 1u << lane, places, object_bytes, true, false);
}

static bool check_count(emu_warp *warp, const emu_op *op, int lane, uint64_t count) {
  if (count >= 1 && count <= EMU_MBARRIER_COUNT_MAX) return true;
  emu_fault(warp, op, lane, GG_E_EMU_MBARRIER, "an arrival count of %llu: it is 1 to %d",
            (unsigned long long)count, EMU_MBARRIER_COUNT_MAX);
  return false;
}

bool emu_mbarrier_init(emu_warp *warp, const emu_op *op, int lane, emu_place place,
                       uint32_t count) {
  emu_cluster *cluster = warp->cta->cluster;
  if (!check_count(warp, op, lane, count)) return false;
  emu_mbarriers *barriers = emu_unit_of_cluster(warp, op, EMU_UNIT_ID_MBARRIER);
  if (!barriers) return false;
  emu_mbarrier *barrier = find_or_make(barriers, place);
  if (!barrier) return emu_async_no_memory(warp, op);
  if (barrier->live) {
    emu_fault(warp, op, lane, GG_E_EMU_MBARRIER,
              "the mbarrier at 0x%x is initialised again, having been at line %u: mbarrier.inval "
              "it first",
              emu_place_address(place), line_of(barrier->init));
    return false;
  }
  if (!store(warp, op, lane, place)) return false;
  mark(place, true);
  *barrier = (emu_mbarrier){.place = place,
                            .number = barrier->number,
                            .live = true,
                            .expected = count,
                            .pending = count,
                            .init = op};
  emu_hazard_forget(cluster, barrier);
  emu_hazard_forget(cluster, emu_mbarrier_key(barrier));
  barrier->agent = emu_hazard_agent(cluster, barrier);
  barrier->maker = emu_hazard_moment(warp, &barrier->made);
  return true;
}

/* Called when the warp does not know of the initialisation, which is a race, unless a relaxed
 * arrival at the cluster's barrier is between: a use of the barrier goes to the SM where it is,
 * which has served the initialisation by then. Says whether the kernel goes on. */
static bool unordered(emu_warp *warp, const emu_op *op, int lane, const emu_mbarrier *barrier) {
  bool past = emu_hazard_past(warp, barrier->maker, barrier->made);
  const char *why = past ? "only a relaxed arrival at the cluster's barrier is between, with no "
                           "fence.mbarrier_init before it"
                         : "nothing orders this use after that";
  return emu_tolerated(warp, op, lane, past ? GG_E_EMU_RELAXED : GG_E_EMU_RACE,
                       "uses the mbarrier at 0x%x, which is initialised at line %u by another "
                       "warp: %s",
                       emu_place_address(barrier->place), line_of(barrier->init), why);
}

emu_mbarrier *emu_mbarrier_at(emu_warp *warp, const emu_op *op, int lane, emu_place place) {
  emu_mbarrier *barrier = find(emu_mbarriers_of(warp->cta->cluster), place);
  if (!barrier || !barrier->live) {
    emu_fault(warp, op, lane, GG_E_EMU_MBARRIER, "no mbarrier has been initialised at 0x%x%s",
              emu_place_address(place), barrier ? ": the one that was there is invalidated" : "");
    return NULL;
  }
  bool ordered =
      emu_hazard_knows(warp, barrier->maker, barrier->made) || unordered(warp, op, lane, barrier);
  return ordered ? barrier : NULL;
}

emu_mbarrier *emu_mbarrier_of_proxy(emu_warp *warp, const emu_op *op, int lane, emu_place place) {
  emu_mbarrier *barrier = emu_mbarrier_at(warp, op, lane, place);
  if (!barrier) return NULL;
  bool visible = emu_hazard_init_fenced(warp, barrier->maker, barrier->made) ||
                 emu_tolerated(warp, op, lane, GG_E_EMU_RACE,
                               "completes on the mbarrier at 0x%x, which is initialised at line "
                               "%u: no fence.mbarrier_init makes that visible to the async proxy",
                               emu_place_address(place), line_of(barrier->init));
  return visible ? barrier : NULL;
}

bool emu_mbarrier_inval(emu_warp *warp, const emu_op *op, int lane, emu_place place) {
  emu_mbarrier *barrier = emu_mbarrier_at(warp, op, lane, place);
  if (!barrier || !store(warp, op, lane, place)) return false;
  barrier->live = false;
  mark(place, false);
  return true;
}

/* ---- Phases ----------------------------------------------------------------------------- */

void emu_mbarrier_describe(gg_str *out, const emu_mbarrier *barrier) {
  gg_str_printf(
      out,
      "the mbarrier at 0x%x (init at line %u): phase %llu needs %u of %u arrivals and %d bytes",
      emu_place_address(barrier->place), line_of(barrier->init), (unsigned long long)barrier->phase,
      barrier->pending, barrier->expected, barrier->tx);
}

/* Ends the phase if nothing is pending. */
static bool settle(emu_warp *warp, const emu_op *op, int lane, emu_mbarrier *barrier) {
  emu_cluster *cluster = warp->cta->cluster;
  emu_engine_note(cluster);
  if (barrier->pending) return true;
  if (barrier->tx < 0) {
    emu_fault(warp, op, lane, GG_E_EMU_MBARRIER,
              "the tx-count of the mbarrier at 0x%x underflows: all %u arrivals of phase %llu are "
              "made, and %d bytes more have come than expect_tx announced",
              emu_place_address(barrier->place), barrier->expected,
              (unsigned long long)barrier->phase, -barrier->tx);
    return false;
  }
  if (barrier->tx) return true;
  emu_hazard_teach(cluster, emu_mbarrier_key(barrier), barrier->agent, emu_mbarrier_clock(barrier));
  emu_hazard_pass(cluster, barrier, emu_mbarrier_key(barrier));
  barrier->phase++;
  barrier->pending = barrier->expected;
  emu_wake(cluster, barrier);
  emu_wake(cluster, emu_mbarriers_of(cluster));
  return true;
}

bool emu_mbarrier_arrive(emu_warp *warp, const emu_op *op, int lane, emu_mbarrier *barrier,
                         uint64_t count, bool drop) {
  if (!check_count(warp, op, lane, count)) return false;
  if (count > barrier->pending) {
    emu_fault(
        warp, op, lane, GG_E_EMU_MBARRIER,
        "%llu arrivals at the mbarrier at 0x%x are too many: its phase %llu expects %u, %u of "
        "them are pending, and %d bytes",
        (unsigned long long)count, emu_place_address(barrier->place),
        (unsigned long long)barrier->phase, barrier->expected, barrier->pending, barrier->tx);
    return false;
  }
  barrier->pending -= (uint32_t)count;
  if (drop) barrier->expected -= (uint32_t)count;
  return settle(warp, op, lane, barrier);
}

bool emu_mbarrier_same_phase(emu_warp *warp, const emu_op *op, int lane,
                             const emu_mbarrier *barrier, uint64_t phase) {
  if (barrier->phase == phase) return true;
  emu_fault(warp, op, lane, GG_E_EMU_MBARRIER,
            "lanes of one instruction arrive in two phases of the mbarrier at 0x%x: phase %llu is "
            "complete after %u arrivals, and more lanes come",
            emu_place_address(barrier->place), (unsigned long long)phase, barrier->expected);
  return false;
}

bool emu_mbarrier_promise(emu_warp *warp, const emu_op *op, int lane, emu_mbarrier *barrier) {
  if (barrier->pending < EMU_MBARRIER_COUNT_MAX) {
    barrier->pending++;
    return true;
  }
  emu_fault(warp, op, lane, GG_E_EMU_MBARRIER,
            "the pending count of the mbarrier at 0x%x would pass %d",
            emu_place_address(barrier->place), EMU_MBARRIER_COUNT_MAX);
  return false;
}

static bool add_tx(emu_warp *warp, const emu_op *op, int lane, emu_mbarrier *barrier,
                   int64_t bytes) {
  int64_t tx = barrier->tx + bytes;
  if (tx >= -EMU_MBARRIER_TX_MAX && tx <= EMU_MBARRIER_TX_MAX) {
    barrier->tx = (int32_t)tx;
    return true;
  }
  emu_fault(warp, op, lane, GG_E_EMU_MBARRIER,
            "the tx-count of the mbarrier at 0x%x would be %d %+lld = %lld: it is %d to %d",
            emu_place_address(barrier->place), barrier->tx, (long long)bytes, (long long)tx,
            -EMU_MBARRIER_TX_MAX, EMU_MBARRIER_TX_MAX);
  return false;
}

bool emu_mbarrier_expect(emu_warp *warp, const emu_op *op, int lane, emu_mbarrier *barrier,
                         uint64_t bytes) {
  emu_engine_note(warp->cta->cluster);
  return add_tx(warp, op, lane, barrier, (int64_t)(bytes & UINT32_MAX));
}

bool emu_mbarrier_complete(emu_warp *warp, const emu_op *op, int lane, emu_mbarrier *barrier,
                           uint64_t bytes) {
  return add_tx(warp, op, lane, barrier, -(int64_t)(bytes & UINT32_MAX)) &&
         settle(warp, op, lane, barrier);
}
