/* Family sm80: its two stages, one file each. */
#ifndef GG_PLAN_SM80_H
#define GG_PLAN_SM80_H

#include "plan/target.h"

gg_status gg_sm80_derive(gg_layouts *out, const gg_plan *plan, gg_error *err); /* derive_sm80.c */

extern const gg_target gg_target_sm80; /* sm80.c */

#endif
