/* A cluster's engine from inside: what async/ and the decoders of asynchronous instructions share.
 */
#ifndef GG_EMU_ENGINE_H
#define GG_EMU_ENGINE_H

#include "emu/async.h"
#include "emu/async/mbarrier.h"

/* A wait that a lane has tried: the first try of mbarrier.try_wait gives up at once, as the
 * hardware may, so that code which does not try again is seen. */
typedef struct emu_try {
  emu_mbarrier *barrier;
  uint64_t phase;
  enum { EMU_TRY_NONE, EMU_TRY_TOLD, EMU_TRY_BLOCKED, EMU_TRY_EXPIRED } state;
} emu_try;

enum { EMU_GROUPS_KEPT = 32 };

/* The groups of one sort (cp.async, bulk) that a warp's lanes have committed. Operations of a lane
 * that are not committed yet belong to the group numbered committed[lane]. */
typedef struct emu_groups {
  uint64_t committed[EMU_LANES];
  uint64_t issued;                /* operations: the clock of the groups' agent */
  uint64_t ends[EMU_GROUPS_KEPT]; /* `issued` when a group of that number was last committed */
} emu_groups;

/* What a warp's asynchronous instructions remember. Its address, and those of its members, stand
 * for streams and agents. */
typedef struct emu_async_warp {
  emu_groups copies; /* cp.async */
  emu_groups bulk;   /* of bulk groups: the clock counts reads of shared memory */
  emu_try tries[EMU_LANES];
} emu_async_warp;

/* barrier.cluster: the lanes of each warp that have arrived in the phase that is running, and those
 * whose phase has ended and who have not waited yet. Its address stands for it. */
typedef struct emu_cluster_barrier {
  uint32_t arrived[EMU_CLUSTER_MAX * EMU_WARPS_MAX];
  uint32_t ended[EMU_CLUSTER_MAX * EMU_WARPS_MAX];
} emu_cluster_barrier;

struct emu_engine {
  emu_cluster *cluster;
  emu_async *first, *last;
  size_t count;
  emu_mbarriers barriers;
  uint16_t *leaving[EMU_CLUSTER_MAX]; /* of a CTA's 16-byte chunks: operations yet to read them */
  emu_async_warp *warps[EMU_CLUSTER_MAX * EMU_WARPS_MAX]; /* NULL until used */
  bool exited[EMU_CLUSTER_MAX];
  emu_cluster_barrier barrier;
  unsigned time_outs; /* since something last happened */
};

/* NULL after a fault (memory). */
emu_async_warp *emu_async_warp_of(emu_warp *warp, const emu_op *op);

/* Something has happened: who waits may hope again. */
void emu_engine_note(emu_cluster *cluster);

/* Lanes of a warp have exited: the cluster's barrier waits for them no more. */
void emu_cluster_barrier_exit(emu_warp *warp);
/* Whether lanes of the CTA have arrived at the cluster's barrier and not waited for its end. */
bool emu_cluster_barrier_left(const emu_cta *cta);

/* The next commit closes a group of each lane. */
void emu_groups_commit(emu_groups *groups, uint32_t lanes);
/* The first group of a lane that may stay in flight when `pending` may. */
uint64_t emu_groups_first_pending(const emu_groups *groups, int lane, uint64_t pending);
/* The clock up to which all but the `pending` newest groups of a lane have come. */
uint64_t emu_groups_clock(const emu_groups *groups, int lane, uint64_t pending);

/* Faults because memory is out. Returns false. */
bool emu_async_no_memory(emu_warp *warp, const emu_op *op);

static inline uint8_t *emu_place_bytes(emu_place place) {
  return place.cta->shared->bytes + place.offset;
}
static inline uint8_t *emu_place_marks(emu_place place) {
  return place.cta->shared->marks + place.offset;
}
/* The address of a place in shared::cluster, for messages. */
static inline uint32_t emu_place_address(emu_place place) {
  return (uint32_t)place.cta->rank << EMU_SHARED_RANK_SHIFT | (place.offset + EMU_SHARED_RESERVED);
}

/* Copies between global and shared memory, host addresses in hand; the marks of bytes that nobody
 * has written travel with them. */
void emu_copy_in(emu_device *device, emu_place to, const uint8_t *from, uint64_t from_address,
                 uint32_t bytes);
void emu_zero_in(emu_place to, uint32_t bytes);

#endif
