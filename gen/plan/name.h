/* Names of kernels that the spec does not name. */
#ifndef GG_PLAN_NAME_H
#define GG_PLAN_NAME_H

#include "plan/plan.h"

/* Appends the name of what was chosen. Everything but the name has been. */
void gg_plan_name(gg_str *out, const gg_plan *chosen);

/* Cuts a name to 88 characters; the last of them then tell it from others that begin alike. */
void gg_plan_cut_name(gg_str *name);

#endif
