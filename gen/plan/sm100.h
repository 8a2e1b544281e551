/* Family sm100: what its stages share. It is sm90 but for who multiplies: much of it is sm90's. */
#ifndef GG_PLAN_SM100_H
#define GG_PLAN_SM100_H

#include "plan/target.h"

/* Rows of the tile's accumulators that lie side by side in a warp's lanes, in blocks of 16: two of
 * an MMA of 128 rows, or of 64 whose columns are in two parts; one of other MMAs of 64 rows a CTA,
 * which take half of each warp's lanes. */
static inline int gg_sm100_blocks_of_mma(const gg_plan *plan) {
  return gg_plan_mma_rows(plan) * gg_plan_column_parts(plan) / 64;
}

/* MMAs of the tile along M, and along N. */
static inline int gg_sm100_mmas_m(const gg_plan *plan) {
  return plan->tile_m / gg_plan_mma_rows(plan);
}
static inline int gg_sm100_mmas_n(const gg_plan *plan) {
  return plan->tile_n / plan->mma.n;
}

/* Whether the columns that a warp reads are other than one MMA's, all of them. */
static inline bool gg_sm100_has_parts(const gg_plan *plan) {
  return gg_plan_warp_columns(plan) != plan->tile_n;
}

/* Of an A in tensor memory a K step of an MMA: 32 bytes of each row. */
enum { GG_SM100_STEP_COLUMNS = 8 };

/* Columns of tensor memory: of a tile's accumulators; of a K tile of A, 0 where it is not there;
 * that a CTA allocates. derive_sm100.c */
int gg_sm100_accumulator_columns(const gg_plan *plan);
int gg_sm100_columns_of_a(const gg_plan *plan);
int gg_sm100_allocated_columns(const gg_plan *plan);

/* That lines of A and B that tensor maps cannot address are of whole bytes, with nothing beside
 * them that comes to their stages; and that what multiplies and schedules them can go along with
 * the warps that copy them. sm100_lines.c */
gg_status gg_sm100_check_lines(const gg_plan *plan, gg_error *err);
gg_status gg_sm100_check_lined_tile(const gg_plan *plan, int tile_n, int mmas_n, gg_error *err);
gg_status gg_sm100_check_lined_schedule(const gg_plan *plan, gg_scheduler scheduler, gg_error *err);

/* The warp whose thread issues the MMAs: the second one, or one behind all others, where all of the
 * first warpgroup copy lines. And all of a CTA's. */
enum { GG_SM100_USUAL_WARPS = 8 };
static inline int gg_sm100_issuer(const gg_plan *plan) {
  return plan->copy_bytes_a || plan->copy_bytes_b ? GG_SM100_USUAL_WARPS : 1;
}
static inline int gg_sm100_threads(const gg_plan *plan) {
  bool apart = gg_sm100_issuer(plan) == GG_SM100_USUAL_WARPS;
  return (GG_SM100_USUAL_WARPS + apart) * GG_WARP;
}

/* That operands of 6 and 4 bits have what their tensor maps want: K-major lines and, where elements
 * are unpacked, addresses and strides of multiples of 32 bytes, which is promised where nothing is
 * said; and of the tile, lines of whole 128 elements under the swizzle of 128 bytes.
 * sm100_narrow.c */
gg_status gg_sm100_choose_narrow(gg_plan *plan, gg_error *err);
gg_status gg_sm100_check_narrow(const gg_plan *plan, int tile_k, gg_error *err);

/* That scale factors of A and B are alike and of a kind that there are MMAs for; and of the tile,
 * that it is whole atoms of them, or halves along N. sm100_scales.c */
gg_status gg_sm100_check_scales(const gg_plan *plan, gg_error *err);
gg_status gg_sm100_check_scaled_tile(const gg_plan *plan, int m, int n, int k, gg_error *err);

/* That D's scale factors are of a kind that A could have, along the rows of a row-major D, whose
 * lines are copied by maps where elements are packed; and of the tile's N, that each of so many
 * parts is whole blocks, and lines of 16 bytes. sm100_scales.c */
gg_status gg_sm100_check_scaled_d(const gg_plan *plan, gg_error *err);
gg_status gg_sm100_check_scaled_d_tile(const gg_plan *plan, int n, int parts, gg_error *err);

/* That a sparse A has MMAs; and of the tile, that its K is whole tiles of metadata, of which
 * tcgen05 reads lines of B's, too. sm100_sparse.c */
gg_status gg_sm100_check_sparse(const gg_plan *plan, gg_error *err);
gg_status gg_sm100_check_metadata_tile(const gg_plan *plan, int k, gg_error *err);
gg_status gg_sm100_check_sparse_tile(const gg_plan *plan, int k, gg_error *err);
int gg_sm100_usual_sparse_k(const gg_plan *plan); /* of a tile, where none is asked for */

/* The maps that bring atoms of A's and B's factors to a stage. derive_sm100.c */
void gg_sm100_add_scale_maps(gg_layouts *out, const gg_plan *plan);
void gg_sm100_add_metadata_map(gg_layouts *out, const gg_plan *plan);

gg_status gg_sm100_derive(gg_layouts *out, const gg_plan *plan, gg_error *err); /* derive_sm100.c */

extern const gg_target gg_target_sm100; /* sm100.c */

#endif
