/* PTX from templates: which plans have such a template, and what it is bound to.
 *
 * A template under templates/ that ends in .ptx is the kernel of the .cu beside it, in PTX: the
 * same plan, layouts, rings and launch facts, by the same parameters. What a .cu leaves to the
 * compiler (loops that are unrolled, registers) lines of C write for it. A plan that no template
 * has the text for is compiled by NVRTC, and whoever asks is told why. */
#ifndef GG_EMIT_PTX_H
#define GG_EMIT_PTX_H

#include "emit/binding.h"
#include "plan/layouts.h"

/* NULL where the plan has a PTX template; else what of it has none: "split_k or stream_k"; "": all
 * of its family. */
const char *gg_ptx_lacks(const gg_plan *plan, const gg_layouts *layouts);

/* Its name, and its bindings; of a plan that lacks nothing. */
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
