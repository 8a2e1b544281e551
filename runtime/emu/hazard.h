/* Finds races in shared memory, and in any bank whose kind says so, between threads and between
 * proxies.
 *
 * Happens-before is computed by vector clocks, as in FastTrack (Flanagan and Freund, PLDI 2009). An
 * agent is a warp, or a thing that completes asynchronous operations in its own order: an mbarrier,
 * phase by phase; a warp's cp.async, bulk or wgmma groups, one after the other. Bytes remember
 * their last writer and their readers since, each as an agent and its clock. Every synchronising
 * object (named barrier, mbarrier, cluster barrier, a flag in memory) has a clock, which arrivals
 * join and waiters take over. A second clock says what the async proxy may see. Only
 * fence.proxy.async brings it up to the first: bulk stores read what threads wrote before such a
 * fence, and bulk copies write where threads read before one. Global memory is not watched, except
 * for launches that run beside each other (hazard/beside.h). Lanes of one warp race if they
 * communicate and nothing between orders the lanes of the warp.
 *
 * To miss a race is better than to report one that does not exist: a clock may know too much, never
 * too little. A module without any fence relies on what the H100 happens to do, and the emulator
 * grants it that: its bulk stores see what threads have written if a barrier orders the two, and
 * have read it soon after they are issued; the warps of its warpgroups learn of each other when
 * they issue a wgmma. Likewise for fence.mbarrier_init: a module without any relies only on
 * barriers (ThunderKittens, CuTe's tutorials); in others each mbarrier needs a fence.
 *
 * All functions do nothing if races are off (emu_options.severities). */
#ifndef GG_EMU_HAZARD_H
#define GG_EMU_HAZARD_H

#include "emu/memory.h"

typedef enum emu_proxy { EMU_PROXY_GENERIC, EMU_PROXY_ASYNC } emu_proxy;

/* Who makes accesses, in an order of its own; 0: nobody, whose accesses come before all others. */
typedef uint32_t emu_agent;

struct emu_async;

gg_status emu_hazards_open(struct emu_hazards **out, emu_cluster *cluster, gg_error *err);
void emu_hazards_close(struct emu_hazards *hazards); /* NULL is allowed */

/* ---- Accesses --------------------------------------------------------------------------- */

/* Notes an access by `lanes` of a warp through the generic proxy, to a place for each lane; false
 * after a fault. Atomic accesses (atom, red, and ld and st that are volatile, relaxed, acquire or
 * release) do not race with each other, and order what is around them: see emu_hazard_flag. */
bool emu_hazard_access(emu_warp *warp, const emu_op *op, uint32_t lanes,
                       const emu_place place[EMU_LANES], unsigned bytes, bool write, bool atomic);
/* Notes an atomic access to global memory at `address`: whoever accesses it later learns what the
 * warp knows, and the warp learns what those before it knew. */
void emu_hazard_flag(emu_warp *warp, uint64_t address);

/* Called when an asynchronous operation is issued. Checks that all accesses to what it touches are
 * ordered before it; false after a fault. */
bool emu_hazard_issue(const struct emu_async *async);
/* Called when it has landed. What it touched was accessed by its agent at its clock. */
void emu_hazard_land(const struct emu_async *async);

/* Whether the module has a fence, with this modifier unless it is NULL. If it has any
 * (emu_run.fences), bulk stores must follow all rules; else a barrier is enough, which gives a
 * fault of the class relaxed. */
bool emu_hazard_fences(const ptx_module *ptx, const char *modifier);

/* ---- Order ------------------------------------------------------------------------------ */

/* These use the clock of a synchronising object. `object` may be any address that stands for it. */
void emu_hazard_release(emu_warp *warp,
                        const void *object); /* the object learns what the warp knows */
void emu_hazard_acquire(emu_warp *warp,
                        const void *object); /* the warp learns what the object knows */
/* The same for relaxed arrivals and waits: the object learns what the warp knew at its last fence,
 * and the warp learns at its next fence what the object knows. */
void emu_hazard_release_relaxed(emu_warp *warp, const void *object);
void emu_hazard_acquire_relaxed(emu_warp *warp, const void *object);
/* Called besides for a relaxed arrival at the cluster's barrier: whoever passes the barrier learns
 * that what the warp has done is past, though nothing makes it visible. If only this orders an
 * access of a thread to its own CTA's shared memory, that is not a race, but of the class
 * `relaxed`. */
void emu_hazard_release_past(emu_warp *warp, const void *object);
void emu_hazard_forget(emu_cluster *cluster, const void *object);

/* fence, membar: see the relaxed ones. */
void emu_hazard_fence(emu_warp *warp);
/* fence.proxy.async: the async proxy may see what the warp knows of the generic proxy's writes. */
void emu_hazard_fence_proxy(emu_warp *warp);
/* fence.mbarrier_init: operations of the async proxy may complete on mbarriers that the warp has
 * initialised. */
void emu_hazard_fence_inits(emu_warp *warp);
/* Whether an operation that the warp issues may complete on the mbarrier that `maker` has
 * initialised at `made` (emu_hazard_moment): whether that fence, or the proxy's, came after it. */
bool emu_hazard_init_fenced(emu_warp *warp, emu_agent maker, uint64_t made);
/* Called when an instruction is issued that had to wait for what the warp has loaded from shared
 * memory: from now on nothing overtakes those loads. */
void emu_hazard_consume(emu_warp *warp);
/* tcgen05.fence::after_thread_sync: the warp's tcgen05 instructions learn what the warp knows. */
void emu_hazard_fence_tensor(emu_warp *warp);
/* The lanes of a warp have met: bar.warp.sync, and every .sync instruction but ldmatrix and
 * stmatrix. */
void emu_hazard_converge(emu_warp *warp);

/* The agent that stands for `object`, made when it is first asked for; 0 if checks are off. */
emu_agent emu_hazard_agent(emu_cluster *cluster, const void *object);
/* The warp learns what the agent has completed up to `clock`: wait_group. */
void emu_hazard_learn(emu_warp *warp, emu_agent agent, uint64_t clock);
/* Whoever acquires the object learns it: a phase has completed. */
void emu_hazard_teach(emu_cluster *cluster, const void *object, emu_agent agent, uint64_t clock);
/* `to` learns what `from` knows. */
void emu_hazard_pass(emu_cluster *cluster, const void *to, const void *from);
/* The warp's agent and its clock now: a moment that others may know of. */
emu_agent emu_hazard_moment(emu_warp *warp, uint64_t *clock);
bool emu_hazard_knows(emu_warp *warp, emu_agent agent, uint64_t clock);
/* Whether that moment is past for the warp, by relaxed arrivals at the cluster's barrier. */
bool emu_hazard_past(emu_warp *warp, emu_agent agent, uint64_t clock);
/* Whether the warp knew of it at its last emu_hazard_fence_tensor. */
bool emu_hazard_knows_fenced(emu_warp *warp, emu_agent agent, uint64_t clock);

#endif
