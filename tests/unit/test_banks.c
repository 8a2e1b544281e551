/* Bank conflicts: patterns whose cost the profiler's counters have settled. */
#include <stdlib.h>

#include "layout/banks.h"
#include "suite.h"

typedef struct pattern {
  const char *what;
  int bytes, lanes;
  int stride; /* bytes from lane to lane, within a group */
  int group;  /* lanes of a group; groups are `jump` bytes apart */
  int jump;
  int taken, least;
  uint32_t banks; /* that conflict */
} pattern;

static const pattern patterns[] = {
    {"4 B, consecutive", 4, 32, 4, 32, 0, 1, 1, 0},
    {"4 B, one word for all", 4, 32, 0, 32, 0, 1, 1, 0},
    {"4 B, every other word", 4, 32, 8, 32, 0, 2, 1, 0x55555555},
    {"4 B, 128 apart: all in one bank", 4, 32, 128, 32, 0, 32, 1, 0x1},
    {"2 B, consecutive: two lanes a word", 2, 32, 2, 32, 0, 1, 1, 0},
    {"8 B, consecutive: two half-warps", 8, 32, 8, 32, 0, 2, 2, 0},
    {"16 B, consecutive: four quarter-warps", 16, 32, 16, 32, 0, 4, 4, 0},
    {"16 B, rows of 128 B, one column", 16, 32, 128, 32, 0, 32, 4, 0xF},
    {"16 B, rows of 144 B: padded", 16, 32, 144, 32, 0, 4, 4, 0},
    {"16 B, eight lanes alone", 16, 8, 16, 32, 0, 1, 1, 0},
    {"4 B, 8 rows of 4 words, rows of 128 B", 4, 32, 4, 4, 128, 8, 1, 0xF},
    {"4 B, 8 rows of 4 words, rows of 144 B", 4, 32, 4, 4, 144, 1, 1, 0},
    {"no lane at all", 4, 0, 4, 32, 0, 0, 0, 0},
};

START_TEST(test_pattern) {
  const pattern *p = &patterns[_i];
  int64_t address[GG_WARP];
  for (int lane = 0; lane < GG_WARP; lane++) {
    address[lane] = lane < p->lanes ? lane % p->group * p->stride + lane / p->group * p->jump : -1;
  }
  gg_wavefronts w = gg_bank_wavefronts(address, p->bytes);
  ck_assert_msg(w.banks == p->banks, "%s: banks %x, expected %x", p->what, w.banks, p->banks);
  ck_assert_msg(w.taken == p->taken && w.least == p->least, "%s: %d of %d, expected %d of %d",
                p->what, w.taken, w.least, p->taken, p->least);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("banks");
  TCase *tcase = tcase_create("patterns");
  tcase_add_loop_test(tcase, test_pattern, 0, sizeof patterns / sizeof *patterns);
  suite_add_tcase(suite, tcase);
  return run_suite(suite);
}
