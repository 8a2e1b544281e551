/* gg_form: its checks, and its name for messages and files. */
#ifndef GG_CHOICE_FORM_H
#define GG_CHOICE_FORM_H

#include "plan/operation.h"

/* Whether A is of 8-bit floats, whose sums the tensor core keeps short. */
bool gg_form_is_fp8(const gg_form *form);

/* Bits that an element of A or B takes in shared memory (plan/narrow.h). */
int gg_form_smem_bits(const gg_form *form, gg_dtype type);

/* The alignment, in bytes, beyond which no kernel does better: that of an access of 16 bytes, and
 * of tensor maps that unpack elements 32. */
int gg_form_align_most(const gg_form *form, gg_dtype type);

bool gg_same_scaling(gg_scaling left, gg_scaling right);

/* How many elements along K one stored of a sparse A or B stands for: 2; where both are dense 1. */
int gg_form_stored(const gg_form *form);

/* "bf16"; sparse "bf16:sparse"; with factors "e4m3:ue8m0", and "e2m1:ue8m0:16" for a block that is
 * not the type's usual one: 32 elements, of ue4m3 16, `stored` times as many. */
void gg_scaled_type_name(gg_str *out, gg_dtype type, bool sparse, gg_scaling scaling, int stored);

/* "bf16,bf16,bf16,f32,kkn", "e4m3,e4m3,bf16,f32fast,kkn" for short sums,
 * "e2m1:ue4m3,e2m1:ue4m3,bf16,f32,kkn" with factors, "bf16:sparse,bf16,bf16,f32,kkn" with a sparse
 * A, "b1:xor,b1,s32,s32,kkn" for bits that differ; behind it, where they are there, "+p2" for a
 * promotion of one's own, "+c_f32" and what operands have of alignment below the most that is of
 * use, "a2". Two forms without an epilogue of their own share no name. */
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
