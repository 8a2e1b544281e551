/* Walks the protocol of every cluster that is shipped, and looks for mistakes that it plants
 * itself.
 *
 *     protocol_check [--seed S] [--walks N] SPEC.yaml...
 *
 * Small rings are walked in all orders, mistakes besides in N random ones. The rings of the given
 * specs and of gg_gemm's catalogue are walked in half as many, with a warp for each consumer, and
 * in an eighth of those with all of its warps. Specs of kernels whose sums are in tensor memory are
 * passed over: issue_check walks those. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "choice/catalogue.h"
#include "given.h"
#include "plan/sm90.h"
#include "ring.h"

enum { most_rings = 1024, most_states = 1 << 23 };

static ring rings[most_rings];
static int ring_count;

/* ---- Which rings there are -------------------------------------------------------------- */

static void add_ring(const gg_plan *plan, const gg_layouts *layouts) {
  if (!plan->specialised || gg_plan_in_tensor_memory(plan)) return;
  ring r = ring_of_plan(plan, &layouts->rings);
  for (int i = 0; i < ring_count; i++) {
    if (memcmp(&rings[i], &r, sizeof r) == 0) return;
  }
  if (ring_count < most_rings) rings[ring_count++] = r;
}

/* `c`: of D, and of C where there is one. */
static void add_catalogue(gg_dtype type, gg_dtype c, bool has_c) {
  gg_form form = {.size = sizeof(gg_form),
                  .has_c = has_c,
                  .c = {c, GG_MAJOR_N, 16},
                  .a = {type, GG_MAJOR_K, 16},
                  .b = {type, GG_MAJOR_K, 16},
                  .d = {c, GG_MAJOR_N, 16},
                  .accumulator = GG_DTYPE_f32};
  gg_error err = GG_ERROR_INIT;
  gg_catalogue *catalogue;
  gg_lineup *lineup;
  if (gg_catalogue_open(&catalogue, &err)) die_of(&err);
  if (gg_lineup_make(&lineup, catalogue, &form, 90, &err)) die_of(&err);
  for (size_t i = 0; i < lineup->count; i++) {
    static gg_layouts layouts;
    if (gg_layouts_derive(&layouts, &lineup->list[i].plan, &err)) die_of(&err);
    add_ring(&lineup->list[i].plan, &layouts);
  }
  gg_lineup_free(lineup);
  gg_catalogue_close(catalogue);
}

/* A ring of a kernel that nobody asked for: its rings and roles are what the family makes of it.
 * `fetched`: stages behind a tile's K tiles, or of consumers in turns sub-tiles of a tile. */
static ring made(gg_plan plan, int tiles, int k_tiles, int fetched) {
  static gg_layouts layouts;
  layouts.rings = (gg_rings){.count = 0};
  plan.specialised = true;
  plan.cluster_k = 1;
  gg_sm90_derive_rings(&layouts, &plan);
  ring r = ring_of_one_warp(ring_of_plan(&plan, &layouts.rings));
  r.tiles = tiles;
  r.k_tiles = k_tiles;
  r.behind = plan.pingpong ? 0 : fetched;
  r.subtiles = plan.pingpong ? fetched : 0;
  return r;
}

static void describe(const ring *r, ring_mistake mistake) {
  printf("cluster %d x %d, %d stages, %d producers, %d consumers of %d warps%s, %d tiles of %d K "
         "tiles",
         r->cluster_m, r->cluster_n, r->stages, r->producers, r->consumers, r->warps,
         r->pingpong ? " in turns" : "", r->tiles, r->k_tiles);
  if (r->behind) printf(" and %d fetched", r->behind);
  if (r->subtiles) printf(", %d sub-tiles in %d stages", r->subtiles, r->subtile_stages);
  if (r->vectors) printf(", %d of vectors", r->vectors);
  if (r->maps) printf(", %d sets of maps", r->maps);
  printf(", %s: ", ring_mistake_names[mistake]);
}

static bool is_of_subtiles(ring_mistake mistake) {
  return mistake >= RING_SUBTILE_NO_EMPTY && mistake <= RING_SUBTILE_ONE_RING;
}

/* ---- All orders ------------------------------------------------------------------------- */

static bool explore(const ring *r, ring_mistake mistake) {
  char what[PROTOCOL_WHAT_MAX] = "";
  size_t states;
  protocol p = ring_protocol(r, mistake);
  bool right = protocol_explore(&p, most_states, &states, what);
  protocol_free(&p);
  describe(r, mistake);
  printf("%zu states, %s\n", states, right ? "all right" : what);
  return right == (mistake == RING_RIGHT);
}

