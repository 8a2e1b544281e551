/* Launches that may begin while the ones ahead of them still run: programmatic dependent launch.
 *
 * Launches run one after the other here. What a launch would do too early is found all the same:
 * global memory remembers who has read and written each byte (touches.h), and an access of a launch
 * that may have begun beside those ahead is held against what they have done, unless a
 * griddepcontrol.wait is ordered before it. The rules, and where they are from, are in
 * docs/adr/0022-launches-beside-each-other.md.
 *
 * To whom an access is ordered is asked of the race detector's clocks (hazard.h): having waited is
 * something that a warp knows and that barriers and flags hand on to others. */
#ifndef GG_EMU_BESIDE_H
#define GG_EMU_BESIDE_H

#include "emu/bank.h"

/* Which launches ahead an access is ordered behind. */
typedef enum emu_order {
  EMU_ORDER_NONE,
  EMU_ORDER_WAITED, /* those that a griddepcontrol.wait waits for */
  EMU_ORDER_ALL,
} emu_order;

struct emu_beside; /* of a launch */
struct emu_part;   /* of its clusters, each */

/* Opens the run's, where somebody may come to ask for it; closing tells the stream what may still
 * run when its next launch begins. */
gg_status emu_beside_open(emu_run *run, gg_error *err);
void emu_beside_close(emu_run *run, bool failed);

/* The cluster's: NULL where the run has none, which is no failure. Closed when its CTAs are gone,
 * before its hazards. */
gg_status emu_part_open(struct emu_part **out, emu_cluster *cluster, gg_error *err);
void emu_part_close(emu_cluster *cluster);

/* ---- What kernels do: nothing where the run has none ------------------------------------- */

/* An access of a warp to global memory; false after a fault. */
bool emu_beside_access(const emu_bank_access *a, const emu_places *places);

/* What the warp's accesses are ordered behind now. Asynchronous ones are where they are issued. */
emu_order emu_beside_order(emu_warp *warp);
/* An asynchronous access (`intent`: bits of emu_intent) to bytes that one range holds; false after
 * a fault. */
bool emu_beside_span(emu_warp *warp, const emu_op *op, int lane, emu_order order, uint64_t address,
                     uint32_t bytes, unsigned intent);

/* One that was issued there completes on an object (hazard.h), and tells who acquires it so. */
void emu_beside_complete(emu_cluster *cluster, const void *object, emu_order order);

void emu_beside_wait(emu_warp *warp);    /* griddepcontrol.wait */
void emu_beside_trigger(emu_warp *warp); /* griddepcontrol.launch_dependents */
void emu_beside_fence(emu_warp *warp);   /* a fence of the GPU's scope or the system's */

#endif
