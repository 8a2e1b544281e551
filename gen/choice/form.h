/* gg_form: its checks, and its name for messages and files. */
#ifndef GG_CHOICE_FORM_H
#define GG_CHOICE_FORM_H

#include "plan/operation.h"

/* Whether A is of 8-bit floats, whose sums the tensor core keeps short. */
bool gg_form_is_fp8(const gg_form *form);

/* "bf16,bf16,bf16,f32,kkn", "e4m3,e4m3,bf16,f32fast,kkn" for short sums; behind it, where they are
 * there, "+p2" for a promotion of one's own,
 * "+c_f32" and what operands have of alignment below 16 bytes, "a2". Two forms without an
 * epilogue of their own share no name. */
void gg_form_name(gg_str *out, const gg_form *form);

/* The operations of a form's epilogue, or what is usual without one. Alignments of the form are
 * known. Errors are those of its text. */
gg_status gg_form_operations(gg_operations *out, const gg_form *form, gg_error *err);

/* Whether the kernel computes just these. */
bool gg_form_is_epilogue(const gg_operations *wanted, const gg_kernel *kernel);

/* The name of the form and of its epilogue: "bf16,bf16,bf16,f32,kkn,bias_n_bf16+gelu_tanh". It
 * comes from the operations, not from their text: whatever says the same has the same name, and
 * other operations have another. Without an epilogue of its own the name of the form. */
gg_status gg_form_full_name(gg_str *out, const gg_form *form, gg_error *err);

/* Whether every member has a value that it can have: GEMM_FIELD. An alignment may be 0: not known
 * yet. The epilogue is read later. */
gg_status gg_form_check(const gg_form *form, gg_error *err);

#endif
