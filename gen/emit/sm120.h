/* Family sm120 as text: what differs from sm90. (sm120.c) */
#ifndef GG_EMIT_SM120_H
#define GG_EMIT_SM120_H

#include "emit/binding.h"
#include "plan/layouts.h"

/* Appends constants: of a warp's MMA, and of what its lanes load. */
void gg_sm120_write_fragments(gg_str *out, const gg_plan *plan);

/* Appends the functions that say where elements of A and B lie in a stage. */
gg_status gg_sm120_write_layouts(gg_str *out, const gg_layouts *layouts, gg_error *err);

/* Binds how A, B and their scale factors are loaded. */
void gg_sm120_bind_slots(gg_bindings *out, const gg_plan *plan);

#endif
