/* Gates: operations that make one column of D of two of the product. */
#ifndef GG_PLAN_GATE_H
#define GG_PLAN_GATE_H

#include "plan/choices.h"
#include "plan/operation.h"

/* Whether an epilogue has one. */
bool gg_plan_is_gated(const gg_plan *plan);

/* Of so many neighbouring columns of the product, those that D has. */
int gg_plan_columns_of_d(const gg_plan *plan, int columns);

/* PLAN_GATED where an operation cannot stand where it does beside a gate; PLAN_UNSUPPORTED where
 * D, or the family, cannot have one. When the plan has its operations. */
gg_status gg_check_gate(const gg_plan *plan, gg_error *err);

#endif
