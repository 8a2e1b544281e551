/* Family sm90: its three stages, and parts of the first. */
#ifndef GG_PLAN_SM90_H
#define GG_PLAN_SM90_H

#include "plan/target.h"

bool gg_sm90_exchanges(const gg_spec *spec); /* sm90_tile.c */

/* The tile, the MMA, the warpgroups and their registers, from types and majors. sm90_tile.c */
gg_status gg_sm90_choose_tile(gg_plan *plan, gg_error *err);

gg_status gg_sm90_derive(gg_layouts *out, const gg_plan *plan, gg_error *err); /* derive_sm90.c */
gg_status gg_sm90_bind(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts,
                       gg_error *err); /* emit/sm90.c */

extern const gg_target gg_target_sm90, gg_target_sm90_multistage; /* sm90.c */

#endif
