/* How a problem's tiles are distributed: the grid, clusters, tiles that take turns, and what of a
 * workspace shares, sums, maps and claims take. */
#include <string.h>

#include "fixture.h"
#include "problem.h"
#include "suite.h"

static gg_error err = GG_ERROR_INIT;

/* ---- Grids ----------------------------------------------------------------------------- */

START_TEST(persistent_grids_fit_the_device) {
  gg_kernel kernel = fixture_kernel();
  kernel.grid = GG_GRID_PERSISTENT;
  gg_problem p = fixture_problem(1, 1, 1, 70000);
  gg_launch_facts prepared;
  ck_assert_int_eq(gg_problem_check(&prepared, &kernel, &p, 264, gg_device_row(90), &err), GG_OK);
  ck_assert_uint_eq(prepared.grid[0], 264);
  p = fixture_problem(1, 65, 1, 131);
  ck_assert_int_eq(gg_problem_check(&prepared, &kernel, &p, 264, gg_device_row(90), &err), GG_OK);
  ck_assert_uint_eq(prepared.grid[0], 2 * 131);
}
END_TEST

static bool overlaps(const gg_kernel *kernel, int64_t n, int64_t k, int64_t resident) {
  gg_problem p = fixture_problem(64, n, k, 1);
  gg_launch_facts prepared;
  p.overlap = true;
  p.workspace = 0x10000, p.workspace_bytes = (int64_t)1 << 40;
  ck_assert_int_eq(gg_problem_check(&prepared, kernel, &p, resident, gg_device_row(90), &err),
                   GG_OK);
  return prepared.overlap;
}

/* On 132 multiprocessors: of kernels of which one holds several CTAs, those that fill the busiest.
 */
START_TEST(launches_begin_beside_the_one_ahead) {
  const int64_t sm_count = 132, tile_n = fixture_kernel().tile_n;
  gg_kernel kernel = fixture_kernel();
  kernel.family = "simt";
  ck_assert(!overlaps(&kernel, sm_count * tile_n, 64, sm_count));
  kernel.dependent = true;
  ck_assert(overlaps(&kernel, tile_n, 64, sm_count)); /* one a multiprocessor, however few */
  ck_assert(!overlaps(&kernel, sm_count * tile_n, 64, 2 * sm_count));
  ck_assert(overlaps(&kernel, (sm_count + 1) * tile_n, 64, 2 * sm_count));
  ck_assert(!overlaps(&kernel, 2 * sm_count * tile_n, 64, 3 * sm_count));
  ck_assert(overlaps(&kernel, 1000 * tile_n, 64, 3 * sm_count));
  kernel.family = "sm90"; /* of which one has a multiprocessor to itself */
  ck_assert(overlaps(&kernel, tile_n, 64, 2 * sm_count));
  kernel.grid = GG_GRID_SPLIT_K;
  kernel.splits = 2;
  kernel.tile_warps = 4;
  const int64_t little = 4096, much = 400000;
  ck_assert(overlaps(&kernel, 60 * tile_n, little, sm_count));
  ck_assert(!overlaps(&kernel, 60 * tile_n, much, sm_count));
  ck_assert(overlaps(&kernel, sm_count / 2 * tile_n, much, sm_count)); /* none is idle */
  kernel.cluster_m = 2;
  ck_assert(overlaps(&kernel, 20 * tile_n, much, sm_count));
}
END_TEST

/* Whole clusters, of as many CTAs as the device holds in whole clusters. */
START_TEST(clusters_take_blocks_of_tiles) {
  gg_kernel kernel = fixture_kernel();
  kernel.cluster_m = 2;
  gg_problem p = fixture_problem(129 + 128, 130, 9, 3); /* 3 x 3 tiles: 4 x 3 */
  gg_launch_facts prepared;
  ck_assert_int_eq(gg_problem_check(&prepared, &kernel, &p, 264, gg_device_row(90), &err), GG_OK);
  ck_assert_uint_eq(prepared.grid[0], 4 * 3 * 3);
  kernel.grid = GG_GRID_PERSISTENT;
  ck_assert_int_eq(gg_problem_check(&prepared, &kernel, &p, 13, gg_device_row(90), &err), GG_OK);
  ck_assert_uint_eq(prepared.grid[0], 12);
  ck_assert_int_eq(gg_problem_check(&prepared, &kernel, &p, 264, gg_device_row(90), &err), GG_OK);
  ck_assert_uint_eq(prepared.grid[0], 4 * 3 * 3);
  ck_assert_int_eq(gg_problem_check(&prepared, &kernel, &p, 1, gg_device_row(90), &err), GG_OK);
  ck_assert_uint_eq(prepared.grid[0], 2);
}
END_TEST

