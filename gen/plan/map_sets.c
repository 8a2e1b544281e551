#include "plan/map_sets.h"

#include "plan/distribution.h"
#include "plan/sm90.h"

/* A's and B's, those of their last lines, and D's, if the copy engine stores it. */
static int maps_of_set(const gg_plan *plan) {
  gg_result results[GG_RESULTS_MAX];
  size_t count = gg_sm90_results(results, plan);
  return 2 + gg_sm90_has_end(plan, &plan->a) + gg_sm90_has_end(plan, &plan->b) +
         results[count - 1].mapped;
}

int64_t gg_plan_map_bytes(const gg_plan *plan) {
  if (!gg_plan_changes_maps(plan)) return 0;
  return (int64_t)gg_plan_map_sets(plan) * maps_of_set(plan) * GG_MAP_BYTES;
}
