/* What other families and other architectures could do for a spec, for use in messages.
 *
 * The answers come from the families' own choices, so they cannot go out of date. This means that
 * choosing a plan may call itself: a family refuses, and the message asks gg_plan_choose about
 * another family. It does so only once, because these questions pass no error to fill, and a
 * refusal without an error asks nobody. */
#ifndef GG_PLAN_ELSEWHERE_H
#define GG_PLAN_ELSEWHERE_H

#include "plan/plan.h"

/* Appends "; family sm90 has it, for sm_90a" if another family multiplies operands of types `a` and
 * `b` (and sums in `accumulator`, if that is set). Appends nothing if none does. */
void gg_elsewhere_types(gg_str *out, const gg_plan *plan, gg_dtype a, gg_dtype b,
                        const gg_spec_field *accumulator);

/* If the chosen family belongs to an older generation than the spec's architecture, and the spec
 * did not name that family's instruction, appends a note that says so and what the architecture's
 * own family would need. Else appends nothing. */
void gg_elsewhere_note(gg_str *out, const gg_plan *plan);

#endif
