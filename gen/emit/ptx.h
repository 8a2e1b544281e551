/* Kernels written in PTX directly: which plans have a PTX template, and what is bound in it.
 *
 * A template under templates/ whose name ends in .ptx is the same kernel as the .cu beside it, but
 * in PTX: it has the same plan, layouts, rings and launch facts, and takes the same parameters.
 * What the .cu leaves to the compiler (unrolling loops, allotting registers) C code writes out for
 * it. Plans that no PTX template supports are compiled by NVRTC from CUDA C++, and whoever asks for
 * PTX is told why. */
#ifndef GG_EMIT_PTX_H
#define GG_EMIT_PTX_H

#include "emit/binding.h"
#include "plan/layouts.h"

/* NULL if the plan has a PTX template. Else what in the plan the template does not support, such as
 * "split_k or stream_k"; "" if the plan's family has no template. */
const char *gg_ptx_lacks(const gg_plan *plan, const gg_layouts *layouts);

/* The template's name, and its bindings. The plan must lack nothing. */
const char *gg_ptx_template(const gg_plan *plan);
gg_status gg_ptx_bind(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts,
                      gg_error *err);

/* ---- Families ------------------------------------------------------------------------------ */

/* sm90_ptx.c */
const char *gg_sm90_ptx_lacks(const gg_plan *plan, const gg_layouts *layouts);
gg_status gg_sm90_ptx_bind(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts,
                           gg_error *err);

/* sm80_ptx.c */
const char *gg_sm80_ptx_lacks(const gg_plan *plan, const gg_layouts *layouts);
gg_status gg_sm80_ptx_bind(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts,
                           gg_error *err);

/* sm100_ptx.c */
const char *gg_sm100_ptx_lacks(const gg_plan *plan, const gg_layouts *layouts);
gg_status gg_sm100_ptx_bind(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts,
                            gg_error *err);

#endif
