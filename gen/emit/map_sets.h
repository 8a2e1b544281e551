/* Text for tensor maps that are changed for each batch (plan/map_sets.h), in CUDA C++ with the
 * names of templates/parts/map_sets.cu. */
#ifndef GG_EMIT_MAP_SETS_H
#define GG_EMIT_MAP_SETS_H

#include "emit/binding.h"
#include "plan/layouts.h"

/* Binds which maps the producer copies by: as its parameters, and after it has found a tile's
 * origin. The second function does the same for what fetches C to a ring of sub-tiles. */
void gg_bind_set_of_producer(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts);
void gg_bind_set_of_fetcher(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts);

/* Appends the call of the function that the warp which changes maps runs. */
void gg_write_change_of_maps(gg_str *out, const gg_plan *plan, const gg_layouts *layouts);

/* Binds that warp's part of the text, and what the kernel and the consumers do about sets of maps.
 */
void gg_bind_map_sets(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts);

#endif
