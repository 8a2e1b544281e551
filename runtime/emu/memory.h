/* Memory as instructions see it: addresses of state spaces, which are places in banks (bank.h).
 *
 * Each allocation of global memory is a bank, and so is each CTA's shared memory. Shared addresses
 * are rank << 24 | offset, for shared::cta too, as on the hardware, so that an address of a CTA's
 * own memory is also its address in the cluster. The first 1 KiB of each is reserved for the
 * system. Of generic addresses, a window of 2^32 bytes at EMU_SHARED_WINDOW is shared memory, one
 * at EMU_LOCAL_WINDOW local memory, and everything else is global.
 *
 * Every access checks alignment, bounds and initialisation, and is told to hazard.h. After a
 * failure it has called emu_fault and returns false. */
#ifndef GG_EMU_MEMORY_H
#define GG_EMU_MEMORY_H

#include "emu/bank.h"

#define EMU_SHARED_WINDOW ((uint64_t)0x7e << 40)
#define EMU_LOCAL_WINDOW  ((uint64_t)0x7d << 40)
enum { EMU_SHARED_RANK_SHIFT = 24, EMU_SHARED_RESERVED = 1024, EMU_ACCESS_MAX = 32 };

/* Of the system's bytes at the start of a CTA's shared memory CUDA's cooperative groups have these,
 * for tiles of several warps, and find them by %reserved_smem_offset_1, which the driver chooses
 * (cooperative_groups/details/memory.h). They are there in modules that read this register. */
enum { EMU_SHARED_GROUPS = 640, EMU_SHARED_GROUPS_BYTES = 288 };

/* One access of a warp: `bytes` (1 to 32, a power of two) at each lane's address, into or from
 * data[lane][0 .. bytes). */
bool emu_load(emu_warp *warp, const emu_op *op, emu_space space, const uint64_t address[EMU_LANES],
              uint32_t lanes, unsigned bytes, uint8_t data[EMU_LANES][EMU_ACCESS_MAX]);
bool emu_store(emu_warp *warp, const emu_op *op, emu_space space, const uint64_t address[EMU_LANES],
               uint32_t lanes, unsigned bytes, uint8_t data[EMU_LANES][EMU_ACCESS_MAX]);

/* Gives the host address of each lane's bytes for one access of a warp (`intent`: bits of
 * emu_intent), after all checks. What is to be written is marked as written. */
bool emu_access(emu_warp *warp, const emu_op *op, emu_space space,
                const uint64_t address[EMU_LANES], uint32_t lanes, unsigned bytes, unsigned intent,
                uint8_t *host[EMU_LANES]);

/* A generic address's space: EMU_GLOBAL, EMU_SHARED_CLUSTER or EMU_LOCAL. */
emu_space emu_space_of(uint64_t address);

/* Finds the place in shared memory of an address of `space` (shared, shared::cluster or generic).
 * `bytes` must lie inside, else the fault is EMU_BOUNDS; if `align` does not divide the address, it
 * is EMU_MISALIGNED. A shared::cta address must belong to the warp's own CTA. */
bool emu_shared_place(emu_place *out, emu_warp *warp, const emu_op *op, int lane, emu_space space,
                      uint64_t address, uint64_t bytes, unsigned align);

/* The same without a fault; false if the bytes do not lie inside. */
bool emu_shared_find(emu_place *out, const emu_warp *warp, emu_space space, uint64_t address,
                     uint64_t bytes);

/* Global memory for asynchronous units: the host address of `bytes` at `address` in one range, or
 * NULL. emu_global_explain then says why ("4 bytes past the end of the 512-byte allocation at
 * 0x…"). */
uint8_t *emu_global(emu_device *device, uint64_t address, uint64_t bytes, bool write);
void emu_global_explain(gg_str *out, emu_device *device, uint64_t address, uint64_t bytes);
/* The first marks bytes as written; the second says whether all have been. */
void emu_global_mark(emu_device *device, uint64_t address, uint64_t bytes);
bool emu_global_written(emu_device *device, uint64_t address, uint64_t bytes);

#endif
