/* Family sm90: what is fetched for a tile's epilogue, as text. sm90_fetch.c */
#ifndef GG_EMIT_SM90_H
#define GG_EMIT_SM90_H

#include "emit/binding.h"
#include "plan/layouts.h"

/* How the boxes of each fetched matrix lie. */
gg_status gg_sm90_write_fetched(gg_str *out, const gg_plan *plan, const gg_layouts *layouts,
                                gg_error *err);

/* Binds what of matrices and vectors is fetched, and how it is read. */
void gg_sm90_bind_fetched(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts);

/* The layout functions of what is stored through the staging; and how it gets there and leaves.
 * sm90_results.c */
gg_status gg_sm90_write_results(gg_str *out, const gg_plan *plan, const gg_layouts *layouts,
                                gg_error *err);
void gg_sm90_bind_results(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts);

#endif
