/* Family sm100: A and B whose rows tensor maps cannot address, done as in family sm90
 * (docs/adr/0006-unaligned-lines.md).
 *
 * All four warps of the first warpgroup copy their lines. So the thread that issues the MMAs
 * belongs to an extra warp, and the epilogue's own warps read what the epilogue needs. In a pair,
 * each CTA's warps copy its rows of A and its half of B, and arrive at the `full` barrier of the
 * first CTA, where the MMAs are issued for both. */
#include <stdio.h>

#include "atom/dtype.h"
#include "plan/choices.h"
#include "plan/scales.h"
#include "plan/sm100.h"
#include "plan/sm90.h"
#include "plan/transpose.h"

/* What an operand whose lines threads would copy needs that only tensor maps bring, as a message;
 * NULL: nothing. */
static const char *refusal_of(const gg_plan *plan, const gg_operand *operand) {
  if (gg_dtype_info_of(operand->type)->bits < 8)
    return "16: warps that copy other lines move elements of whole bytes";
  if (gg_plan_is_scaled(plan))
    return "16 beside scale factors: these come by tensor maps, and operands with them";
  if (plan->sparse_a)
    return "16 beside sparse: metadata comes by tensor maps, and operands with it";
  return NULL;
}

gg_status gg_sm100_check_lines(const gg_plan *plan, gg_error *err) {
  const gg_spec *spec = plan->spec;
  const struct {
    int copies;
    const gg_operand *operand;
    const gg_spec_field *asked;
    const char *what;
  } rows[] = {
      {plan->copy_bytes_a, &plan->a, &spec->a.align,
       gg_as_asked(plan, "A aligned to", "B aligned to")},
      {plan->copy_bytes_b, &plan->b, &spec->b.align,
       gg_as_asked(plan, "B aligned to", "A aligned to")},
  };
  for (int i = 0; i < 2; i++) {
    const char *has = rows[i].copies ? refusal_of(plan, rows[i].operand) : NULL;
    if (has) return gg_refuse(plan, rows[i].asked, rows[i].what, rows[i].asked->text, has, err);
  }
  return GG_OK;
}

/* Refuses several MMAs along N in a pair: a CTA would have half of each one's B, lines that do not
 * lie together. */
gg_status gg_sm100_check_lined_tile(const gg_plan *plan, int tile_n, int mmas_n, gg_error *err) {
  if (!plan->copy_bytes_b || plan->cta_group < 2 || mmas_n == 1) return GG_OK;
  char asked[16], has[96];
  snprintf(asked, sizeof asked, "%d", tile_n);
  snprintf(has, sizeof has, "%d at most beside %s aligned to less than 16 bytes: one MMA of a pair",
           tile_n / mmas_n, gg_as_asked(plan, "B", "A"));
  return gg_fail(err, PLAN_UNSUPPORTED, gg_element_mark(&plan->spec->tile, 1), plan->target->family,
                 gg_as_asked(plan, "tile N", "tile M"), asked, has);
}

/* Refuses the dynamic scheduler: warps begin to copy one tile while they still move another one
 * into place, so they would have to read each of the scheduler's answers twice. */
gg_status gg_sm100_check_lined_schedule(const gg_plan *plan, gg_scheduler scheduler,
                                        gg_error *err) {
  if (!gg_sm90_copies_lines(plan) || scheduler != GG_SCHEDULER_DYNAMIC) return GG_OK;
  return gg_refuse(plan, &plan->spec->scheduler.kind, "scheduler", "dynamic",
                   "persistent, data_parallel, split_k and stream_k where A or B is aligned to "
                   "less than 16 bytes: warps that copy lines are at two tiles at once",
                   err);
}
