/* Family sm80: the parts of its binding that stand in files of their own. */
#ifndef GG_EMIT_SM80_H
#define GG_EMIT_SM80_H

#include "base/str.h"
#include "plan/layouts.h"

enum { GG_SM80_ASYNC_LEAST = 4 /* bytes that cp.async moves at least */ };

/* The structs of the tiles of A and B, and of what a warp stages; and which instructions copy A and
 * B where that needs care. sm80_tiles.c */
gg_status gg_sm80_write_tiles(gg_str *out, const gg_plan *plan, const gg_layouts *layouts,
                              gg_error *err);

#endif