/* The same of words whose M and N are contiguous. */
static gg_plan transposing(gg_plan plan) {
  plan.target = &gg_target_sm90;
  plan.arch = (gg_arch){.number = 90, .suffix = 'a'};
  plan.a = (gg_operand){GG_DTYPE_tf32, GG_MAJOR_M, 16};
  plan.b = (gg_operand){GG_DTYPE_tf32, GG_MAJOR_N, 16};
  plan.accumulator = GG_DTYPE_f32;
  plan.tile_m = plan.tile_n = 64;
  plan.tile_k = 32;
  return plan;
}

/* Every kind of cluster, of as few stages as a ring has. */
static bool explore_all(void) {
  const gg_plan one = {.cluster_m = 1, .cluster_n = 1, .stages = 2, .consumers = 1, .box_warps = 1},
                two = {.cluster_m = 1, .cluster_n = 1, .stages = 2, .consumers = 2, .box_warps = 1};
  gg_plan plan = one;
  plan.cluster_m = plan.cluster_n = 2;
  const ring square = made(plan, 1, 4, 0);
  plan.cluster_n = 1;
  const ring tall = made(plan, 3, 4, 0);
  plan.vector_buffers = 1;
  const ring reads_tall = made(plan, 2, 2, 1);
  plan = one;
  plan.cluster_n = 3;
  const ring wide = made(plan, 1, 4, 0);
  plan = one;
  plan.copy_bytes_a = plan.copy_bytes_b = 16;
  const ring lines = made(plan, 2, 2, 0);
  plan = transposing(one);
  const ring raw = made(plan, 2, 2, 0);
  plan.stages = 3, plan.copies_ahead = 1;
  const ring raw_ahead = made(plan, 1, 4, 0);
  const ring alone = made(two, 3, 4, 0);
  plan = two;
  plan.vector_buffers = 1;
  const ring reads = made(plan, 2, 2, 1), reads_all = made(plan, 2, 2, plan.stages);
  plan.pingpong = true;
  plan.vector_buffers = 2;
  plan.stages = 4;
  const ring reads_ahead = made(plan, 3, 2, 0);
  plan = two;
  plan.pingpong = true;
  const ring turns = made(plan, 3, 4, 0);
  plan.subtile_stages = 1;
  const ring reads_turns = made(plan, 3, 1, 2);
  plan.subtile_stages = 2;
  ring reads_beside = made(plan, 3, 1, 2);
  reads_beside.beside = 1;
  plan = two;
  plan.pointers = true;
  plan.scheduler = GG_SCHEDULER_PERSISTENT;
  ring maps = made(plan, 3, 1, 0);
  plan.pingpong = true;
  ring maps_turns = made(plan, 4, 1, 0);
  plan.subtile_stages = 1;
  ring maps_subtiles = made(plan, 4, 1, 1);
  maps_subtiles.fetches_by_maps = true;
  maps.maps = 2, maps_turns.maps = maps_subtiles.maps = 3; /* with fewer nobody could go on */
  ring loads = alone, loads_turns = turns;
  loads.loads = loads_turns.loads = true;
  bool right = explore(&alone, RING_RIGHT);
  right = explore(&loads, RING_RIGHT) && right;
  right = explore(&loads, RING_EARLY_RELEASE) && right;
  right = explore(&loads_turns, RING_RIGHT) && right;
  right = explore(&loads_turns, RING_NO_TURN) && right;
  right = explore(&reads, RING_RIGHT) && right;
  right = explore(&reads_all, RING_RIGHT) && right;
  right = explore(&reads_turns, RING_RIGHT) && right;
  right = explore(&reads_beside, RING_RIGHT) && right;
  right = explore(&reads_ahead, RING_RIGHT) && right;
  right = explore(&reads_tall, RING_RIGHT) && right;
  right = explore(&turns, RING_RIGHT) && right;
  right = explore(&maps, RING_RIGHT) && right;
  right = explore(&maps_turns, RING_RIGHT) && right;
  right = explore(&maps_subtiles, RING_RIGHT) && right;
  right = explore(&lines, RING_RIGHT) && right;
  right = explore(&raw, RING_RIGHT) && right;
  right = explore(&raw_ahead, RING_RIGHT) && right;
  right = explore(&tall, RING_RIGHT) && right;
  right = explore(&wide, RING_RIGHT) && right;
  right = explore(&square, RING_RIGHT) && right;
  for (ring_mistake m = RING_RIGHT + 1; m < RING_MISTAKES; m++) {
    const ring *r = m >= RING_MAPS_NO_EMPTY        ? &maps
                    : m >= RING_RAW_NO_FULL        ? &raw
                    : m == RING_NO_TURN            ? &turns
                    : m < RING_FETCH_EARLY         ? &square
                    : m == RING_VECTORS_ONE_BUFFER ? &reads_ahead
                    : is_of_subtiles(m)            ? &reads_turns
                    : m == RING_FETCH_SOON         ? &reads_all
                                                   : &reads;
    right = explore(r, m) && right;
  }
  return right;
}

