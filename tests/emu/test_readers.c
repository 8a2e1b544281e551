/* Sets of readers (emu/hazard/readers.h): what is added is there once for each agent, equal sets
 * are one, and collecting keeps those in use, under new numbers. */
#include <string.h>

#include "base/alloc.h"
#include "emu/hazard/readers.h"
#include "suite.h"

enum { agents = 9, clocks = 5000 };

static emu_epoch epoch(uint64_t agent, uint64_t clock) {
  return agent << EMU_EPOCH_AGENT_SHIFT | clock << EMU_EPOCH_CLOCK_SHIFT | 7 << EMU_EPOCH_LANE_BITS;
}

static uint32_t add(emu_readers *readers, uint32_t set, emu_epoch reader) {
  uint32_t out;
  ck_assert(emu_readers_add(&out, readers, set, reader));
  return out;
}

/* The set that has read at clock `base + agent`, each agent once; agents in this order or the
 * other. */
static uint32_t make(emu_readers *readers, uint64_t base, bool backwards) {
  uint32_t set = 0;
  for (uint64_t i = 1; i <= agents; i++) {
    uint64_t agent = backwards ? agents + 1 - i : i;
    set = add(readers, set, epoch(agent, base + agent));
  }
  return set;
}

/* Holds that the set is the one that `make` has made. */
static void check(const emu_readers *readers, uint32_t set, uint64_t base) {
  uint32_t seen = 0, count = 0;
  for (; set; set = readers->nodes[set].rest, count++) {
    ck_assert_uint_le(set, readers->count);
    emu_epoch reader = readers->nodes[set].epoch;
    ck_assert_uint_eq(emu_epoch_clock(reader), base + emu_epoch_agent(reader));
    seen |= 1u << emu_epoch_agent(reader);
  }
  ck_assert_uint_eq(count, agents);
  ck_assert_uint_eq(seen, (1u << (agents + 1)) - 2);
}

START_TEST(sets_have_each_agent_once) {
  emu_readers readers = {0};
  uint32_t set = make(&readers, 1, false);
  check(&readers, set, 1);
  ck_assert_uint_eq(make(&readers, 1, false), set);
  ck_assert_uint_eq(add(&readers, set, epoch(agents, 1 + agents)), set);
  /* A later access of an agent takes the place of the earlier one, wherever that stands. */
  for (uint64_t agent = 1; agent <= agents; agent++)
    set = add(&readers, set, epoch(agent, 40 + agent));
  check(&readers, set, 40);
  check(&readers, make(&readers, 1, true), 1);
  emu_readers_free(&readers);
}
END_TEST

/* Those whose number is a multiple of `every` are kept. */
static void collect(emu_readers *readers, uint32_t sets[clocks], int every) {
  uint32_t *marks = emu_readers_marks(readers);
  ck_assert_ptr_nonnull(marks);
  for (int i = 0; i < clocks; i += every)
    marks[sets[i]] = 1;
  ck_assert(emu_readers_collect(readers, marks));
  for (int i = 0; i < clocks; i++)
    sets[i] = i % every ? 0 : marks[sets[i]];
  gg_free(marks);
}

START_TEST(collecting_keeps_what_is_in_use) {
  static uint32_t sets[clocks];
  static const int steps[] = {1, 3, 300, clocks};
  emu_readers readers = {.limit = 1 << 17};
  for (int i = 0; i < clocks; i++)
    sets[i] = make(&readers, (uint64_t)i, i % 2);
  uint32_t before = readers.count;
  for (size_t s = 0; s < sizeof steps / sizeof *steps; s++) {
    collect(&readers, sets, steps[s]);
    ck_assert_uint_le(readers.count, before);
    before = readers.count;
    for (int i = 0; i < clocks; i += steps[s]) {
      check(&readers, sets[i], (uint64_t)i);
      /* Equal sets are still one: nothing is made anew. */
      ck_assert_uint_eq(make(&readers, (uint64_t)i, i % 2), sets[i]);
      ck_assert_uint_eq(readers.count, before);
    }
  }
  ck_assert_uint_eq(readers.count, agents);
  emu_readers_free(&readers);
}
END_TEST

/* Without collecting there is no room at some point; all of it comes back when nothing is in use.
 */
START_TEST(room_ends_and_comes_back) {
  emu_readers readers = {0};
  uint32_t set = 0, limit, count = 0;
  while (emu_readers_add(&set, &readers, 0, epoch(1 + count % agents, count)))
    count++;
  limit = readers.limit;
  ck_assert_uint_ge(count, limit / 2);
  uint32_t *marks = emu_readers_marks(&readers);
  ck_assert(emu_readers_collect(&readers, marks));
  gg_free(marks);
  ck_assert_uint_eq(readers.count, 0);
  check(&readers, make(&readers, 1, false), 1);
  /* Where most is in use, there is more room afterwards. */
  while (emu_readers_add(&set, &readers, 0, epoch(1 + count % agents, count)))
    count++;
  marks = emu_readers_marks(&readers);
  for (uint32_t i = 1; i <= readers.count; i++)
    marks[i] = 1;
  count = readers.count;
  ck_assert(emu_readers_collect(&readers, marks));
  gg_free(marks);
  ck_assert_uint_eq(readers.count, count);
  ck_assert_uint_gt(readers.limit, limit);
  ck_assert(emu_readers_add(&set, &readers, 0, epoch(1, clocks)));
  emu_readers_clear(&readers);
  check(&readers, make(&readers, 2, true), 2);
  emu_readers_free(&readers);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("readers");
  TCase *all = tcase_create("sets");
  tcase_add_test(all, sets_have_each_agent_once);
  tcase_add_test(all, collecting_keeps_what_is_in_use);
  tcase_add_test(all, room_ends_and_comes_back);
  suite_add_tcase(suite, all);
  return run_suite(suite);
}
