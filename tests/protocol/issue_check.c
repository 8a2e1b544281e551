/* Walks the protocol of family sm100's kernels (templates/sm100_warp_specialised.cu): a producer, a
 * thread that issues MMAs, and warps that read their sums from tensor memory. As in
 * protocol_check.c, what the family lists (gen/plan/sm90_rings.c) says how many arrivals end a
 * phase; small rings are walked in all orders, those of the given specs in random ones, and
 * mistakes that are planted must be found.
 *
 *     issue_check [--seed S] [--walks N] SPEC.yaml... */
#include <stdio.h>
#include <stdlib.h>

#include "given.h"
#include "issue.h"
#include "plan/sm90.h"

enum { most_rings = 256, most_states = 1 << 23 };

static ring rings[most_rings];
static int ring_count;

/* ---- Walks ------------------------------------------------------------------------------- */

static void describe(const ring *r, mistake wrong) {
  printf(
      "cluster %d x %d, %s%s%d stages, %d sets of accumulators, %d warps, %d tiles of %d K tiles, "
      "%d stages of sub-tiles, %d of answers, %d sets of maps, %s: ",
      r->cluster_m, r->cluster_n, r->group > 1 ? "a pair, " : "",
      r->copiers               ? "lines, "
      : r->operands > matrices ? "scaled or sparse, "
                               : "",
      r->stages, r->sets, r->warps, r->tiles, r->k_tiles, r->subtile_stages, r->answer_stages,
      r->maps, mistake_names[wrong]);
}

static void add_ring(const gg_plan *plan, const gg_layouts *layouts) {
  if (!gg_plan_in_tensor_memory(plan)) return; /* protocol_check's */
  if (ring_count < most_rings) rings[ring_count++] = ring_of(plan, &layouts->rings);
}

static bool explore(ring r, int tiles, int k_tiles, mistake wrong) {
  char what[PROTOCOL_WHAT_MAX] = "";
  size_t states;
  r = ring_of_one_warp(r);
  r.tiles = tiles;
  r.k_tiles = k_tiles;
  protocol p = protocol_of(&r, wrong);
  bool right = protocol_explore(&p, most_states, &states, what);
  protocol_free(&p);
  describe(&r, wrong);
  printf("%zu states, %s\n", states, right ? "all right" : what);
  return right == (wrong == RIGHT);
}

static int failed_walks(const ring *r, mistake wrong, uint64_t seed, int walks) {
  char what[PROTOCOL_WHAT_MAX] = "";
  uint64_t first = 0;
  protocol p = protocol_of(r, wrong);
  int failed = failures(&p, seed, walks, &first, what);
  protocol_free(&p);
  if (!failed) return 0;
  describe(r, wrong);
  printf("%s (seed %llu)\n", what, (unsigned long long)first);
  return failed;
}

/* A ring of a kernel that nobody asked for: its lists are what the family makes of it. */
static ring made(int cluster_m, int cluster_n, int group, int stages, int sets, int subtiles,
                 bool dynamic) {
  static gg_layouts layouts;
  const gg_plan plan = {.specialised = true,
                        .cluster_m = cluster_m,
                        .cluster_n = cluster_n,
                        .cluster_k = 1,
                        .cta_group = group,
                        .stages = stages,
                        .accumulator_stages = sets,
                        .subtile_stages = subtiles,
                        .scheduler = dynamic ? GG_SCHEDULER_DYNAMIC : GG_SCHEDULER_PERSISTENT,
                        .consumers = 1,
                        .box_warps = 1};
  layouts = (gg_layouts){.named_count = 0};
  gg_sm90_derive_rings(&layouts, &plan);
  return ring_of(&plan, &layouts.rings);
}

/* The same of a kernel that takes a batch by arrays of addresses, with so many sets of maps, C's
 * among them if it is fetched. */
static ring changing(int cluster_m, int cluster_n, int group, int maps, int subtiles,
                     bool dynamic) {
  static gg_layouts layouts;
  const gg_plan plan = {.specialised = true,
                        .pointers = true,
                        .cluster_m = cluster_m,
                        .cluster_n = cluster_n,
                        .cluster_k = 1,
                        .cta_group = group,
                        .stages = 2,
                        .accumulator_stages = 1,
                        .subtile_stages = subtiles,
                        .scheduler = dynamic ? GG_SCHEDULER_DYNAMIC : GG_SCHEDULER_PERSISTENT,
                        .consumers = 1,
                        .box_warps = 1};
  layouts = (gg_layouts){.named_count = 0};
  gg_sm90_derive_rings(&layouts, &plan);
  ring r = ring_of(&plan, &layouts.rings);
  r.maps = maps;
  r.fetches_by_maps = subtiles > 0;
  return r;
}

/* The same of a kernel whose warps copy lines of A, and maybe a map B. */
static ring lined(int group, int stages, bool boxed) {
  static gg_layouts layouts;
  const gg_plan plan = {.specialised = true,
                        .copy_bytes_a = 16,
                        .copy_bytes_b = boxed ? 0 : 16,
                        .cluster_m = group,
                        .cluster_n = 1,
                        .cluster_k = 1,
                        .cta_group = group,
                        .stages = stages,
                        .accumulator_stages = 2,
                        .consumers = 1,
                        .box_warps = 1};
  layouts = (gg_layouts){.named_count = 0};
  gg_sm90_derive_rings(&layouts, &plan);
  return ring_of(&plan, &layouts.rings);
}

