/* Units: what instructions keep from one execution to the next, and when the machine asks for it.
 *
 * Most instructions are over when they have run. Others leave something behind: who has arrived at
 * a barrier, which groups of copies are open, which registers a wgmma in flight owns. A unit keeps
 * such things. It has a row of units.def, state for each warp, CTA or cluster, and hooks. The
 * machine knows nothing of particular units. It makes a state when an instruction first asks for
 * it, calls the hooks when lanes run, exit, wait in vain, or a deadlock is explained, and frees the
 * state with its owner. What an instruction does later is an operation of the engine (async.h). */
#ifndef GG_EMU_UNIT_H
#define GG_EMU_UNIT_H

#include "emu/machine.h"

/* Hooks that a unit does not need are NULL. Those for a warp, a CTA or a cluster are called if it
 * has state of the unit. */
typedef struct emu_unit {
  const char *name;                            /* for messages when memory is out */
  size_t warp_bytes, cta_bytes, cluster_bytes; /* of its states, which begin as zeros */
  /* Frees what the state points to. */
  void (*close_warp)(void *state);
  void (*close_cta)(void *state);
  void (*close_cluster)(void *state);
  /* Called before each instruction of the warp. Decides whether it may run: EMU_NEXT, EMU_WAIT or
   * EMU_FAULT. */
  emu_step (*admit)(emu_warp *warp, const emu_op *op);
  /* Called when lanes of the warp have exited and are no longer alive, if the CTA or the cluster
   * has state. */
  void (*lanes_exit)(emu_warp *warp);
  /* Called when the last lane of the CTA has exited, and what it issued has landed. False after a
   * fault. */
  bool (*cta_exit)(emu_cta *cta);
  /* Called when nothing can run. Wakes those that may give up waiting, so that they do; says
   * whether there are any. */
  bool (*give_up)(emu_cluster *cluster);
  /* Called when a deadlock is reported. Writes what a split of the warp waits for, if it waits for
   * something of this unit; else returns false and writes nothing. */
  bool (*explain)(gg_str *out, const emu_warp *warp, const emu_split *split);
} emu_unit;

#define EMU_UNIT(id, hooks) extern const emu_unit hooks;
#include "emu/units.def"
#undef EMU_UNIT

extern const emu_unit *const emu_units[EMU_UNIT_COUNT];

/* The unit's state, made when it is first asked for; NULL after a fault (memory). */
void *emu_unit_of_warp(emu_warp *warp, const emu_op *op, emu_unit_id unit);
void *emu_unit_of_cta(emu_warp *warp, const emu_op *op, emu_unit_id unit);
void *emu_unit_of_cluster(emu_warp *warp, const emu_op *op, emu_unit_id unit);

/* ---- The machine's ---------------------------------------------------------------------- */

void emu_units_close_warp(emu_warp *warp);
void emu_units_close_cta(emu_cta *cta);
void emu_units_close_cluster(emu_cluster *cluster);
/* The hooks of all units, as they are described above. */
emu_step emu_units_admit(emu_warp *warp, const emu_op *op);
void emu_units_lanes_exit(emu_warp *warp);
bool emu_units_cta_exit(emu_cta *cta);
bool emu_units_give_up(emu_cluster *cluster);
bool emu_units_explain(gg_str *out, const emu_warp *warp, const emu_split *split);

#endif
