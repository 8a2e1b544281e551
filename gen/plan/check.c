#include "plan/check.h"

#include "plan/target.h"

gg_status gg_check_unused(const gg_plan *plan, const gg_spec_field *field, const char *what,
                          const char *instead, gg_error *err) {
  if (field->state == GG_SPEC_UNSET || field->state == GG_SPEC_AUTO) return GG_OK;
  return gg_fail(err, PLAN_UNSUPPORTED, &field->mark, plan->target->family, what,
                 field->text ? field->text : "of this form", instead);
}

gg_status gg_check_multiple(const char *what, int64_t value, int64_t unit, const char *why,
                            const gg_mark *mark, gg_error *err) {
  if (value > 0 && value % unit == 0) return GG_OK;
  int64_t below = value / unit * unit;
  if (below <= 0) {
    return gg_fail(err, PLAN_TOO_SMALL, mark, what, (long long)value, (long long)unit, why);
  }
  return gg_fail(err, PLAN_MULTIPLE, mark, what, (long long)value, (long long)unit, why,
                 (long long)below, (long long)(below + unit));
}

const gg_mark *gg_element_mark(const gg_spec_field *field, int index) {
  return field->marks ? &field->marks[index] : &field->mark;
}
