/* Pieces of CUDA C++ that the generated blocks of several families share. */
#ifndef GG_EMIT_CUDA_TEXT_H
#define GG_EMIT_CUDA_TEXT_H

#include "emit/binding.h"
#include "plan/layouts.h"

/* The plain type that holds a number type's bits: "unsigned short" for bf16. */
const char *gg_cuda_type_of(gg_dtype type);

const char *gg_cuda_bool(bool value); /* "true" */

/* A line "constexpr bool NAME = true;" of the text. */
typedef struct gg_cuda_flag {
  const char *name;
  bool value;
} gg_cuda_flag;

void gg_cuda_write_flags(gg_str *out, const gg_cuda_flag *flags, size_t count);

/* The type of alpha and beta: the one that the epilogue computes in; f32 beside integers, too. */
const char *gg_cuda_factor_type(const gg_plan *plan);

/* Appends a parameter's declaration, such as "int64 ldd". */
void gg_cuda_write_parameter(gg_str *out, const gg_plan *plan, gg_param param);

/* Appends a parameter's name without the suffix `_arg`, such as "ldd". */
void gg_cuda_write_parameter_name(gg_str *out, const gg_plan *plan, gg_param param);

/* Appends the functions extent_m(m), ... extent_batch(batch), which give a fixed extent, or else
 * their argument. */
void gg_cuda_write_extents(gg_str *out, const gg_plan *plan);

/* For split gates, in families whose threads copy: whether an operand's lines, or the columns of
 * its lines, come from the two halves of N in turns; how many columns at once; and the names of
 * templates/sm80_multistage.cu and simt_multistage.cu that depend on it. The first two append
 * nothing if no gate is split. */
void gg_cuda_write_split(gg_str *out, const gg_plan *plan, bool is_a);
void gg_cuda_write_split_columns(gg_str *out, const gg_plan *plan);
void gg_cuda_bind_split(gg_bindings *out, const gg_plan *plan);

/* Binds a name, such as "a_first", to an expression for the address of an operand's first element
 * in batch number `batch`, which is an expression as well. If the kernel takes arrays of addresses,
 * it is looked up there; else it is that many strides behind the first matrix. */
void gg_cuda_bind_first(gg_bindings *out, const gg_plan *plan, const char *name,
                        gg_operand_id operand, const char *batch);

/* Appends `items`, which are separated by newlines, as a list with commas: in the current line,
 * from `column` on, if all fit there; else in lines of their own, indented by `indent`. */
void gg_cuda_write_items(gg_str *out, const char *items, int column, int indent);

/* gg_cuda_write_type: "using NAME_t = ...", the plain type that holds a number's bits.
 * gg_cuda_write_types: those of C, D and the epilogue's numbers. */
void gg_cuda_write_type(gg_str *out, const char *name, gg_dtype type);
void gg_cuda_write_types(gg_str *out, const gg_plan *plan);

/* Appends epi_t NAME_value(NAME_t x), which gives the number whose bits are in x. */
void gg_cuda_write_widening(gg_str *out, const char *name, gg_dtype type);

/* Appends void NAME_from_values(NAME_t (&bits)[2], epi_t d0, epi_t d1), which rounds two numbers to
 * the type, to the nearest, ties to even; types of 8 bits saturate. With `relu`, negative numbers
 * become 0. */
void gg_cuda_write_narrowing(gg_str *out, const char *name, gg_dtype type, gg_dtype compute,
                             bool relu);

/* Whether the last operation is a relu that the conversion to D's type can do instead: max(x, 0)
 * rounded equals max(x rounded, 0). */
bool gg_cuda_narrows_relu(const gg_plan *plan);

/* Binds what the kernels of all families have in common: the MMA, conversions, parameters.
 * `acc_type` is the type of an accumulator's register; `conversions` are further ones of the
 * family, which go in front. */
gg_status gg_cuda_bind(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts,
                       const char *acc_type, const char *conversions, gg_error *err);

#endif
