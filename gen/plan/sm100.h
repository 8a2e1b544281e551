/* Family sm100: what its stages share. It differs from sm90 in how it multiplies; much of the rest
 * is sm90's code. */
#ifndef GG_PLAN_SM100_H
#define GG_PLAN_SM100_H

#include "plan/target.h"

/* How many blocks of 16 rows of an MMA's accumulators lie in one warp's lanes: two for an MMA of
 * 128 rows, or for one of 64 rows whose columns are in two parts. One for other MMAs of 64 rows a
 * CTA, which use half of each warp's lanes. */
static inline int gg_sm100_blocks_of_mma(const gg_plan *plan) {
  return gg_plan_mma_rows(plan) * gg_plan_column_parts(plan) / 64;
}

/* How many MMAs the tile consists of along M, and along N. */
static inline int gg_sm100_mmas_m(const gg_plan *plan) {
  return plan->tile_m / gg_plan_mma_rows(plan);
}
static inline int gg_sm100_mmas_n(const gg_plan *plan) {
  return plan->tile_n / plan->mma.n;
}

/* Whether a warp reads something other than all columns of one MMA that is as wide as the tile. */
static inline bool gg_sm100_has_parts(const gg_plan *plan) {
  return gg_plan_warp_columns(plan) != plan->tile_n;
}

/* Columns of tensor memory that one K step of an MMA takes of an A there: 32 bytes of each row. */
enum { GG_SM100_STEP_COLUMNS = 8 };

/* Columns of tensor memory: those of one tile's accumulators; those of one K tile of A, 0 if A is
 * not there; and those that a CTA allocates. (derive_sm100.c) */
int gg_sm100_accumulator_columns(const gg_plan *plan);
int gg_sm100_columns_of_a(const gg_plan *plan);
int gg_sm100_allocated_columns(const gg_plan *plan);

/* Checks for operands that warps copy because tensor maps cannot address their lines: that the
 * lines consist of whole bytes and that nothing else comes to their stages by tensor maps; that the
 * tile allows it; that the scheduler does. (sm100_lines.c) */
gg_status gg_sm100_check_lines(const gg_plan *plan, gg_error *err);
gg_status gg_sm100_check_lined_tile(const gg_plan *plan, int tile_n, int mmas_n, gg_error *err);
gg_status gg_sm100_check_lined_schedule(const gg_plan *plan, gg_scheduler scheduler, gg_error *err);

/* The warp whose thread issues the MMAs: the second one; or one behind all others, if all warps of
 * the first warpgroup copy lines. And the threads of a CTA. */
enum { GG_SM100_USUAL_WARPS = 8 };
static inline int gg_sm100_issuer(const gg_plan *plan) {
  return plan->copy_bytes_a || plan->copy_bytes_b ? GG_SM100_USUAL_WARPS : 1;
}
static inline int gg_sm100_threads(const gg_plan *plan) {
  bool apart = gg_sm100_issuer(plan) == GG_SM100_USUAL_WARPS;
  return (GG_SM100_USUAL_WARPS + apart) * GG_WARP;
}

/* Checks operands of 6 and 4 bits. gg_sm100_choose_narrow: they must be K-major; and where elements
 * are unpacked, addresses and strides must be multiples of 32 bytes, which is promised if the spec
 * says nothing. gg_sm100_check_narrow: the tile must have lines of whole 128 elements under the
 * swizzle of 128 bytes. (sm100_narrow.c) */
gg_status gg_sm100_choose_narrow(gg_plan *plan, gg_error *err);
gg_status gg_sm100_check_narrow(const gg_plan *plan, int tile_k, gg_error *err);

/* Checks that A and B have scale factors of the same kind and that there are MMAs for it; and that
 * the tile has whole atoms of them, or halves along N. (sm100_scales.c) */
gg_status gg_sm100_check_scales(const gg_plan *plan, gg_error *err);
gg_status gg_sm100_check_scaled_tile(const gg_plan *plan, int m, int n, int k, gg_error *err);

/* Checks that D's scale factors are of a kind that A could have and run along the rows of a
 * row-major D, whose lines are copied by tensor maps if its elements are packed; and that each of
 * the `parts` parts of the tile's N has whole blocks of factors and lines of 16 bytes.
 * (sm100_scales.c) */
gg_status gg_sm100_check_scaled_d(const gg_plan *plan, gg_error *err);
gg_status gg_sm100_check_scaled_d_tile(const gg_plan *plan, int n, int parts, gg_error *err);

/* Checks that there are MMAs for a sparse A; that the tile's K is whole tiles of metadata; and that
 * it suits the longer lines of B that sparse MMAs read. (sm100_sparse.c) */
gg_status gg_sm100_check_sparse(const gg_plan *plan, gg_error *err);
gg_status gg_sm100_check_metadata_tile(const gg_plan *plan, int k, gg_error *err);
gg_status gg_sm100_check_sparse_tile(const gg_plan *plan, int k, gg_error *err);
int gg_sm100_usual_sparse_k(const gg_plan *plan); /* a tile's K, if the spec asks for none */

/* Adds the tensor maps that bring atoms of A's and B's factors, and tiles of metadata, to a stage.
 * (derive_sm100.c) */
void gg_sm100_add_scale_maps(gg_layouts *out, const gg_plan *plan);
void gg_sm100_add_metadata_map(gg_layouts *out, const gg_plan *plan);

gg_status gg_sm100_derive(gg_layouts *out, const gg_plan *plan, gg_error *err); /* derive_sm100.c */

extern const gg_target gg_target_sm100; /* sm100.c */

#endif
