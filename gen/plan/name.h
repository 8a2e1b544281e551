/* Names of kernels that the spec does not name. */
#ifndef GG_PLAN_NAME_H
#define GG_PLAN_NAME_H

#include "plan/plan.h"

/* Appends the derived name of a plan. Everything else in the plan must have been chosen. */
void gg_plan_name(gg_str *out, const gg_plan *chosen);

/* Cuts a name to 88 characters. The last ones of a cut name are a hash of the whole, which tells it
 * from others that begin alike. */
void gg_plan_cut_name(gg_str *name);

#endif
