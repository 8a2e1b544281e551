/* Family sm80: its three stages, one file each. */
#ifndef GG_PLAN_SM80_H
#define GG_PLAN_SM80_H

#include "plan/target.h"

gg_status gg_sm80_derive(gg_layouts *out, const gg_plan *plan, gg_error *err); /* derive_sm80.c */
gg_status gg_sm80_bind(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts,
                       gg_error *err); /* emit/sm80.c */

extern const gg_target gg_target_sm80; /* sm80.c */

#endif
