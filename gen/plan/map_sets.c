#include "plan/map_sets.h"

#include "plan/distribution.h"
#include "plan/sm90.h"

bool gg_plan_changes_maps(const gg_plan *plan) {
  return plan->pointers && plan->specialised;
}

bool gg_plan_changes_map_of(const gg_plan *plan, gg_operand_id operand) {
  bool of_batch = operand == GG_OPERAND_A || operand == GG_OPERAND_B || operand == GG_OPERAND_C ||
                  operand == GG_OPERAND_D;
  return of_batch && gg_plan_changes_maps(plan);
}

/* A set is given back while a later tile of the same consumers is finished: so one for each of
 * those that take turns, one for their next tiles, and some for tiles that are loaded or whose maps
 * are changed by then. */
int gg_plan_map_sets(const gg_plan *plan) {
  enum { ahead = 4 };
  return ahead + (plan->pingpong ? plan->consumers : 1);
}

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
