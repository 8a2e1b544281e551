/* Numbers that tests draw, by splitmix64. The seed is printed; GEMMGEN_SEED sets another. */
#ifndef GG_TESTS_DRAWS_H
#define GG_TESTS_DRAWS_H

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t draws_seed, draws_state;

/* First in main. */
static inline void draws_begin(uint64_t usual) {
  const char *given = getenv("GEMMGEN_SEED");
  draws_seed = given && *given ? strtoull(given, NULL, 10) : usual;
  printf("seed %" PRIu64 "\n", draws_seed);
  fflush(stdout);
}

/* First in each test, which then draws the same whether or not others ran before it. */
static inline void draws_restart(void) {
  draws_state = draws_seed;
}

static inline uint64_t draw(void) {
  uint64_t z = draws_state += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

static inline int64_t draw_from(int64_t low, int64_t high) {
  return low + (int64_t)(draw() % (uint64_t)(high - low + 1));
}

static inline int below(int limit) {
  return (int)draw_from(0, limit - 1);
}

#endif
