/* Gates: operations that make one column of D of two of the product. */
#ifndef GG_PLAN_GATE_H
#define GG_PLAN_GATE_H

#include "plan/choices.h"
#include "plan/operation.h"

/* Whether an epilogue has one. */
bool gg_plan_is_gated(const gg_plan *plan);

/* Whether its columns are the halves of N: those of a tile lie by turns for the MMAs all the same,
 * as B's rows are copied by turns from both halves. */
bool gg_plan_is_split(const gg_plan *plan);

/* ... which they are where B is K-major, whose rows are copied one by one, or, beside factors in
 * tensor memory, those of a half behind each other; of an N-major B come several columns of each
 * half side by side (plan.def, split_columns). */
bool gg_plan_splits_rows(const gg_plan *plan);
bool gg_plan_splits_columns(const gg_plan *plan);

/* Of so many neighbouring columns of the product, those that D has. */
int gg_plan_columns_of_d(const gg_plan *plan, int columns);

/* PLAN_GATED where an operation cannot stand where it does beside a gate; PLAN_UNSUPPORTED where
 * D, or the family, cannot have one. When the plan has its operations. */
gg_status gg_check_gate(const gg_plan *plan, gg_error *err);

/* PLAN_UNSUPPORTED where threads copy so many rows of B at once, and those of a split gate would
 * not begin in the same half each time. */
gg_status gg_check_split_lines(const gg_plan *plan, int64_t lines, gg_error *err);

#endif
