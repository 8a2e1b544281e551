/* Batches by arrays of addresses in kernels of tensor maps: a map has one address, so that a CTA
 * has copies of the launch's maps in the workspace, a ring of sets of them, and gives each of its
 * tiles a set with the addresses of the tile's batch. (PTX ISA, "tensormap.replace".) */
#ifndef GG_PLAN_MAP_SETS_H
#define GG_PLAN_MAP_SETS_H

#include "plan/plan.h"

/* Whether the kernel does so; others that take arrays of addresses have threads that copy. */
static inline bool gg_plan_changes_maps(const gg_plan *plan) {
  return plan->pointers && plan->specialised;
}

/* Whether an array has the addresses of a batch's matrices: of A, B, C and D alone. What belongs to
 * them, factors and metadata, and what the epilogue reads and writes lies a constant stride apart.
 */
static inline bool gg_plan_has_array_of(const gg_plan *plan, gg_operand_id operand) {
  return plan->pointers && operand >= GG_OPERAND_A && operand <= GG_OPERAND_D;
}

/* Whether the address of the operand's map is one of a batch's. */
static inline bool gg_plan_changes_map_of(const gg_plan *plan, gg_operand_id operand) {
  return gg_plan_changes_maps(plan) && gg_plan_has_array_of(plan, operand);
}

/* Sets of a CTA's ring. One is given back while a later tile of the same consumers is finished: so
 * one for each of those that take turns, one for their next tiles, and some for tiles that are
 * loaded, or whose maps are changed, by then. One alone where a CTA has one tile. */
static inline int gg_plan_map_sets(const gg_plan *plan) {
  enum { ahead = 4 };
  if (!gg_plan_is_persistent(plan)) return 1;
  return ahead + (plan->pingpong ? plan->consumers : 1);
}

/* Bytes of the workspace that a CTA's ring takes; 0 where it has none. */
int64_t gg_plan_map_bytes(const gg_plan *plan);

/* That a warp is left to change maps: what copies lines of A and B, or transposes them, takes all
 * of its warpgroup. */
gg_status gg_plan_check_map_sets(const gg_plan *plan, gg_error *err);

#endif
