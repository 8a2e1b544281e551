/* Family sm120 as text: what of it is not as in sm90. sm120.c */
#ifndef GG_EMIT_SM120_H
#define GG_EMIT_SM120_H

#include "emit/binding.h"
#include "plan/layouts.h"

/* Constants: of a warp's MMA, and of what its lanes load. */
void gg_sm120_write_fragments(gg_str *out, const gg_plan *plan);

/* Where elements of A and B lie in a stage. */
gg_status gg_sm120_write_layouts(gg_str *out, const gg_layouts *layouts, gg_error *err);

/* How they and their factors are loaded. */
void gg_sm120_bind_slots(gg_bindings *out, const gg_plan *plan);

#endif
