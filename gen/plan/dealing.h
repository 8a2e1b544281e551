/* How the chunks of a tile are dealt to the threads, or lanes, that copy it. */
#ifndef GG_PLAN_DEALING_H
#define GG_PLAN_DEALING_H

#include <stdbool.h>
#include <stdint.h>

/* A tile is `lines` lines of `line_chunks` chunks each, which `workers` workers (threads, or the
 * lanes of a warp) copy in turns. In one turn up to `side` workers stand side by side along a line
 * (`across` of them), and the others take the next lines (`lines_per_turn` at once). They first
 * move along the lines, in `chunk_turns` turns, then down, in `line_turns` turns. Workers that are
 * left over after the last whole line have nothing to do. */
typedef struct gg_dealing {
  int64_t workers, lines, line_chunks;
  int64_t across, lines_per_turn, chunk_turns, line_turns;
} gg_dealing;

gg_dealing gg_deal(int64_t workers, int64_t lines, int64_t line_chunks, int64_t side);

/* A chunk: the number of its line, and its own number along that line. */
typedef struct gg_chunk {
  int64_t line, chunk;
} gg_chunk;

/* Gives the chunk that a worker copies in a turn; false if it has none. */
bool gg_dealt_chunk(gg_chunk *out, const gg_dealing *deal, int64_t worker, int64_t turn);

/* Whether every worker has work in every turn. */
bool gg_always_works(const gg_dealing *deal);

#endif
