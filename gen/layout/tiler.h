/* Inside gen/layout/ only: walking a tiler. */
#ifndef GG_LAYOUT_TILER_H
#define GG_LAYOUT_TILER_H

#include "layout/calc.h"

typedef enum gg_tile_kind { GG_TILE_TUPLE, GG_TILE_LAYOUT, GG_TILE_KEEP } gg_tile_kind;

static inline gg_tile_kind gg_tile_kind_at(const gg_tiler *tiler, int at) {
  if (tiler->layouts >> at & 1) return GG_TILE_LAYOUT;
  return gg_is_tuple(&tiler->tiles.shape, at) ? GG_TILE_TUPLE : GG_TILE_KEEP;
}

/* A tiler with its integers as CuTe's make_layout reads them: n becomes n:1, and 1 becomes 1:0. */
gg_tiler gg_tiler_compact(const gg_tiler *tiler);

/* What to do with one mode of a layout that the tiler has a layout for. */
typedef gg_status (*gg_mode_fn)(gg_layout *out, const gg_layout *mode, const gg_layout *tile,
                                gg_error *err);

/* Applies fn mode by mode along the tiler's tree: fn where the tiler has a layout; at `_` the mode
 * stays as it is. Modes of `a` beyond a tuple of the tiler stay if keep_rest is set, and else are
 * dropped. A tuple with more modes than `a` has is LAYOUT_RANK. */
gg_status gg_layout_by_mode(const char *op, gg_layout *out, const gg_layout *a,
                            const gg_tiler *tiler, bool keep_rest, gg_mode_fn fn, gg_error *err);

#endif
