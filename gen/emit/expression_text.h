/* Writes an expression of the epilogue as a function of CUDA C++. */
#ifndef GG_EMIT_EXPRESSION_TEXT_H
#define GG_EMIT_EXPRESSION_TEXT_H

#include "spec/expression.h"

/* Appends the function NAME_of(x) or NAME_of(x, t0), which computes in `compute`: f32 or f64. */
void gg_expression_write(gg_str *out, const char *name, const gg_expression *expression,
                         gg_dtype compute);

/* Whether the expression calls functions of parts/activations.cu. */
bool gg_expression_calls(const gg_expression *expression);

/* A number as a literal of f32 or of f64: "0.01f", "6.0". */
void gg_literal_write(gg_str *out, double number, bool single);

#endif
