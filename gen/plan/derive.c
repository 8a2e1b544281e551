/* gg_plan -> gg_layouts: the family's derivation. */
#include "plan/target.h"

gg_status gg_layouts_derive(gg_layouts *out, const gg_plan *plan, gg_error *err) {
  *out = (gg_layouts){.region_count = 0};
  return plan->target->derive(out, plan, err);
}
