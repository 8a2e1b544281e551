/* CUDA C++ that families' generated blocks share. */
#ifndef GG_EMIT_CUDA_TEXT_H
#define GG_EMIT_CUDA_TEXT_H

#include "emit/binding.h"
#include "plan/layouts.h"

/* The plain type that holds a number type's bits: "unsigned short" for bf16. */
const char *gg_cuda_type_of(gg_dtype type);

const char *gg_cuda_bool(bool value); /* "true" */

/* "constexpr bool NAME = true;", a line each. */
typedef struct gg_cuda_flag {
  const char *name;
  bool value;
} gg_cuda_flag;

void gg_cuda_write_flags(gg_str *out, const gg_cuda_flag *flags, size_t count);

/* Of alpha and beta: as the epilogue computes, in f32 also beside integers. */
const char *gg_cuda_factor_type(const gg_plan *plan);

/* A parameter's declaration: "int64 ldd". */
void gg_cuda_write_parameter(gg_str *out, const gg_plan *plan, gg_param param);

/* The name that it is declared by, without `_arg`: "ldd". */
void gg_cuda_write_parameter_name(gg_str *out, const gg_plan *plan, gg_param param);

/* extent_m(m), ... extent_batch(batch): what is fixed, or what is given. */
void gg_cuda_write_extents(gg_str *out, const gg_plan *plan);

/* Of an operand that threads copy, whether its lines, or their columns, come from the two halves of
 * N by turns; how many columns at once; and what templates/sm80_multistage.cu and
 * simt_multistage.cu name of that. Nothing is written where no gate's columns are split. */
void gg_cuda_write_split(gg_str *out, const gg_plan *plan, bool is_a);
void gg_cuda_write_split_columns(gg_str *out, const gg_plan *plan);
void gg_cuda_bind_split(gg_bindings *out, const gg_plan *plan);

/* Binds a name, such as "a_first": where an operand's matrix of a batch begins, whose number is an
 * expression of the text. It is looked up where kernels take arrays of addresses; else it is as
 * many strides behind the first matrix. */
void gg_cuda_bind_first(gg_bindings *out, const gg_plan *plan, const char *name,
                        gg_operand_id operand, const char *batch);

/* Items, one a line of `items`, as a list with commas: behind `column` columns where all fit there,
 * else in lines of their own. */
void gg_cuda_write_items(gg_str *out, const char *items, int column, int indent);

/* using NAME_t = the type that holds the bits; and those of C, D and the epilogue's numbers. */
void gg_cuda_write_type(gg_str *out, const char *name, gg_dtype type);
void gg_cuda_write_types(gg_str *out, const gg_plan *plan);

/* epi_t NAME_value(NAME_t x): the number whose bits these are. */
void gg_cuda_write_widening(gg_str *out, const char *name, gg_dtype type);

/* void NAME_from_values(NAME_t (&bits)[2], epi_t d0, epi_t d1): two numbers rounded to the type, to
 * the nearest, ties to even; those of 8 bits saturate. `relu`: of what is negative, 0. */
void gg_cuda_write_narrowing(gg_str *out, const char *name, gg_dtype type, gg_dtype compute,
                             bool relu);

/* Whether the last operation is a relu that the conversion to D's type does: max(x, 0) rounded is
 * max(rounded, 0). */
bool gg_cuda_narrows_relu(const gg_plan *plan);

/* Binds what families' kernels have in common: the MMA, conversions, parameters. `acc_type`: of an
 * accumulator's register; `conversions`: others that the family has, which stand in front. */
gg_status gg_cuda_bind(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts,
                       const char *acc_type, const char *conversions, gg_error *err);

#endif
