/* gg_form: checks of it, and its name for messages and files. */
#ifndef GG_CHOICE_FORM_H
#define GG_CHOICE_FORM_H

#include "plan/operation.h"

/* Whether A has 8-bit floats, in whose sums the tensor core keeps few bits. */
bool gg_form_is_fp8(const gg_form *form);

/* Bits that an element of A or B of this type takes in shared memory (plan/narrow.h). */
int gg_form_smem_bits(const gg_form *form, gg_dtype type);

/* The largest alignment, in bytes, that helps any kernel: 16, an access's size, or 32 for elements
 * that tensor maps unpack. */
int gg_form_align_most(const gg_form *form, gg_dtype type);

bool gg_same_scaling(gg_scaling left, gg_scaling right);

/* How many elements along K one stored element stands for: 2 if A or B is sparse, else 1. */
int gg_form_stored(const gg_form *form);

/* Appends a type's name: "bf16"; "bf16:sparse" if sparse; "e4m3:ue8m0" with scale factors;
 * "e2m1:ue8m0:16" if the block is not the usual one of the factors' type, which is 32 elements (for
 * ue4m3 16), times `stored`. */
void gg_scaled_type_name(gg_str *out, gg_dtype type, bool sparse, gg_scaling scaling, int stored);

/* Appends the form's name, such as "bf16,bf16,bf16,f32,kkn". Variants: "e4m3,e4m3,bf16,f32fast,kkn"
 * with short sums; "e2m1:ue4m3,e2m1:ue4m3,bf16,f32,kkn" with scale factors;
 * "bf16:sparse,bf16,bf16,f32,kkn" with a sparse A; "b1:xor,b1,s32,s32,kkn" if bits that differ are
 * counted. Appended where they apply: "+p2" for a promotion that was asked for, "+c_f32" for a C,
 * and "a2" and the like for alignments below the largest useful one. Two different forms without
 * epilogues of their own never share a name. */
void gg_form_name(gg_str *out, const gg_form *form);

/* Gives the operations of a form's epilogue, or the usual ones if it has none. The form's
 * alignments must be known. Errors are those of the epilogue's text. */
gg_status gg_form_operations(gg_operations *out, const gg_form *form, gg_error *err);

/* Whether the kernel computes exactly these operations. */
bool gg_form_is_epilogue(const gg_operations *wanted, const gg_kernel *kernel);

/* Appends the name of the form and of its epilogue: "bf16,bf16,bf16,f32,kkn,bias_n_bf16+gelu_tanh".
 * It is made from the operations, not from their text: texts with the same meaning give the same
 * name, and different operations different ones. Without an epilogue it is the form's name. */
gg_status gg_form_full_name(gg_str *out, const gg_form *form, gg_error *err);

/* Fails with GEMM_FIELD unless every member has a value that it may have. An alignment may be 0,
 * which means that it is not known yet. The epilogue is not checked here. */
gg_status gg_form_check(const gg_form *form, gg_error *err);

#endif
