/* What the files of family sm80's PTX share. */
#ifndef GG_EMIT_SM80_PTX_H
#define GG_EMIT_SM80_PTX_H

#include "emit/ptx_text.h"
#include "plan/dealing.h"

enum { GG_SM80_PTX_CHUNK = 16 /* bytes that a thread copies, and a lane stores, at once */ };

/* Sub-tiles of D or of C, which a warp stages, and how its lanes deal with their lines. */
typedef struct gg_sm80_ptx_staging {
  const gg_composed *layout;
  int rows, columns, bytes; /* of a sub-tile; of an element */
  int across, count;        /* sub-tiles beside each other, in all */
  gg_dealing deal;
} gg_sm80_ptx_staging;

/* ---- sm80_ptx_staging.c -------------------------------------------------------------------- */

gg_sm80_ptx_staging gg_sm80_ptx_staging_of(const gg_plan *plan, const gg_composed *layout,
                                           gg_dtype type);

/* Where lanes have two neighbouring elements of a sub-tile, and where they have 16 bytes of a line
 * in a turn; and whether both follow from the first and numbers. */
gg_ptx_lanes gg_sm80_ptx_pairs_at(const gg_sm80_ptx_staging *s, int row, int column);
gg_ptx_lanes gg_sm80_ptx_pieces_at(const gg_sm80_ptx_staging *s, int turn);
bool gg_sm80_ptx_staging_is_known(const gg_sm80_ptx_staging *s);

/* ---- sm80_ptx_epilogue.c ------------------------------------------------------------------- */

/* NULL, or what of D's staging has no template; and the bindings of the epilogue. */
const char *gg_sm80_ptx_staging_lacks(const gg_plan *plan, const gg_layouts *layouts);
void gg_sm80_ptx_bind_epilogue(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts);

/* ---- sm80_ptx_c.c -------------------------------------------------------------------------- */

/* NULL, or what of C has no template; its bindings, which are empty where there is none. */
const char *gg_sm80_ptx_c_lacks(const gg_plan *plan, const gg_layouts *layouts);
gg_status gg_sm80_ptx_bind_c(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts,
                             gg_error *err);

/* Adds beta times C to %left and %right, of a sub-tile's row and column. */
void gg_sm80_ptx_add_c(gg_str *out, const gg_plan *plan, const gg_layouts *layouts, int row,
                       int column);

#endif