/* A cluster along K computes one tile, whatever is resident; the next launch begins beside one that
 * leaves room for hardly any of its clusters, or for plenty. */
START_TEST(clusters_along_k_take_one_tile) {
  static const struct {
    int cluster_k;
    int64_t tiles, resident;
    bool next_beside;
  } rows[] = {
      {4, 16, 120, false}, {4, 16, 92, true},  {4, 16, 96, false}, {4, 16, 188, false},
      {4, 16, 192, true},  {2, 16, 60, true},  {3, 16, 90, true},  {8, 8, 120, false},
      {16, 4, 112, true},  {8, 40, 120, true},
  };
  gg_kernel kernel = fixture_kernel();
  const gg_param param = {.kind = GG_PARAM_NEXT_BESIDE};
  kernel.params = &param, kernel.param_count = 1;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    gg_problem p = fixture_problem(1, 1, 9, rows[i].tiles);
    gg_launch_facts prepared;
    kernel.cluster_k = rows[i].cluster_k;
    ck_assert_int_eq(
        gg_problem_check(&prepared, &kernel, &p, rows[i].resident, gg_device_row(90), &err), GG_OK);
    ck_assert_uint_eq(prepared.grid[0], (unsigned)(rows[i].tiles * rows[i].cluster_k));
    ck_assert_msg(prepared.arguments[0] == rows[i].next_beside, "row %zu", i);
  }
}
END_TEST

/* The busiest CTA's K tiles are a part's. */
START_TEST(clusters_along_k_share_the_k_tiles) {
  const gg_distributed distributed = {.grid = GG_GRID_TILES,
                                      .tile_m = 64,
                                      .tile_n = 64,
                                      .tile_k = 64,
                                      .cluster_m = 2,
                                      .cluster_n = 1,
                                      .cluster_k = 3,
                                      .a_bits = 16,
                                      .b_bits = 16,
                                      .accumulator_bits = 32};
  static const int64_t rows[][3] = {{0, 0, 0}, {1, 1, 1}, {33, 1, 1}, {192, 3, 1}, {193, 4, 2}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    gg_distribution distribution;
    ck_assert(gg_distribution_make(&distribution, &distributed,
                                   (gg_extents){129, 64, rows[i][0], 1}, 132, 0,
                                   gg_device_row(90)));
    ck_assert_int_eq(distribution.tiles, 2);
    ck_assert_int_eq(distribution.clusters, 2);
    ck_assert_int_eq(distribution.workspace_bytes, 0);
    ck_assert_int_eq(distribution.k_tiles, rows[i][1]);
    ck_assert_int_eq(distribution.busiest, rows[i][2]);
  }
  gg_distribution distribution;
  ck_assert(!gg_distribution_make(&distribution, &distributed, (gg_extents){INT32_MAX, 64, 1, 64},
                                  132, 0, gg_device_row(90)));
}
END_TEST

/* ---- Turns ----------------------------------------------------------------------------- */

/* As many as have elements, counted one by one: pair t of them has, in its CTA r, 64 from
 * t / 2 * 256 + r * 128 + t % 2 * 64 on. */
START_TEST(pairs_that_take_turns) {
  enum { tile = 64, most = 1300 };
  for (int cluster = 2; cluster <= 8; cluster += 2) {
    for (int64_t extent = 0; extent < most; extent++) {
      int64_t pairs = 0;
      for (int64_t t = 0; t < 2 * most / tile; t++)
        if (t / 2 * 4 * tile + t % 2 * tile < extent) pairs = t + 1;
      ck_assert_int_eq(gg_tiles_along(extent, tile, cluster, (gg_turns){tile, 2, 2}),
                       (2 * pairs + cluster - 1) / cluster);
    }
  }
}
END_TEST

