/* The transposed problem, D^T = B * A^T (swap_ab). A family whose MMA has many rows, but any number
 * of columns, computes a D with few rows as one with few columns.
 *
 * The problem is transposed once, before the family makes its choices. The family plans, derives
 * and emits in transposed terms: its A is the problem's B, its M the problem's N, and its D and C
 * have the other major. Whatever speaks to people or callers (messages, the report, gg_kernel's
 * facts) transposes these terms back. */
#ifndef GG_PLAN_TRANSPOSE_H
#define GG_PLAN_TRANSPOSE_H

#include "plan/plan.h"

/* The spec of the transposed problem, allocated in `arena`; its fields keep their marks. Can fail
 * with MEMORY only. */
gg_status gg_spec_transpose(const gg_spec **out, const gg_spec *spec, gg_arena *arena,
                            gg_error *err);

/* The plan in the terms of the spec; a copy of `*plan` if nothing is transposed. */
gg_plan gg_plan_as_asked(const gg_plan *plan);

/* The problem's operand that an operand of the plan stands for. */
gg_operand_id gg_operand_as_asked(const gg_plan *plan, gg_operand_id id);

/* The problem's argument that a parameter of the kernel's text stands for. */
gg_param gg_param_as_asked(const gg_plan *plan, gg_param param);

/* For messages that name A, M and so on of the plan: `straight`, or, if the plan is transposed,
 * `transposed`, which should name the problem's B, N and so on. */
static inline const char *gg_as_asked(const gg_plan *plan, const char *straight,
                                      const char *transposed) {
  return plan->swap_ab ? transposed : straight;
}

#endif
