/* Tensor maps in global memory that a kernel changes: what a copy may use.
 *
 * Copies read maps through a separate proxy (PTX ISA, "fence.proxy.tensormap"). If
 * tensormap.replace has written a map, copies may read it behind a fence with .release and then one
 * with .acquire of its address (fence.proxy.tensormap::generic). tensormap.cp_fenceproxy is itself
 * a release, so only the acquire must follow. Whose fences these are does not matter, because a
 * barrier hands them on (in Triton's kernels one warp fences and another one copies). Only changes
 * by the same cluster are checked, and changes by plain stores are not noticed.
 *
 * A map must not be changed while a store still reads it: until its group has been waited for, with
 * or without .read. Loads are not checked, because CUTLASS's grouped kernels do not wait for the
 * barriers of theirs. */
#ifndef GG_EMU_MAP_CHANGES_H
#define GG_EMU_MAP_CHANGES_H

#include "emu/machine.h"

/* Called when the instruction has written the map at `address` of global memory, and perhaps
 * released it. False after a fault. */
bool emu_map_changed(emu_warp *warp, const emu_op *op, uint64_t address, bool released);

/* Called when a fence has released all changes before it. */
void emu_map_release(emu_warp *warp);

/* Called when a fence has acquired the map at `address`. */
void emu_map_acquire(emu_warp *warp, uint64_t address);

/* Called when a copy uses the map at `address`; false after a fault. */
bool emu_map_use(emu_warp *warp, const emu_op *op, int lane, uint64_t address);

#endif
