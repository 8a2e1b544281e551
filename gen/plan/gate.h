/* Gates: operations that combine two columns of the product into one column of D. */
#ifndef GG_PLAN_GATE_H
#define GG_PLAN_GATE_H

#include "plan/choices.h"
#include "plan/operation.h"

/* Whether the plan's epilogue has a gate. */
bool gg_plan_is_gated(const gg_plan *plan);

/* Whether the gate is split: it pairs column j of the first half of N with column j of the second.
 * (Else it pairs neighbours.) The MMAs still see the two of a pair close together, because B's rows
 * are copied in turns from both halves. */
bool gg_plan_is_split(const gg_plan *plan);

/* How the copies of a split gate take turns: row by row, or in runs of several columns.
 *
 * gg_plan_splits_rows: B is K-major, so its rows can be copied one by one in turns; or, beside
 * scale factors in tensor memory, those of one half behind each other. gg_plan_splits_columns: B is
 * N-major, and several columns of each half come side by side (plan.def, split_columns). */
bool gg_plan_splits_rows(const gg_plan *plan);
bool gg_plan_splits_columns(const gg_plan *plan);

/* How many columns of D come from `columns` neighbouring columns of the product: half of them
 * behind a gate. */
int gg_plan_columns_of_d(const gg_plan *plan, int columns);

/* Fails with PLAN_GATED if an operation cannot stand where it does beside a gate, and with
 * PLAN_UNSUPPORTED if D, or the family, cannot have a gate. Call it when the plan has its
 * operations. */
gg_status gg_check_gate(const gg_plan *plan, gg_error *err);

/* Fails with PLAN_UNSUPPORTED if threads copy `lines` rows of B at once and the rows of a split
 * gate would then not begin in the same half each time. */
gg_status gg_check_split_lines(const gg_plan *plan, int64_t lines, gg_error *err);

#endif
