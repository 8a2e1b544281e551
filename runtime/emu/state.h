/* What only the machine knows of warps, CTAs, clusters and launches. */
#ifndef GG_EMU_STATE_H
#define GG_EMU_STATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "emu/async.h"
#include "emu/device.h"
#include "emu/frame.h"
#include "emu/gpc.h"
#include "emu/report.h"

#define EMU_NOWHERE UINT32_MAX

/* Asynchronous operations of a warp that have landed together, for the timeline. */
typedef struct emu_landed {
  const emu_op *op; /* the first one's; NULL: there is none */
  const char *unit;
  const struct emu_mbarrier *completes;
  uint64_t begin, end;
  uint32_t count;
  uint32_t
      shared; /* where in shared memory the first writes, or else reads; EMU_NOWHERE: nowhere */
  emu_async_words words;
} emu_landed;

/* What a warp has been doing since `begin`, for the timeline. */
typedef struct emu_slice {
  const emu_op *op;      /* where it began; NULL: there is none */
  const void *waits_for; /* NULL: it runs */
  uint64_t phase; /* the number, from 1 on, of the mbarrier's phase that it waits for; 0: none */
  uint64_t begin;
} emu_slice;

/* Splits are in slots and do not move while they exist. Sets of slots are bits. */
struct emu_warp_state {
  emu_split splits[EMU_LANES];
  uint32_t used, ready;   /* ready: used, and waiting for nothing */
  uint32_t deferred;      /* had their turn, and let others run first */
  uint32_t slice;         /* ops since the running split was chosen */
  bool queued;            /* in the cluster's queue */
  bool yielded;           /* emu_yield was called during this instruction */
  uint64_t steps;         /* instructions so far */
  emu_slice slice_now;    /* for the timeline: what the warp does, */
  emu_slice slice_before; /* and what it waited for before that, which is not yet written */
  emu_landed landed;      /* for the timeline: not yet written */
  emu_bank *range;        /* the range of global memory in which the last access was */
  emu_frame *spare;       /* frames to be used again */
};

struct emu_cta_state {
  int live_warps;
};

struct emu_cluster_state {
  uint64_t index;   /* in the grid */
  emu_seat seat;    /* its multiprocessors */
  emu_warp **queue; /* a ring of warps that can run, each once */
  uint32_t queue_room, queue_head, queue_count;
  uint32_t live_warps;
  uint32_t idle_turns;   /* turns in a row in which warps only polled */
  atomic_ulong progress; /* how often something has happened that others could be waiting for */
  unsigned long progress_seen;
  emu_counters counters;
  struct emu_cluster *next; /* the next one that was put aside */
};

/* A warp counts its instructions for the launch in steps of this. */
enum { steps_counted = 1024 };

/* How a cluster's turn on a host thread ended. */
typedef enum emu_outcome { EMU_DONE, EMU_ASIDE, EMU_STOPPED } emu_outcome;

struct emu_run_state {
  pthread_mutex_t lock;
  atomic_bool stopped;          /* everybody must stop: there is a fault, or a deadlock */
  atomic_llong steps;           /* instructions since a warp last ended; see steps_counted */
  bool stuck;                   /* a deadlock: clusters are kept, to say who waits for what */
  gg_error *err;                /* the first fault */
  emu_bank *params, *workspace; /* workspace NULL: the launch is not cooperative */
  uint32_t shared_bytes;        /* static and dynamic, of a CTA */
  uint32_t multiprocessors;     /* of the device */
  uint64_t clusters[3];         /* of the grid */
  uint64_t cluster_count, next_cluster;
  uint32_t resident, resident_most;
  emu_cluster *aside, **aside_end;
  emu_cluster **residents; /* resident_most places */
  unsigned long progress_sum;
  uint64_t idle_turns; /* since progress_sum changed */
};

/* Notes that something has happened that another warp may be polling for. */
static inline void emu_progress(emu_cluster *cluster) {
  atomic_ulong *progress = &cluster->state->progress;
  unsigned long now = atomic_load_explicit(progress, memory_order_relaxed);
  atomic_store_explicit(progress, now + 1, memory_order_relaxed);
}

/* ---- machine.c: warps ------------------------------------------------------------------- */

/* Runs a warp until it can run no more, yields, or has had `budget` instructions. */
void emu_warp_turn(emu_warp *warp, uint32_t budget);

/* Moves `lanes` of the running split to op `pc`; its other lanes stay where they are. */
void emu_warp_jump(emu_warp *warp, uint32_t lanes, uint32_t pc);
/* Makes the lanes a split of their own at the running split's place, which can run; the running
 * split goes on without them. */
emu_split *emu_warp_split(emu_warp *warp, uint32_t lanes);
/* The lanes of the running split are no more. */
emu_step emu_warp_exit(emu_warp *warp, uint32_t lanes);
/* Splits of the warp that wait for other lanes of it look again who is there. */
void emu_warp_retry(emu_warp *warp);
/* The lanes of the running split go to another frame. */
void emu_warp_enter(emu_warp *warp, uint32_t lanes, emu_frame *frame, uint32_t pc);

/* ---- cluster.c -------------------------------------------------------------------------- */

/* The coordinates of the first CTA of the grid's cluster `index`. */
void emu_cluster_first(unsigned first[3], const emu_run *run, uint64_t index);

gg_status emu_cluster_open(emu_cluster **out, emu_run *run, uint64_t index, gg_error *err);
void emu_cluster_close(emu_cluster *cluster);
emu_outcome emu_cluster_run(emu_cluster *cluster);
void emu_cluster_queue(emu_warp *warp); /* the warp can run */
/* The launch has ended with EMU_DEADLOCK or EMU_CONVERGENCE: who of the clusters (NULL: none) waits
 * for what. The lock is not held. */
void emu_cluster_deadlock(emu_run *run, emu_cluster *const *clusters, uint32_t count);

/* ---- launch.c --------------------------------------------------------------------------- */

/* Strikes the next cluster that has not begun off the grid, and says which CTA is its first; false
 * where all have begun. */
bool emu_launch_cancel(unsigned first[3], emu_run *run);

/* ---- isa/call.c ------------------------------------------------------------------------- */

/* Hands what the lanes' function returns to its caller. */
void emu_call_return(emu_warp *warp, const emu_frame *frame, uint32_t lanes);

/* ---- isa/barrier.c ---------------------------------------------------------------------- */

/* Which of the CTA's named barriers the object is that somebody waits for; -1: none. */
int emu_barrier_number(const emu_cta *cta, const void *object);

#endif
