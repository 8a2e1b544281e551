/* The tensor maps of a batch by arrays of addresses (plan/map_sets.h) as CUDA C++, in the terms of
 * templates/parts/map_sets.cu. */
#ifndef GG_EMIT_MAP_SETS_H
#define GG_EMIT_MAP_SETS_H

#include "emit/binding.h"
#include "plan/layouts.h"

/* Which maps the producer copies by, as its parameters and behind a tile's origin; and what fetches
 * C to a ring of sub-tiles. */
void gg_bind_set_of_producer(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts);
void gg_bind_set_of_fetcher(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts);

/* The call of the warp that changes maps. */
void gg_write_change_of_maps(gg_str *out, const gg_plan *plan, const gg_layouts *layouts);

/* That warp's part, and what the kernel and the consumers do about sets. */
void gg_bind_map_sets(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts);

#endif
