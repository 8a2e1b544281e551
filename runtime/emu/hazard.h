/* Races in shared memory (and in any bank whose kind says so), between threads and between proxies.
 *
 * Happens-before by vector clocks, as in FastTrack (Flanagan and Freund, PLDI 2009). An agent is a
 * warp, or a thing that completes asynchronous operations in an order of its own: an mbarrier,
 * phase by phase; a warp's cp.async, bulk or wgmma groups, one after the other. Bytes remember
 * their last writer and their readers since, as an agent and its clock. Every synchronising object
 * (named barrier, mbarrier, cluster barrier, a flag in memory) carries a clock that arrivals join
 * and waiters take over. A second clock, of what the async proxy may see, is brought up to the
 * first by fence.proxy.async alone: bulk stores read what threads wrote before such a fence, and
 * bulk copies write where threads read before one. Global memory is not watched
 * but for what launches beside each other do (hazard/beside.h); lanes of one warp race where they
 * communicate with nothing between that orders the lanes of a warp.
 *
 * Missing a race is better than seeing one that is none: a clock may know too much, never too
 * little. A module that has no fence of any kind relies on what the H100 happens to do, and gets
 * it: its bulk stores see what threads have written where a barrier orders the two, and have read
 * it soon after they are issued; the warps of its warpgroups learn of each other where they issue a
 * wgmma. So with fence.mbarrier_init: a module without any relies on barriers alone
 * (ThunderKittens, CuTe's tutorials), in others each mbarrier needs a fence.
 *
 * All functions do nothing where races are off (emu_options.severities). */
#ifndef GG_EMU_HAZARD_H
#define GG_EMU_HAZARD_H

#include "emu/memory.h"

typedef enum emu_proxy { EMU_PROXY_GENERIC, EMU_PROXY_ASYNC } emu_proxy;

/* Who orders accesses; 0: nobody, whose accesses are ordered before everything. */
typedef uint32_t emu_agent;

struct emu_async;

gg_status emu_hazards_open(struct emu_hazards **out, emu_cluster *cluster, gg_error *err);
void emu_hazards_close(struct emu_hazards *hazards); /* NULL is allowed */

/* ---- Accesses --------------------------------------------------------------------------- */

/* An access by `lanes` of a warp through the generic proxy, to one place a lane; false after a
 * fault. Atomic accesses (atom, red, and ld and st that are volatile, relaxed, acquire or release)
 * do not race with each other, and order what is around them: see emu_hazard_flag. */
bool emu_hazard_access(emu_warp *warp, const emu_op *op, uint32_t lanes,
                       const emu_place place[EMU_LANES], unsigned bytes, bool write, bool atomic);
/* An atomic access to global memory at `address`: whoever comes to it later knows what the warp
 * knows, and the warp learns what those before knew. */
void emu_hazard_flag(emu_warp *warp, uint64_t address);

/* An asynchronous operation is issued: is all that it touches ordered before it? False after a
 * fault. */
bool emu_hazard_issue(const struct emu_async *async);
/* It has landed: what it touched is its agent's at its clock. */
void emu_hazard_land(const struct emu_async *async);

/* Whether the module has a fence, with this modifier unless it is NULL. Where there is one
 * (emu_run.fences), bulk stores are held to all rules; else a barrier will do, which is told of as
 * relaxed. */
bool emu_hazard_fences(const ptx_module *ptx, const char *modifier);

/* ---- Order ------------------------------------------------------------------------------ */

/* A clock carried by a synchronising object, kept by `object` (any address that stands for it). */
void emu_hazard_release(emu_warp *warp,
                        const void *object); /* the object learns what the warp knows */
void emu_hazard_acquire(emu_warp *warp,
                        const void *object); /* the warp learns what the object knows */
/* The same for relaxed arrivals and waits: the object learns what the warp knew at its last fence;
 * what the object knows the warp learns at its next. */
void emu_hazard_release_relaxed(emu_warp *warp, const void *object);
void emu_hazard_acquire_relaxed(emu_warp *warp, const void *object);
/* Of a relaxed arrival at the cluster's barrier, besides: who passes the barrier is told that what
 * the warp has done is past, though nothing makes it visible. An access of a thread to its own
 * CTA's shared memory that has this alone before it is no race but of the class `relaxed`. */
void emu_hazard_release_past(emu_warp *warp, const void *object);
void emu_hazard_forget(emu_cluster *cluster, const void *object);

/* fence, membar: see the relaxed ones. */
void emu_hazard_fence(emu_warp *warp);
/* fence.proxy.async: what the warp knows of the generic proxy's writes, the async proxy may see. */
void emu_hazard_fence_proxy(emu_warp *warp);
/* fence.mbarrier_init: what the warp has initialised, operations of the async proxy may complete
 * on.
 */
void emu_hazard_fence_inits(emu_warp *warp);
/* Whether an operation that the warp issues may complete on the mbarrier that `maker` has
 * initialised at `made` (emu_hazard_moment): that fence, or the proxy's, came behind. */
bool emu_hazard_init_fenced(emu_warp *warp, emu_agent maker, uint64_t made);
/* An instruction has been issued that had to wait for what the warp has loaded from shared memory:
 * nothing overtakes those loads. */
void emu_hazard_consume(emu_warp *warp);
/* tcgen05.fence::after_thread_sync: what the warp knows, its tcgen05 instructions know. */
void emu_hazard_fence_tensor(emu_warp *warp);
/* The lanes of a warp have met: bar.warp.sync, and every .sync instruction but ldmatrix and
 * stmatrix. */
void emu_hazard_converge(emu_warp *warp);

/* The agent that stands for `object`, made when it is asked for first; 0 where checks are off. */
emu_agent emu_hazard_agent(emu_cluster *cluster, const void *object);
/* The warp knows what the agent has completed up to `clock`: wait_group. */
void emu_hazard_learn(emu_warp *warp, emu_agent agent, uint64_t clock);
/* So does whoever acquires the object: a phase has completed. */
void emu_hazard_teach(emu_cluster *cluster, const void *object, emu_agent agent, uint64_t clock);
/* `to` learns what `from` knows. */
void emu_hazard_pass(emu_cluster *cluster, const void *to, const void *from);
/* The warp's agent and its clock now: a moment that others may know of. */
emu_agent emu_hazard_moment(emu_warp *warp, uint64_t *clock);
bool emu_hazard_knows(emu_warp *warp, emu_agent agent, uint64_t clock);
/* Whether it is past for the warp, by relaxed arrivals at the cluster's barrier. */
bool emu_hazard_past(emu_warp *warp, emu_agent agent, uint64_t clock);
/* Whether it knew it at its last emu_hazard_fence_tensor. */
bool emu_hazard_knows_fenced(emu_warp *warp, emu_agent agent, uint64_t clock);

#endif
