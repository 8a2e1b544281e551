/* Family sm80: its two stages, one file each, and what its template must know of copies. */
#ifndef GG_PLAN_SM80_H
#define GG_PLAN_SM80_H

#include "plan/atoms.h"
#include "plan/dealing.h"
#include "plan/layouts.h"
#include "plan/target.h"

gg_status gg_sm80_derive(gg_layouts *out, const gg_plan *plan, gg_error *err); /* derive_sm80.c */

/* Whether a warp's atoms lie in turns with the others' along M, as the spec's permutation has it,
 * when the tile and the warps are in the plan. sm80_permutation.c */
gg_status gg_sm80_choose_permutation(bool *turns_m, const gg_plan *plan, gg_error *err);

/* A tile of A or B, of lines of `line` elements, in chunks of `copy_bytes`. No more threads stand
 * side by side than one access of memory has room for: those beyond go to other lines, and the
 * turns along a line share an address. */
static inline gg_dealing gg_sm80_deal_copy(int64_t threads, int64_t lines, int64_t line,
                                           int copy_bytes) {
  enum { memory_bytes = 128 /* what global memory moves at once */, element_bytes = 2 };
  int64_t side = memory_bytes / copy_bytes;
  return gg_deal(threads, lines, line * element_bytes / copy_bytes,
                 side < threads ? side : threads);
}

/* Types of matrices that the epilogue reads from staging, as C is: floats of 16 or 32 bits. */
static inline gg_type_set gg_sm80_types_read(void) {
  return gg_type_bit(GG_DTYPE_f16) | gg_type_bit(GG_DTYPE_bf16) | gg_type_bit(GG_DTYPE_f32);
}

/* What comes through staging in whole lines, but for its layouts: C and the first residual, where a
 * lane copies more than an element at once. Single elements are read where they lie: by way of
 * staging they measured slower. Others have no room in the accesses that are counted. The plan has
 * its access_bytes_c. sm80_lined.c */
size_t gg_sm80_lined(gg_lined out[GG_LINED_MAX], const gg_plan *plan);

extern const gg_target gg_target_sm80; /* sm80.c */

#endif
