/* What decides, in a plan, how its kernel's products are distributed. distribution.c takes the same
 * from a gg_kernel, which is what a launch has. */
#include <string.h>

#include "atom/dtype.h"
#include "atom/tmem.h"
#include "layout/banks.h"
#include "plan/distribution.h"
#include "plan/map_sets.h"
#include "plan/sums.h"
#include "plan/target.h"

gg_turns gg_plan_turns_m(const gg_plan *plan) {
  return plan->turns_pairs ? (gg_turns){plan->tile_m, 2, 2} : (gg_turns){.tiles = 0};
}

gg_turns gg_plan_turns_n(const gg_plan *plan) {
  int columns = plan->turns_columns;
  return columns ? (gg_turns){plan->tile_n / 2, columns, 1} : (gg_turns){.tiles = 0};
}

int gg_plan_tile_warps(const gg_plan *plan) {
  if (gg_plan_in_tensor_memory(plan)) return plan->consumers * GG_TMEM_LANES / GG_WARP;
  if (gg_plan_multiplies_by_warps(plan)) return 4 * plan->atoms_m * plan->atoms_n;
  gg_layout worker = gg_mma_atom_threads(&plan->mma);
  return plan->atoms_m * plan->atoms_n * (int)gg_layout_size(&worker) / GG_WARP;
}

gg_distributed gg_distributed_of_plan(const gg_plan *plan) {
  static const gg_grid_rule grids[] = {
      [GG_SCHEDULER_DATA_PARALLEL] = GG_GRID_TILES, [GG_SCHEDULER_PERSISTENT] = GG_GRID_PERSISTENT,
      [GG_SCHEDULER_SPLIT_K] = GG_GRID_SPLIT_K,     [GG_SCHEDULER_STREAM_K] = GG_GRID_STREAM_K,
      [GG_SCHEDULER_DYNAMIC] = GG_GRID_TILES,
  };
  return (gg_distributed){
      .grid = grids[plan->scheduler],
      .splits = plan->splits,
      .tile_m = plan->tile_m,
      .tile_n = plan->tile_n,
      .tile_k = plan->tile_k,
      .tile_warps = gg_plan_shares_tiles(plan) ? gg_plan_tile_warps(plan) : 0,
      .cluster_m = plan->cluster_m,
      .cluster_n = plan->cluster_n,
      .cluster_k = plan->cluster_k,
      .turns_m = gg_plan_turns_m(plan),
      .turns_n = gg_plan_turns_n(plan),
      .sum_bytes_m = gg_plan_sum_bytes(plan, GG_SPAN_ROWS),
      .sum_bytes_n = gg_plan_sum_bytes(plan, GG_SPAN_COLUMNS),
      .map_bytes = gg_plan_map_bytes(plan),
      .warps = plan->specialised || !gg_plan_shares_tiles(plan) ? 0 : gg_plan_tile_warps(plan),
      .specialised = plan->specialised,
      .claims = plan->claims,
      .cores = strcmp(plan->target->family, "simt") == 0,
      .type = plan->a.type,
      .a_bits = gg_dtype_info_of(plan->a.type)->bits,
      .b_bits = gg_dtype_info_of(plan->b.type)->bits,
      .accumulator_bits = gg_dtype_info_of(plan->accumulator)->bits,
  };
}
