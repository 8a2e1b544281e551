/* mbarrier objects (PTX ISA, "Parallel Synchronization and Communication Instructions: mbarrier").
 *
 * The object's state is kept here. Its 64 bits of shared memory are zeros, and are marked BARRIER,
 * so that it is a fault to overwrite them. */
#ifndef GG_EMU_MBARRIER_H
#define GG_EMU_MBARRIER_H

#include "emu/hazard.h"

enum { EMU_MBARRIER_COUNT_MAX = (1 << 20) - 1, EMU_MBARRIER_TX_MAX = (1 << 20) - 1 };

typedef struct emu_mbarrier {
  emu_place place;
  uint32_t number;   /* among those of its CTA, in the order in which they were initialised */
  bool live;         /* false: invalidated */
  uint32_t expected; /* arrivals of a phase */
  uint32_t pending;  /* arrivals that the phase still needs */
  int32_t tx;        /* bytes that it still needs */
  uint64_t phase;    /* phases completed */
  emu_agent agent;   /* completes operations, phase by phase */
  emu_agent maker;   /* who initialised it, and when */
  uint64_t made;
  const emu_op *init;
} emu_mbarrier;

/* All mbarriers of a cluster: a hash table by place. It is the unit's state for a cluster, and its
 * address stands for any of them when splits wait. */
typedef struct emu_mbarriers {
  emu_mbarrier **slots;
  size_t count, capacity;
} emu_mbarriers;

/* NULL: the cluster has had none. */
static inline emu_mbarriers *emu_mbarriers_of(const emu_cluster *cluster) {
  return cluster->units[EMU_UNIT_ID_MBARRIER];
}
void emu_mbarriers_free(emu_mbarriers *barriers);

bool emu_mbarrier_init(emu_warp *warp, const emu_op *op, int lane, emu_place place, uint32_t count);
bool emu_mbarrier_inval(emu_warp *warp, const emu_op *op, int lane, emu_place place);
/* The live barrier at a place; NULL after a fault: there is none, or nothing orders its
 * initialisation before this use. */
emu_mbarrier *emu_mbarrier_at(emu_warp *warp, const emu_op *op, int lane, emu_place place);
/* The same for an operation of the async proxy, which must be allowed to see it. */
emu_mbarrier *emu_mbarrier_of_proxy(emu_warp *warp, const emu_op *op, int lane, emu_place place);

/* Each is false after a fault. `drop`: the following phases expect `count` arrivals less. The
 * caller must tell hazard.h of what the arriving warp knows: see emu_mbarrier_key. */
bool emu_mbarrier_arrive(emu_warp *warp, const emu_op *op, int lane, emu_mbarrier *barrier,
                         uint64_t count, bool drop);
bool emu_mbarrier_expect(emu_warp *warp, const emu_op *op, int lane, emu_mbarrier *barrier,
                         uint64_t bytes);
bool emu_mbarrier_complete(emu_warp *warp, const emu_op *op, int lane, emu_mbarrier *barrier,
                           uint64_t bytes);
/* Checks that lanes that arrive in one instruction arrive in one phase: else the counts are wrong.
 */
bool emu_mbarrier_same_phase(emu_warp *warp, const emu_op *op, int lane,
                             const emu_mbarrier *barrier, uint64_t phase);
/* Adds a pending arrival to this phase: cp.async.mbarrier.arrive without .noinc. */
bool emu_mbarrier_promise(emu_warp *warp, const emu_op *op, int lane, emu_mbarrier *barrier);

/* The object (hazard.h) that arrivals release to; those who wait acquire the barrier itself. */
static inline const void *emu_mbarrier_key(const emu_mbarrier *barrier) {
  return &barrier->place;
}

/* The clock of operations that complete in the current phase. */
static inline uint64_t emu_mbarrier_clock(const emu_mbarrier *barrier) {
  return barrier->phase + 1;
}

/* Appends what the barrier waits for, in words. */
void emu_mbarrier_describe(gg_str *out, const emu_mbarrier *barrier);

#endif
