/* Asynchronous work of a cluster: issued now, landing later.
 *
 * cp.async, bulk copies, TMA, wgmma and remote mbarrier arrivals are operations in a cluster's
 * engine from the instruction that issues them until they land. They land as late as the PTX memory
 * model allows: when an instruction waits for them in person (wait_group), or when nothing else in
 * the cluster can run; with emu_options.random at a random moment before that. Until then the bytes
 * they will write are marked LANDING and those that they will read LEAVING, so that whoever touches
 * them too early is told. The order of landing is unspecified where PTX leaves it so. */
#ifndef GG_EMU_ASYNC_H
#define GG_EMU_ASYNC_H

#include "emu/memory.h"

typedef struct emu_async emu_async;

struct emu_async {
  emu_async *next, *previous; /* the engine's list, oldest first */
  emu_warp *warp;             /* that issued it */
  const emu_op *op;           /* for messages */
  uint32_t lane;
  /* Does the work: moves bytes, clears marks, completes barriers. False after a fault. */
  bool (*land)(emu_async *self, emu_cluster *cluster);
  void (*drop)(emu_async *self); /* frees it, landed or not */
  uint64_t group;                /* the issuer's bookkeeping */
};

gg_status emu_engine_open(struct emu_engine **out, emu_cluster *cluster, gg_error *err);
void emu_engine_close(struct emu_engine *engine); /* drops what has not landed */

void emu_async_issue(emu_cluster *cluster, emu_async *async);
/* Lands one operation now, whatever its place in the list; it is freed. False after a fault. */
bool emu_async_land(emu_cluster *cluster, emu_async *async);

/* The machine asks when no split can run: lands one operation (the oldest; with `random`, any);
 * false when there was none, or after a fault. */
bool emu_engine_land_one(emu_cluster *cluster);
/* The machine calls this between turns of warps: with `random`, may land something. */
bool emu_engine_tick(emu_cluster *cluster);
/* A CTA's last lane has exited: errors for what must not outlive it (a bulk store that still reads
 * its shared memory, a tensor load still to land in it). False after a fault. */
bool emu_engine_cta_exit(emu_cta *cta);

/* What is seen of it by the trace: emu/report.h. */

#endif
