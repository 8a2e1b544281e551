/* Family sm100: what its stages share. It is sm90 but for who multiplies: much of it is sm90's. */
#ifndef GG_PLAN_SM100_H
#define GG_PLAN_SM100_H

#include "plan/target.h"

/* Rows of the tile's accumulators that lie side by side in a warp's lanes, in blocks of 16: two of
 * an MMA of 128 rows, one of an MMA of 64, whose rows take half of each warp's lanes. */
static inline int gg_sm100_blocks_of_mma(const gg_plan *plan) {
  return gg_plan_mma_rows(plan) / 64;
}

/* MMAs of the tile along M. */
static inline int gg_sm100_mmas_m(const gg_plan *plan) {
  return plan->tile_m / gg_plan_mma_rows(plan);
}

/* Columns of tensor memory: of a tile's accumulators; that a CTA allocates. derive_sm100.c */
int gg_sm100_accumulator_columns(const gg_plan *plan);
int gg_sm100_allocated_columns(const gg_plan *plan);

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

gg_status gg_sm100_derive(gg_layouts *out, const gg_plan *plan, gg_error *err); /* derive_sm100.c */

extern const gg_target gg_target_sm100; /* sm100.c */

#endif
