/* Launches that may begin while the ones ahead of them still run: programmatic dependent launch.
 *
 * The emulator runs launches one after the other, but finds what a launch would do too early.
 * Global memory remembers who has read and written each byte (touches.h). An access of a launch
 * that may have begun beside those ahead is compared with what they have done, unless a
 * griddepcontrol.wait is ordered before it. The rules, and their sources, are in
 * docs/adr/0022-launches-beside-each-other.md.
 *
 * The race detector's clocks (hazard.h) say what is ordered before an access: that somebody has
 * waited is something that a warp knows, and that barriers and flags hand on to others. */
#ifndef GG_EMU_BESIDE_H
#define GG_EMU_BESIDE_H

#include "emu/bank.h"

/* Which launches ahead an access is ordered behind. */
typedef enum emu_order {
  EMU_ORDER_NONE,
  EMU_ORDER_WAITED, /* those that a griddepcontrol.wait waits for */
  EMU_ORDER_ALL,
} emu_order;

struct emu_beside; /* a launch's */
struct emu_part;   /* a cluster's */

/* Opens the run's emu_beside, if it may be needed. Closing it tells the stream what may still run
 * when its next launch begins. */
gg_status emu_beside_open(emu_run *run, gg_error *err);
void emu_beside_close(emu_run *run, bool failed);

/* Opens the cluster's part; it is NULL if the run has no emu_beside, which is not a failure. It
 * must be closed when its CTAs are gone, before its hazards. */
gg_status emu_part_open(struct emu_part **out, emu_cluster *cluster, gg_error *err);
void emu_part_close(emu_cluster *cluster);

/* ---- What kernels do: nothing where the run has none ------------------------------------- */

/* An access of a warp to global memory; false after a fault. */
bool emu_beside_access(const emu_bank_access *a, const emu_places *places);

/* What the warp's accesses are ordered behind now. For asynchronous ones, that is decided when they
 * are issued. */
emu_order emu_beside_order(emu_warp *warp);
/* An asynchronous access (`intent`: bits of emu_intent) to bytes in one range; false after a
 * fault. */
bool emu_beside_span(emu_warp *warp, const emu_op *op, int lane, emu_order order, uint64_t address,
                     uint32_t bytes, unsigned intent);

/* Called when an asynchronous access with this order completes on an object (hazard.h): whoever
 * acquires the object learns of the order. */
void emu_beside_complete(emu_cluster *cluster, const void *object, emu_order order);

void emu_beside_wait(emu_warp *warp);    /* griddepcontrol.wait */
void emu_beside_trigger(emu_warp *warp); /* griddepcontrol.launch_dependents */
void emu_beside_fence(emu_warp *warp);   /* a fence of the GPU's scope or the system's */

#endif
