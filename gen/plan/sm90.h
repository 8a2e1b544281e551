/* Family sm90: its three stages, one file each. */
#ifndef GG_PLAN_SM90_H
#define GG_PLAN_SM90_H

#include "plan/target.h"

gg_status gg_sm90_derive(gg_layouts *out, const gg_plan *plan, gg_error *err); /* derive_sm90.c */
gg_status gg_sm90_bind(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts,
                       gg_error *err); /* emit/sm90.c */

extern const gg_target gg_target_sm90, gg_target_sm90_multistage; /* sm90.c */

#endif