/* Tile t of those of 192 columns, four of which take halves in turns, begins at t / 4 * 768 + t % 4
 * * 96; likewise of 64 and of 128. */
START_TEST(columns_in_turns) {
  static const struct { int tile, tiles; } rows[] = {{64, 4}, {128, 2}, {192, 4}};
  enum { most = 2000 };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    int tile = rows[i].tile, tiles = rows[i].tiles, half = tile / 2;
    for (int64_t extent = 0; extent < most; extent++) {
      int64_t count = 0;
      for (int64_t t = 0; t < 2 * most / half; t++)
        if (t / tiles * tiles * tile + t % tiles * half < extent) count = t + 1;
      for (int cluster = 1; cluster <= 4; cluster++)
        ck_assert_int_eq(gg_tiles_along(extent, tile, cluster, (gg_turns){half, tiles, 1}),
                         (count + cluster - 1) / cluster);
    }
  }
}
END_TEST

/* ---- Workspaces ------------------------------------------------------------------------ */

/* Sums over the columns of tiles of 128 x 64, eight parts each. */
static gg_kernel kernel_with_sum(void) {
  gg_kernel kernel = fixture_kernel();
  kernel.operations[0] = (gg_operation){
      .kind = GG_OP_SUM, .along = GG_ALONG_N, .operand = {GG_DTYPE_f32, GG_MAJOR_N, 4}};
  kernel.operation_count = 1;
  kernel.sum_bytes_n = 8 * 4;
  return kernel;
}

/* Three rows of tiles, parts of a multiple of four columns. Each batch has a vector of its own. */
START_TEST(sums_take_a_workspace) {
  gg_kernel kernel = kernel_with_sum();
  gg_problem p = fixture_problem(300, 71, 9, 2);
  gg_launch_facts prepared;
  ck_assert_int_eq(gg_problem_pack(&p, &kernel, &err), GG_OK);
  ck_assert_int_eq(p.extras[0].batch_stride, 71);
  gg_distribution d;
  ck_assert_int_eq(gg_problem_distribute(&d, &kernel, &p, 264, gg_device_row(90), &err), GG_OK);
  ck_assert_int_eq(d.sums_begin, GG_WORKSPACE_COUNTERS);
  ck_assert_int_eq(d.workspace_bytes, GG_WORKSPACE_COUNTERS + 3 * 32 * 72 * 2);
  p.workspace = 0x10000, p.workspace_bytes = d.workspace_bytes;
  p.extras[0].address = 0x5000;
  ck_assert_int_eq(gg_problem_check(&prepared, &kernel, &p, 264, gg_device_row(90), &err), GG_OK);
  p.extras[0].batch_stride = 0;
  ck_assert_int_eq(gg_problem_check(&prepared, &kernel, &p, 264, gg_device_row(90), &err),
                   GG_E_PROBLEM_STRIDE);
  assert_error(&err, GG_E_PROBLEM_STRIDE, "extras[0].batch_stride = 0: the batches overlap");
  p.n = INT64_MAX; /* of which a whole number of lines is more than int64 counts */
  ck_assert_int_eq(gg_problem_distribute(&d, &kernel, &p, 264, gg_device_row(90), &err),
                   GG_E_PROBLEM_SIZE);
  gg_error_clear(&err);
}
END_TEST

/* Behind sums of any size the maps begin at a multiple of one's size. */
START_TEST(maps_take_a_workspace) {
  gg_kernel kernel = kernel_with_sum();
  gg_problem p = fixture_problem(300, 71, 9, 2);
  gg_distribution d;
  kernel.sum_bytes_n = 4, kernel.map_bytes = 1280;
  ck_assert_int_eq(gg_problem_distribute(&d, &kernel, &p, 264, gg_device_row(90), &err), GG_OK);
  int64_t sums = GG_WORKSPACE_COUNTERS + 3 * 4 * 72 * 2, maps = (sums + 127) / 128 * 128;
  ck_assert_int_eq(d.sums_begin, GG_WORKSPACE_COUNTERS);
  ck_assert_int_eq(d.maps_begin, maps);
  ck_assert_int_eq(d.workspace_bytes, maps + d.clusters * 1280);
  ck_assert_int_ne(sums, maps);
}
END_TEST

/* Clusters that claim fill the device, also those that get nothing; where a map has an address of a
 * batch each has maps of its own. */
