/* Batches by arrays of addresses in kernels of tensor maps: a map has one address, so that a CTA has
 * copies of the launch's maps in the workspace, a ring of sets of them, and gives each of its tiles
 * a set with the addresses of the tile's batch. (PTX ISA, "tensormap.replace".) */
#ifndef GG_PLAN_MAP_SETS_H
#define GG_PLAN_MAP_SETS_H

#include "plan/plan.h"

/* Whether the kernel does so; others that take arrays of addresses have threads that copy. */
bool gg_plan_changes_maps(const gg_plan *plan);

/* Whether the address of the operand's map is one of a batch's: of A, B, C or D. */
bool gg_plan_changes_map_of(const gg_plan *plan, gg_operand_id operand);

/* Sets of a CTA's ring. */
int gg_plan_map_sets(const gg_plan *plan);

/* Bytes of the workspace that a CTA's ring takes; 0 where it has none. */
int64_t gg_plan_map_bytes(const gg_plan *plan);

#endif
