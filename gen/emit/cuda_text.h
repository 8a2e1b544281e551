/* CUDA C++ that families' generated blocks share. */
#ifndef GG_EMIT_CUDA_TEXT_H
#define GG_EMIT_CUDA_TEXT_H

#include "plan/layouts.h"

/* The plain type that holds a number type's bits: "unsigned short" for bf16. */
const char *gg_cuda_type_of(gg_dtype type);

/* using NAME = that type; */
void gg_cuda_write_type(gg_str *out, const char *name, gg_dtype type);

const char *gg_cuda_bool(bool value); /* "true" */

/* extent_m(m), ... extent_batch(batch): what is fixed, or what is given. */
void gg_cuda_write_extents(gg_str *out, const gg_plan *plan);

/* The kernel's parameters in the order of its signature, in lines, without parentheses. */
void gg_cuda_write_parameters(gg_str *out, const gg_plan *plan, const gg_layouts *layouts);

/* float NAME(BITS_TYPE x): a floating-point type's bits as a float. */
void gg_cuda_write_widening(gg_str *out, const char *name, const char *bits_type, gg_dtype type);

/* void NAME(BITS_TYPE (&bits)[2], float d0, float d1): two numbers rounded to the type, ties to
 * even; 8-bit floats saturate. */
void gg_cuda_write_narrowing(gg_str *out, const char *name, const char *bits_type, gg_dtype type);

#endif
