/* What the files of family sm80's PTX share. */
#ifndef GG_EMIT_SM80_PTX_H
#define GG_EMIT_SM80_PTX_H

#include "emit/ptx_text.h"
#include "plan/dealing.h"

enum { GG_SM80_PTX_CHUNK = 16 /* bytes that a thread copies, and a lane stores, at once */ };

/* How a warp stages sub-tiles of D or of C, and how their lines are dealt to its lanes. */
typedef struct gg_sm80_ptx_staging {
  const gg_composed *layout;
  int rows, columns, bytes; /* rows, columns: of a sub-tile; bytes: of an element */
  int across, count;        /* across: sub-tiles beside each other; count: all of them */
  gg_dealing deal;
} gg_sm80_ptx_staging;

/* ---- sm80_ptx_staging.c -------------------------------------------------------------------- */

gg_sm80_ptx_staging gg_sm80_ptx_staging_of(const gg_plan *plan, const gg_composed *layout,
                                           gg_dtype type);

/* The places of lanes in a sub-tile: of their two neighbouring elements, and of their 16 bytes of a
 * line in a turn. gg_sm80_ptx_staging_is_known: whether each of these is a known step from the
 * first one. */
gg_ptx_lanes gg_sm80_ptx_pairs_at(const gg_sm80_ptx_staging *s, int row, int column);
gg_ptx_lanes gg_sm80_ptx_pieces_at(const gg_sm80_ptx_staging *s, int turn);
bool gg_sm80_ptx_staging_is_known(const gg_sm80_ptx_staging *s);

/* ---- sm80_ptx_epilogue.c ------------------------------------------------------------------- */

/* NULL, or what about D's staging the template does not support; and the bindings of the epilogue.
 */
const char *gg_sm80_ptx_staging_lacks(const gg_plan *plan, const gg_layouts *layouts);
void gg_sm80_ptx_bind_epilogue(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts);

/* ---- sm80_ptx_c.c -------------------------------------------------------------------------- */

/* NULL, or what about C the template does not support; and its bindings, which are empty if there
 * is no C. */
const char *gg_sm80_ptx_c_lacks(const gg_plan *plan, const gg_layouts *layouts);
gg_status gg_sm80_ptx_bind_c(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts,
                             gg_error *err);

/* Appends lines that add beta times C, at a row and column of a sub-tile, to %left and %right. */
void gg_sm80_ptx_add_c(gg_str *out, const gg_plan *plan, const gg_layouts *layouts, int row,
                       int column);

#endif
