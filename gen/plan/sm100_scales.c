/* Family sm100: which scale factors its MMAs take, and what they ask of the tile. */
#include <stdio.h>

#include "atom/dtype.h"
#include "plan/check.h"
#include "plan/choices.h"
#include "plan/scales.h"
#include "plan/sm100.h"
#include "plan/transpose.h"

/* Blocks of 32 have factors of ue8m0; those of 16, of packed elements alone, either type. */
static gg_status check_type(const gg_plan *plan, const gg_spec_operand *asked, gg_error *err) {
  const gg_spec_field *type = &asked->scale.type;
  if (plan->scale_a.block == 16 || plan->scale_a.type == GG_DTYPE_ue8m0) return GG_OK;
  return gg_refuse(plan, type, "factors of blocks of 32 of type", type->text,
                   "ue8m0: ue4m3 is of blocks of 16", err);
}

gg_status gg_sm100_check_scales(const gg_plan *plan, gg_error *err) {
  const gg_spec *spec = plan->spec;
  const gg_scaling *a = &plan->scale_a, *b = &plan->scale_b;
  const gg_spec_operand *first = &spec->a, *second = &spec->b;
  if (!a->block && !b->block) return GG_OK;
  if (!a->block || !b->block) {
    bool of_a = a->block > 0;
    return gg_refuse(plan, of_a ? &first->scale.here : &second->scale.here, "scale",
                     of_a != plan->swap_ab ? "of A alone" : "of B alone", "scales of both operands",
                     err);
  }
  if (a->type == b->type && a->block == b->block) return check_type(plan, first, err);
  char other[32], has[64];
  snprintf(other, sizeof other, "of %s, %d", gg_dtype_info_of(b->type)->name, b->block);
  snprintf(has, sizeof has, "that of the other operand too: %s, %d",
           gg_dtype_info_of(a->type)->name, a->block);
  return gg_refuse(plan, &second->scale.here, "scale", other, has, err);
}

/* An MMA has 128 rows; a stage whole atoms of factors along K; a tile columns in steps of half an
 * atom, so that it begins at a column of tensor memory that MMAs may read from. */
gg_status gg_sm100_check_scaled_tile(const gg_plan *plan, int m, int n, int k, gg_error *err) {
  const gg_spec_field *asked = &plan->spec->tile;
  gg_status st;
  if (!gg_plan_is_scaled(plan)) return GG_OK;
  st = gg_check_multiple(gg_as_asked(plan, "tile M", "tile N"), m, GG_SCALE_ROWS,
                         "rows of an atom of scale factors", gg_element_mark(asked, 0), err);
  if (st) return st;
  st = gg_check_multiple(gg_as_asked(plan, "tile N", "tile M"), n, GG_SCALE_TILE_STEP,
                         "half the rows of an atom of scale factors", gg_element_mark(asked, 1),
                         err);
  if (st) return st;
  char why[64];
  snprintf(why, sizeof why, "4 factors x %d elements along K", plan->scale_a.block);
  return gg_check_multiple("tile K", k, GG_SCALE_FACTORS * plan->scale_a.block, why,
                           gg_element_mark(asked, 2), err);
}
