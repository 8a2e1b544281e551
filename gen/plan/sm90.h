/* Family sm90: its two stages, and parts of the first. */
#ifndef GG_PLAN_SM90_H
#define GG_PLAN_SM90_H

#include "plan/target.h"

bool gg_sm90_swaps_ab(const gg_spec *spec); /* sm90_tile.c */

/* The tile, the MMA, the warpgroups and their registers, from types and majors. sm90_tile.c */
gg_status gg_sm90_choose_tile(gg_plan *plan, gg_error *err);

/* Where all of K is summed by one CTA is known: how many sets of registers sums that are promoted
 * have. sm90_tile.c */
void gg_sm90_choose_sum_sets(gg_plan *plan);

/* A thread's 32-bit registers for accumulators, more sets where sums are promoted, and for A's
 * fragments, of two steps. sm90_tile.c */
int gg_sm90_accumulator_registers(const gg_plan *plan);
int gg_sm90_fragment_registers(const gg_plan *plan);

/* The cluster, from the tile; the scheduler and the order of tiles, from both. sm90_schedule.c */
gg_status gg_sm90_choose_cluster(gg_plan *plan, gg_error *err);
gg_status gg_sm90_choose_schedule(gg_plan *plan, gg_error *err);

/* Shared memory for other parts' sums of a tile, where CTAs of a cluster have a part of its K each.
 * Needs the epilogue's boxes. sm90_schedule.c */
int64_t gg_sm90_sums_bytes(const gg_plan *plan);

/* Whether threads copy lines of A or of B, which begin anywhere. */
static inline bool gg_sm90_copies_lines(const gg_plan *plan) {
  return plan->copy_bytes_a > 0 || plan->copy_bytes_b > 0;
}

/* Bytes of a stage of A and B. sm90_tile.c */
int64_t gg_sm90_stage_bytes(const gg_plan *plan);

/* The matrices that are fetched behind a tile's K tiles, but for their layouts: how many. Whether
 * they are is plan->fetches; how many stages they take then; and whether threads read some where
 * they lie. sm90_fetch.c */
size_t gg_sm90_fetched(gg_fetched out[GG_FETCHED_MAX], const gg_plan *plan);
int gg_sm90_fetch_stages(const gg_plan *plan);
bool gg_sm90_reads_directly(const gg_plan *plan);

/* How many buffers vectors are read ahead to, where that much memory is left; what a tile's vectors
 * take, and where each begins (`begin` may be NULL). sm90_fetch.c */
void gg_sm90_choose_vectors(gg_plan *plan, int64_t left);
int64_t gg_sm90_vectors_bytes(int64_t begin[GG_OPERATIONS_MAX], const gg_plan *plan);

/* How a warp accesses elements of D's staging, or of a fetched matrix, of which a lane has two
 * neighbouring columns of a row in each 8 x 8; `line`: elements of a box's line. derive_sm90.c */
typedef enum gg_sm90_cells {
  GG_SM90_CELLS_MATRICES, /* 16 bits: stmatrix, ldmatrix */
  GG_SM90_CELLS_HALVES,   /* 32 bits, lines of 64 bytes or more: some rows' other half first */
  GG_SM90_CELLS_PAIRS,    /* both columns at once */
  GG_SM90_CELLS_ONES,     /* one after the other, where rows are contiguous */
} gg_sm90_cells;

gg_sm90_cells gg_sm90_cells_of(const gg_operand *operand, int line);

gg_status gg_sm90_derive(gg_layouts *out, const gg_plan *plan, gg_error *err); /* derive_sm90.c */

/* Its rings and roles, when the operands' and the staging's sizes are known. sm90_rings.c */
void gg_sm90_derive_rings(gg_layouts *out, const gg_plan *plan);

extern const gg_target gg_target_sm90, gg_target_sm90_multistage; /* sm90.c */

#endif
