/* Family naive: its three stages. */
#ifndef GG_PLAN_NAIVE_H
#define GG_PLAN_NAIVE_H

#include "plan/target.h"

gg_status gg_naive_bind(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts,
                        gg_error *err); /* emit/naive.c */

extern const gg_target gg_target_naive; /* naive.c */

#endif
