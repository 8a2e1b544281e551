/* What the race detector is made of: order.c keeps what is known, check.c checks accesses by it. */
#ifndef GG_EMU_HAZARD_STATE_H
#define GG_EMU_HAZARD_STATE_H

#include "emu/async.h"
#include "emu/hazard/clock.h"
#include "emu/hazard/shadow.h"

enum { EMU_FLAGS = 64, EMU_AGENTS_MAX = (1 << EMU_EPOCH_AGENT_BITS) - 1 };

/* A warp as an agent. Its clock is what knows.seen has for itself: accesses of that clock are not
 * yet known to anybody else. */
typedef struct emu_watched {
  emu_warp *warp;
  emu_agent agent;
  emu_knowledge knows;
  emu_knowledge fenced;  /* at the last fence: what relaxed arrivals tell */
  emu_knowledge pending; /* from relaxed waits, known from the next fence on */
  emu_clocks tensor;     /* at the last tcgen05.fence::after_thread_sync */
  uint32_t inits;        /* its own clock at its last fence.mbarrier_init */
  uint32_t consumed; /* what it read up to this clock of its own has come (emu_hazard_consume) */
  uint32_t met;      /* accesses of its own before this clock are ordered for all lanes */
  bool touched;      /* whether there are accesses of this clock */
  const void *flag;  /* the last flag that it accessed, if there was no access since */
} emu_watched;

/* A synchronising object: what it has learnt, and the agent that stands for it, if any. */
typedef struct emu_object {
  const void *key; /* NULL: a free slot */
  emu_knowledge knows;
  emu_agent agent;
} emu_object;

/* The ops that have accessed shared memory, numbered from 1: a hash table. */
typedef struct emu_sites {
  const emu_op **ops;
  uint32_t *buckets;
  uint32_t count, room;
} emu_sites;

struct emu_hazards {
  emu_cluster *cluster;
  bool broken;      /* memory is out */
  bool init_fences; /* the module has a fence.mbarrier_init */
  emu_watched *watched[EMU_CLUSTER_MAX * EMU_WARPS_MAX];
  emu_watched *warp_of[EMU_AGENTS_MAX + 1]; /* NULL: not a warp */
  emu_agent agents;                         /* the last one given out */
  emu_object *objects;                      /* hash table */
  uint32_t object_count, object_room;
  emu_sites sites;
  emu_shadow shadow;
  char flags[EMU_FLAGS]; /* stand for flags in global memory */
  struct emu_part *part; /* beside.h; NULL: no launch is beside this one */
};

/* The warp's record, made when it is first asked for; NULL when memory is out. */
emu_watched *emu_watch(struct emu_hazards *hazards, emu_warp *warp);

#endif