START_TEST(claims_fill_the_device) {
  gg_kernel kernel = fixture_kernel();
  gg_problem p = fixture_problem(300, 71, 9, 2); /* 3 x 2 tiles, of 2 batches */
  gg_launch_facts prepared;
  gg_distribution d;
  fixture_claim(&kernel);
  kernel.cluster_n = 2;
  ck_assert_int_eq(gg_problem_distribute(&d, &kernel, &p, 264, gg_device_row(90), &err), GG_OK);
  ck_assert_int_eq(d.clusters, 6);
  ck_assert_int_eq(d.launched, 132);
  ck_assert_int_eq(d.workspace_bytes, GG_WORKSPACE_COUNTERS);
  p.workspace = 0x10000, p.workspace_bytes = d.workspace_bytes;
  ck_assert_int_eq(gg_problem_check(&prepared, &kernel, &p, 264, gg_device_row(90), &err), GG_OK);
  ck_assert_uint_eq(prepared.grid[0], 264);
  ck_assert_int_eq(prepared.works, 6);
  kernel.map_bytes = 1280;
  ck_assert_int_eq(gg_problem_distribute(&d, &kernel, &p, 264, gg_device_row(90), &err), GG_OK);
  ck_assert_int_eq(d.workspace_bytes, GG_WORKSPACE_COUNTERS + 264 * 1280);
}
END_TEST

/* Of single CTAs, so many of which run at once on 132 multiprocessors. */
static gg_distribution of_single_ctas(gg_distributed kernel, gg_extents extents, int64_t resident) {
  gg_distribution d;
  kernel.cluster_m = kernel.cluster_n = kernel.cluster_k = 1;
  ck_assert(gg_distribution_make(&d, &kernel, extents, resident, 0, gg_device_row(90)));
  return d;
}

static int64_t shares_of(gg_extents extents, int tile_m, int tile_n) {
  gg_distributed kernel = {
      .grid = GG_GRID_SPLIT_K, .tile_m = tile_m, .tile_n = tile_n, .tile_k = 64, .tile_warps = 8};
  kernel.type = GG_DTYPE_bf16, kernel.a_bits = kernel.b_bits = 16, kernel.accumulator_bits = 32;
  return of_single_ctas(kernel, extents, 132).group_shares;
}

/* On 132 multiprocessors (docs/performance/h100.md, "Shares that fill the device"). */
START_TEST(shares_of_long_products_fill_the_device) {
  ck_assert_int_eq(shares_of((gg_extents){504, 768, 83072, 1}, 168, 128), 7); /* of 18 tiles */
  ck_assert_int_eq(shares_of((gg_extents){496, 1008, 35072, 1}, 128, 128), 4);
  ck_assert_int_eq(shares_of((gg_extents){856, 856, 29504, 1}, 128, 144), 3);
  /* More of them would load by themselves, one after the other. */
  ck_assert_int_eq(shares_of((gg_extents){368, 2256, 70144, 1}, 128, 128), 2);
  /* DRAM gives no more. */
  ck_assert_int_lt(shares_of((gg_extents){104, 760, 7360, 1}, 128, 256), 20);
}
END_TEST

/* Of f64, two CTAs of 64 x 64 x 16 on each of 132 multiprocessors. */
static gg_distribution streamed(gg_extents extents) {
  gg_distributed kernel = {
      .grid = GG_GRID_STREAM_K, .tile_m = 64, .tile_n = 64, .tile_k = 16, .tile_warps = 4};
  kernel.type = GG_DTYPE_f64, kernel.a_bits = kernel.b_bits = kernel.accumulator_bits = 64;
  kernel.warps = 4;
  return of_single_ctas(kernel, extents, 264);
}

