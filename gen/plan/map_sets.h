/* Batches given by arrays of addresses, in kernels that copy by tensor maps.
 *
 * A tensor map holds one address, but each batch has its own. So each CTA keeps copies of the
 * launch's maps in the workspace: a ring of sets of maps. It writes the addresses of a tile's batch
 * into one set, and the tile's copies use that set. (PTX ISA, "tensormap.replace".) */
#ifndef GG_PLAN_MAP_SETS_H
#define GG_PLAN_MAP_SETS_H

#include "plan/plan.h"

/* Whether the kernel changes tensor maps in this way. In other kernels that take arrays of
 * addresses, threads do the copying. */
static inline bool gg_plan_changes_maps(const gg_plan *plan) {
  return plan->pointers && plan->specialised;
}

/* Whether an array holds the operand's address for each batch. Only A, B, C and D have such arrays.
 * Scale factors, metadata and what the epilogue reads and writes lie a constant stride apart. */
static inline bool gg_plan_has_array_of(const gg_plan *plan, gg_operand_id operand) {
  return plan->pointers && operand >= GG_OPERAND_A && operand <= GG_OPERAND_D;
}

/* Whether the address in the operand's tensor map is changed for each batch. */
static inline bool gg_plan_changes_map_of(const gg_plan *plan, gg_operand_id operand) {
  return gg_plan_changes_maps(plan) && gg_plan_has_array_of(plan, operand);
}

/* How many sets of maps a CTA's ring has. A set is given back while a later tile of the same
 * consumers is being finished. So the ring has one set for each consumer that takes turns, one for
 * their next tiles, and some more for tiles that are being loaded, or whose maps are being changed,
 * by then. If a CTA computes one tile, it has one set. */
static inline int gg_plan_map_sets(const gg_plan *plan) {
  enum { ahead = 4 };
  if (!gg_plan_is_persistent(plan)) return 1;
  return ahead + (plan->pingpong ? plan->consumers : 1);
}

/* Bytes of the workspace that one CTA's ring takes; 0 if it has none. */
int64_t gg_plan_map_bytes(const gg_plan *plan);

/* Fails if no warp is left to change maps: where lines of A or B are copied or transposed by warps,
 * that takes the whole warpgroup. */
gg_status gg_plan_check_map_sets(const gg_plan *plan, gg_error *err);

#endif
