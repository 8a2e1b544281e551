/* Families sm90, sm100 and sm120: the columns of a split gate beside an N-major B, or beside scale
 * factors in tensor memory.
 *
 * Rows of a K-major B are copied in turns from the two halves of N (gate.h). From an N-major B
 * tensor maps bring lines along N, so whole boxes must take turns: a tile has `split_columns`
 * columns of the first half, one line of a box, and then as many of the second half, which gate
 * them. One thread still has both columns of each pair, because it has the same two of every eight
 * columns of a row. It takes them in the order in which they would come if single columns took
 * turns, so that what is read along N, and D, are the same either way
 * (templates/parts/sm90_epilogue.cu).
 *
 * Scale factors come to tensor memory an atom of 128 rows at once. Beside them a tile has 128
 * columns of one half, and then 128 of the other, whichever major B has. A box of the epilogue is
 * then loaded from two places.
 *
 * Without them, a box of the epilogue contains whole pairs of such lines, so that whoever loads one
 * from tensor memory, or adds one up, has everything that its columns of D are made of. Boxes begin
 * at multiples of 16 bytes, and so must the second half of N (gg_kernel_n_multiple). */
#include "atom/dtype.h"
#include "plan/choices.h"
#include "plan/gate.h"
#include "plan/scales.h"
#include "plan/sm90.h"
#include "plan/target.h"

bool gg_sm90_halves_tile(const gg_plan *plan) {
  return gg_plan_splits_scales(plan) && plan->target->id == GG_TARGET_SM100;
}

int gg_sm90_split_step(const gg_plan *plan, int step, bool raw) {
  enum { raw_width = 32, line_bytes = 16, wide_bytes = 128 };
  if (!gg_plan_splits_columns(plan)) return step;
  bool wide = gg_plan_swizzles_wide(plan, &plan->b);
  int unit = raw ? raw_width : (int)gg_dtype_unit(plan->b.type, wide ? wide_bytes : line_bytes);
  int own = 2 * unit * (plan->cta_group > 1 ? 2 : 1);
  return own > step ? own : step;
}

/* The most columns of a box of the epilogue. Beside a gate, D is all that is staged. */
static int most_columns(const gg_plan *plan) {
  return gg_sm90_most_columns(plan, gg_dtype_info_of(plan->d.type)->bits);
}

int gg_sm90_split_most(const gg_plan *plan, int columns) {
  if (gg_sm90_halves_tile(plan)) return plan->cta_group > 1 ? columns : columns / 2;
  int power = columns & -columns, most = most_columns(plan);
  return (power < most ? power : most) / 2;
}

gg_status gg_sm90_check_split(const gg_plan *plan, gg_error *err) {
  enum { wide_line = 32 /* 128 bytes of 32-bit elements */ };
  const gg_spec_operand *b = &plan->spec->b;
  if (!gg_plan_splits_columns(plan)) return GG_OK;
  if (plan->copy_bytes_b)
    return gg_refuse(plan, &b->align, "split gated columns beside B of major n aligned to",
                     b->align.text, "16: tensor maps bring the halves of N by turns", err);
  if (!gg_plan_swizzles_wide(plan, &plan->b) || most_columns(plan) >= 2 * wide_line) return GG_OK;
  return gg_refuse(plan, &b->major,
                   "split gated columns and a D of 32 bits beside B of tf32 of major", "n",
                   "B of major k, or D of less bits: a box of both halves has 64 columns", err);
}
