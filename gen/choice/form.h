/* gg_form: its checks, and its name for messages and files. */
#ifndef GG_CHOICE_FORM_H
#define GG_CHOICE_FORM_H

#include "spec/spec.h"

/* Whether A is of 8-bit floats, whose sums the tensor core keeps short. */
bool gg_form_is_fp8(const gg_form *form);

/* "bf16,bf16,bf16,f32,kkn", "e4m3,e4m3,bf16,f32fast,kkn" for short sums; behind it, where they are
 * there, "+p2" for a promotion of one's own,
 * "+c_f32" and what operands have of alignment below 16 bytes, "a2". Two forms without an
 * epilogue of their own share no name. */
void gg_form_name(gg_str *out, const gg_form *form);

/* Whether every member has a value that it can have: GEMM_FIELD. An alignment may be 0: not known
 * yet. The epilogue is read later. */
gg_status gg_form_check(const gg_form *form, gg_error *err);

#endif