/* Mistakes that only a pair can make, or only CTAs that share something. A CTA that brings metadata
 * always has a turn at copying. */
static bool is_possible(const ring *r, mistake wrong) {
  bool pair = r->group > 1, several = r->cluster_m * r->cluster_n > 1;
  if (wrong >= NO_EMPTY_MAPS) return r->maps > 0;
  if (wrong == OWN_LINES) return pair && r->copiers;
  if (wrong == HALF_THE_BYTES && r->copiers) return pair && r->operands > r->copiers;
  if (wrong == HALF_THE_BYTES || wrong == OWN_SUMS) return pair;
  bool beside = !r->copiers && r->operands > matrices;
  bool factors = beside && r->brings[matrices] == SCALES_A && several;
  if (wrong == ROW_SCALES) return factors && (r->cluster_n > 1 || r->group > 1);
  if (wrong == HALF_SCALES) return factors && pair;
  if (wrong >= OWN_SCALES) return factors;
  if (wrong == NO_SECOND)
    return r->full_arrivals > 1 && !r->copiers && r->brings[r->operands - 1] != METADATA;
  if (wrong >= NO_EMPTY_ANSWER) return r->answer_stages > 0 && (several || wrong != OWN_ANSWER);
  if (wrong >= NO_EMPTY_SUBTILE) return r->subtile_stages > 0;
  return several || (wrong != OWN_RELEASE && wrong != NO_STAY);
}

static bool explore_all(void) {
  const ring alone = made(1, 1, 1, 2, 2, 0, false), tall = made(2, 1, 1, 2, 1, 0, false),
             pair = made(2, 1, 2, 2, 2, 0, false), single = made(2, 1, 2, 2, 1, 0, false),
             fetches = made(1, 1, 1, 2, 2, 2, false), dynamic = made(1, 1, 1, 2, 1, 0, true),
             factored = scaled(pair);
  bool right = explore(alone, 3, 3, RIGHT);
  right = explore(fetches, 3, 2, RIGHT) && right;
  right = explore(dynamic, 3, 2, RIGHT) && right;
  right = explore(tall, 2, 2, RIGHT) && right;
  right = explore(pair, 3, 3, RIGHT) && right;
  right = explore(single, 2, 3, RIGHT) && right;
  right = explore(scaled(alone), 2, 3, RIGHT) && right;
  right = explore(scaled(pair), 1, 3, RIGHT) && right;
  right = explore(lined(1, 2, true), 2, 3, RIGHT) && right;
  right = explore(lined(2, 2, false), 2, 3, RIGHT) && right;
  right = explore(lined(2, 2, true), 2, 2, RIGHT) && right;
  const ring maps = changing(1, 1, 1, 2, 0, false); /* with fewer nobody could go on */
  right = explore(maps, 4, 1, RIGHT) && right;
  right = explore(changing(1, 1, 1, 2, 1, false), 3, 1, RIGHT) && right;
  right = explore(changing(1, 1, 1, 2, 0, true), 3, 1, RIGHT) && right;
  right = explore(changing(2, 1, 2, 2, 0, false), 3, 1, RIGHT) && right;
  for (mistake m = RIGHT + 1; m < MISTAKES; m++) {
    if (m >= NO_EMPTY_MAPS) {
      right = explore(maps, 4, 1, m) && right;
      continue;
    }
    if (is_possible(&alone, m)) right = explore(alone, 3, 3, m) && right;
    if (is_possible(&pair, m)) right = explore(pair, 3, 3, m) && right;
    if (m >= OWN_SCALES) right = explore(factored, 1, 3, m) && right;
    if (m >= NO_EMPTY_SUBTILE && is_possible(&fetches, m))
      right = explore(fetches, 3, 2, m) && right;
    if (m >= NO_EMPTY_ANSWER && is_possible(&dynamic, m))
      right = explore(dynamic, 4, 2, m) && right;
  }
  return right;
}

static bool find_all(uint64_t seed, int walks) {
  const ring kinds[] = {made(1, 1, 1, 3, 2, 2, true),
                        made(2, 2, 1, 3, 2, 0, true),
                        made(2, 1, 2, 3, 2, 2, true),
                        made(4, 2, 2, 3, 2, 0, false),
                        scaled(made(4, 2, 2, 3, 2, 0, false)),
                        scaled(made(2, 2, 1, 3, 2, 0, false)),
                        lined(2, 3, true),
                        changing(2, 2, 1, 2, 2, false),
                        changing(2, 1, 2, 2, 0, true)};
  bool right = true;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    for (mistake m = RIGHT + 1; m < MISTAKES; m++) {
      if (!is_possible(&kinds[i], m)) continue;
      int found = failed_walks(&kinds[i], m, seed, walks);
      printf("  %s: noticed by %d of %d walks\n", mistake_names[m], found, walks);
      right = right && found > 0;
    }
  }
  return right;
}

static bool walk_all(uint64_t seed, int walks) {
  int failed = 0;
  for (int i = 0; i < ring_count; i++)
    failed += failed_walks(&rings[i], RIGHT, seed, walks) > 0;
  printf("%d rings, %d walks each, seed %llu: %d failed\n", ring_count, walks,
         (unsigned long long)seed, failed);
  return failed == 0;
}

int main(int argc, char **argv) {
  const given options = read_given(argc, argv, add_ring);
  bool right = explore_all();
  right = find_all(options.seed, options.walks) && right;
  right = walk_all(options.seed, options.walks) && right;
  return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
