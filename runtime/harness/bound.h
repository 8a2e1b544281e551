/* How far a kernel's result of an expression may be from the exact one. */
#ifndef GG_HARNESS_BOUND_H
#define GG_HARNESS_BOUND_H

#include "spec/expression.h"

typedef struct gg_bounded {
  double value, error; /* |the kernel's - value| <= error */
} gg_bounded;

/* Of an x that is known so far, and operands t0 and up, which are exact. The kernel computes in
 * f32, or with `wide` in f64. Where a function has no value, or no slope, near what it may be asked
 * for, the error is infinite. */
gg_bounded gg_expression_bound(const gg_expression *expression, gg_bounded x,
                               const double operands[GG_EXPRESSION_OPERANDS_MAX], bool wide);

/* The derivatives of gelu, of form erf, and of silu. */
double gg_gelu_slope(double x);
double gg_silu_slope(double x);

#endif