/* ---- Random orders ---------------------------------------------------------------------- */

static int failed_walks(const ring *r, ring_mistake mistake, uint64_t seed, int walks) {
  char what[PROTOCOL_WHAT_MAX] = "";
  uint64_t first = 0;
  protocol p = ring_protocol(r, mistake);
  int failed = failures(&p, seed, walks, &first, what);
  protocol_free(&p);
  if (!failed) return 0;
  describe(r, mistake);
  printf("%s (seed %llu)\n", what, (unsigned long long)first);
  return failed;
}

static bool walk_all(uint64_t seed, int walks) {
  int failed = 0;
  for (int i = 0; i < ring_count; i++) {
    const ring one = ring_of_one_warp(rings[i]);
    bool wrong = failed_walks(&rings[i], RING_RIGHT, seed, (walks + 7) / 8) > 0;
    failed += failed_walks(&one, RING_RIGHT, seed, walks) > 0 || wrong;
  }
  printf("%d rings, %d walks each, seed %llu: %d failed\n", ring_count, walks,
         (unsigned long long)seed, failed);
  return failed == 0;
}

static bool find(const ring *r, ring_mistake mistake, uint64_t seed, int walks) {
  int found = failed_walks(r, mistake, seed, walks);
  printf("  %s: noticed by %d of %d walks\n", ring_mistake_names[mistake], found, walks);
  return found > 0;
}

/* What the walks of the rings above would have found. */
static bool find_all(uint64_t seed, int walks) {
  const gg_plan two = {.cluster_m = 1, .cluster_n = 1, .stages = 4, .consumers = 2, .box_warps = 1};
  gg_plan plan = two;
  plan.cluster_m = 2;
  plan.cluster_n = 4;
  const ring large = made(plan, 4, 6, 0);
  plan.vector_buffers = 1;
  const ring reads = made(plan, 4, 6, 2), reads_all = made(plan, 4, 6, plan.stages);
  plan.vector_buffers = 0;
  plan.pingpong = true;
  const ring turns = made(plan, 4, 6, 0);
  plan = two;
  plan.pingpong = true;
  plan.vector_buffers = 2;
  const ring vectors = made(plan, 8, 3, 0);
  plan.subtile_stages = 3;
  const ring reads_turns = made(plan, 8, 3, 4);
  plan = transposing(two);
  plan.stages = 4, plan.copies_ahead = 2;
  const ring raw = made(plan, 4, 6, 0);
  plan = two;
  plan.pointers = true;
  plan.scheduler = GG_SCHEDULER_PERSISTENT;
  plan.cluster_n = 2;
  const ring maps = made(plan, 8, 2, 0);
  bool right = true;
  for (ring_mistake m = RING_RIGHT + 1; m < RING_MISTAKES; m++) {
    const ring *r = m >= RING_MAPS_NO_EMPTY        ? &maps
                    : m >= RING_RAW_NO_FULL        ? &raw
                    : m == RING_NO_TURN            ? &turns
                    : is_of_subtiles(m)            ? &reads_turns
                    : m == RING_FETCH_SOON         ? &reads_all
                    : m == RING_VECTORS_ONE_BUFFER ? &vectors
                    : m < RING_FETCH_EARLY         ? &large
                                                   : &reads;
    right = find(r, m, seed, walks) && right;
  }
  return right;
}

int main(int argc, char **argv) {
  const given options = read_given(argc, argv, add_ring);
  add_catalogue(GG_DTYPE_bf16, GG_DTYPE_bf16, false);
  add_catalogue(GG_DTYPE_bf16, GG_DTYPE_bf16, true);
  add_catalogue(GG_DTYPE_bf16, GG_DTYPE_f32, true);
  add_catalogue(GG_DTYPE_e4m3, GG_DTYPE_bf16, false);
  bool right = explore_all();
  right = find_all(options.seed, options.walks) && right;
  right = walk_all(options.seed, (options.walks + 1) / 2) && right;
  return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
