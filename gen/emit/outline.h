/* The outline of a kernel, which stands in its banner: what happens in which order, the parameters,
 * and how it is launched. */
#ifndef GG_EMIT_OUTLINE_H
#define GG_EMIT_OUTLINE_H

#include "plan/layouts.h"

/* A numbered list of sentences, which is wrapped into lines. */
typedef struct gg_outline {
  gg_str *out;
  int steps;
} gg_outline;

/* Appends the next step of the list. */
void gg_outline_step(gg_outline *outline, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Appends a family's steps. */
typedef void gg_outline_steps(gg_outline *outline, const gg_plan *plan, const gg_layouts *layouts);

/* Appends the outline as comment lines. `plan` is in the text's own terms, also if the text
 * computes the transposed problem. */
void gg_outline_write(gg_str *out, const gg_plan *plan, const gg_layouts *layouts,
                      gg_outline_steps *steps);

/* steps.c */
gg_outline_steps gg_naive_steps, gg_simt_steps, gg_sm80_steps, gg_sm90_steps,
    gg_sm90_multistage_steps, gg_sm100_steps;

#endif