/* docs/performance/h200.md, "Few tiles of f64". */
START_TEST(few_tiles_are_dealt_as_one_group) {
  gg_distribution d = streamed((gg_extents){890, 440, 2360, 1});
  ck_assert_int_eq(d.shared_tiles, 98);
  ck_assert_int_eq(d.group_tiles, 98);
  ck_assert_int_eq(d.group_shares, 264);
  ck_assert_int_eq(d.clusters, 264);
  ck_assert_int_eq(d.busiest, 2 * 55); /* of 98 x 148 K tiles, by both CTAs of a multiprocessor */
  ck_assert_int_eq(d.workspace_bytes, GG_WORKSPACE_COUNTERS + 264 * 64 * 64 * 8);
  d = streamed((gg_extents){350, 350, 9000, 1}); /* up to nine parts: one CTA would add up all */
  ck_assert_int_eq(d.group_tiles, 1);
  ck_assert_int_eq(d.shared_tiles, 36);
  d = streamed((gg_extents){768, 704, 2360, 1}); /* a tile on each multiprocessor */
  ck_assert_int_eq(d.shared_tiles, 0);
  d = streamed((gg_extents){890, 440, 16, 1}); /* one K tile each */
  ck_assert_int_eq(d.shared_tiles, 0);
  d = streamed((gg_extents){890, 440, (int64_t)1 << 40, 1}); /* more than a kernel counts */
  ck_assert_int_eq(d.shared_tiles, 0);
}
END_TEST

/* The counters of claims are no one else's: the launch behind a kernel may claim while it counts.
 */
START_TEST(shares_leave_the_counters_of_claims) {
  enum { warps = 4, most = (16384 - 4096 - 32) / warps };
  gg_kernel kernel = fixture_kernel();
  kernel.grid = GG_GRID_SPLIT_K, kernel.splits = 2, kernel.tile_warps = warps;
  for (int64_t tiles = most; tiles <= most + 1; tiles++) {
    gg_problem p = fixture_problem(128, 64 * tiles, 640, 1);
    gg_distribution d;
    ck_assert_int_eq(gg_problem_distribute(&d, &kernel, &p, 264, gg_device_row(90), &err), GG_OK);
    ck_assert_int_eq(d.shared_tiles, tiles == most ? most : 0);
  }
}
END_TEST

/* Over no rows they are 0, which takes no launch; of no columns there are none. */
START_TEST(sums_over_nothing) {
  gg_kernel kernel = kernel_with_sum();
  gg_problem p = fixture_problem(0, 70, 9, 2);
  gg_launch_facts prepared;
  ck_assert_int_eq(gg_problem_pack(&p, &kernel, &err), GG_OK);
  ck_assert_int_eq(gg_problem_check(&prepared, &kernel, &p, 264, gg_device_row(90), &err),
                   GG_E_PROBLEM_POINTER);
  assert_error(&err, GG_E_PROBLEM_POINTER, "the pointer to extras[0] is null");
  p.extras[0].address = 0x5000, p.extras[0].batch_stride = 100;
  ck_assert_int_eq(gg_problem_check(&prepared, &kernel, &p, 264, gg_device_row(90), &err), GG_OK);
  ck_assert_uint_eq(prepared.grid[0], 0);
  ck_assert_uint_eq(prepared.empty_sum_count, 1);
  const gg_empty_sum *sum = &prepared.empty_sums[0];
  ck_assert(sum->address == 0x5000 && sum->pitch == 400 && sum->bytes == 280 && sum->batches == 2);
  p.m = 5, p.n = 0;
  ck_assert_int_eq(gg_problem_check(&prepared, &kernel, &p, 264, gg_device_row(90), &err), GG_OK);
  ck_assert_uint_eq(prepared.empty_sum_count, 0);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("distribution");
  TCase *tests = tcase_create("distribution");
  tcase_add_test(tests, persistent_grids_fit_the_device);
  tcase_add_test(tests, launches_begin_beside_the_one_ahead);
  tcase_add_test(tests, clusters_take_blocks_of_tiles);
  tcase_add_test(tests, clusters_along_k_take_one_tile);
  tcase_add_test(tests, clusters_along_k_share_the_k_tiles);
  tcase_add_test(tests, pairs_that_take_turns);
  tcase_add_test(tests, columns_in_turns);
  tcase_add_test(tests, sums_take_a_workspace);
  tcase_add_test(tests, maps_take_a_workspace);
  tcase_add_test(tests, claims_fill_the_device);
  tcase_add_test(tests, shares_of_long_products_fill_the_device);
  tcase_add_test(tests, few_tiles_are_dealt_as_one_group);
  tcase_add_test(tests, shares_leave_the_counters_of_claims);
  tcase_add_test(tests, sums_over_nothing);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
