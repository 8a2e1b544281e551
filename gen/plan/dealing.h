/* Which worker copies which chunks of a tile, where threads copy each their own. */
#ifndef GG_PLAN_DEALING_H
#define GG_PLAN_DEALING_H

#include <stdbool.h>
#include <stdint.h>

/* How the chunks of a tile are dealt to workers, threads or a warp's lanes: up to `side` of them
 * stand side by side along a line, and take turns along it, then down the lines; those beyond the
 * last whole line have no work. */
typedef struct gg_dealing {
  int64_t workers, lines, line_chunks;
  int64_t across, lines_per_turn, chunk_turns, line_turns;
} gg_dealing;

gg_dealing gg_deal(int64_t workers, int64_t lines, int64_t line_chunks, int64_t side);

/* A chunk by its line, and its number along it. */
typedef struct gg_chunk {
  int64_t line, chunk;
} gg_chunk;

/* The chunk of a worker in a turn; false where it has none. */
bool gg_dealt_chunk(gg_chunk *out, const gg_dealing *deal, int64_t worker, int64_t turn);

/* Whether every worker has work in every turn. */
bool gg_always_works(const gg_dealing *deal);

#endif
