/* Family sm80: which thread copies which chunks of a tile. */
#include "plan/sm80.h"

enum {
  memory_bytes = 128, /* what global memory moves at once */
  element_bytes = 2,  /* of A and B */
};

static int64_t divide_up(int64_t a, int64_t b) {
  return (a + b - 1) / b;
}

gg_sm80_dealing gg_sm80_deal(int64_t workers, int64_t lines, int64_t line_chunks, int64_t side) {
  gg_sm80_dealing deal = {.workers = workers, .lines = lines, .line_chunks = line_chunks};
  deal.across = line_chunks < side ? line_chunks : side;
  deal.lines_per_turn = workers / deal.across;
  deal.chunk_turns = divide_up(line_chunks, deal.across);
  deal.line_turns = divide_up(lines, deal.lines_per_turn);
  return deal;
}

/* No more threads side by side than one access of memory has room for: those beyond go to other
 * lines, and the turns along a line share an address. */
gg_sm80_dealing gg_sm80_deal_copy(int64_t threads, int64_t lines, int64_t line, int copy_bytes) {
  int64_t side = memory_bytes / copy_bytes;
  return gg_sm80_deal(threads, lines, line * element_bytes / copy_bytes,
                      side < threads ? side : threads);
}

bool gg_sm80_always_works(const gg_sm80_dealing *deal) {
  return deal->workers % deal->across == 0 && deal->line_chunks % deal->across == 0 &&
         deal->lines % deal->lines_per_turn == 0;
}
