/* barrier.cluster (PTX ISA, "Parallel Synchronization and Communication Instructions").
 *
 * A phase of the cluster's barrier ends when every lane of the cluster that has not exited has
 * arrived. Each lane arrives, then waits, in turns. Arrivals release to `arrived`; what it knows at
 * the end of the phase goes to `ended`, which those who wait acquire. */
#include <string.h>

#include "emu/async/decoders.h"
#include "emu/async/engine.h"
#include "emu/async/modifiers.h"
#include "emu/state.h"

/* The unit's state of a cluster: the lanes of each warp that have arrived in the phase that is
 * running, and those whose phase has ended and who have not waited yet. Its address stands for it.
 */
typedef struct cluster_barrier {
  uint32_t arrived[EMU_CLUSTER_MAX * EMU_WARPS_MAX];
  uint32_t ended[EMU_CLUSTER_MAX * EMU_WARPS_MAX];
} cluster_barrier;

typedef struct barrier_facts {
  bool relaxed;
} barrier_facts;

static unsigned number_of(const emu_warp *warp) {
  return warp->cta->rank * EMU_WARPS_MAX + (unsigned)warp->index;
}

/* Ends the phase if everybody has arrived. */
static void settle(emu_cluster *cluster) {
  cluster_barrier *b = cluster->units[EMU_UNIT_ID_CLUSTER_BARRIER];
  bool any = false;
  for (unsigned c = 0; c < cluster->cta_count; c++) {
    for (int w = 0; w < cluster->ctas[c].warp_count; w++) {
      const emu_warp *warp = &cluster->ctas[c].warps[w];
      uint32_t arrived = b->arrived[number_of(warp)];
      if (warp->alive & ~arrived) return;
      any = any || arrived;
    }
  }
  if (!any) return;
  for (int i = 0; i < EMU_CLUSTER_MAX * EMU_WARPS_MAX; i++)
    b->ended[i] |= b->arrived[i];
  memset(b->arrived, 0, sizeof b->arrived);
  emu_hazard_pass(cluster, b->ended, b->arrived);
  emu_engine_note(cluster);
  emu_wake(cluster, b);
}

static void lanes_exit(emu_warp *warp) {
  settle(warp->cta->cluster);
}

const emu_unit emu_unit_cluster_barrier = {
    .name = "barriers", .cluster_bytes = sizeof(cluster_barrier), .lanes_exit = lanes_exit};

bool emu_cluster_barrier_left(const emu_cta *cta) {
  const cluster_barrier *b = cta->cluster->units[EMU_UNIT_ID_CLUSTER_BARRIER];
  for (int w = 0; b && w < cta->warp_count; w++) {
    unsigned number = number_of(&cta->warps[w]);
    if (b->arrived[number] | b->ended[number]) return true;
  }
  return false;
}

static emu_step run_arrive(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  const barrier_facts *facts = op->facts;
  cluster_barrier *b = emu_unit_of_cluster(warp, op, EMU_UNIT_ID_CLUSTER_BARRIER);
  if (!b) return EMU_FAULT;
  unsigned number = number_of(warp);
  if (op->converges && !emu_converge(warp, op, warp->alive, &lanes)) return EMU_WAIT;
  uint32_t again = (b->arrived[number] | b->ended[number]) & lanes;
  if (again) {
    return emu_fault(warp, op, __builtin_ctz(again), GG_E_EMU_ILLEGAL,
                     "arrives a second time, with no barrier.cluster.wait between");
  }
  (facts->relaxed ? emu_hazard_release_relaxed : emu_hazard_release)(warp, b->arrived);
  if (facts->relaxed) emu_hazard_release_past(warp, b->arrived);
  b->arrived[number] |= lanes;
  settle(warp->cta->cluster);
  return EMU_NEXT;
}

static emu_step run_wait(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  cluster_barrier *b = emu_unit_of_cluster(warp, op, EMU_UNIT_ID_CLUSTER_BARRIER);
  if (!b) return EMU_FAULT;
  unsigned number = number_of(warp);
  if (op->converges && !emu_converge(warp, op, warp->alive, &lanes)) return EMU_WAIT;
  uint32_t never = lanes & ~(b->arrived[number] | b->ended[number]);
  if (never) {
    return emu_fault(warp, op, __builtin_ctz(never), GG_E_EMU_ILLEGAL,
                     "waits without having arrived: barrier.cluster.arrive comes first");
  }
  uint32_t ended = lanes & b->ended[number];
  if (!ended) return emu_block(warp, b, op->ptx->form->text);
  if (ended != lanes) emu_warp_split(warp, lanes & ~ended); /* who wait for the next phase */
  b->ended[number] &= ~ended;
  emu_hazard_acquire(warp, b->ended);
  return EMU_NEXT;
}

gg_status emu_decode_cluster_barrier(emu_op *op, emu_decoder *d, gg_error *err) {
  barrier_facts *facts = GG_ARENA_NEW(emu_decoder_arena(d), barrier_facts);
  if (!facts) return gg_fail(err, MEMORY, NULL, "");
  bool arrives = emu_take(d, "arrive");
  if (!arrives && !emu_take(d, "wait")) return emu_unknown_form(d, err, "it is arrive or wait");
  emu_sem sem = emu_take_sem(d);
  bool known = arrives ? sem == EMU_SEM_RELEASE || sem == EMU_SEM_RELAXED : sem == EMU_SEM_ACQUIRE;
  if (sem && !known) {
    return emu_unknown_form(d, err, "arrive is .release or .relaxed, wait .acquire");
  }
  facts->relaxed = sem == EMU_SEM_RELAXED;
  op->facts = facts;
  op->kind = EMU_KIND_BARRIER;
  op->converges = emu_take(d, "aligned");
  op->exec = arrives ? run_arrive : run_wait;
  return emu_modifiers_end(d, err);
}
