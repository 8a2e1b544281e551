/* What other families have, and other architectures: for messages. The families' own choices are
 * asked, so that nothing here can be out of date; so choosing a plan may lead back to it, from a
 * family's refusal to gg_plan_choose for another family. It does once: what is asked here has no
 * error to fill, and a refusal without one asks nobody. */
#ifndef GG_PLAN_ELSEWHERE_H
#define GG_PLAN_ELSEWHERE_H

#include "plan/plan.h"

/* Appends "; family sm90 has it, for sm_90a" where other families multiply operands of `a` and `b`
 * (and sum in `accumulator`, where that is set); nothing where none does. */
void gg_elsewhere_types(gg_str *out, const gg_plan *plan, gg_dtype a, gg_dtype b,
                        const gg_spec_field *accumulator);

/* Where the chosen family is of an older generation than the spec's architecture, and its
 * instruction was not asked for by name: that it is, and what the architecture's own family needs.
 * Appends nothing where there is nothing to say. */
void gg_elsewhere_note(gg_str *out, const gg_plan *plan);

#endif
