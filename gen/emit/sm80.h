/* Family sm80: what of its binding is in separate files. */
#ifndef GG_EMIT_SM80_H
#define GG_EMIT_SM80_H

#include "base/str.h"
#include "plan/layouts.h"

enum { GG_SM80_ASYNC_LEAST = 4 /* the fewest bytes that cp.async moves */ };

/* Appends the structs of the tiles of A and B, and of what a warp stages; and which instructions
 * copy A and B where edges need care. (sm80_tiles.c) */
gg_status gg_sm80_write_tiles(gg_str *out, const gg_plan *plan, const gg_layouts *layouts,
                              gg_error *err);

#endif
