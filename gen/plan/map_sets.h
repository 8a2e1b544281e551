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

/* Whether the address of the operand's map is one of a batch's: of A, B or D. */
static inline bool gg_plan_changes_map_of(const gg_plan *plan, gg_operand_id operand) {
  bool of_batch = operand == GG_OPERAND_A || operand == GG_OPERAND_B || operand == GG_OPERAND_D;
  return of_batch && gg_plan_changes_maps(plan);
}

/* Sets of a CTA's ring. One is given back while a later tile of the same consumers is finished: so
 * one for each of those that take turns, one for their next tiles, and some for tiles that are
 * loaded, or whose maps are changed, by then. */
static inline int gg_plan_map_sets(const gg_plan *plan) {
  enum { ahead = 4 };
  return ahead + (plan->pingpong ? plan->consumers : 1);
}

/* Bytes of the workspace that a CTA's ring takes; 0 where it has none. */
int64_t gg_plan_map_bytes(const gg_plan *plan);

#endif
