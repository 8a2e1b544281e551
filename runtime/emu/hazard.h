/* Races in shared memory, between threads and between proxies.
 *
 * Happens-before by vector clocks, as in FastTrack (Flanagan and Freund, PLDI 2009), a warp an
 * agent and each warp's asynchronous operations another; bytes remember their last writer and
 * readers. Every synchronising object (named barrier, mbarrier, cluster barrier, a fence with a
 * flag) carries a clock that arrivals join and waiters take over. A second clock, of what the async
 * proxy may see, is brought up to the first by fence.proxy.async alone. Only shared memory is
 * watched; lanes of one warp race where one instruction writes a byte twice with different values,
 * or where they communicate without __syncwarp being between. */
#ifndef GG_EMU_HAZARD_H
#define GG_EMU_HAZARD_H

#include "emu/memory.h"

typedef enum emu_proxy { EMU_PROXY_GENERIC, EMU_PROXY_ASYNC } emu_proxy;

gg_status emu_hazards_open(struct emu_hazards **out, emu_cluster *cluster, gg_error *err);
void emu_hazards_close(struct emu_hazards *hazards);

/* An access by `lanes` of a warp through the generic proxy, to one place a lane; false after a
 * fault. */
bool emu_hazard_access(emu_warp *warp, const emu_op *op, uint32_t lanes,
                       const emu_place place[EMU_LANES], unsigned bytes, bool write, bool atomic);

/* An access by an asynchronous operation on behalf of `warp`. */
bool emu_hazard_async(emu_warp *warp, const emu_op *op, emu_place place, uint32_t bytes,
                      emu_proxy proxy, bool write);

/* A clock carried by a synchronising object, kept by `object` (any address that stands for it). */
void emu_hazard_release(emu_warp *warp,
                        const void *object); /* the object learns what the warp knows */
void emu_hazard_acquire(emu_warp *warp,
                        const void *object); /* the warp learns what the object knows */
void emu_hazard_forget(emu_cluster *cluster, const void *object);
/* fence.proxy.async: what the warp knows of the generic proxy's writes, the async proxy may see. */
void emu_hazard_fence_proxy(emu_warp *warp);

#endif
