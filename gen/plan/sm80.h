/* Family sm80: its two stages, one file each, and what its template must know of copies. */
#ifndef GG_PLAN_SM80_H
#define GG_PLAN_SM80_H

#include "plan/target.h"

gg_status gg_sm80_derive(gg_layouts *out, const gg_plan *plan, gg_error *err); /* derive_sm80.c */

/* How the chunks of a tile are dealt to workers, threads or a warp's lanes: up to `side` of them
 * stand side by side along a line, and take turns along it, then down the lines; those beyond the
 * last whole line have no work. (sm80_dealing.c) */
typedef struct gg_sm80_dealing {
  int64_t workers, lines, line_chunks;
  int64_t across, lines_per_turn, chunk_turns, line_turns;
} gg_sm80_dealing;

gg_sm80_dealing gg_sm80_deal(int64_t workers, int64_t lines, int64_t line_chunks, int64_t side);

/* A tile of A or B, of lines of `line` elements, in chunks of `copy_bytes`. */
gg_sm80_dealing gg_sm80_deal_copy(int64_t threads, int64_t lines, int64_t line, int copy_bytes);

/* Whether every worker has work in every turn. */
bool gg_sm80_always_works(const gg_sm80_dealing *deal);

extern const gg_target gg_target_sm80; /* sm80.c */

#endif
