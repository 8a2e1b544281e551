/* gg_form as text: for specs, messages and file names. */
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

/* The form as keys of a spec for `arch`: types, majors, alignments, accumulator, epilogue. */
void gg_form_print(gg_str *out, const gg_form *form, gg_arch arch);

#endif
