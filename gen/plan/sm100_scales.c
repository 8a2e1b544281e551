/* Family sm100: which scale factors its MMAs take, and what they require of the tile. */
#include <stdio.h>

#include "atom/dtype.h"
#include "plan/atoms.h"
#include "plan/check.h"
#include "plan/choices.h"
#include "plan/scales.h"
#include "plan/sm100.h"
#include "plan/sm90.h"
#include "plan/transpose.h"

/* Checks the type of factors. Blocks of 32 have factors of ue8m0; blocks of 16, which only packed
 * elements can have, of either type. Beside a sparse A these are blocks of 64 and of 32. */
static gg_status check_type(const gg_plan *plan, const gg_spec_operand *asked, gg_error *err) {
  const gg_spec_field *type = &asked->scale.type, *block = &asked->scale.block;
  bool sparse = plan->sparse_a;
  int fine = sparse ? 32 : 16, own = plan->scale_a.block;
  if (own != fine && own != 2 * fine)
    return gg_refuse(
        plan, block,
        sparse ? gg_as_asked(plan, "block beside a sparse A of", "block beside a sparse B of")
               : "block of",
        block->text, sparse ? "32 and 64, which count its zeros" : "16 and 32", err);
  if (own == fine || plan->scale_a.type == GG_DTYPE_ue8m0) return GG_OK;
  return gg_refuse(plan, type,
                   sparse ? "factors of blocks of 64 of type" : "factors of blocks of 32 of type",
                   type->text,
                   sparse ? gg_as_asked(plan, "ue8m0: ue4m3 is of blocks of 32 beside a sparse A",
                                        "ue8m0: ue4m3 is of blocks of 32 beside a sparse B")
                          : "ue8m0: ue4m3 is of blocks of 16",
                   err);
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

/* ---- D ---------------------------------------------------------------------------------- */

/* Checks D's type: what an A with factors can be, except 6-bit types, because no lane has whole
 * bytes of those. */
static gg_status check_d_type(const gg_plan *plan, gg_error *err) {
  const gg_type_set bytes = gg_type_bit(GG_DTYPE_e4m3) | gg_type_bit(GG_DTYPE_e5m2);
  const gg_spec_operand *asked = &plan->spec->d;
  const gg_scaling *scale = &plan->scale_d;
  gg_type_set types = gg_type_bit(GG_DTYPE_e2m1) | (scale->block == 16 ? 0 : bytes);
  char beside[48];
  snprintf(beside, sizeof beside, " with scales of blocks of %d", scale->block);
  if (!(types & gg_type_bit(plan->d.type)))
    return gg_refuse_types(plan, &asked->type, "D of type", plan->d.type, types, beside, err);
  if (scale->block == 16 || scale->type == GG_DTYPE_ue8m0) return GG_OK;
  return gg_refuse(plan, &asked->scale.type, "factors of blocks of 32 of type",
                   asked->scale.type.text, "ue8m0: ue4m3 is of blocks of 16", err);
}

gg_status gg_sm100_check_scaled_d(const gg_plan *plan, gg_error *err) {
  enum { map_align = 16 };
  const gg_spec *spec = plan->spec;
  if (!gg_plan_scales_d(plan)) return GG_OK;
  gg_status st = check_d_type(plan, err);
  if (st) return st;
  if (plan->swap_ab)
    return gg_refuse(plan, &spec->swap_ab, "swap_ab", spec->swap_ab.text,
                     "false beside scales of D: they are along rows", err);
  if (plan->d.major != GG_MAJOR_N)
    return gg_refuse(plan, &spec->d.major, "D with scales and major", spec->d.major.text,
                     "n: blocks are along rows", err);
  if (plan->d.type != GG_DTYPE_e2m1 || plan->d.align >= map_align) return GG_OK;
  return gg_refuse(plan, &spec->d.align, "D of e2m1 aligned to", spec->d.align.text,
                   "16: the copy engine stores packed elements", err);
}

gg_status gg_sm100_check_scaled_d_tile(const gg_plan *plan, int n, int parts, gg_error *err) {
  if (!gg_plan_scales_d(plan)) return GG_OK;
  bool packed = plan->d.type == GG_DTYPE_e2m1;
  int step = packed ? GG_SCALE_PACKED_STEP : plan->scale_d.block;
  const char *of =
      packed ? "elements of 16 bytes of D: a line of a box" : "elements of D that share a factor";
  char why[96];
  snprintf(why, sizeof why, "%d parts that warps have x %d %s", parts, step, of);
  return gg_check_multiple("tile N", n, parts * step, parts > 1 ? why : of,
                           gg_element_mark(&plan->spec->tile, 1), err);
}

/* ---- A and B ---------------------------------------------------------------------------- */

/* Checks the tile of scaled operands. MMAs have 128 rows of a CTA, or 64 of each CTA of a pair. A
 * stage holds whole atoms of factors along K. A tile's columns are in steps of half an atom, so
 * that it begins at a column of tensor memory that MMAs may read from. */
gg_status gg_sm100_check_scaled_tile(const gg_plan *plan, int m, int n, int k, gg_error *err) {
  const gg_spec_field *asked = &plan->spec->tile;
  bool folded = plan->cta_group > 1 && m == GG_SCALE_FOLDED_M && !plan->sparse_a;
  gg_status st = GG_OK;
  if (!gg_plan_is_scaled(plan)) return GG_OK;
  if (!folded)
    st = gg_check_multiple(gg_as_asked(plan, "tile M", "tile N"), m, GG_SCALE_ROWS,
                           "rows of an atom of scale factors", gg_element_mark(asked, 0), err);
  if (st) return st;
  if (gg_sm90_halves_tile(plan) && folded)
    return gg_refuse(plan, &plan->spec->tile, "split gated columns and scales beside a pair of",
                     "64 rows a CTA", "128 rows a CTA: those of 64 have halves of B's columns",
                     err);
  if (gg_sm90_halves_tile(plan))
    st = gg_check_multiple("tile N", n, 2 * GG_SCALE_ROWS,
                           "2 halves of N x 128 rows of an atom of scale factors",
                           gg_element_mark(asked, 1), err);
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
