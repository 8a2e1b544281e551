/* The transposed problem, D^T = B * A^T: a family whose MMA has many rows and any number of columns
 * computes few rows of D as its columns (swap_ab).
 *
 * The problem is transposed once, before a family chooses: it plans, derives and emits in
 * transposed terms, in which A is the problem's B, M its N, and D and C have the other major. What
 * speaks to people or callers (messages, the report, gg_kernel's facts) transposes them back. */
#ifndef GG_PLAN_TRANSPOSE_H
#define GG_PLAN_TRANSPOSE_H

#include "plan/plan.h"

/* The spec of the transposed problem, in `arena`; fields keep their marks. MEMORY alone. */
gg_status gg_spec_transpose(const gg_spec **out, const gg_spec *spec, gg_arena *arena,
                            gg_error *err);

/* The plan in the spec's own terms; `*plan` itself where nothing is transposed. */
gg_plan gg_plan_as_asked(const gg_plan *plan);

/* Which of the problem's operands one of the plan is. */
gg_operand_id gg_operand_as_asked(const gg_plan *plan, gg_operand_id id);

/* Which of the problem's arguments a parameter of the kernel's text is. */
gg_param gg_param_as_asked(const gg_plan *plan, gg_param param);

/* For messages about A, M, ... of the plan: `straight`, or `transposed` where they are the
 * problem's B, N, ... */
static inline const char *gg_as_asked(const gg_plan *plan, const char *straight,
                                      const char *transposed) {
  return plan->swap_ab ? transposed : straight;
}

#endif
