/* Tensor maps in global memory that a kernel changes: what a copy may use.
 *
 * Copies read maps through a proxy of their own (PTX ISA, "fence.proxy.tensormap"). A map that
 * tensormap.replace or tensormap.cp_fenceproxy has written is theirs to read behind a
 * fence.proxy.tensormap::generic.acquire of its address, and of the former behind a .release before
 * that, which the latter is one itself; whose, is not asked, as a barrier hands it on (Triton's
 * kernels have one warp fence and another one copy). Each cluster is asked for its own changes
 * alone; those by plain stores nobody sees.
 *
 * A map is not changed while a store still reads it: until its group has been waited for, be it by
 * .read. Loads are not watched, as CUTLASS's grouped kernels wait for no barrier of theirs. */
#ifndef GG_EMU_MAP_CHANGES_H
#define GG_EMU_MAP_CHANGES_H

#include "emu/machine.h"

/* The instruction has written the map at `address` of global memory, and maybe released it. False
 * after a fault. */
bool emu_map_changed(emu_warp *warp, const emu_op *op, uint64_t address, bool released);

/* A fence has released all changes that came before it. */
void emu_map_release(emu_warp *warp);

/* A fence has acquired the map at `address`. */
void emu_map_acquire(emu_warp *warp, uint64_t address);

/* A copy uses the map at `address`: false after a fault. */
bool emu_map_use(emu_warp *warp, const emu_op *op, int lane, uint64_t address);

#endif
