#include "plan/dealing.h"

static int64_t divide_up(int64_t a, int64_t b) {
  return (a + b - 1) / b;
}

gg_dealing gg_deal(int64_t workers, int64_t lines, int64_t line_chunks, int64_t side) {
  gg_dealing deal = {.workers = workers, .lines = lines, .line_chunks = line_chunks};
  deal.across = line_chunks < side ? line_chunks : side;
  deal.lines_per_turn = workers / deal.across;
  deal.chunk_turns = divide_up(line_chunks, deal.across);
  deal.line_turns = divide_up(lines, deal.lines_per_turn);
  return deal;
}

bool gg_dealt_chunk(gg_chunk *out, const gg_dealing *deal, int64_t worker, int64_t turn) {
  out->line = worker / deal->across + turn / deal->chunk_turns * deal->lines_per_turn;
  out->chunk = worker % deal->across + turn % deal->chunk_turns * deal->across;
  return worker / deal->across < deal->lines_per_turn && out->line < deal->lines &&
         out->chunk < deal->line_chunks;
}

bool gg_always_works(const gg_dealing *deal) {
  return deal->workers % deal->across == 0 && deal->line_chunks % deal->across == 0 &&
         deal->lines % deal->lines_per_turn == 0;
}
