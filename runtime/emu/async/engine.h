/* What a cluster's engine is made of, for async/ and the decoders of asynchronous instructions. */
#ifndef GG_EMU_ENGINE_H
#define GG_EMU_ENGINE_H

#include "emu/async.h"
#include "emu/unit.h"

enum { EMU_GROUPS_KEPT = 32 };

/* The groups of one kind (cp.async, bulk) that a warp's lanes have committed: the state of a unit.
 * Operations of a lane that are not committed yet belong to the group numbered committed[lane]. */
typedef struct emu_groups {
  uint64_t committed[EMU_LANES];
  uint64_t issued;                /* operations: the clock of the groups' agent */
  uint64_t ends[EMU_GROUPS_KEPT]; /* `issued` when a group of that number was last committed */
} emu_groups;

struct emu_engine {
  emu_cluster *cluster;
  emu_async *first, *last;
  size_t count;
  bool exited[EMU_CLUSTER_MAX];
  unsigned time_outs; /* since something last happened */
};

/* Notes that something has happened, so that those who wait may go on. */
void emu_engine_note(emu_cluster *cluster);

/* Whether lanes of the CTA have arrived at the cluster's barrier and not waited for its end. */
bool emu_cluster_barrier_left(const emu_cta *cta);

/* Commits a group of each lane. */
void emu_groups_commit(emu_groups *groups, uint32_t lanes);
/* The first group of a lane that may stay in flight if the `pending` newest may. */
uint64_t emu_groups_first_pending(const emu_groups *groups, int lane, uint64_t pending);
/* The clock up to which all groups of a lane have come, except the `pending` newest. */
uint64_t emu_groups_clock(const emu_groups *groups, int lane, uint64_t pending);

/* Faults because memory is out. Returns false. */
bool emu_async_no_memory(emu_warp *warp, const emu_op *op);

/* Copy between global and shared memory, by host addresses. If nobody has written a byte, its copy
 * is marked so, too. */
void emu_copy_in(const emu_async *async, emu_place to, const uint8_t *from, uint64_t from_address,
                 uint32_t bytes);
void emu_zero_in(const emu_async *async, emu_place to, uint32_t bytes);

#endif
