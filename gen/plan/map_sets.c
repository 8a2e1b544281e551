#include "plan/map_sets.h"

#include "plan/distribution.h"
#include "plan/sm90.h"

/* How many maps are in a set: A's and B's, those of their last lines, C's if it is fetched, and D's
 * if the copy engine stores it. */
static int maps_of_set(const gg_plan *plan) {
  gg_result results[GG_RESULTS_MAX];
  size_t count = gg_sm90_results(results, plan);
  return 2 + gg_sm90_has_end(plan, &plan->a) + gg_sm90_has_end(plan, &plan->b) +
         gg_sm90_is_c_fetched(plan) + results[count - 1].mapped;
}

int64_t gg_plan_map_bytes(const gg_plan *plan) {
  if (!gg_plan_changes_maps(plan)) return 0;
  return (int64_t)gg_plan_map_sets(plan) * maps_of_set(plan) * GG_MAP_BYTES;
}

gg_status gg_plan_check_map_sets(const gg_plan *plan, gg_error *err) {
  if (!gg_plan_changes_maps(plan) || !gg_sm90_has_copiers(plan)) return GG_OK;
  const gg_spec_field *asked = &plan->asked->problem.pointers;
  if (!gg_sm90_copies_lines(plan))
    return gg_refuse(plan, asked, "pointers beside operands that warps transpose", asked->text,
                     "A and B with K contiguous, or of 16 bits: families simt and sm80 have arrays "
                     "of addresses for all",
                     err);
  return gg_refuse(plan, asked, "pointers beside A or B aligned to less than 16 bytes", asked->text,
                   "a.align and b.align of 16: families simt and sm80 have arrays of addresses "
                   "that are aligned to less",
                   err);
}
